"""What a history of deltas teaches about single columns: values, shapes, lengths and bounds."""

import random
from decimal import Decimal
from itertools import accumulate
from math import sin

import pyarrow as pa
import pytest
from helpers.rules_of_columns import arrived, broken_by, day, said, schema, taught

from profiling_core.algorithms.columns.bounds import bounds, wanders
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.kept_rules import ColumnBook
from profiling_core.algorithms.columns.learning import comes_after_pause
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.model.kinds.column import Rule
from profiling_core.model.role import Role
from profiling_core.model.types import LogicalType


def test_many_codes_are_no_list_of_values_and_few_are():
    columns = schema(dest_code=LogicalType.STRING, pay_code=LogicalType.STRING)
    airports = [f"{chr(65 + i % 26)}{chr(65 + i // 26)}X" for i in range(40)]

    def rows(number: int) -> dict:
        return {"dest_code": airports * 5, "pay_code": ["CA", "CC", "TR", "CH"] * 50}

    listed = {kept.rule.column for kept in taught(columns, rows).kept if kept.rule.rule is Rule.VALUES}
    assert listed == {"pay_code"}


def test_values_shapes_and_lengths_of_strings():
    columns = schema(state=LogicalType.STRING, plate=LogicalType.STRING)
    states = ["NY", "NJ", "CT"] * 4

    def rows(number: int) -> dict:
        return {"state": states, "plate": [f"N{100 + (number * 13 + i) % 900}A" for i in range(12)]}

    book = taught(columns, rows)
    assert said(book) == {
        "state not null",
        "state ∈ {CT, NJ, NY}",
        "plate not null",
        "plate ~ A9A",
        "usual number of repeated rows in a delta",
    }
    plates = [f"N{number}A" for number in range(123, 132)]
    wrong = {"state": ["NY", "ny", None, *states[3:]], "plate": ["N100A", "100A", "N1000A", *plates]}
    assert broken_by(book, columns, wrong) == {"state not null": 1, "state ∈ {CT, NJ, NY}": 1, "plate ~ A9A": 1}


def test_a_bound_that_most_deltas_meet_is_exact_and_another_has_room():
    columns = schema(hour=LogicalType.INTEGER, delay=LogicalType.FLOAT)

    def rows(number: int) -> dict:
        return {"hour": [0, 23, *range(5, 20)], "delay": [-3.0, 60.0 - 7 * number % 10, *[5.0 + number / 99] * 15]}

    book = taught(columns, rows)
    assert "0 ≤ hour ≤ 23" in said(book)
    (delay,) = [kept.rule for kept in book.kept if kept.rule.rule is Rule.RANGE and kept.rule.column == "delay"]
    assert delay.low == "-3"
    # beyond 60 by some times what the later deltas' greatest stay below it, and not by the width of 63
    assert 60 < float(delay.high) < 110
    assert broken_by(book, columns, {"hour": [24, *[5] * 16], "delay": [60.0, 155.0, *map(float, range(15))]}) == {
        "0 ≤ hour ≤ 23": 1,
        delay.text: 1,
        "usual extremes of delay": 1,
    }


def test_bounds_need_a_later_half_that_brings_nothing_new():
    flat = [(0, 9)] * 20
    assert bounds(flat) == (0, 9)
    assert bounds(flat[:6]) == (None, None)
    assert bounds([*flat, (0, 10)]) == (0, None)
    assert bounds([(25, 120), *[(27, 110)] * 19]) == (15, 170)  # margins 2.5 · 2 · 2 and 2.5 · 2 · 10
    assert bounds([(-1, 998), *[(398, 408)] * 19]) == (None, None)  # the room would be 2.5 · 2 · 399, and the width 999
    assert bounds([*[(-5, 100)] * 5, *[(7, 90)] * 15]) == (-10, 110)


def test_what_was_never_negative_has_no_negative_bound():
    assert bounds([*[(0, 100)] * 5, *[(7, 90)] * 15]) == (0, 110)  # now and then zero
    assert bounds([(0, 100), *[(7, 90)] * 19]) == (None, 150)  # as a temperature may be: it says nothing of zero
    assert bounds([(0, 100), *[(7, 90)] * 99])[0] == 0
    assert bounds([(218 + 7 * i % 900, 50_000_000 + (i * 7919) % 9_000_000) for i in range(20)])[0] == 0


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [
        (1, 2359, (0, 2400)),
        (0, 23, (0, 23)),
        (1.01, 51.785, (1.0, 52.0)),
        (Decimal("0.05"), Decimal("9.95"), (Decimal("0.00"), Decimal("10.00"))),
        (Decimal("0.00"), Decimal("0.07"), (Decimal("0.00"), Decimal("0.07"))),
        (1008.82, 1031.9, (1008.0, 1032.0)),
        (-0.000123, 0.000456, (-0.00013, 0.00046)),
    ],
)
def test_bounds_are_round_and_never_closer_than_what_was_seen(least, most, expected):
    found = bounds([(least, most)] * 20)
    assert found == expected
    assert [type(bound) for bound in found] == [type(least), type(most)]
    assert found[0] <= least
    assert most <= found[1]


