"""Kinds of rules that tables lacked when they were run for the first time: box scores, days of moments, margins."""

import datetime as dt
import random
from decimal import Decimal

import pyarrow as pa
import pytest
from helpers.found import Columns, equations_in, listed

from profiling_core.algorithms.roles.names import unit_of, words

START = dt.date(2024, 1, 1)


def equations(columns: Columns) -> set[str]:
    return equations_in(pa.table(columns))


def later(days: list[dt.date], low: int, high: int, rng: random.Random) -> list[dt.date]:
    return [day + dt.timedelta(days=rng.randint(low, high)) for day in days]


def test_ft_is_a_unit_where_it_ends_a_name():
    assert unit_of(words("depth_ft")) == "length"
    assert unit_of(words("ft_home")) is None


def test_small_counts_of_a_match_bound_one_another():
    rng = random.Random(1)
    shots = [rng.randint(2, 25) for _ in range(900)]
    target = [rng.randint(0, min(n, 9)) for n in shots]
    full = [min(n, rng.choice([0, 0, 1, 1, 2, 3, 5])) for n in target]
    half = [rng.randint(0, n) for n in full]
    found = listed({"no": list(range(900)), "ht_home": half, "ft_home": full, "sot_home": target, "shots_home": shots})
    orders = {text for text in found if "≤" in text}
    assert orders == {"ht_home ≤ ft_home", "ft_home ≤ sot_home", "sot_home ≤ shots_home"}


def test_a_moment_s_own_day_is_ordered_with_other_days_in_its_place():
    """A guest checks in on the day of arrival: booking and departure are days before and after that."""
    rng = random.Random(2)
    booked = [START + dt.timedelta(days=rng.randrange(400)) for _ in range(800)]
    arrival = later(booked, 0, 90, rng)
    departure = later(arrival, 1, 14, rng)
    noon = dt.time(12)
    checked_in = [dt.datetime.combine(day, noon) + dt.timedelta(minutes=rng.randrange(600)) for day in arrival]
    found = listed({"booked": booked, "arrival": arrival, "departure": departure, "checked_in": checked_in})
    assert [text for text in found if "≤" in text or "<" in text] == ["booked ≤ arrival", "arrival < departure"]


def test_rows_go_by_a_code_rather_than_by_its_name():
    rng = random.Random(3)
    kinds = {"S": ("single", 1, 79), "D": ("double", 2, 119), "F": ("family", 4, 169), "T": ("twin", 2, 109)}
    chosen = [rng.choice(sorted(kinds)) for _ in range(300)]
    told = {name: [kinds[c][i] for c in chosen] for i, name in enumerate(["type_name", "beds", "rate"])}
    found = listed({"room": [f"R{i:04}" for i in range(300)], "type": chosen, **told})
    assert {"{type} → type_name", "{type} → beds"} <= set(found)
    assert "{type_name} → beds" not in found


def test_a_name_that_comes_a_few_times_is_part_of_a_key():
    teams = [f"Town {i} Rovers" for i in range(20)]
    rows = [(season, team) for season in ("2021", "2022", "2023") for team in teams]
    rng = random.Random(4)
    seasons, names = (list(column) for column in zip(*rows, strict=True))
    assert "unique {season, team}" in listed(
        {"season": seasons, "team": names, "won": [rng.randrange(30) for _ in rows]}
    )


@pytest.mark.parametrize("exact", [True, False])
def test_margins_and_growth_are_told(exact: bool):
    rng = random.Random(5)
    cost = [rng.randrange(100, 20_000) for _ in range(400)]
    price = [c + rng.randrange(50, 9_000) for c in cost]
    margin = [round(100 * (p - c) / p, 1) for c, p in zip(cost, price, strict=True)]
    grown = [round(100 * (p - c) / c, 2) for c, p in zip(cost, price, strict=True)]
    margins = pa.array([Decimal(str(m)) for m in margin], pa.decimal128(9, 1)) if exact else margin
    assert equations({"cost": cost, "price": price, "margin": margins}) == {"margin = 100·(price − cost) / price"}
    assert equations({"before": cost, "now": price, "growth": grown}) == {"growth = 100·(now − before) / before"}

    profit = [p - c for c, p in zip(cost, price, strict=True)]
    found = equations({"cost": cost, "price": price, "profit": profit, "margin": margins})
    assert found == {"price = cost + profit", "margin = 100·profit / price"}


def test_thirds_are_told_as_thirds_and_what_is_rounded_does_not_say_it_again():
    rng = random.Random(6)
    high = [rng.randint(100, 180) for _ in range(900)]
    low = [rng.randint(55, h - 15) for h in high]
    mean = [round(b + (a - b) / 3, 1) for a, b in zip(high, low, strict=True)]
    found = equations(
        {"high": high, "low": low, "between": [a - b for a, b in zip(high, low, strict=True)], "mean": mean}
    )
    assert found == {"high = low + between", "mean = 1/3·high + 2/3·low"}


def test_few_counts_that_are_crossed_add_up():
    rng = random.Random(7)
    adults, children = [rng.randint(1, 2) for _ in range(900)], [rng.randint(0, 4) for _ in range(900)]
    guests = [a + c for a, c in zip(adults, children, strict=True)]
    others = {f"n{i}": [rng.randrange(1, 30) for _ in guests] for i in range(15)}
    columns = {"adults": adults, "children": children, "guests": guests, **others}
    assert equations(columns) == {"guests = adults + children"}


def test_few_counts_of_one_kind_each_do_not():
    """Three kinds of rooms, whose beds happen to be seats and lamps: three observations."""
    rng = random.Random(8)
    kinds = [rng.choice([(1, 2, 3), (2, 2, 4), (4, 1, 5)]) for _ in range(900)]
    seats, lamps, beds = (list(column) for column in zip(*kinds, strict=True))
    assert not equations({"seats": seats, "lamps": lamps, "beds": beds})


def test_days_that_follow_from_others_are_not_told():
    rng = random.Random(9)
    issued = [
        dt.datetime(2024, 1, 1, 8, tzinfo=dt.UTC) + dt.timedelta(minutes=rng.randrange(500_000)) for _ in range(500)
    ]
    day = [moment.date() for moment in issued]
    due = [d + dt.timedelta(days=30) for d in day]
    assert equations({"issued": issued, "day": day, "due": due}) == {"day = date(issued)", "due = day + 30 days"}
    filed, decided = day, later(day, 3, 300, rng)
    lasted = [(b - a).days for a, b in zip(filed, decided, strict=True)]
    found = equations({"filed": filed, "decided": decided, "closed": decided, "lasted": lasted})
    assert found == {"closed = decided", "lasted = days(decided − filed)"}


def test_all_that_is_there_together_is_told_where_there_is_room():
    rng = random.Random(13)
    size, columns = 900, 14
    table: Columns = {"no": [f"N{i:05}" for i in range(size)]}
    for i in range(columns):
        has = [rng.random() < 0.5 for _ in range(size)]
        table |= {f"{side}{i}": [rng.choice(["red", "green", "blue"]) if h else None for h in has] for side in "ab"}
    together = [text for text in listed(table) if "is there ⇔" in text]
    assert len(together) == columns
