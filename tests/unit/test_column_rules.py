"""What a history of deltas teaches about single columns, and what is told apart from it afterwards."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from math import sin

import pyarrow as pa
import pytest

from profiling_core.algorithms.columns.bounds import bounds, wanders
from profiling_core.algorithms.columns.calendar import unrepeated
from profiling_core.algorithms.columns.extremes import limits
from profiling_core.algorithms.columns.figures import Figures
from profiling_core.algorithms.columns.history import MOST_DELTAS, TableHistory
from profiling_core.algorithms.columns.judging import regular_expression
from profiling_core.algorithms.columns.upkeep import Arrived, RuleBook, advance
from profiling_core.model.constraint import constraint_from_json, renamed
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.role import Role
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

ORDERED = (LogicalType.INTEGER, LogicalType.FLOAT, LogicalType.DATE, LogicalType.TIMESTAMP)
FIRST = date(2024, 1, 1)


def schema(**columns: LogicalType) -> TableSchema:
    return TableSchema("sales", tuple(Column(name, kind, kind in ORDERED) for name, kind in columns.items()))


def day(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


def arrived(delta_id: str, rows: pa.Table, **more) -> Arrived:
    return Arrived([delta_id], lambda: [(delta_id, rows)], **more)


def taught(columns: TableSchema, rows_of, days: int = 40) -> RuleBook:
    book = RuleBook(TableHistory.empty(columns))
    for number in range(days):
        book, _ = advance(book, arrived(day(number), pa.table(rows_of(number))), columns, ())
    return book


def said(book: RuleBook) -> set[str]:
    return {kept.rule.text for kept in book.kept if not kept.violations}


def rule(book: RuleBook, wanted: Rule) -> ColumnRule:
    (found,) = [kept.rule for kept in book.kept if kept.rule.rule is wanted]
    return found


def broken_by(book: RuleBook, columns: TableSchema, rows: dict, number: int = 40) -> dict[str, int]:
    _, broken = advance(book, arrived(day(number), pa.table(rows)), columns, ())
    texts = {kept.rule.fingerprint: kept.rule.text for kept in book.kept}
    return {texts[name]: found.rows for name, found in broken.items()}


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
        "length of plate = 5",
        "usual number of repeated rows in a delta",
    }
    plates = [f"N{number}A" for number in range(123, 132)]
    wrong = {"state": ["NY", "ny", None, *states[3:]], "plate": ["N100A", "100A", "N1000A", *plates]}
    assert broken_by(book, columns, wrong) == {
        "state not null": 1,
        "state ∈ {CT, NJ, NY}": 1,
        "plate ~ A9A": 1,
        "length of plate = 5": 2,
    }


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
        book = RuleBook(TableHistory.empty(columns))
        for number, rows in enumerate(days):
            book, _ = advance(book, arrived(day(number), rows, declared=declared), columns, ())
        return [kept.rule.column for kept in book.kept if kept.rule.rule is Rule.RANGE]

    assert ranges({}) == ["score"]
    assert ranges({"score": Role.QUANTITY}) == ["score"]
    assert ranges({"score": Role.CODE}) == []


def test_a_range_is_given_up_once_its_column_wanders():
    columns = schema(price=LogicalType.FLOAT)
    book = RuleBook(TableHistory.empty(columns))
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


def test_stale_rows_are_told_from_updates_of_old_ones():
    columns = schema(at=LogicalType.TIMESTAMP)
    start = datetime(2024, 1, 1, tzinfo=UTC)

    def rows(number: int) -> dict:
        return {"at": [start + timedelta(days=number, hours=hour) for hour in (3, 9)]}

    book = taught(columns, rows)
    assert {"at rises from delta to delta", "at as recent as usual"} <= said(book)
    stale = pa.table({"at": [*rows(40)["at"], *rows(7)["at"]]})
    _, broken = advance(book, arrived(day(40), stale), columns, ())
    rises = broken[rule(book, Rule.RISING).fingerprint]
    assert (rises.rows, pa.concat_tables(rises.examples)["at"].to_pylist()) == (2, rows(7)["at"])
    update = arrived(day(40), stale, renewed=lambda found: pa.array([False, False, True, True][: len(found)]))
    _, broken = advance(book, update, columns, ())
    assert rule(book, Rule.RISING).fingerprint not in broken
    assert broken_by(book, columns, rows(41), number=44) == {"at as recent as usual": 0}


def test_how_recent_deltas_by_the_quarter_are():
    columns = schema(x=LogicalType.INTEGER, on=LogicalType.DATE)
    quarters = [date(2000 + number // 4, 1 + number % 4 * 3, 1) for number in range(41)]

    def rows(number: int, newest: int | None = None) -> dict:
        on = quarters[number] + timedelta(days=30 * (number % 3) if newest is None else newest)
        return {"x": list(range(30 if number % 4 == 3 else 10)), "on": [on] * (30 if number % 4 == 3 else 10)}

    book = RuleBook(TableHistory.empty(columns))
    for number in range(40):
        book, _ = advance(book, arrived(quarters[number].isoformat(), pa.table(rows(number))), columns, ())
    fresh = "on as recent as usual"
    for newest, told in ((-20, False), (-40, True)):
        _, broken = advance(book, arrived(quarters[40].isoformat(), pa.table(rows(40, newest))), columns, ())
        assert (rule(book, Rule.FRESH).fingerprint in broken) is told, fresh


def test_an_unusual_share_of_nulls():
    columns = schema(gust=LogicalType.FLOAT)

    def rows(number: int) -> dict:
        return {"gust": [None] * (10 + number % 3) + [float(number)] * 90}

    book = taught(columns, rows)
    share = rule(book, Rule.NULL_SHARE).text
    assert share not in broken_by(book, columns, {"gust": [None] * 20 + [1.0] * 80})
    assert broken_by(book, columns, {"gust": [None] * 40 + [1.0] * 60})[share] == 40


def test_any_null_is_unusual_where_hardly_a_delta_has_one():
    columns = schema(gust=LogicalType.FLOAT)
    book = taught(columns, lambda number: {"gust": [None if number == 9 else 0.5, *[float(number)] * 9]}, days=120)
    share = rule(book, Rule.NULL_SHARE)
    rows = pa.table({"gust": [None, *[1.0] * 9]})
    _, broken = advance(book, arrived(day(120), rows), columns, ())
    assert broken[share.fingerprint].rows == 1
    young = taught(columns, lambda number: {"gust": [None if number == 9 else 0.5, *[float(number)] * 9]})
    _, broken = advance(young, arrived(day(40), rows), columns, ())
    assert rule(young, Rule.NULL_SHARE).fingerprint not in broken


def test_rows_that_come_twice_are_named_unless_that_is_usual():
    columns = schema(shop=LogicalType.STRING, paid=LogicalType.FLOAT)

    def rows(number: int, again: int = 0) -> dict:
        paid = [None, 0.0, *range(number * 10, number * 10 + 8)]
        return {"shop": ["a", "b"] * 5 + ["a"] * again, "paid": [*paid, *[None] * again]}

    book = taught(columns, rows)
    repeated = rule(book, Rule.REPEATED)
    twice = pa.table(rows(40, again=1))
    parts = [(day(40), twice.slice(0, 7)), (day(40), twice.slice(7))]
    _, broken = advance(book, Arrived([day(40)], lambda: parts), columns, ())
    assert [table.to_pylist() for table in broken[repeated.fingerprint].examples] == [[{"shop": "a", "paid": None}]]
    used = taught(columns, lambda number: rows(number, again=number % 3))
    assert repeated.text not in broken_by(used, columns, rows(40, again=3))
    assert broken_by(used, columns, rows(40, again=30))[repeated.text] == 30
    keyed = TableSchema("sales", columns.columns, key=("paid",))
    assert not [kept for kept in taught(keyed, rows).kept if kept.rule.rule is Rule.REPEATED]


def test_a_row_of_another_day_is_named_and_a_rule_that_does_not_hold_is_given_up():
    columns = schema(at=LogicalType.DATE, sku=LogicalType.STRING)

    def rows(number: int) -> dict:
        at = FIRST + timedelta(days=number)
        return {"at": [at, None, at, at], "sku": [f"{number * 4 + i}" for i in range(4)]}

    book = taught(columns, rows)
    one = rule(book, Rule.ONE_VALUE)
    wrong = rows(40) | {"at": [FIRST, None, *rows(40)["at"][2:]]}
    after, broken = advance(book, arrived(day(40), pa.table(wrong)), columns, ())
    assert [table["at"].to_pylist() for table in broken[one.fingerprint].examples] == [[FIRST]]
    assert one.text not in broken_by(after, columns, rows(41) | {"at": [FIRST, *rows(41)["at"][1:]]}, number=41)


GATE = Column("gate", LogicalType.STRING, ordered=False)


def test_a_value_that_is_lacking_on_its_own_is_told_from_one_that_lacks_with_others():
    columns = schema(left=LogicalType.TIMESTAMP, late=LogicalType.INTEGER, air=LogicalType.FLOAT)

    def rows(number: int) -> dict:
        left = [None, *[datetime(2024, 1, 1, i, tzinfo=UTC) for i in range(9)]]
        return {"left": left, "late": [None, *range(9)], "air": [None, 4.0 if number % 4 else None, *[2.5] * 8]}

    book = taught(columns, rows)
    assert {"left null only with air, late", "late null only with air, left"} <= said(book)
    assert not [text for text in said(book) if text.startswith("air null only")]
    wrong = rows(40) | {"late": [None, 1, None, *range(7)]}
    assert broken_by(book, columns, wrong)["late null only with air, left"] == 1
    renames = {"late": "delay"}
    other = TableSchema("sales", (*(replace(c, name=renames.get(c.name, c.name)) for c in columns.columns), GATE))
    named = pa.table({renames.get(name, name): values for name, values in wrong.items()} | {"gate": ["B"] * 10})
    followed = {kept.rule.under(renames).fingerprint for kept in book.kept}
    after, _ = advance(book.under(other, renames), arrived(day(40), named), other, followed)
    counts = {kept.rule.text: (after.measured(kept).violations, after.measured(kept).population) for kept in after.kept}
    assert counts["delay null only with air, left"] == (1, 42)
    assert counts["left null only with air, delay"] == (0, 41)
    assert RuleBook.from_json(after.to_json()) == after


def test_columns_that_seldom_lack_a_value_do_so_together():
    columns = schema(home=LogicalType.INTEGER, away=LogicalType.INTEGER, note=LogicalType.STRING)

    def rows(number: int) -> dict:
        home = [None if number in (9, 50) else 3, *[number * i % 4 for i in range(9)]]
        return {"home": home, "away": [None if home[0] is None else 1, *home[1:]], "note": ["x", None] * 5}

    young = taught(columns, rows, days=40)
    assert not [text for text in said(young) if "null only" in text]
    book = taught(columns, rows, days=60)
    assert {text for text in said(book) if "null only" in text} == {
        "away null only with home",
        "home null only with away",
    }
    broken = broken_by(book, columns, rows(60) | {"home": [None, None, *range(8)], "away": [None, *range(9)]}, 60)
    assert broken["home null only with away"] == 1


def test_a_column_that_is_never_above_another_one():
    columns = schema(low=LogicalType.FLOAT, high=LogicalType.FLOAT, votes=LogicalType.FLOAT, on=LogicalType.DATE)
    rng = random.Random(3)

    def rows(number: int) -> dict:
        low = [round(rng.gauss(50, 5), 2) for _ in range(12)]
        high = [None if i == 3 else x + abs(rng.gauss(0, 2)) for i, x in enumerate(low)]
        return {"low": low, "high": high, "votes": [1000.0 + x for x in low], "on": [FIRST + timedelta(number)] * 12}

    book = taught(columns, rows)
    # that neither is above the votes follows from how great these are, and is no news
    assert [rule.text for kept in book.kept if (rule := kept.rule).rule is Rule.AT_MOST] == ["low ≤ high"]
    wrong = rows(40)
    wrong["low"][3], wrong["low"][5], wrong["high"][5] = 55.0, 54.0, 53.0  # the high one of the former is not known
    assert broken_by(book, columns, wrong) == {"low ≤ high": 1}
    renamed_to = schema(floor=LogicalType.FLOAT, high=LogicalType.FLOAT, votes=LogicalType.FLOAT, on=LogicalType.DATE)
    moved = book.under(renamed_to, {"low": "floor"})
    assert RuleBook.from_json(moved.to_json()) == moved
    named = pa.table({"floor" if name == "low" else name: values for name, values in wrong.items()})
    after, broken = advance(moved, arrived(day(40), named), renamed_to, [k.rule.fingerprint for k in moved.kept])
    assert [found.rows for found in broken.values()] == [1]
    assert "floor ≤ high" not in said(after)


def test_what_has_numbered_the_deltas_so_far_may_start_again():
    columns = schema(day=LogicalType.INTEGER, key=LogicalType.INTEGER, hour=LogicalType.INTEGER)

    def rows(number: int) -> dict:
        on = FIRST + timedelta(number)
        return {"day": [on.day] * 8, "key": [20240000 + number] * 8, "hour": list(range(8))}

    assert unrepeated(taught(columns, rows, days=31).history) == {"day"}
    assert unrepeated(taught(columns, rows, days=32).history) == set()


STREETS = [f"{first}{last}" for first in ("Oak", "Elm", "Birch", "Hill", "Lake") for last in ("wood", " Lane", " End")]


def test_a_misspelt_name_is_told_from_a_new_one():
    columns = schema(street=LogicalType.STRING)

    book = taught(columns, lambda number: {"street": [*STREETS * 3, *["Ash Lane"] * (number > 30)]}, days=60)
    new = rule(book, Rule.NEW_VALUES).text
    assert new not in broken_by(book, columns, {"street": [*STREETS, "Ashwood"]}, number=60)
    assert broken_by(book, columns, {"street": [*STREETS, "Ashwood", "Oak Lanr"]}, number=60)[new] == 1
    assert broken_by(book, columns, {"street": [*STREETS, "QXQZ", "XXQX"]}, number=60)[new] == 2
    many = [f"{name} East" for name in STREETS]
    assert broken_by(book, columns, {"street": [*STREETS, *many]}, number=60)[new] == len(many)
    short = [name[:6] for name in STREETS[:3] for _ in range(2)]
    assert broken_by(book, columns, {"street": [*STREETS[3:], *short]}, number=60)[new] == len(short)
    settled = taught(columns, lambda _: {"street": STREETS}, days=60)
    assert not [kept for kept in settled.kept if kept.rule.rule is Rule.NEW_VALUES]


def test_a_set_of_values_that_stands_violated_leaves_new_ones_to_the_rule_on_them():
    columns = schema(street=LogicalType.STRING)
    book = taught(columns, lambda _: {"street": STREETS}, days=60)
    followed = {kept.rule.fingerprint for kept in book.kept}
    for number in range(60, 62):
        come = pa.table({"street": [*STREETS, "Ash Lane"]})
        book, _ = advance(book, arrived(day(number), come), columns, followed)
    assert rule(book, Rule.VALUES).text not in said(book)
    new = rule(book, Rule.NEW_VALUES).text
    assert broken_by(book, columns, {"street": [*STREETS, "QXQZ"]}, number=62)[new] == 1


ADDRESS = "https://shop.example/item/{}"


def test_a_misspelt_word_is_told_in_texts_that_are_all_different():
    columns = schema(page=LogicalType.STRING)

    def rows(number: int) -> list[str | None]:
        return [None, *[ADDRESS.format(f"ab{number}x{i}") for i in range(10)]]

    book = taught(columns, lambda number: {"page": rows(number)})
    new = rule(book, Rule.NEW_WORDS).text
    wrong = [*rows(40), ADDRESS.format("ab9").replace("item", "itm"), ADDRESS.format("cd9")]
    assert broken_by(book, columns, {"page": wrong})[new] == 1
    assert new not in broken_by(book, columns, {"page": rows(41)})
    titles = schema(title=LogicalType.STRING)
    free = taught(titles, lambda number: {"title": [f"{chr(97 + number // 26)}{chr(97 + number % 26)} {STREETS[0]}"]})
    assert not [kept for kept in free.kept if kept.rule.rule is Rule.NEW_WORDS]


def test_known_words_put_together_anew_are_no_news():
    columns = schema(tags=LogicalType.STRING)
    sets = [",new,sale,", ",sale,", ",new,", ",gift,sale,", ",gift,", ",gift,new,"] * 3
    book = taught(columns, lambda number: {"tags": [*sets, *[",new,old,"] * (number > 30)]}, days=60)
    new = rule(book, Rule.NEW_VALUES).text
    assert new not in broken_by(book, columns, {"tags": [*sets, ",gift,new,sale,"]}, number=60)
    assert broken_by(book, columns, {"tags": [*sets, ",gift,quartz,"]}, number=60)[new] == 1


def test_a_number_far_beyond_its_latest_ones_is_told_where_no_bound_holds():
    columns = schema(degrees=LogicalType.FLOAT, visits=LogicalType.INTEGER)

    def rows(number: int) -> dict:
        degrees = [round(number / 2 + (number * 7 + i * 3) % 5, 1) for i in range(8)]
        visits = [number * 40 + (i * 5 + number * number * 11) % 37 for i in range(8)]
        return {"degrees": degrees, "visits": visits}

    book = taught(columns, rows, days=60)
    extremes = "usual extremes of degrees"
    assert extremes in said(book)
    assert not [kept for kept in book.kept if kept.rule.rule is Rule.RANGE]
    usual = rows(60)
    assert extremes not in broken_by(book, columns, usual, number=60)
    degrees = [usual["degrees"][0] * 2.54, *usual["degrees"][1:]]
    assert broken_by(book, columns, usual | {"degrees": degrees}, number=60) == {extremes: 1}
    visits = [usual["visits"][0] * 60, *usual["visits"][1:]]
    assert broken_by(book, columns, usual | {"visits": visits}, number=60) == {"usual extremes of visits": 1}
    seen = rows(20)  # an old value is beyond what the latest lead to, but has been there
    assert extremes not in broken_by(book, columns, usual | {"degrees": seen["degrees"]}, number=60)


def test_steps_that_thin_out_slowly_leave_more_room():
    light = [10.0 + (i * 7) % 5 for i in range(60)]
    heavy = [10.0 + 4 * (2 ** ((i * 7) % 11 - 8)) for i in range(60)]
    (_, near), (_, far) = (limits([Figures(1, 0, 0.0, high) for high in highs]) for highs in (light, heavy))
    assert near - max(light) < far - max(heavy)
    assert limits([Figures(1, 0, 0.0, high) for high in light[:26]]) == (None, None)
    assert limits([Figures(1, 0, 5.0, 5.0)] * 60) == (None, None)


def test_mostly_dry_days_and_falling_numbers_have_limits_too():
    rain = [0.0 if i % 4 else 1.0 + (i * 7) % 5 for i in range(60)]
    low, high = limits([Figures(1, 0, 0.0, high) for high in rain])
    assert low is None
    assert max(rain) < high < 20 * max(rain)
    falling = [100 - i - (i * 7) % 3 / 2 for i in range(60)]
    _, high = limits([Figures(1, 0, 0.0, high) for high in falling])
    assert high == max(falling)  # what has been seen is always usual


def test_codes_of_many_forms_have_no_pattern():
    columns = schema(code=LogicalType.STRING, plate=LogicalType.STRING)
    codes = ["1000ce", "60257", "7a1"] * 8
    book = taught(columns, lambda number: {"code": codes, "plate": [f"N{number}", "N12AB", "N77"] * 8})
    assert "plate ~ A9 | A9A" in said(book)
    assert not [text for text in said(book) if text.startswith("code ~")]


def test_a_history_of_years_stays_small_and_forgets_no_extreme():
    columns = schema(x=LogicalType.INTEGER)
    book = taught(columns, lambda number: {"x": [5, 1000 if number == 3 else 9]}, days=MOST_DELTAS + 30)
    history = book.history
    assert (history.count, len(history.ids), len(history.columns["x"].deltas)) == (430, MOST_DELTAS, MOST_DELTAS)
    assert max(figures.high for figures in history.columns["x"].deltas) == 1000


def test_columns_that_come_go_and_are_renamed():
    columns = schema(a=LogicalType.INTEGER, b=LogicalType.STRING)
    book = taught(columns, lambda _: {"a": list(range(10)), "b": ["x", "y"] * 5})
    other = schema(c=LogicalType.STRING, d=LogicalType.INTEGER)
    after, _ = advance(book.under(other, {"b": "c"}), arrived(day(40), pa.table({"c": ["x"], "d": [1]})), other, ())
    assert "c ∈ {x, y}" in said(after)
    assert not [text for text in said(after) if text.startswith("a ")]
    assert "d not null" not in said(after)
    assert after.valued == {"c": 401, "d": 1}


@pytest.mark.parametrize("kind", list(Rule))
def test_rules_are_said_in_words_and_survive_storage_and_renames(kind: Rule):
    bounds = {"low": "1", "high": "9"} if kind in (Rule.RANGE, Rule.LENGTH) else {}
    values = ("A", "B") if kind in (Rule.VALUES, Rule.PATTERN) else ()
    others = {Rule.NULL_WITH: ("city", "street"), Rule.AT_MOST: ("city",)}.get(kind, ())
    of_table = kind is Rule.REPEATED
    made = ColumnRule("sales", "" if of_table else "state", kind, **bounds, values=values, others=others)
    again = constraint_from_json(made.to_json())
    assert (again, again.fingerprint) == (made, made.fingerprint)
    assert made.words.endswith(".")
    moved = renamed(made, {"sales": {"state": "province"}})
    assert moved.columns == (() if of_table else ("province", *others))
    assert (moved.fingerprint == made.fingerprint) == of_table


def test_shapes_as_a_regular_expression():
    assert regular_expression(["A9", "a.9"]) == r"^(?:[A-Z]+[0-9]+|[a-z]+\.[0-9]+)$"