def test_numbers_that_follow_the_one_before_or_grow_are_soon_not_bounded():
    rng = random.Random(5)
    wandering = list(accumulate(rng.gauss(0, 1) for _ in range(120)))
    wandering = [*wandering, *reversed(wandering[:-20])]  # it comes back, and the later half brings nothing beyond
    assert wanders(wandering)
    assert bounds([(x, x + 3) for x in wandering]) == (None, None)
    early = bounds([(x, x + 3) for x in (*range(13), *range(13))])
    assert early == (None, None)  # 15 at the most so far, and three times the usual margin is more than the width
    shuffled = rng.sample(wandering, len(wandering))
    assert not wanders(shuffled)
    assert bounds([(x, x + 3) for x in sorted(wandering)]) == (None, None)
    growing = [100 + i + rng.gauss(0, 40) for i in range(120)]
    growing = [*growing[:60], *(min(x, max(growing[:60])) for x in growing[60:])]
    assert not wanders(growing)
    assert bounds([(0.0, x) for x in growing]) == (0.0, None)


def test_a_declared_role_decides_whether_there_are_ranges():
    columns, rng = schema(score=LogicalType.INTEGER), random.Random(4)
    days = [pa.table({"score": [rng.randrange(100) for _ in range(40)]}) for _ in range(30)]

    def ranges(declared: dict[str, Role]) -> list[str]:
        book = ColumnBook(TableHistory.empty(columns))
        for number, rows in enumerate(days):
            book, _ = advance(book, arrived(day(number), rows, declared=declared), columns, ())
        return [kept.rule.column for kept in book.kept if kept.rule.rule is Rule.RANGE]

    assert ranges({}) == ["score"]
    assert ranges({"score": Role.QUANTITY}) == ["score"]
    assert ranges({"score": Role.CODE}) == []


def test_a_range_is_given_up_once_its_column_wanders():
    columns = schema(price=LogicalType.FLOAT)
    book = ColumnBook(TableHistory.empty(columns))
    prices = [50.0, 84.0, 30.0, 84.0, 60.0, 84.0, 40.0] * 2 + [60 + 25 * sin(i / 25) for i in range(300)]
    ranges = []
    for number, price in enumerate(prices):
        rows = pa.table({"price": [price + i for i in range(20)]})
        book, _ = advance(book, arrived(day(number), rows), columns, ())
        ranges.append([kept.rule.text for kept in book.kept if kept.rule.rule is Rule.RANGE])
    assert [text for text in ranges[13] if "price ≤ " in text]
    assert ranges[-1] == ["0 ≤ price"]


def test_what_drifts_is_not_bounded_and_what_is_the_same_all_day_neither():
    columns = schema(number=LogicalType.INTEGER, month=LogicalType.INTEGER, city=LogicalType.STRING)

    def rows(number: int) -> dict:
        return {
            "number": [number * 10 + i for i in range(10)],
            "month": [1 + number // 31] * 10,
            "city": ["old" if number < 20 else "new"] * 10,
        }

    texts = said(taught(columns, rows))
    assert {text for text in texts if "month" in text} == {"month not null", "one month in each delta"}
    assert {text for text in texts if "city" in text and "length" not in text} == {
        "city not null",
        "city ~ a",
        "usual new values of city",
        "one city in each delta",
    }
    assert not [text for text in texts if "number ≤" in text]
    assert "number rises from delta to delta" in texts


def test_a_rare_value_lets_the_set_of_values_wait():
    columns = schema(carrier=LogicalType.STRING)

    def rows(number: int) -> dict:
        return {"carrier": ["AA"] * 12 + ["UA"] * 8 + (["HA"] if number % 2 == 0 else [])}

    assert "carrier ∈ {AA, HA, UA}" not in said(taught(columns, rows, days=20))
    assert "carrier ∈ {AA, HA, UA}" in said(taught(columns, rows, days=100))


def test_values_that_thin_out_are_no_set_since_the_next_one_may_still_come():
    columns = schema(state=LogicalType.STRING, weekday=LogicalType.STRING)
    states = [state for place, state in enumerate("ABCDEF") for _ in range(2 ** (6 - place))]

    def rows(_):
        return {"state": states, "weekday": [f"day {n % 7}" for n in range(len(states))]}

    found = {kept.rule.column for kept in taught(columns, rows).kept if kept.rule.rule is Rule.VALUES}
    assert found == {"state", "weekday"}  # forty days: the next one would have come twenty times
    assert [k.rule.column for k in taught(columns, rows, 8).kept if k.rule.rule is Rule.VALUES] == ["weekday"]


def test_whole_numbers_that_thin_out_on_the_whole_have_no_bound_where_they_happen_to_end():
    columns = schema(children=LogicalType.INTEGER, stars=LogicalType.INTEGER)

    def rows(number):
        children = [0] * 23 + [1, 1, 2, 2] + [1] * (number % 3) + [2] * (number % 2 == 0)
        return {"children": children, "stars": [1 + (n + number) % 5 for n in range(len(children))]}

    assert not {text for text in said(taught(columns, rows, 14)) if "children ≤ 2" in text}
    assert "1 ≤ stars ≤ 5" in said(taught(columns, rows, 14))
    assert "0 ≤ children ≤ 2" in said(taught(columns, rows, 60))  # by then a third one would have come


@pytest.mark.parametrize(("apart", "pause", "is_one"), [(7, 28, True), (7, 21, False), (1, 4, True), (1, 3, False)])
def test_a_pause_is_four_times_as_long_as_deltas_are_apart(apart: int, pause: int, *, is_one: bool):
    ids = [day(apart * number) for number in range(12)]
    assert comes_after_pause(day(apart * 11 + pause), ids) is is_one
    assert not comes_after_pause(day(apart * 3 + pause), ids[:4])
    assert not comes_after_pause("batch 13", ids)
