"""What people's decisions add up to, and what they do to the constraints that they are about."""

from dataclasses import replace

import pytest
from helpers.constraints import denied, ind, key
from helpers.steps import DISTANCE, HOUR, fd, followed, step

from profiling_core.diff.lifecycle import advance
from profiling_core.model.change import LifecycleState, Transition
from profiling_core.model.constraint import Measured, renamed
from profiling_core.model.decision import Decided, Decision, Verdict, standing
from profiling_core.model.kinds.column import ColumnRule, Rule


def decided(*verdicts: tuple[Verdict, dict], constraint=DISTANCE.constraint, renames=None) -> Decided:
    made = [Decision(constraint, verdict, "ana", **more) for verdict, more in verdicts]
    (found,) = standing(made, renames or {}).values()
    return found


def test_the_last_word_on_each_matter_stands():
    found = decided(
        (Verdict.PIN, {"note": "agreed with the carrier"}),
        (Verdict.MUTE, {"until": "2013-03-09"}),
        (Verdict.NOTE, {"note": "see the March meeting"}),
    )
    assert (found.pinned, found.words) == (True, "pinned, muted until 2013-03-09")
    assert found.notes == ("agreed with the carrier", "see the March meeting")
    assert found.muted("2013-03-09")
    assert not found.muted("2013-03-10")
    assert decided((Verdict.MUTE, {})).muted("9999")
    assert decided((Verdict.MUTE, {}), (Verdict.UNMUTE, {})).words == ""
    assert decided((Verdict.PIN, {}), (Verdict.REJECT, {})).words == "rejected"
    assert decided((Verdict.REJECT, {}), (Verdict.RESTORE, {})).words == ""


@pytest.mark.parametrize(
    "constraint",
    [
        DISTANCE.constraint,
        key("origin dest", "flights"),
        ind("flights.dest", "airports.faa"),
        denied("t.dest < s.dest", table="flights"),
    ],
)
def test_decisions_follow_a_renamed_column(constraint):
    renames = {"flights": {"dest": "destination"}}
    (name,) = standing([Decision(constraint, Verdict.PIN, "ana")], renames)
    now = renamed(constraint, renames)
    assert name == now.fingerprint != constraint.fingerprint
    assert "destination" in now.columns
    assert "dest" not in now.columns
    assert renamed(constraint, {"airports": {"code": "faa"}}) == constraint


def broken(decision: Decided, *, rank: int = 1) -> list:
    ranked = [HOUR, DISTANCE] if rank == 2 else [DISTANCE]
    tracked, _ = advance([], replace(step(ranked, deltas=57, version=1), max_rank=1))
    after = replace(DISTANCE, violations=12)
    decisions = {DISTANCE.constraint.fingerprint: decision}
    now = replace(step([HOUR], [after, HOUR], version=2), max_rank=1, decided=decisions)
    _, changes = advance(tracked, now)
    return [(c.transition, c.alerts) for c in changes if c.measured.constraint == DISTANCE.constraint]


def test_a_muted_constraint_breaks_in_silence_until_its_day():
    assert broken(Decided()) == [(Transition.BROKE, True)]
    assert broken(Decided(muted_until="")) == [(Transition.BROKE, False)]
    assert broken(Decided(muted_until="day 2")) == [(Transition.BROKE, False)]
    assert broken(Decided(muted_until="day 1")) == [(Transition.BROKE, True)]


def test_a_pinned_constraint_alerts_whatever_its_rank():
    assert broken(Decided(), rank=2) == [(Transition.BROKE, False)]
    assert broken(Decided(pinned=True), rank=2) == [(Transition.BROKE, True)]


def test_a_pinned_constraint_is_followed_when_it_no_longer_ranks():
    tracked, _ = advance([], step([DISTANCE], deltas=57, version=1))
    pinned = {DISTANCE.constraint.fingerprint: Decided(DISTANCE.constraint, pinned=True)}
    kept, changes = advance(tracked, replace(step([HOUR], [DISTANCE]), decided=pinned))
    assert [t.measured for t in kept] == [HOUR, DISTANCE]
    assert Transition.RETIRED not in {c.transition for c in changes}
    gone, changes = advance(tracked, step([HOUR], [DISTANCE]))
    assert [t.measured for t in followed(gone)] == [HOUR]
    assert (Transition.RETIRED, False) in {(c.transition, c.alerts) for c in changes}


