"""Conditional rules are found where the condition matters, and not found where it does not."""

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import conditions_in as found_in
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.conditions.together import one_way, together


def test_what_a_state_asks_for():
    random = np.random.default_rng(2)
    size = 900
    status = random.choice(["open", "sent", "arrived", "cancelled"], size)
    reason = np.where(status == "cancelled", random.choice(["late", "broken", "other"], size), None)
    sent = np.where(np.isin(status, ["sent", "arrived"]), random.choice(["A9", "B2", "C5"], size), None)
    note = np.where((status == "sent") | (random.random(size) < 0.4), "checked", None)
    assert found_in(pa.table({"status": status, "reason": reason, "parcel": sent, "note": note})) == {
        "status = cancelled ⇔ reason is there",
        "status ∈ {arrived, sent} ⇔ parcel is there",
        "status = sent ⇒ note is there",
        "reason is there ⇒ parcel is missing",
    }


def test_signs_bounds_and_values_of_categories():
    random = np.random.default_rng(4)
    size = 1500
    kind = random.choice(["sale", "refund", "gift"], size, p=[0.7, 0.2, 0.1])
    amount = random.integers(1, 90_000, size) / 100
    amount = np.where(kind == "refund", -amount, np.where(kind == "gift", 0.0, amount))
    points = random.integers(0, 1001, size) / 10
    grade = np.where(points >= 90, "A", np.where(points >= 60, "B", "C"))
    country = random.choice(["DE", "FR", "US", "CH"], size)
    currency = np.where(country == "US", "USD", np.where(random.random(size) < 0.5, "EUR", "CHF"))
    currency = np.where(country == "DE", "EUR", currency)
    table = {"kind": kind, "amount": amount, "points": points, "grade": grade, "country": country, "currency": currency}
    # The first two follow: from amounts of 0 and less, and read the other way round.
    assert found_in(pa.table(table)) == {
        "kind ∈ {gift, refund} ⇒ amount < points",
        "currency = CHF ⇒ country ∈ {CH, FR}",
        "kind = refund ⇔ amount < 0",
        "kind = gift ⇔ amount = 0",
        "kind = sale ⇔ amount > 0",
        "grade = A ⇔ points ≥ 90",
        "grade = B ⇔ 60 ≤ points ≤ 89.9",
        "grade = C ⇔ points ≤ 59.9",
        "country = US ⇔ currency = USD",
        "country = DE ⇒ currency = EUR",
    }


def test_a_range_within_all_others_and_a_rate_of_one_country():
    random = np.random.default_rng(8)
    size = 900
    score = random.integers(-400, 401, size) / 100
    land = random.choice(["AT", "CZ", "DE", "NL", "PL"], size)
    zone = np.where(land == "DE", "HOME", np.where(land == "AT", "NEAR", "FAR"))
    found = found_in(
        pa.table(
            {
                "score": score,
                "passed": np.where(np.abs(score) <= 2, "yes", "no"),
                "land": land,
                "rate": np.where(land == "DE", 19, 0),
                "zone": zone,
            }
        )
    )
    assert {"passed = yes ⇔ -2 ≤ score ≤ 2", "land = DE ⇔ rate > 0", "zone = HOME ⇔ land = DE"} <= found


