"""From version to version: incidents open, grow and recover, and each is told once.

The next delta with the same cause continues an incident and is no news, but where it has grown: another store is
missing beside the first, or many times as many rows show it. A reminder comes where these are wanted.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from profiling_core.diff.causes import by_cause, have_part_in_common
from profiling_core.model.finding import CONSTRAINT, Finding
from profiling_core.model.incident import QUIET, Event, Incident, IncidentStatus

OPENED, GREW, RECOVERED, REMINDED = "opened", "grew", "recovered", "reminded"
WORSE = "got worse"
# An incident that so many times as many rows show as ever is worse, and that many at least.
_TIMES, _LEAST_MORE = 10, 10
# Of values that are missing so large a share is another incident: a meter more beside a district's is none.
_MORE_MISSING = 0.25
_MOST_FINDINGS = 500
# What is found in an incident's columns is more of it where hardly a delta was without.
_PAUSE = 1
# Rows of an unusual mix are not wrong one by one: new shops go on to shift it.
_SHIFTS = {"mix"}
# Whose word holds for what comes again later, too.
_SWALLOWS = (IncidentStatus.MUTED, IncidentStatus.ACCEPTED)


@dataclass(frozen=True, slots=True)
class IncidentMoment:
    """The version that incidents are brought to.

    ``arrived`` are the tables that it applied deltas to, ``recovered`` and ``retired`` the fingerprints of constraints
    that hold again or are no more, ``owner_of`` says who looks after a table. Every ``remind_after`` deltas that show
    an incident which nobody has acknowledged it is told again (0: never). ``worse`` are the fingerprints of
    constraints that more violates than before.
    """

    version: int
    label: str
    arrived: Collection[str]
    recovered: Collection[str]
    retired: Collection[str]
    owner_of: Callable[[str], str]
    remind_after: int = 0
    worse: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class IncidentStep:
    """An incident as a version leaves it, and what of it is told: one of the words above, or empty."""

    incident: Incident
    told: str = ""


def advance(known: Sequence[Incident], findings: Sequence[Finding], moment: IncidentMoment) -> list[IncidentStep]:
    """The incidents that a version changes, or opens.

    Args:
        known: the incidents so far, by number.
        findings: what the version shows, in the order in which it would be told.
        moment: the version.
    """
    steps = _shown(known, findings, moment)
    for incident in known:
        if incident.number not in steps and _gets_worse(incident, moment):
            steps[incident.number] = _grown(incident, (), moment)
        seen = incident.number in steps
        before = steps.get(incident.number) or _quiet(incident, moment)
        after = _recovered(before, moment, seen=seen) or before
        if seen or after.incident != incident:
            steps[incident.number] = after
    return [steps[number] for number in sorted(steps)]


def _shown(known: Sequence[Incident], findings: Sequence[Finding], moment: IncidentMoment) -> dict[int, IncidentStep]:
    """By number the incidents that the version's findings open or continue."""
    steps: dict[int, IncidentStep] = {}
    free = max((incident.number for incident in known), default=0)
    for group in (part for whole in by_cause(findings) for part in _parted(whole, known)):
        current = [steps[i.number].incident if i.number in steps else i for i in known]
        same = next((i for i in reversed(current) if _continues(i, group, known)), None)
        if same is None:
            free += 1
            steps[free] = IncidentStep(_opened(free, group, moment), OPENED)
        else:
            before = steps.get(same.number)
            steps[same.number] = before or _grown(same, group, moment)
            if before:  # two groups of one version that one incident accounts for
                more = _with(before.incident, group)
                steps[same.number] = replace(before, incident=more)
    return steps


def _parted(group: tuple[Finding, ...], known: Sequence[Incident]) -> list[tuple[Finding, ...]]:
    """What goes on of a group and what it accounts for; and by causes of their own the rows that are wrong besides.

    A file that is short for the second day, since a store is missing, explains no price that is wrong today.
    """
    on = [(f, incident) for f in group for incident in known if _goes_on(f, incident, known)]
    others = [f for f in group if not any(_goes_with(f, *one) for one in on)]
    if not on or not others:
        return [group]
    return [tuple(finding for finding in group if finding not in others), *by_cause(others)]


def _goes_on(finding: Finding, incident: Incident, known: Sequence[Incident]) -> bool:
    return finding.signature in incident.signatures and _continues(incident, (finding,), known)


