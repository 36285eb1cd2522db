"""A row constraint that chance would rarely break alerts only when a person asks for it."""

from dataclasses import replace

import pytest
from helpers.steps import DISTANCE, step

from profiling_core.diff.lifecycle import advance
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.model.change import Transition
from profiling_core.model.consequent import Bounded, OneOf, Ordered, Present
from profiling_core.model.constraint import ColumnList, ColumnRule, Constraint, Measured
from profiling_core.model.decision import Decided
from profiling_core.model.kinds.column import Rule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.denial import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate


@pytest.mark.parametrize(("score", "pinned", "alerts"), [(0.5, False, False), (1.5, False, True), (0.5, True, True)])
def test_a_break_alerts_from_the_least_surprise_on(score: float, *, pinned: bool, alerts: bool):
    tracked, _ = advance([], step([DISTANCE], deltas=57, version=1))
    known = [replace(t, score=score) for t in tracked]
    decided = {DISTANCE.constraint.fingerprint: Decided(DISTANCE.constraint, pinned=pinned)}
    broken = replace(step([], [replace(DISTANCE, violations=2)]), least_surprise=1.0, decided=decided)
    _, changes = advance(known, broken)
    assert [(c.transition, c.alerts) for c in changes] == [(Transition.BROKE, alerts)]


def test_the_break_of_an_order_within_a_row_alerts_however_few_violations_chance_would_bring():
    measured = Measured(
        DenialConstraint("flights", (Predicate(order("began"), Operator.GT, order("ended")),)), 0, 90, 90
    )
    known = [replace(t, score=0.5) for t in advance([], step([measured], deltas=57, version=1))[0]]
    broken = replace(step([], [replace(measured, violations=1)]), least_surprise=1.0)
    assert [(c.transition, c.alerts) for c in advance(known, broken)[1]] == [(Transition.BROKE, True)]


def test_what_compares_different_columns_of_two_rows_alerts_only_where_a_person_asks_for_it():
    def between(left: str, op: Operator, right: str) -> Predicate:
        return Predicate(Operand("t", left), op, Operand("s", right))

    equal, other = between("cost", Operator.EQ, "total"), between("repair", Operator.NE, "total")
    less, more = between("net", Operator.LT, "net"), between("gross", Operator.GE, "gross")
    wide = tuple(between(name, Operator.LE, name) for name in ("a", "b", "c", "d"))
    for predicates, plain in (((equal, other), False), ((less, more), True), (wide, False)):
        measured = Measured(DenialConstraint("flights", predicates), 0, 1000, 900)
        tracked, _ = advance([], step([measured], deltas=57, version=1))
        known = [replace(t, score=9.0) for t in tracked]
        name = measured.constraint.fingerprint
        for pinned in (False, True):
            decided = {name: Decided(measured.constraint, pinned=pinned)}
            broken = replace(step([], [replace(measured, violations=2)]), least_surprise=1.0, decided=decided)
            assert [c.alerts for c in advance(known, broken)[1]] == [plain or pinned]


@pytest.mark.parametrize(
    ("by_chance", "pinned", "alerts"), [(False, False, True), (True, False, False), (True, True, True)]
)
def test_a_break_that_chance_explains_alerts_only_where_a_person_asks_for_it(
    *, by_chance: bool, pinned: bool, alerts: bool
):
    known = [replace(t, score=9.0) for t in advance([], step([DISTANCE], deltas=57, version=1))[0]]
    name = DISTANCE.constraint.fingerprint
    after = step([], [replace(DISTANCE, violations=2)])
    found = BrokenConstraint(2, (), by_chance=by_chance)
    results = replace(after.results, breaks={name: BrokenConstraint.from_json(found.to_json())})
    decided = {name: Decided(DISTANCE.constraint, pinned=pinned)}
    (change,) = advance(known, replace(after, results=results, decided=decided))[1]
    assert (change.transition, change.alerts) == (Transition.BROKE, alerts)


@pytest.mark.parametrize(("rule", "alerts"), [(Rule.NEW_VALUES, False), (Rule.NULL_SHARE, True)])
def test_new_values_that_another_table_lists_are_no_news(rule: Rule, *, alerts: bool):
    measured = Measured(ColumnRule("flights", "tail", rule), 0, 1, 57)
    known = advance([], step([measured], deltas=57, version=1))[0]
    broken = step([], [replace(measured, violations=1)])
    for listed, told in (((), True), ((ColumnList("flights", ("tail",)),), alerts)):
        assert [c.alerts for c in advance(known, replace(broken, listed=listed))[1]] == [told]


def order(column: str) -> Operand:
    return Operand("t", column)


SEEN_SO_FAR = (
    Conditional("flights", "room", ("g",), OneOf("given", ("g",))),
    Conditional("flights", "room", ("f", "g"), Bounded("price", "80", None)),
)
MEANT = (
    DenialConstraint(
        "flights",
        (
            Predicate(order("began"), Operator.LE, Operand("s", "began")),
            Predicate(order("ended"), Operator.GT, Operand("s", "ended")),
        ),
    ),
    Conditional("flights", "kind", ("refund",), Bounded("price", None, "0", strict=True)),
    Conditional("flights", "state", ("landed",), Ordered("began", "<=", "ended")),
    Conditional("flights", "state", ("failed",), Present("reason", there=True)),
    Conditional("flights", "state", ("free",), Bounded("price", "0", "0")),
    Conditional("flights", "room", ("g",), OneOf("given", ("g",)), both_ways=True),
    DenialConstraint("flights", (Predicate(order("began"), Operator.GT, order("ended")),)),
)


@pytest.mark.parametrize("rule", [*SEEN_SO_FAR, *MEANT], ids=lambda rule: rule.text)
def test_what_may_hold_by_accident_alerts_once_it_has_held_for_fifty_deltas_or_a_person_wants_it(rule: Constraint):
    measured = Measured(rule, 0, 1000, 900)
    for held, pinned, alerts in ((28, False, rule in MEANT), (50, False, True), (28, True, True)):
        known = [replace(t, score=9.0) for t in advance([], step([measured], deltas=held, version=1))[0]]
        decided = {rule.fingerprint: Decided(rule, pinned=pinned)}
        broken = replace(step([], [replace(measured, violations=2)]), decided=decided)
        assert [(c.transition, c.alerts) for c in advance(known, broken)[1]] == [(Transition.BROKE, alerts)]
