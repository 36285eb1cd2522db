"""How a tracked constraint appears, is followed, breaks, recovers and leaves the list."""

from dataclasses import replace
from functools import partial

import pytest
from helpers.examples import examples
from helpers.steps import DISTANCE, HOUR, NAME, fd, step
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.diff.lifecycle import advance
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.model.change import LifecycleState, Transition, Witness
from profiling_core.model.consequent import OneOf
from profiling_core.model.constraint import Measured
from profiling_core.model.decision import Decided
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.denial import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate


def test_first_ranked_ones_appear_and_are_active_when_they_held_long_enough():
    tracked, changes = advance([], step([DISTANCE, HOUR, NAME], deltas=57, version=1))
    assert [t.measured for t in tracked] == [DISTANCE, HOUR]
    assert {t.state for t in tracked} == {LifecycleState.ACTIVE}
    assert [(c.transition, c.rank, c.alerts) for c in changes] == [
        (Transition.APPEARED, 1, False),
        (Transition.APPEARED, 2, False),
    ]
    assert tracked[0].held_deltas == 57
    assert tracked[0].since == "day 1"


def test_a_candidate_becomes_active_after_enough_deltas():
    tracked, _ = advance([], step([DISTANCE], version=1))
    assert tracked[0].state is LifecycleState.CANDIDATE
    for version in (2, 3):
        tracked, _ = advance(tracked, step([DISTANCE], [DISTANCE], version=version))
    assert tracked[0].state is LifecycleState.ACTIVE
    assert tracked[0].held_deltas == 3


def test_what_holds_on_a_table_that_is_new_is_active_at_once():
    tracked, _ = advance([], replace(step([DISTANCE], version=1), bootstrap=True))
    assert tracked[0].state is LifecycleState.ACTIVE


def test_what_is_usual_is_known_at_once_where_many_deltas_taught_it():
    usual, not_null = ColumnRule("flights", "gust", Rule.NULL_SHARE), ColumnRule("flights", "gust", Rule.NOT_NULL)
    for support, state in ((49, LifecycleState.CANDIDATE), (50, LifecycleState.ACTIVE)):
        tracked, _ = advance([], step([Measured(usual, 0, 1, support), Measured(not_null, 0, 9, 9)], version=60))
        assert {t.measured.constraint: t.state for t in tracked} == {usual: state, not_null: LifecycleState.CANDIDATE}


def test_a_rule_of_a_column_comes_from_no_constraint_between_rows():
    before, _ = advance([], step([DISTANCE], deltas=57, version=1))
    rule = Measured(ColumnRule("flights", "carrier", Rule.NOT_NULL), 0, 9, 9)
    tracked, _ = advance(before, step([DISTANCE, rule], [DISTANCE]))
    assert {t.measured.constraint: t.ancestor for t in tracked} == {DISTANCE.constraint: "", rule.constraint: ""}


def test_what_narrows_a_violated_constraint_is_not_presented():
    after = fd("origin dest", "distance", violations=12)
    tracked, changes = broken(after)
    assert "{origin, dest, month} → distance" not in {t.measured.constraint.text for t in tracked}
    assert Transition.APPEARED not in {c.transition for c in changes}


def test_an_approximate_constraint_holds_up_to_its_threshold_and_breaks_beyond():
    at = replace(DISTANCE, violations=990, population=9900)
    partial = replace(step([at], version=1), threshold=lambda _: 1 - 0.9)
    tracked, _ = advance([], partial)
    assert tracked[0].threshold == 1 - 0.9
    tracked, changes = advance(tracked, step([at], [at]))
    assert changes == []
    beyond = replace(at, violations=991)
    _, changes = advance(tracked, step([at], [beyond]))
    assert [c.transition for c in changes] == [Transition.BROKE]


def approximate(violations: int) -> Measured:
    return replace(DISTANCE, violations=violations, population=9900)


def advanced(*violations: int) -> tuple:
    """Walks an approximate constraint, allowed an error of 0.1, through these numbers of violations."""
    first = approximate(violations[0])
    tracked, changes = advance([], replace(step([first], version=1), threshold=lambda _: 0.1, bootstrap=True))
    for count in violations[1:]:
        now = approximate(count)
        tracked, changes = advance(tracked, step([now] if count <= 990 else [], [now]))
    return tracked, [(c.transition, c.alerts) for c in changes]