def _goes_with(finding: Finding, going_on: Finding, incident: Incident) -> bool:
    """Whether it is that again, says no more than that rows are missing, or is of its columns or rows."""
    if not finding.count or finding.signature == going_on.signature:
        return True
    accounts = going_on.count > 0 or incident.status is IncidentStatus.MUTED
    return accounts and have_part_in_common(finding, going_on) and not _is_of_other_rows(finding, incident)


def _is_of_other_rows(finding: Finding, incident: Incident) -> bool:
    """Whether all rows it shows have other values than the one that the incident says comes too often.

    A line that is new explains no row without a line.
    """
    shift = incident.diagnosis
    if shift.kind not in _SHIFTS or not shift.values or not shift.count or finding.whole_load or not finding.rows:
        return False
    (name,) = shift.columns
    return all(name in row.values and row.values[name] not in shift.values for row in finding.rows)


def _quiet(incident: Incident, moment: IncidentMoment) -> IncidentStep:
    """An incident that nothing shows."""
    counts = incident.status.goes_on and incident.table in moment.arrived
    return IncidentStep(replace(incident, quiet=incident.quiet + 1) if counts else incident)


def _gets_worse(incident: Incident, moment: IncidentMoment) -> bool:
    return incident.status.goes_on and not set(moment.worse).isdisjoint(incident.broken)


def _continues(incident: Incident, group: Sequence[Finding], known: Sequence[Incident]) -> bool:
    if not incident.status.goes_on or _rests(incident, known):
        return False
    odd = [finding for finding in group if finding.whole_load]
    if odd:
        return _continues_odd(incident, group, odd)
    again = bool(incident.signatures & {finding.signature for finding in group})
    explains = _accounts_for(incident, group) and _just_now(incident, _PAUSE)
    explains = explains and not all(_is_of_other_rows(finding, incident) for finding in group)
    return again or (explains and _in_its_columns(group, incident, incident.findings))


def _accounts_for(incident: Incident, group: Sequence[Finding]) -> bool:
    """What no row showed (an old file, a store that is missing) accounts for no rows that are wrong today."""
    return incident.rows > 0 or all(not finding.count for finding in group)


def _continues_odd(incident: Incident, group: Sequence[Finding], odd: Sequence[Finding]) -> bool:
    """An odd load is no more of what rules alone have shown for months, nor anything of what was over meanwhile."""
    loads = [finding for finding in incident.findings if finding.whole_load]
    if not loads or not _just_now(incident, 0) or any(_is_of_others(finding, incident) for finding in odd):
        return False
    again = bool(incident.signatures & {finding.signature for finding in group})
    return again or (_accounts_for(incident, group) and _in_its_columns(odd, incident, loads))


def _is_of_others(finding: Finding, incident: Incident) -> bool:
    """Whether all values that it misses are other ones than the incident's: another store, another incident."""
    before = _missed_before(finding, incident)
    return bool(finding.values and before) and before.isdisjoint(finding.values)


def _just_now(incident: Incident, pause: int) -> bool:
    return incident.quiet <= pause or incident.status in _SWALLOWS


def _in_its_columns(group: Sequence[Finding], incident: Incident, shown: Sequence[Finding]) -> bool:
    """Whether findings speak of no other columns; what was accepted says nothing of other findings in its columns."""
    if incident.status is IncidentStatus.ACCEPTED or incident.table != group[0].table:
        return False
    own = {column for finding in group for column in finding.columns}
    return bool(own) and own <= {column for finding in shown for column in finding.columns}


def _rests(incident: Incident, known: Sequence[Incident]) -> bool:
    """Whether nothing has shown an incident for so long that what comes now is news: twice as long each time.

    Rows that violate a rule stay in a table for good, and explain nothing of today's.
    """
    if incident.status not in (IncidentStatus.OPEN, IncidentStatus.ACKNOWLEDGED):
        return False
    alike = sum(bool(incident.signatures & other.signatures) for other in known if other.table == incident.table)
    return incident.quiet >= QUIET << max(0, alike - 1)


def _opened(number: int, group: Sequence[Finding], moment: IncidentMoment) -> Incident:
    table = group[0].table
    return Incident(
        number,
        table,
        IncidentStatus.OPEN,
        moment.owner_of(table),
        moment.label,
        moment.label,
        moment.version,
        tuple(group[:_MOST_FINDINGS]),
        rows=max(finding.count for finding in group),
        broken=_constraints(group),
        events=(Event(OPENED, moment.label),),
    )


