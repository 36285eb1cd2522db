"""What is written into codes is found: quarters, years from another month on, and what other columns begin with."""

import random
from datetime import date, timedelta

import pytest
from helpers.found import equations_told


def days(count: int) -> list[date]:
    rng = random.Random(count)
    return [date(2021, 1, 1) + timedelta(days=rng.randrange(1_400)) for _ in range(count)]


def test_quarters_and_years_that_begin_in_another_month():
    sold = days(600)
    found = equations_told(
        {
            "sold": sold,
            "quarter": [f"{day.year}-Q{(day.month + 2) // 3}" for day in sold],
            "short": [f"Q{(day.month + 2) // 3}" for day in sold],
            "vintage": [day.year + (day.month >= 7) for day in sold],
            "fiscal_year": [day.year + (day.month >= 7) for day in sold],
            "school": [f"{day.year - (day.month < 9)}/{(day.year + (day.month >= 9)) % 100:02d}" for day in sold],
        }
    )
    assert found >= {
        "quarter = YYYY-Qq(sold) + …",
        "short = 1 character + q(sold) + …",
        "fiscal_year = YYYY(sold + 6 months) + …",
        "school = YYYY/NN(sold − 8 months) + …",
    }
    assert not any("vintage" in text and "sold" in text for text in found)


def test_months_before_and_after_a_date():
    issued = days(300)
    before = [(day.replace(day=1) - timedelta(days=1)) for day in issued]
    after = [(day.replace(day=28) + timedelta(days=4)) for day in issued]
    found = equations_told(
        {
            "issued": issued,
            "month": [f"{day:%Y-%m}" for day in before],
            "bill": [f"CW{day:%Y%m}-{n:03}" for n, day in enumerate(before)],
            "prepaid": [f"{day:%Y-%m}" for day in after],
        }
    )
    assert found >= {
        "month = YYYY-MM(issued − 1 month) + …",
        "bill = 2 characters + YYYYMM(issued − 1 month) + …",
        "prepaid = YYYY-MM(issued + 1 month) + …",
    }


def test_what_codes_begin_with_and_what_stands_between_their_signs():
    rng, size = random.Random(4), 600
    region = [rng.choice(["North", "Southwest", "East", "Midlands"]) for _ in range(size)]
    country = [rng.choice(["DE", "FR", "CHE"]) for _ in range(size)]
    found = equations_told(
        {
            "region": region,
            "country": country,
            "branch": [f"{name[:2].upper()}{rng.randrange(10_000):05d}" for name in region],
            "invoice": [f"INV-{name}-{rng.randrange(9_999)}" for name in country],
            "box": [f"B{name}{rng.randrange(9_999)}" for name in country],
        }
    )
    assert found == {
        "branch = upper(first 2 of region) + …",
        'country = piece 2 of invoice by "-"',
        "box = 1 character + country + …",
    }


@pytest.mark.parametrize("seed", range(4))
def test_codes_that_have_nothing_of_other_columns(seed: int):
    rng, size = random.Random(seed), 300
    some = [rng.choice("ABC") for _ in range(size)]
    code = [f"{rng.choice('ABC')}{rng.randrange(10_000):04d}-{rng.randrange(4)}" for _ in range(size)]
    assert equations_told({"day": days(size), "kind": some, "code": code}) == set()
