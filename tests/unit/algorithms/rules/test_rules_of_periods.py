"""Keys of what comes once a period, and what goes by quantities of a few values: price lists."""

import datetime as dt
import random

from helpers.found import START, Columns, shown


def readings(days: list[list[int]]) -> Columns:
    """Readings, each with a number, of meters on some days after the first."""
    rows = [(f"M{meter:03}", START + dt.timedelta(days=day)) for meter, own in enumerate(days) for day in own]
    return {"reading_id": list(range(1, len(rows) + 1)), "meter": [m for m, _ in rows], "read_on": [d for _, d in rows]}


def test_what_comes_on_any_day_has_none_though_no_two_come_on_one():
    rng = random.Random(2)
    any_days = [rng.sample(range(900), 6) for _ in range(200)]
    assert "unique {meter, read_on}" not in shown(readings=readings(any_days))["readings"]


def test_a_quantity_of_few_values_gives_a_price():
    rng = random.Random(4)
    hours = [rng.choice([20, 30, 45]) for _ in range(600)]
    bills: Columns = {
        "bill_id": list(range(600)),
        "hours": hours,
        "fee": [{20: 160, 30: 205, 45: 310}[h] for h in hours],
        "meals": [rng.randrange(25) for _ in hours],
    }
    found = shown(bills=bills)["bills"]
    assert "{hours} → fee" in found


def test_a_condition_is_its_own_though_an_amount_is_computed_of_both():
    """Seats are one but in studios; what a member pays a month, which both give, tells either."""
    rng = random.Random(5)
    plan = [rng.choice(["day", "desk", "studio"]) for _ in range(600)]
    seats = [rng.choice([2, 3, 4, 6]) if p == "studio" else 1 for p in plan]
    price = {"day": 90, "desk": 230, "studio": 170}
    members: Columns = {
        "member_id": list(range(600)),
        "plan": plan,
        "seats": seats,
        "seat_price": [price[p] for p in plan],
        "monthly_fee": [price[p] * n for p, n in zip(plan, seats, strict=True)],
    }
    assert "plan ∈ {day, desk} ⇔ seats = 1" in shown(members=members)["members"]