def test_an_approximate_constraint_at_its_threshold_does_not_alternate():
    tracked, changes = advanced(980, 991, 985)
    assert tracked[0].state is LifecycleState.VIOLATED
    assert changes == [(Transition.ERROR_CHANGED, False)]
    tracked, changes = advanced(980, 991, 985, 792)
    assert tracked[0].state is LifecycleState.RECOVERED
    assert changes == [(Transition.RECOVERED, True)]


def test_an_error_that_jumps_within_its_threshold_alerts_with_its_rows():
    assert advanced(100, 499)[1] == []
    tracked, changes = advanced(100, 510)
    assert changes == [(Transition.ERROR_JUMPED, True)]
    assert (tracked[0].state, tracked[0].measured.violations) == (LifecycleState.ACTIVE, 510)
    # Five times next to nothing is next to nothing.
    assert advanced(2, 10)[1] == []


def test_a_violated_constraint_whose_error_jumps_alerts_again():
    after = fd("origin dest", "distance", violations=12)
    tracked, _ = broken(after)
    witness = Witness({"dest": "EGE", "distance": "9"})
    breaks = {after.constraint.fingerprint: BrokenConstraint(9, (witness,))}
    _, changes = advance(tracked, step([], [replace(after, violations=60)], version=3, breaks=breaks))
    jumped = next(c for c in changes if c.transition is Transition.ERROR_JUMPED)
    assert (jumped.alerts, jumped.violating_rows, jumped.witnesses) == (True, 9, (witness,))


def broken(after: Measured) -> tuple:
    tracked, _ = advance([], step([DISTANCE], deltas=57, version=1))
    witness = Witness({"dest": "EGE", "distance": "1725"}, ({"dest": "EGE", "distance": "1726"},))
    breaks = {after.constraint.fingerprint: BrokenConstraint(4, (witness,))}
    finer = fd("origin dest month", "distance")
    return advance(tracked, step([finer], [after], breaks=breaks))


def test_an_active_constraint_that_breaks_alerts_with_its_rows_and_successors():
    after = fd("origin dest", "distance", violations=12)
    tracked, changes = broken(after)
    change = next(c for c in changes if c.transition is Transition.BROKE)
    assert change.alerts
    assert (change.held_deltas, change.violating_rows, change.rank) == (57, 4, 1)
    assert change.witnesses[0].broken_by["distance"] == "1725"
    assert change.replaced_by == ("{origin, dest, month} → distance",)
    standing = next(t for t in tracked if t.fingerprint == after.constraint.fingerprint)
    assert (standing.state, standing.since, standing.measured) == (LifecycleState.VIOLATED, "day 2", after)


def test_a_candidate_that_breaks_is_dropped_without_an_alert():
    tracked, _ = advance([], step([DISTANCE], version=1))
    after = fd("origin dest", "distance", violations=1)
    tracked, changes = advance(tracked, step([], [after]))
    assert [(t.state, t.rank, t.since) for t in tracked] == [(LifecycleState.RETIRED, None, "day 2")]
    assert [(c.transition, c.alerts) for c in changes] == [(Transition.BROKE, False)]


def test_a_violated_constraint_recovers_with_an_alert_and_otherwise_reports_its_error():
    after = fd("origin dest", "distance", violations=12)
    tracked, _ = broken(after)
    worse = replace(after, violations=20)
    tracked, changes = advance(tracked, step([], [worse], version=3))
    assert [c.transition for c in changes if c.rank == 1] == [Transition.ERROR_CHANGED]
    assert not any(c.alerts for c in changes)
    tracked, changes = advance(tracked, step([DISTANCE], [DISTANCE], version=4))
    recovered = next(c for c in changes if c.transition is Transition.RECOVERED)
    assert recovered.alerts
    standing = next(t for t in tracked if t.fingerprint == DISTANCE.constraint.fingerprint)
    assert (standing.state, standing.since) == (LifecycleState.RECOVERED, "day 4")
    for version in (5, 6):
        tracked, _ = advance([standing], step([DISTANCE], [DISTANCE], version=version))
        standing = tracked[0]
    assert (standing.state, standing.since, standing.held_deltas) == (LifecycleState.ACTIVE, "day 4", 3)


def test_a_constraint_stays_tracked_below_the_presented_rank_and_leaves_when_generalised():
    tracked, _ = advance([], step([DISTANCE, HOUR], deltas=57, version=1))
    tracked, changes = advance(tracked, step([NAME, HOUR, DISTANCE], [DISTANCE, HOUR], version=2))
    assert {t.measured.constraint.text for t in tracked} == {m.constraint.text for m in (DISTANCE, HOUR, NAME)}
    assert [c.transition for c in changes] == [Transition.APPEARED]
    general = fd("dest", "distance")
    tracked, changes = advance(tracked, step([general], [DISTANCE, HOUR, NAME], version=3))
    gone = next(c for c in changes if c.transition is Transition.GENERALISED)
    assert gone.measured.constraint == DISTANCE.constraint
    assert gone.replaced_by == ("{dest} → distance",)
    assert not gone.alerts


