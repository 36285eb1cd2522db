"""What is told apart from a history of deltas: rows, values and numbers that are not as usual."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pyarrow as pa
from helpers.rules_of_columns import FIRST, arrived, broken_by, day, rule, said, schema, taught

from profiling_core.algorithms.columns.arrivals import Arrived
from profiling_core.algorithms.columns.calendar import unrepeated, untested
from profiling_core.algorithms.columns.deltas import most_usual
from profiling_core.algorithms.columns.extremes import limits
from profiling_core.algorithms.columns.figures import ColumnFigures
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.kept_rules import ColumnBook
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.model.kinds.column import Rule
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType


def test_stale_rows_are_told_from_updates_of_old_ones():
    columns = schema(at=LogicalType.TIMESTAMP)
    start = datetime(2024, 1, 1, tzinfo=UTC)

    def rows(number: int) -> dict:
        return {"at": [start + timedelta(days=number, hours=hour) for hour in (3, 9)]}

    book = taught(columns, rows)
    assert {"at rises from delta to delta", "usual extremes of at"} <= said(book)
    stale = pa.table({"at": [*rows(40)["at"], *rows(7)["at"]]})
    _, broken = advance(book, arrived(day(40), stale), columns, ())
    rises = broken[rule(book, Rule.RISING).fingerprint]
    assert (rises.rows, pa.concat_tables(rises.examples)["at"].to_pylist()) == (2, rows(7)["at"])
    was = pa.array([None, None, *({"at": at} for at in stale["at"].to_pylist()[2:])], pa.struct(stale.schema))
    update = arrived(day(40), stale, before=lambda found: was[: len(found)])
    _, broken = advance(book, update, columns, ())
    assert rule(book, Rule.RISING).fingerprint not in broken
    assert broken_by(book, columns, rows(41), number=44) == {"usual extremes of at": 2}
    # a row that is updated may be old, but is not of the future
    future = pa.table({"at": [*rows(40)["at"], *rows(4_000)["at"]]})
    update = arrived(day(40), future, before=lambda found: was[: len(found)])
    _, broken = advance(book, update, columns, ())
    assert broken[rule(book, Rule.EXTREMES).fingerprint].rows == 2


def test_what_comes_after_a_delta_that_went_too_far_does_not_fall_back():
    start = datetime(2024, 1, 1, tzinfo=UTC)
    for kind in (LogicalType.TIMESTAMP, LogicalType.INTEGER):
        columns = schema(at=kind)

        def rows(number: int, later: int = 0, kind: LogicalType = kind) -> dict:
            hours = (number * 24 + 3, number * 24 + 9 + later * 24)
            times = [start + timedelta(hours=hour) for hour in hours]
            return {"at": times if kind is LogicalType.TIMESTAMP else list(hours)}

        book = taught(columns, rows)
        far, broken = advance(book, arrived(day(40), pa.table(rows(40, later=60))), columns, ())
        assert rule(book, Rule.EXTREMES).fingerprint in broken
        for number, falls in ((41, False), (39, True)):
            _, broken = advance(far, arrived(day(41), pa.table(rows(number))), columns, ())
            assert (rule(book, Rule.RISING).fingerprint in broken) is falls, (kind, number)


def test_rows_that_come_twice_are_named_unless_that_is_usual():
    columns = schema(shop=LogicalType.STRING, paid=LogicalType.FLOAT)

    def rows(number: int, again: int = 0) -> dict:
        paid = [None, 0.0, *range(number * 10, number * 10 + 8)]
        return {"shop": ["a", "b"] * 5 + ["a"] * again, "paid": [*paid, *[None] * again]}

    book = taught(columns, rows)
    repeated = rule(book, Rule.REPEATED)
    twice = pa.table(rows(40, again=1))
    parts = [(day(40), twice.slice(0, 7)), (day(40), twice.slice(7))]
    _, broken = advance(book, Arrived([day(40)], [lambda: parts]), columns, ())
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


def test_a_row_that_changes_elsewhere_alone_breaks_no_rule_anew_and_still_violates_it():
    columns = schema(code=LogicalType.STRING, paid=LogicalType.INTEGER)
    book = taught(columns, lambda number: {"code": [f"A{number:03}{n}" for n in range(6)], "paid": list(range(6))})
    pattern = rule(book, Rule.PATTERN)
    came = pa.table({"code": ["x-1", "x-2", "x-3"], "paid": [1, 2, 3]})
    odd, broken = advance(book, arrived(day(40), came), columns, (pattern.fingerprint,))
    assert broken[pattern.fingerprint].rows == 3
    was = pa.array([None, {"code": "x-2", "paid": 2}, {"code": "A9999", "paid": 3}], pa.struct(came.schema))
    now = pa.table({"code": ["x-1", "x-2", "x-3"], "paid": [1, 7, 3]})
    update = arrived(day(41), now, before=lambda found: was[: len(found)])
    _, broken = advance(odd, update, columns, (pattern.fingerprint,))
    found = broken[pattern.fingerprint]
    assert pa.concat_tables(found.examples)["code"].to_pylist() == ["x-1", "x-3"]
    assert (found.rows, found.every) == (2, 3)


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
    assert ColumnBook.from_json(after.to_json()) == after


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
    assert ColumnBook.from_json(moved.to_json()) == moved
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


def test_a_key_has_no_usual_new_values():
    columns = schema(street=LogicalType.STRING)
    for key in ((), ("street",)):
        book = taught(
            replace(columns, key=key), lambda number: {"street": [*STREETS * 3, *["Ash Lane"] * (number > 30)]}, days=60
        )
        assert any(kept.rule.rule is Rule.NEW_VALUES for kept in book.kept) is (not key)


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
    (_, near), (_, far) = (limits([ColumnFigures(1, 0, 0.0, high) for high in highs]) for highs in (light, heavy))
    assert near - max(light) < far - max(heavy)
    assert limits([ColumnFigures(1, 0, 0.0, high) for high in light[:26]]) == (None, None)
    assert limits([ColumnFigures(1, 0, 5.0, 5.0)] * 60) == (None, None)


def test_a_number_of_another_column_is_beyond_the_limits_of_one_that_rises_now_and_then():
    """Greatest demand for electricity per day: a temperature in its place is none of these."""
    days = (
        "4.6 4.4 4.1 4.0 4.6 4.6 5.0 6.0 7.0 4.8 4.7 7.2 9.1 9.2 9.3 9.3 5.1 4.5 5.6 5.3 5.3 6.4 5.5 4.2 4.6 6.7 9.2 "
        "5.9 6.8 6.7 7.8 7.2 5.4 6.3 7.9 7.6 7.8 6.8 5.6 6.2 6.6 6.2 5.9 5.2 4.1 5.4 6.1 5.4 5.0 5.1 4.2 4.3 5.6 6.3"
    )
    _, high = limits([ColumnFigures(1, 0, 3.0, float(day)) for day in days.split()])
    assert 12 < high < 20.6


def test_mostly_dry_days_and_falling_numbers_have_limits_too():
    rain = [0.0 if i % 4 else 1.0 + (i * 7) % 5 for i in range(60)]
    low, high = limits([ColumnFigures(1, 0, 0.0, high) for high in rain])
    assert low is None
    assert max(rain) < high < 20 * max(rain)
    falling = [100 - i - (i * 7) % 3 / 2 for i in range(60)]
    _, high = limits([ColumnFigures(1, 0, 0.0, high) for high in falling])
    assert high == max(falling)  # what has been seen is always usual


def test_a_date_far_from_its_deltas_day_is_told_before_and_after_it():
    columns = schema(placed=LogicalType.TIMESTAMP, arrival=LogicalType.DATE)

    def rows(number: int) -> dict:
        today = FIRST + timedelta(days=number)
        placed = [datetime(today.year, today.month, today.day, 8 + i, tzinfo=UTC) for i in range(8)]
        arrival = [today + timedelta(days=(i * 11 + number * 7) % 40) for i in range(8)]
        return {"placed": pa.array(placed, pa.timestamp("us", "UTC")), "arrival": pa.array(arrival, pa.date32())}

    book = taught(columns, rows, days=40)
    assert {"usual extremes of placed", "usual extremes of arrival"} <= said(book)
    usual = rows(40)
    assert broken_by(book, columns, usual) == {}

    def late(name: str, days: int) -> dict:
        first, *others = usual[name].to_pylist()
        return usual | {name: pa.array([first + timedelta(days=days), *others], usual[name].type)}

    assert broken_by(book, columns, late("placed", 3650)) == {"usual extremes of placed": 1}
    assert broken_by(book, columns, late("arrival", 3650)) == {"usual extremes of arrival": 1}
    assert broken_by(book, columns, late("arrival", -19800)) == {"usual extremes of arrival": 1}
    assert broken_by(book, columns, late("arrival", 30)) == {}


def test_dates_of_deltas_whose_ids_are_no_days_have_no_limits():
    columns = schema(arrival=LogicalType.DATE)
    book = ColumnBook(TableHistory.empty(columns))
    for number in range(40):
        found = pa.table({"arrival": pa.array([FIRST + timedelta(days=number)] * 3, pa.date32())})
        book, _ = advance(book, arrived(f"part-{number}", found), columns, ())
    assert "usual extremes of arrival" not in said(book)


def test_all_combinations_of_what_comes_again_will_have_come_one_day():
    columns = schema(home=LogicalType.STRING, round=LogicalType.INTEGER, guest=LogicalType.STRING, on=LogicalType.DATE)
    teams = [f"team {letter}" for letter in "ABCDEFGH"]

    def rows(number: int) -> dict:
        guests = [f"guest {8 * number + place}" for place in range(8)]
        return {"home": teams, "round": [number // 2] * 8, "guest": guests, "on": [FIRST + timedelta(number)] * 8}

    found = untested(taught(columns, rows, days=30).history)
    assert (found.returning, found.rising) == ({"home", "round"}, {"on"})
    again = untested(taught(columns, lambda number: rows(number % 14), days=30).history)
    assert again.returning == {"home", "round", "guest"}


def test_shapes_are_settled_by_different_values_where_these_come_again():
    columns = schema(state=LogicalType.STRING, code=LogicalType.STRING)
    states = [f"{letter}land" for letter in "ABCDEFGHIJKLMNOPQRSTUVW"] + ["D.C."]
    book = taught(columns, lambda _: {"state": states, "code": [f"{n} X" for n in range(24)]}, days=40)
    assert [text for text in said(book) if "~" in text] == ["code ~ 9 A"]
    thin = schema(cars=LogicalType.INTEGER, floors=LogicalType.INTEGER)
    book = taught(thin, lambda _: {"cars": [*[0] * 57, *[1] * 3], "floors": [*[0] * 30, *[1] * 30]}, days=70)
    assert not [text for text in said(book) if "cars ≤ 1" in text]


def test_what_a_column_of_the_same_things_has_had_is_not_new():
    columns = schema(home=LogicalType.STRING, guest=LogicalType.STRING)
    more = ["Oslo", "Bergen", "Turku", "Malmo", "Aarhus", "Odense"]

    def rows(number: int) -> dict:
        home = [*STREETS, *(more if number > 58 else STREETS[:6])]
        last = "Ash Lane" if number > 30 else STREETS[0]
        return {"home": home, "guest": [*STREETS, *STREETS[:5], last]}

    book = taught(columns, rows, days=60)
    named = {k.rule.column: k.rule.text for k in book.kept if k.rule.rule is Rule.NEW_VALUES}
    assert named["guest"] not in broken_by(book, columns, rows(59) | {"guest": rows(59)["home"]}, number=60)
    unknown = [*STREETS, *(f"{name}z" for name in more)]
    assert named["guest"] in broken_by(book, columns, rows(59) | {"guest": unknown}, number=60)


def test_what_has_ended_long_ago_is_news_when_it_comes_again():
    had, none = [(6, 153)] * 30, [(0, 102)]
    assert most_usual([*had, *none * 8], 200) == 0
    assert most_usual([*had, *none * 6], 200) > 6
    now_and_then = [*([(2, 100)] + none * 5) * 6, *none * 7]
    assert most_usual(now_and_then, 100) > 1
