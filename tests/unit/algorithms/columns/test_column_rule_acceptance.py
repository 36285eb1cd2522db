"""A broken rule of a single column that a person accepts takes in what broke it, and goes on with that."""

from dataclasses import replace

import pyarrow as pa
from helpers.constraints import table_schema
from helpers.steps import step

from profiling_core.algorithms.columns.arrivals import Arrived
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.judging import judged
from profiling_core.algorithms.columns.kept_rules import ColumnBook
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.algorithms.columns.widening import accepting, come_to_stay
from profiling_core.diff import lifecycle
from profiling_core.model.change import LifecycleState, Transition
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.lifecycle import Tracked

SCHEMA = table_schema("sales", "state string, plate string, hour integer, paid float")
GOOD = [{"state": "NJ" if i % 2 else "NY", "plate": f"A{100 + i}", "hour": i, "paid": i / 2} for i in range(24)]
STRANGE = {"state": "CT", "plate": "b-1", "hour": 9_000, "paid": -700.5}
EMPTY = dict.fromkeys(STRANGE)


def following(book: ColumnBook, number: int, rows: list[dict]) -> ColumnBook:
    plates = [
        row | {"plate": f"A{100 + (24 * number + i) % 900}"} if row in GOOD else row for i, row in enumerate(rows)
    ]
    types = [("state", pa.string()), ("plate", pa.string()), ("hour", pa.int64()), ("paid", pa.float64())]
    table = pa.Table.from_pylist(plates, pa.schema(types))
    followed = {kept.rule.fingerprint for kept in book.kept}
    return advance(book, Arrived([f"day-{number}"], [lambda: [(f"day-{number}", table)]]), SCHEMA, followed)[0]


def of_rows(book: ColumnBook) -> dict[tuple[str, Rule], list]:
    found: dict[tuple[str, Rule], list] = {}
    for kept in book.kept:
        if not kept.rule.rule.of_deltas:
            found.setdefault((kept.rule.column, kept.rule.rule), []).append(kept)
    return found


def taught() -> ColumnBook:
    book = ColumnBook(TableHistory.empty(SCHEMA))
    for number in range(40):
        book = following(book, number, GOOD)
    return book


def test_accepted_rules_take_in_what_broke_them():
    before = following(taught(), 40, [*GOOD, STRANGE, EMPTY])
    broken = {k.rule.fingerprint: k.rule for k in before.kept if k.violations and not k.rule.rule.of_deltas}
    sorts = {(rule.column, rule.rule) for rule in broken.values()}
    assert {("state", Rule.VALUES), ("plate", Rule.PATTERN), ("hour", Rule.RANGE)} < sorts
    assert {("paid", Rule.RANGE), ("paid", Rule.NOT_NULL)} < sorts
    after, successors = accepting(before, broken.keys())
    assert successors.keys() == broken.keys()
    assert {broken[name].rule for name, wider in successors.items() if not wider} == {Rule.NOT_NULL}
    everything = pa.Table.from_pylist([*GOOD, STRANGE, EMPTY])
    for (column, sort), kept in of_rows(after).items():
        assert [k.violations for k in kept] == [0] * len(kept), (column, sort)
        for k in kept:
            assert not any(judged(everything, k.rule, SCHEMA).to_pylist())
    # What lies beyond all that has come breaks the wider bounds as it did the closer ones.
    beyond = following(after, 41, [*GOOD, {"state": "LA", "plate": "c/1", "hour": 9_001, "paid": -700.6}])
    again = {(k.rule.column, k.rule.rule) for k in beyond.kept if k.violations and not k.rule.rule.of_deltas}
    assert {("state", Rule.VALUES), ("plate", Rule.PATTERN), ("hour", Rule.RANGE), ("paid", Rule.RANGE)} <= again


def test_nothing_changes_where_nothing_broke_or_nobody_accepted():
    before = following(taught(), 40, [*GOOD, STRANGE])
    unbroken = [kept.rule.fingerprint for kept in before.kept if not kept.violations]
    assert accepting(before, unbroken) == (before, {})
    assert accepting(before, ()) == (before, {})


NARROW = ColumnRule("sales", "hour", Rule.RANGE, "0", "23")
WIDE = replace(NARROW, high="9000")


def test_the_wider_rule_goes_on_in_place_of_the_one_accepted():
    known = Tracked(Measured(NARROW, 1, 90, 89), "sales", LifecycleState.VIOLATED, "day 1", 3, 1, 2.0, 1)
    wider = Measured(WIDE, 0, 95, 95)
    to = step([wider], [wider])
    to = replace(to, results=replace(to.results, successors={NARROW.fingerprint: WIDE.fingerprint}))
    tracked, changes = lifecycle.advance([known], to)
    states = {t.fingerprint: (t.state, t.ancestor, t.measured.violations) for t in tracked}
    assert states == {
        NARROW.fingerprint: (LifecycleState.RETIRED, "", 1),
        WIDE.fingerprint: (LifecycleState.ACTIVE, NARROW.fingerprint, 0),
    }
    assert [(c.transition, c.measured.constraint) for c in changes] == [(Transition.RETIRED, NARROW)]

    broken = replace(wider, violations=2)
    tracked, changes = lifecycle.advance([known], replace(to, results=replace(to.results, tracked=(broken,))))
    assert [t.state for t in tracked] == [LifecycleState.VIOLATED, LifecycleState.RETIRED]
    assert {c.transition for c in changes} == {Transition.RETIRED, Transition.BROKE}


def test_a_rule_without_bounds_left_retires_alone():
    known = Tracked(Measured(NARROW, 1, 90, 89), "sales", LifecycleState.VIOLATED, "day 1", 3, 1, 2.0, 1)
    to = step([], [])
    to = replace(to, results=replace(to.results, successors={NARROW.fingerprint: ""}))
    tracked, _ = lifecycle.advance([known], to)
    assert [t.state for t in tracked] == [LifecycleState.RETIRED]


def test_a_value_that_comes_for_seven_deltas_joins_its_set_and_the_next_one_is_news_again():
    book, connecticut = taught(), {**GOOD[0], "state": "CT"}
    for number in range(40, 47):
        assert not come_to_stay(book)
        book = following(book, number, [*GOOD, connecticut])
    (name,) = come_to_stay(book)
    wider, successors = accepting(book, {name})
    ((after,),) = [[k for k in wider.kept if k.rule.fingerprint == successors[name]]]
    assert after.rule.values == ("CT", "NJ", "NY")
    assert not after.violations
    again = following(wider, 47, [*GOOD, connecticut, {**GOOD[0], "state": "QX"}])
    assert [k.violations for k in again.kept if k.rule.fingerprint == successors[name]] == [1]
    assert not come_to_stay(again)


def test_a_value_that_came_once_or_no_more_joins_no_set():
    book, connecticut = taught(), {**GOOD[0], "state": "CT"}
    for number in range(40, 50):
        book = following(book, number, [*GOOD, connecticut] if number == 40 or number % 2 else GOOD)
        assert not come_to_stay(book)
