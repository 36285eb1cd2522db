"""How tracked constraints pass from one version to the next: candidate → active → violated → recovered or retired.

Pure: the standing in version N and the results of version N+1 give the standing in N+1 and the changes, so a step
that is repeated gives the same again. A constraint is followed from when it is presented until it has fallen out of
the much longer ranked list. What merely narrows a constraint that is violated does not enter: it is that constraint
again, and what its rows happen to leave of it.

An approximate constraint breaks beyond its threshold, and recovers only once it is clearly below, so that one at its
threshold does not alternate. Between the two, and while it is violated, a jump of its error is news of its own.

A violated constraint stays so as long as the rows are there. It breaks again when new rows violate it after a delta
without a new violation, if it breaks seldom: by all deltas in which it held, and not by those since it broke last.

What a person has signed is active from the first delta on, is told whenever new rows violate it, and stays until the
person takes the word back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from profiling_core.diff.new_constraints import appeared, newcomers, said_twice, signed
from profiling_core.diff.places import places
from profiling_core.diff.step import HOLDING, LONG, PROVEN, Step, predicates_of, within
from profiling_core.maintain.results import BrokenConstraint, Results
from profiling_core.model.change import Change, LifecycleState, Transition
from profiling_core.model.constraint import Constraint, Kind, Measured
from profiling_core.model.kinds.constraint import PAIRS
from profiling_core.model.lifecycle import ALIKE, Tracked

SHOWN_SUCCESSORS = 3
# A score of 1.5 stands for thirty violations that independence would lead one to expect, where there is none.
LEAST_SURPRISE = 1.5
_LAST = 1_000_000
# What these ask is asked of each row by itself.
_BY_ROW = (Kind.COLUMN, Kind.EQUATION, Kind.CONDITIONAL)
# An error within this share of its threshold is clearly below it.
_CLEARLY_BELOW = 0.8
# An error jumps when it is several times what it was, and what it gained is worth noticing beside the threshold.
_NOTICEABLE = 0.1


def advance(previous: Sequence[Tracked], step: Step) -> tuple[list[Tracked], list[Change]]:
    """The tracked constraints of the next version, best rank first, those that retire with it last; and what changed.

    Args:
        previous: the tracked constraints of the version before, without those that retired with it.
        step: the step.
    """
    ranks = places(previous, [r.measured.constraint.fingerprint for r in step.results.ranked], step.presented)
    scores = {r.measured.constraint.fingerprint: r.score for r in step.results.ranked}
    figures = {m.constraint.fingerprint: m for m in step.results.tracked}
    wanted = signed(previous, figures, step)
    twice = said_twice([*previous, *wanted], step)
    tracked: list[Tracked] = [_retired(known, known.measured, step) for known in twice]
    changes = [appeared(newcomer) for newcomer in wanted]
    changes += [_change(Transition.RETIRED, known, known.measured) for known in twice]
    for known in (*previous, *wanted):
        if known in twice:
            continue
        now = known
        if known.fingerprint in step.results.successors:
            tracked.append(_retired(known, known.measured, step))
            changes.append(_change(Transition.RETIRED, known, known.measured))
            wider = figures.get(step.results.successors[known.fingerprint])
            if wider is None:
                continue
            now = _in_place(known, wider, step)
        follower = _follow(now, figures.get(now.fingerprint, now.measured), ranks, scores, step)
        tracked.append(follower[0])
        changes += [follower[1]] if follower[1] else []
    fresh = newcomers(previous, tracked, ranks, step)
    tracked += fresh
    changes += [appeared(newcomer) for newcomer in fresh]
    order = {LifecycleState.VIOLATED: 0, LifecycleState.RETIRED: 2}
    tracked.sort(key=lambda t: (order.get(t.state, 1), t.rank or _LAST, t.measured.constraint.text))
    return tracked, changes


def _retired(known: Tracked, now: Measured, step: Step) -> Tracked:
    return replace(known, measured=now, state=LifecycleState.RETIRED, since=step.label, rank=None, version=step.version)


def _in_place(known: Tracked, wider: Measured, step: Step) -> Tracked:
    """The rule that takes in what a person accepted, as it goes on in place of the one that was broken."""
    unbroken = replace(wider, violations=0)
    after = replace(known, measured=unbroken, state=LifecycleState.ACTIVE, threshold=0.0, since=step.label)
    return replace(after, ancestor=known.fingerprint, broken_rows=())  # what broke it was right


def _follow(
    known: Tracked, now: Measured, ranks: Mapping[str, int], scores: Mapping[str, float], step: Step
) -> tuple[Tracked, Change | None]:
    decided = step.decided_on(known.fingerprint)
    if not decided.wanted and step.rejections.reason(known.measured.constraint):
        return _retired(known, now, step), _change(Transition.RETIRED, known, now)
    if decided.accepted:
        known = _accepted(known, max(known.threshold, decided.accepted_error))
    if decided.pinned and known.state is LifecycleState.CANDIDATE:
        known = replace(known, state=LifecycleState.ACTIVE)
    if known.state in HOLDING:
        holds = within(now, known.threshold)
        return _hold(known, now, ranks, scores, step) if holds else _break(known, now, step)
    if within(now, known.threshold * _CLEARLY_BELOW):
        return _recover(known, now, ranks, scores, step)
    if _has_new_violations(known, now, step):
        return _violate_more(known, now, step)
    after = _older(replace(known, measured=now, version=step.version), step)
    changed = now.violations != known.measured.violations
    return after, _change(Transition.ERROR_CHANGED, known, now) if changed else None


def _older(known: Tracked, step: Step) -> Tracked:
    """It after a step in which no new rows violated it."""
    more = step.deltas(known.measured.constraint)
    return replace(known, held_deltas=known.held_deltas + more, age=known.age + more)


def _has_new_violations(known: Tracked, now: Measured, step: Step) -> bool:
    """Whether rows of the step are at fault: a right row contradicts an old wrong one, too, and is not."""
    there = known.fingerprint in step.results.breaks
    return there or (now.violations > known.measured.violations and now.constraint.unit is not PAIRS)


def _violate_more(known: Tracked, now: Measured, step: Step) -> tuple[Tracked, Change]:
    """New rows violate a rule that is violated already. This is news if the rule seldom breaks, or most rows break it.

    Only of what is asked of each row by itself are most rows counted: of the others, most may contradict one wrong row.

    Of a signed constraint it is news each time, and has broken again where one delta was without.
    """
    again = known.held_deltas > 0
    most = now.constraint.kind in _BY_ROW and 2 * _broken(known, step).violating_rows > step.arrived > 0
    seldom = step.min_held_deltas if most else max(LONG, step.min_held_deltas)
    rare = known.holds_once_in(seldom) and not now.constraint.breaks_once
    decided = step.decided_on(known.fingerprint)
    # Who accepts what rows say hears of rows that say something else.
    wanted = decided.pinned or (decided.accepted and bool(now.constraint.naming))
    after = replace(known, measured=now, held_deltas=0, breaks=known.breaks + again, version=step.version)
    if again and (rare or wanted):
        broke = _change(Transition.BROKE, known, now)
        return replace(after, since=step.label), _alerting(broke, known, step)
    more = _alerting(_change(Transition.ERROR_CHANGED, known, now), known, step)
    return after, _jump(known, now, step) or replace(more, alerts=more.alerts and wanted)


def _accepted(known: Tracked, threshold: float) -> Tracked:
    """A constraint that a person has accepted as it is: active, with the error that it had then."""
    active = known.state in HOLDING or within(known.measured, threshold)
    state = LifecycleState.ACTIVE if active else known.state
    return replace(known, state=state, threshold=threshold)


def _jump(known: Tracked, now: Measured, step: Step) -> Change | None:
    """The change where the error of a constraint that is approximate or violated rises by leaps."""
    before = known.measured.error
    if not before or now.error < ALIKE * before or now.error - before < _NOTICEABLE * known.threshold:
        return None
    return _alerting(_change(Transition.ERROR_JUMPED, known, now), known, step)


def _alerting(change: Change, known: Tracked, step: Step) -> Change:
    """The change with the rows behind it, and with an alert where a person follows the constraint."""
    broken = _broken(known, step)
    decided, proven = step.decided_on(known.fingerprint), known.state is not LifecycleState.CANDIDATE
    expected = broken.by_chance or step.is_listed(known.measured.constraint)
    sure = proven and (decided.wanted or (_is_sure(known, broken.violating_rows) and not expected))
    return replace(
        change,
        violating_rows=broken.violating_rows,
        witnesses=broken.witnesses,
        diagnosis=broken.diagnosis,
        alerts=sure and step.may_alert(known),
        signed=decided.pinned,
        delta=broken.delta,
    )


def _broken(known: Tracked, step: Step) -> BrokenConstraint:
    return step.results.breaks.get(known.fingerprint, BrokenConstraint(0, ()))


def _is_sure(known: Tracked, rows: int) -> bool:
    """Whether a break by this many rows is news.

    A rule that may hold by accident must have held for 50 deltas per break. A break of about as many rows as earlier
    ones is no news if these came often: clerks mistype, and correct it the next day.
    """
    if known.state not in HOLDING:
        return True
    holds = known.holds_once_in(LONG) or not known.measured.constraint.may_hold_by_accident
    return holds and not known.breaks_so(rows, LONG)


def _hold(
    known: Tracked, now: Measured, ranks: Mapping[str, int], scores: Mapping[str, float], step: Step
) -> tuple[Tracked, Change | None]:
    rank = ranks.get(known.fingerprint, _LAST)
    if rank == _LAST and not step.decided_on(known.fingerprint).wanted:
        successors = _successors(now.constraint, step.results, more_general=True)
        gone = _change(Transition.GENERALISED if successors else Transition.RETIRED, known, now)
        return _retired(known, now, step), replace(gone, replaced_by=successors)
    older = _older(replace(known, measured=now), step)
    after = replace(
        older,
        state=step.state_after(known.state, older.age),
        rank=step.shown(rank),
        score=scores.get(known.fingerprint, known.score),
        version=step.version,
    )
    return after, _jump(known, now, step)


def _break(known: Tracked, now: Measured, step: Step) -> tuple[Tracked, Change]:
    successors = _successors(now.constraint, step.results, more_general=False)
    change = replace(_alerting(_change(Transition.BROKE, known, now), known, step), replaced_by=successors)
    after = replace(known.broken(_broken(known, step).violating_rows), measured=now, version=step.version)
    after = replace(after, state=LifecycleState.VIOLATED, since=step.label)
    return (after if known.state in PROVEN else _retired(known, now, step)), change


def _recover(
    known: Tracked, now: Measured, ranks: Mapping[str, int], scores: Mapping[str, float], step: Step
) -> tuple[Tracked, Change]:
    after = replace(
        known,
        measured=now,
        state=LifecycleState.RECOVERED,
        since=step.label,
        held_deltas=step.deltas(now.constraint),
        age=known.age + step.deltas(now.constraint),
        rank=step.shown(ranks.get(known.fingerprint)),
        score=scores.get(known.fingerprint, known.score),
        version=step.version,
    )
    # that the next delta is as usual again is no news, nor the end of what was none
    alerts = step.may_alert(known) and not now.constraint.of_deltas and not now.constraint.may_hold_by_accident
    return after, replace(_change(Transition.RECOVERED, known, now), alerts=alerts)


def _change(transition: Transition, known: Tracked, now: Measured) -> Change:
    return Change(
        transition, known.table, known.measured, now, held_deltas=known.held_deltas, since=known.since, rank=known.rank
    )


def _successors(constraint: Constraint, results: Results, *, more_general: bool) -> tuple[str, ...]:
    """The ranked constraints that take a constraint's place: its specialisations, or its generalisations."""
    own = predicates_of(constraint)
    found = []
    for ranked in results.ranked:
        theirs = predicates_of(ranked.measured.constraint)
        if own and theirs and (theirs < own if more_general else own < theirs):
            found.append(ranked.measured.constraint.text)
    return tuple(found[:SHOWN_SUCCESSORS])
