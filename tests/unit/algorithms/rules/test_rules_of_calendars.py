"""What lies months on, who is referred to by two names, days' prices, and logarithms: told as people say it."""

import math
import random
from datetime import date, timedelta

from helpers.found import listed, months_on, shown


def test_what_lies_months_before_an_end_does_not_stand_between_it_and_the_beginning():
    rng = random.Random(1)
    begins = [date(2018, 1, 1) + timedelta(days=rng.randrange(1_500)) for _ in range(300)]
    ends = [months_on(day, 3) + timedelta(days=rng.choice([40, 90, 300, 900])) for day in begins]
    told = listed({"id": range(300), "begins": begins, "ends": ends, "notice": [months_on(day, -3) for day in ends]})
    assert "notice = ends − 3 months" in told
    assert {"begins ≤ ends", "begins ≤ notice"} & set(told)


def test_rules_along_a_second_name_of_the_same_parent_are_not_told_again():
    rng = random.Random(2)
    plans = {"plan_no": [f"P{n:03}" for n in range(60)], "owner": [f"W{n:04}" for n in rng.sample(range(900), 60)]}
    plans["rate"] = [rng.randrange(100, 9_000) for _ in range(60)]
    chosen = [rng.randrange(60) for _ in range(800)]
    bills = {
        "bill": range(10_000, 10_800),
        "plan_no": [plans["plan_no"][n] for n in chosen],
        "owner": [plans["owner"][n] for n in chosen],
        "rate": [plans["rate"][n] for n in chosen],
    }
    told = [text for text in shown(plans=plans, bills=bills)["bills"] if "plans.rate" in text]
    assert told == ["bills.rate = plans.rate (by plan_no)"]


def test_a_day_refers_to_a_key_that_has_one_in_it():
    rng = random.Random(3)
    days = [date(2023, 1, 2) + timedelta(days=n) for n in range(120)]
    funds = ["GB01", "GB02", "GB03"]
    rates = {key: rng.randrange(1_000, 9_000) for key in ((fund, day) for fund in funds for day in days)}
    prices = {"fund": [f for f, _ in rates], "price_date": [d for _, d in rates], "nav": list(rates.values())}
    keys = [rng.choice(list(rates)) for _ in range(900)]
    deals = {
        "deal": [f"D{n:05}" for n in range(900)],
        "fund": [f for f, _ in keys],
        "price_date": [d for _, d in keys],
        "settled": [d + timedelta(days=rng.randint(2, 200)) for _, d in keys],
        "price": [rates[key] for key in keys],
    }
    told = shown(prices=prices, deals=deals)["deals"]
    assert "deals.(fund, price_date) ⊆ prices.(fund, price_date)" in told
    assert "deals.price = prices.nav (by fund, price_date)" in told


def test_a_mean_per_time_is_found_though_some_have_none():
    rng = random.Random(5)
    counts = [rng.choice([0, 0, rng.randint(1, 40)]) for _ in range(600)]
    totals = [count * rng.randint(2, 90) + rng.randint(0, count or 0) for count in counts]
    means = [round(total / count, 2) if count else 0.0 for total, count in zip(totals, counts, strict=True)]
    told = shown(t={"id": range(600), "total": totals, "trips": counts, "mean": means})["t"]
    assert "mean = total / trips" in told


def test_a_logarithm_is_not_said_to_be_less_than_its_number():
    rng = random.Random(4)
    wages = [round(rng.uniform(3, 90), 2) for _ in range(400)]
    told = shown(t={"id": range(400), "wage": wages, "log_wage": [math.log(one) for one in wages]})["t"]
    assert not [text for text in told if "≤" in text or "<" in text]