def test_all_columns_of_a_form_are_there_together():
    form = [[f"{i}{name}" if i % 3 else None for i in range(90)] for name in "abcdefgh"]
    found = found_in(pa.table({f"field{i}": values for i, values in enumerate(form)}))
    assert found == {f"field0 is there ⇔ field{i} is there" for i in range(1, 8)}


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_found_where_columns_have_nothing_to_do_with_each_other(seed: int):
    random = np.random.default_rng(seed)
    size = int(random.choice([20, 90, 1200]))
    categories = {f"kind{i}": random.choice(list("abcdefgh"[: 2 + i]), size) for i in range(5)}
    rare = {"rare": random.choice(["x", "y", "z"], size, p=[0.96, 0.03, 0.01])}
    money = {f"money{i}": np.round(random.gamma(2, 30, size), 2) for i in range(4)}
    few = {f"few{i}": random.integers(0, 4 + i, size) for i in range(3)}
    gaps = {f"gap{i}": [None if gap else "v" for gap in random.random(size) < 0.5**i] for i in range(4)}
    codes = {"code": [f"c{n}" for n in random.integers(0, max(2, size // 4), size)]}
    assert found_in(pa.table(categories | rare | money | few | gaps | codes)) == set()


def test_what_costs_nothing_from_a_limit_on_is_told_by_it():
    random = np.random.default_rng(8)
    gross, minutes = random.integers(500, 30_000, 800) / 100, random.integers(1, 120, 800)
    table = {
        "gross": gross,
        "fee": np.where(gross >= 100, 0.0, 4.9),
        "minutes": minutes,
        "charge": np.maximum(0, 3 * (minutes - 30)),
        "noise": random.choice([0, 0, 17, 230, 415], 800),
    }
    found = {text for text in found_in(pa.table(table)) if "⇔" in text}
    assert found == {"fee = 0 ⇔ gross ≥ 100", "charge = 0 ⇔ minutes ≤ 30"}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=2, max_size=12))
def test_what_is_told_of_values_that_are_there_implies_all_that_holds_of_them(filled):
    names = "abcd"
    rows = pa.table({name: ["x" if row[i] else None for row in filled] for i, name in enumerate(names)})
    has = {name: {n for n, row in enumerate(filled) if row[i]} for i, name in enumerate(names)}
    varied = [name for name in names if 0 < len(has[name]) < len(filled)]
    told = [*together(rows, varied), *one_way(rows, varied)]
    # The facts that are told, and those that follow: A within B, A within the rows without B, and the reverse.
    within, apart = {(a, a) for a in varied}, set()
    for one in told:
        pair = (one.column, one.then.column)
        if one.then.there:
            within |= {pair, pair[::-1]} if one.both_ways else {pair}
        else:
            apart |= {pair, pair[::-1]}
    for middle in varied:
        within |= {(a, b) for a in varied for b in varied if {(a, middle), (middle, b)} <= within}
    follows = {(a, b) for c, d in apart for a in varied for b in varied if {(a, c), (b, d)} <= within}
    assert within == {(a, b) for a in varied for b in varied if has[a] <= has[b]}
    assert apart | follows == {(a, b) for a in varied for b in varied if not has[a] & has[b]}


def test_a_value_that_is_there_only_beside_another_one():
    random = np.random.default_rng(3)
    has_year = random.random(800) < 0.6
    has_month = has_year & (random.random(800) < 0.5)
    has_day = has_month & (random.random(800) < 0.5)
    numbers = {"day": (has_day, 1, 29), "month": (has_month, 1, 13), "year": (has_year, 1900, 2000)}
    rows = {n: pa.array(random.integers(low, high, 800), mask=~has) for n, (has, low, high) in numbers.items()}
    assert found_in(pa.table(rows)) == {"day is there ⇒ month is there", "month is there ⇒ year is there"}


def test_few_rows_of_a_category_suffice_where_chance_would_not_explain_them():
    random = np.random.default_rng(3)
    status = random.choice(["open", "paid", "refused"], 90, p=[0.5, 0.35, 0.15])
    payments = np.where(status == "refused", 0, random.integers(0, 4, 90))
    assert "status = refused ⇒ payments = 0" in found_in(pa.table({"status": status, "payments": payments}))


def test_whole_numbers_are_conditions_and_a_limit_is_told_where_it_parts_the_rows():
    random = np.random.default_rng(12)
    size = 1200
    total = np.round(random.gamma(2, 200, size), 2)
    parts = np.where(total < 140, 1, random.choice([1, 2, 4], size))
    iban = np.where((parts > 1) | (random.random(size) < 0.3), "ES91", None)
    level = random.choice(["bachelor", "master", "course"], size)
    points = np.where(level == "bachelor", random.integers(40, 80, size) * 5, random.integers(1, 40, size) * 5)
    percent = random.integers(0, 100, size)
    card = np.where((percent >= 33) & (random.random(size) < 0.7), "yes", "no")
    table = {"total": total, "parts": parts, "iban": iban, "level": level, "points": points}
    found = found_in(pa.table(table | {"percent": percent, "card": card}))
    assert {"parts ∈ {2, 4} ⇒ iban is there", "level = bachelor ⇔ points ≥ 200"} <= found
    assert not any("total" in text or "percent" in text for text in found)