def _grown(incident: Incident, group: Sequence[Finding], moment: IncidentMoment) -> IncidentStep:
    worse = _is_worse(incident, group)
    grown = replace(
        _with(incident, group),
        latest=moment.label,
        deltas=incident.deltas + 1,
        quiet=0,
        events=(*incident.events, Event(WORSE if worse else GREW, moment.label)),
    )
    if worse and incident.status in (IncidentStatus.OPEN, IncidentStatus.ACKNOWLEDGED):
        return IncidentStep(grown, WORSE)
    due = moment.remind_after and grown.deltas % moment.remind_after == 0
    return IncidentStep(grown, REMINDED if due and incident.status is IncidentStatus.OPEN else "")


def _is_worse(incident: Incident, group: Sequence[Finding]) -> bool:
    """Whether a person who knows of the incident would want to hear of it again.

    Of other values that are missing, of rows that are wrong in another way, of far more rows.
    """
    if any(_others_than(finding, incident) or _is_another_error(finding, incident) for finding in group):
        return True
    # a right row of today may contradict a wrong one of then: of broken rules the jump of their error tells
    known = {finding.signature: finding.count for finding in incident.findings if finding.kind != CONSTRAINT}
    return any(
        0 < known.get(finding.signature, 0) * _TIMES <= finding.count and finding.count >= _LEAST_MORE
        for finding in group
    )


def _others_than(finding: Finding, incident: Incident) -> bool:
    """Whether it misses values that no finding of the incident has missed, and many beside those that these have."""
    before = _missed_before(finding, incident)
    return len(set(finding.values) - before) > _MORE_MISSING * len(before)


def _is_another_error(finding: Finding, incident: Incident) -> bool:
    """Whether it names rows of the load as wrong in a way that nothing of the incident was."""
    known = {found.kind for found in incident.findings}
    return finding.whole_load and finding.count > 0 and finding.kind not in known | _SHIFTS


def _missed_before(finding: Finding, incident: Incident) -> set[str]:
    alike = (f for f in incident.findings if f.kind == finding.kind and set(f.columns) == set(finding.columns))
    return {value for known in alike for value in known.values}


def _with(incident: Incident, group: Sequence[Finding]) -> Incident:
    again = {finding.signature: finding for finding in group}
    if _is_worse(incident, group):  # what is so now is told first
        shown = [*group, *(finding for finding in incident.findings if not _takes_in(group, finding))]
    else:
        kept = [again.pop(finding.signature, finding) for finding in incident.findings]
        shown = [*kept, *again.values()]
    broken = dict.fromkeys((*incident.broken, *_constraints(group)))
    most = max([incident.rows, *(finding.count for finding in group)])
    return replace(incident, findings=tuple(shown[:_MOST_FINDINGS]), broken=tuple(broken), rows=most)


def _takes_in(group: Sequence[Finding], known: Finding) -> bool:
    """Whether what was found now is the same, or misses all values that were missed, too."""
    return any(
        known.signature == now.signature
        or (known.kind == now.kind and bool(known.values) and set(known.values) <= set(now.values))
        for now in group
    )


def _constraints(group: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.subject for finding in group if finding.kind == CONSTRAINT)


def _recovered(step: IncidentStep, moment: IncidentMoment, *, seen: bool) -> IncidentStep | None:
    """What has ended with the version; None where it leaves the incident as it was.

    A broken constraint ends when it holds again. What is found in a delta ends with the next one that does not show it:
    that is no news.
    """
    incident = step.incident
    if not incident.status.goes_on or incident.opened == moment.label:
        return None
    left = tuple(name for name in incident.broken if name not in moment.recovered and name not in moment.retired)
    if left:
        changed = replace(incident, broken=left)
        return replace(step, incident=changed) if left != incident.broken else None
    if seen or (not incident.broken and incident.table not in moment.arrived):
        return None
    over = replace(
        incident,
        broken=(),
        status=IncidentStatus.RECOVERED,
        events=(*incident.events, Event(RECOVERED, moment.label)),
    )
    heard = incident.status in (IncidentStatus.OPEN, IncidentStatus.ACKNOWLEDGED)
    return IncidentStep(over, RECOVERED if heard and set(incident.broken) & set(moment.recovered) else "")