@pytest.mark.parametrize(
    "made",
    [
        lambda violations: fd("origin dest", "distance", violations),
        lambda violations: Measured(ColumnRule("flights", "dep", Rule.RANGE, low="0"), violations, 900, 900),
    ],
)
def test_a_violated_constraint_breaks_again_where_it_held_in_many_deltas_per_break(made):
    def follow(tracked, violations, deltas=1):
        known = tracked[0].measured.violations
        breaks = {tracked[0].fingerprint: BrokenConstraint(1, ())} if violations > known else {}
        return advance(tracked, step([], [made(violations)], deltas=deltas, breaks=breaks))

    tracked, _ = advance([], step([made(0)], deltas=9))
    tracked, _ = follow(tracked, 3)
    # 49 deltas and one break; 100 and two; the next delta, which goes on with the third; 149 and three; 200 and four
    for quiet, alerts in ((40, False), (51, True), (0, False), (49, False), (51, True)):
        tracked, changes = follow(tracked, tracked[0].measured.violations, deltas=quiet)
        assert not changes
        tracked, (change,) = follow(tracked, tracked[0].measured.violations + 1)
        assert change.alerts == alerts
        assert (change.transition is Transition.BROKE) == alerts
        assert tracked[0].state is LifecycleState.VIOLATED


@pytest.mark.parametrize(
    ("kind", "rows", "quiet", "alerts"),
    [("limit", 60, 5, True), ("limit", 50, 5, False), ("limit", 60, 1, False), ("fd", 60, 5, False)],
    ids=["most", "half", "too young", "most may contradict one wrong row"],
)
def test_what_most_new_rows_violate_again_is_news_once_it_held_for_the_least_number_of_deltas(
    kind, rows, quiet, alerts
):
    def made(violations):
        limit = ColumnRule("flights", "dep", Rule.RANGE, low="0")
        return fd("origin dest", "distance", violations) if kind == "fd" else Measured(limit, violations, 900, 900)

    tracked, _ = advance([], step([made(0)], deltas=3))
    name = tracked[0].fingerprint
    tracked, _ = advance(tracked, step([], [made(3)], breaks={name: BrokenConstraint(1, ())}))
    tracked, _ = advance(tracked, step([], [made(3)], deltas=1))
    tracked, _ = advance(tracked, step([], [made(4)], breaks={name: BrokenConstraint(1, ())}))
    tracked, _ = advance(tracked, step([], [made(4)], deltas=quiet))
    again = replace(step([], [made(9)], breaks={name: BrokenConstraint(rows, ())}), arrived=100)
    _, (change,) = advance(tracked, again)
    assert change.alerts == alerts


@settings(deadline=None, max_examples=examples(100))
@given(st.lists(st.booleans(), max_size=40), st.integers(1, 120), st.booleans())
def test_an_age_is_the_number_of_deltas_in_which_it_held_in_whatever_order(loads, begins, recovers):
    """A break is news by how often the rule broke, and not by how long it has held since."""
    made = partial(fd, "origin dest", "distance")
    tracked, _ = advance([], step([made(0)], deltas=begins, version=1))
    violations, breaks, before = 0, 0, False
    for violates in loads:
        violations = violations + 1 if violates else (0 if recovers else violations)
        found = {tracked[0].fingerprint: BrokenConstraint(1, ())} if violates else {}
        ranked = [] if violations else [made(0)]
        tracked, changes = advance(tracked, step(ranked, [made(violations)], breaks=found))
        if tracked[0].state is LifecycleState.RETIRED:
            assert begins < 3, "only a candidate goes with its first break"
            return
        broke = [change.alerts for change in changes if change.transition is Transition.BROKE]
        again = breaks > 0 and violates and not before
        assert not again or broke == ([True] if tracked[0].age >= 50 * breaks else [])
        breaks, before = breaks + (violates and not before), violates
    assert tracked[0].age == begins + loads.count(False)
    assert tracked[0].breaks == breaks


