"""Constraints that are followed from a version on: what is presented for the first time, and what is signed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from profiling_core.diff.step import HOLDING, LONG, Step, predicates_of
from profiling_core.model.change import Change, LifecycleState, Transition
from profiling_core.model.constraint import Constraint, Measured
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Predicate

_Denial = tuple[tuple[str, ...], frozenset[Predicate]]


def newcomers(
    previous: Sequence[Tracked], tracked: Sequence[Tracked], ranks: Mapping[str, int], step: Step
) -> list[Tracked]:
    """What the presented list has for the first time, without what merely narrows a constraint that is violated.

    What a constraint of another kind says that is followed and may alert is left out, too.
    """
    said = _told_by(tracked, step)
    known = {t.fingerprint for t in (*previous, *tracked)}
    broken = [predicates_of(t.measured.constraint) for t in tracked if t.state is LifecycleState.VIOLATED]
    found = []
    for ranked in step.results.ranked:
        fingerprint = ranked.measured.constraint.fingerprint
        rank = ranks[fingerprint]
        if rank > step.presented and ranked.measured.constraint.needs_rank:
            continue
        own = predicates_of(ranked.measured.constraint)
        denial = _denial(ranked.measured.constraint)
        if own and denial in said:
            continue
        narrows = any(other and other < own for other in broken)
        if fingerprint not in known and not narrows and not step.rejections.reason(ranked.measured.constraint):
            ancestor = _ancestor(own, previous)
            said.add(denial)
            found.append(replace(_newcomer(ranked.measured, step.shown(rank), ranked.score, step), ancestor=ancestor))
    return found


def _told_by(tracked: Sequence[Tracked], step: Step) -> set[_Denial]:
    """What those deny that may alert, or that are violated."""
    alive = [t for t in tracked if t.state is not LifecycleState.RETIRED]
    heard = (t for t in alive if t.state is LifecycleState.VIOLATED or step.may_alert(t))
    return {_denial(t.measured.constraint) for t in heard}


def said_twice(followed: Sequence[Tracked], step: Step) -> list[Tracked]:
    """Those that hold and say what another one says that holds, too: a denial constraint, and a rule of a column.

    The one stays that a person wants, else one that may alert, else the first.
    """
    alike: dict[_Denial, list[Tracked]] = {}
    for tracked in followed:
        if tracked.state in HOLDING and predicates_of(tracked.measured.constraint):
            alike.setdefault(_denial(tracked.measured.constraint), []).append(tracked)

    def first(tracked: Tracked) -> tuple[bool, bool]:
        return not step.decided_on(tracked.fingerprint).wanted, not step.may_alert(tracked)

    return [tracked for same in alike.values() for tracked in sorted(same, key=first)[1:]]


def _denial(constraint: Constraint) -> _Denial:
    return constraint.tables, predicates_of(constraint)


def _ancestor(own: frozenset[Predicate], previous: Sequence[Tracked]) -> str:
    """Of the constraints that were followed, the one nearest to a newcomer among those that it refines or widens."""
    theirs = [(predicates_of(t.measured.constraint), t.fingerprint) for t in previous]
    related = [(len(own ^ other), name) for other, name in theirs if own and other and (other < own or own < other)]
    return min(related, default=(0, ""))[1]


def signed(previous: Sequence[Tracked], figures: Mapping[str, Measured], step: Step) -> list[Tracked]:
    """Constraints that a person has signed and that were not followed, as if they had held so far."""
    known = {t.fingerprint for t in previous}
    wanted = [name for name, decided in step.decided.items() if decided.pinned and name in figures.keys() - known]
    made = (_newcomer(figures[name], None, 0.0, step) for name in wanted)
    return [replace(t, state=LifecycleState.ACTIVE, held_deltas=0, age=0) for t in made]


def _newcomer(measured: Measured, rank: int | None, score: float, step: Step) -> Tracked:
    held = step.deltas(measured.constraint)
    return Tracked(
        measured=measured,
        table=table_of(measured.constraint),
        state=_newcomers_state(measured, held, step),
        since=step.since(measured.constraint),
        held_deltas=held,
        age=held,
        rank=rank,
        score=score,
        version=step.version,
        threshold=0.0 if measured.holds else step.threshold(measured.constraint),
    )


def _newcomers_state(measured: Measured, held: int, step: Step) -> LifecycleState:
    if measured.constraint.of_deltas and measured.support >= LONG:
        return LifecycleState.ACTIVE  # what is usual was learnt from that many deltas
    return step.state_after(LifecycleState.CANDIDATE, held)


def appeared(newcomer: Tracked) -> Change:
    """The change that tells of a newcomer."""
    return Change(
        Transition.APPEARED,
        newcomer.table,
        None,
        newcomer.measured,
        held_deltas=newcomer.held_deltas,
        since=newcomer.since,
        rank=newcomer.rank,
    )


def table_of(constraint: Constraint) -> str:
    """The table whose run reports on a constraint: its own, or the included side's."""
    return constraint.tables[0]