@pytest.mark.parametrize(("violations", "state"), [(0, LifecycleState.ACTIVE), (9, LifecycleState.VIOLATED)])
def test_a_pinned_constraint_that_was_not_followed_is_from_now_on(violations, state):
    now = replace(DISTANCE, violations=violations)
    pinned = {DISTANCE.constraint.fingerprint: Decided(DISTANCE.constraint, pinned=True)}
    tracked, changes = advance([], replace(step([], [now]), decided=pinned))
    assert [(t.measured, t.state, t.rank) for t in tracked] == [(now, state, None)]
    broke = [(Transition.BROKE, True, True)] if violations else []
    told = [(c.transition, c.alerts, c.signed) for c in changes]
    assert told == [(Transition.APPEARED, False, False), *broke]


def test_a_rejected_constraint_retires_and_does_not_come_back():
    tracked, _ = advance([], step([DISTANCE, HOUR], deltas=57, version=1))
    rejected = {DISTANCE.constraint.fingerprint: Decided(DISTANCE.constraint, rejected=True)}
    kept, changes = advance(tracked, replace(step([DISTANCE, HOUR], [DISTANCE, HOUR]), decided=rejected))
    assert [t.measured for t in followed(kept)] == [HOUR]
    assert [c.transition for c in changes] == [Transition.RETIRED]
    again, changes = advance(followed(kept), replace(step([DISTANCE, HOUR], [HOUR], version=3), decided=rejected))
    assert ([t.measured for t in again], changes) == ([HOUR], [])


def test_who_rejects_a_range_hears_of_no_other_range_of_the_column():
    def ranged(column: str, high: str) -> Measured:
        return Measured(ColumnRule("flights", column, Rule.RANGE, None, high), 0, 600, 600)

    delay, wider, other = ranged("delay", "500"), ranged("delay", "900"), ranged("distance", "5000")
    tracked, _ = advance([], step([delay], deltas=57, version=1))
    rejected = {delay.constraint.fingerprint: Decided(delay.constraint, rejected=True)}
    kept, changes = advance(tracked, replace(step([wider, other], [delay, wider, other]), decided=rejected))
    assert [t.measured for t in followed(kept)] == [other]
    assert [c.transition for c in changes] == [Transition.RETIRED, Transition.APPEARED]


def test_an_accepted_candidate_is_active_at_once():
    tracked, _ = advance([], step([DISTANCE], version=1))
    assert tracked[0].state is LifecycleState.CANDIDATE
    accepted = {DISTANCE.constraint.fingerprint: Decided(DISTANCE.constraint, accepted=True)}
    tracked, _ = advance(tracked, replace(step([DISTANCE], [DISTANCE]), decided=accepted))
    assert tracked[0].state is LifecycleState.ACTIVE


def test_an_accepted_break_may_keep_its_error_and_no_more():
    tracked, _ = advance([], step([DISTANCE], deltas=57, version=1))
    after = replace(DISTANCE, violations=12)
    tracked, _ = advance(tracked, step([], [after]))
    assert tracked[0].state is LifecycleState.VIOLATED
    accepted = {
        DISTANCE.constraint.fingerprint: Decided(DISTANCE.constraint, accepted=True, accepted_error=after.error)
    }
    same, changes = advance(tracked, replace(step([], [after], version=3), decided=accepted))
    assert (same[0].state, same[0].threshold, changes) == (LifecycleState.ACTIVE, after.error, [])
    worse = replace(after, violations=13)
    _, changes = advance(same, replace(step([], [worse], version=4), decided=accepted))
    assert [(c.transition, c.alerts) for c in changes] == [(Transition.BROKE, True)]


def test_a_newcomer_knows_what_it_refines():
    tracked, _ = advance([], step([fd("origin dest", "distance")], version=1))
    wider = fd("dest", "distance")
    after, changes = advance(tracked, step([wider], [DISTANCE]))
    assert [t.ancestor for t in followed(after)] == [DISTANCE.constraint.fingerprint]
    assert Transition.GENERALISED in {c.transition for c in changes}