@pytest.mark.parametrize(("rows", "alerts"), [(2, False), (5, False), (6, True), (90, True)])
def test_a_rule_that_recovers_is_told_again_soon_only_of_another_number_of_rows(rows, alerts):
    made = partial(fd, "origin dest", "distance")
    tracked, _ = advance([], step([made(0)], deltas=30, version=1))

    def broken(rows):
        found = {tracked[0].fingerprint: BrokenConstraint(rows, ())}
        return advance(tracked, step([], [made(rows)], breaks=found))

    tracked, (first,) = broken(1)
    tracked, _ = advance(tracked, step([made(0)], [made(0)], deltas=5))
    _, (change,) = broken(rows)
    assert (first.alerts, change.transition, change.alerts) == (True, Transition.BROKE, alerts)


def test_a_rule_that_broke_once_is_as_old_as_before():
    limit = Conditional("flights", "carrier", ("AA",), OneOf("seats", ("150", "180")))
    rule = Measured(limit, 0, 9, 9)
    assert limit.may_hold_by_accident
    tracked, _ = advance([], step([rule], deltas=60, version=1))
    broken_once = {tracked[0].fingerprint: BrokenConstraint(1, ())}
    tracked, _ = advance(tracked, step([], [replace(rule, violations=1)], breaks=broken_once))
    tracked, _ = advance(tracked, step([rule], [rule], deltas=4))
    tracked, (change,) = advance(tracked, step([], [replace(rule, violations=9)], breaks=broken_once))
    assert (change.transition, change.alerts, change.held_deltas) == (Transition.BROKE, True, 4)


def test_a_violated_set_of_values_leaves_new_ones_to_the_rule_on_them():
    state = ColumnRule("flights", "state", Rule.VALUES, values=("NJ", "NY"))
    tracked, _ = advance([], step([Measured(state, 0, 90, 90)], deltas=9))
    for violations, deltas in ((1, 1), (1, 80), (2, 1)):
        to = step([], [Measured(state, violations, 90, 89)], deltas=deltas)
        tracked, changes = advance(tracked, to)
    assert [(c.transition, c.alerts) for c in changes] == [(Transition.ERROR_CHANGED, False)]


@pytest.mark.parametrize(
    ("compared", "plain"),
    [
        ((("sex", Operator.NE), ("precinct", Operator.NE), ("street", Operator.EQ)), False),
        ((("precinct", Operator.NE), ("street", Operator.EQ)), True),
        ((("begun", Operator.LT), ("ended", Operator.GT)), True),
        ((("begun", Operator.LE), ("ended", Operator.GE), ("minutes", Operator.LE)), False),
    ],
)
def test_by_which_rows_differ_in_two_columns_or_three_columns_in_order_are_nothing_that_is_told(compared, plain):
    predicates = tuple(Predicate(Operand("t", name), op, Operand("s", name)) for name, op in compared)
    assert DenialConstraint("calls", predicates).reads_plainly == plain


ABOVE = Predicate(Operand("t", "departure"), Operator.GT, Operand("t", "arrival"))
AS_DENIAL = Measured(DenialConstraint("flights", (ABOVE,)), 0, 9900, 500)
OF_A_COLUMN = Measured(ColumnRule("flights", "departure", Rule.AT_MOST, others=("arrival",)), 0, 9900, 500)


def live(tracked):
    return [t.measured for t in tracked if t.state is not LifecycleState.RETIRED]


def test_what_a_denial_constraint_says_no_rule_of_a_column_says_again():
    before, _ = advance([], step([AS_DENIAL], deltas=57, version=1))
    tracked, changes = advance(before, step([AS_DENIAL, OF_A_COLUMN], [AS_DENIAL]))
    assert (live(tracked), changes) == ([AS_DENIAL], [])
    together, _ = advance([], step([AS_DENIAL, OF_A_COLUMN], deltas=57, version=1))
    assert live(together) == [AS_DENIAL]


def test_of_two_that_say_the_same_the_one_stays_that_may_alert_or_that_a_person_wants():
    both = [*advance([], step([AS_DENIAL], deltas=57, version=1))[0]]
    both += advance([], step([OF_A_COLUMN], deltas=57, version=1))[0]
    as_before = step([AS_DENIAL, OF_A_COLUMN], [AS_DENIAL, OF_A_COLUMN])
    tracked, changes = advance(both, as_before)
    assert live(tracked) == [AS_DENIAL]
    assert [(c.transition, c.measured) for c in changes] == [(Transition.RETIRED, OF_A_COLUMN)]
    silent = [replace(both[0], rank=None), both[1]]
    assert live(advance(silent, as_before)[0]) == [OF_A_COLUMN]
    wanted = replace(as_before, decided={OF_A_COLUMN.constraint.fingerprint: Decided(pinned=True)})
    assert live(advance(both, wanted)[0]) == [OF_A_COLUMN]
