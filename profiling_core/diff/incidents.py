"""From version to version: an incident goes on where the next load shows the same, and all else opens another one.

An incident is an explanation of what loads show (docs/breaks.md, "Incidents"). It accounts for the same finding and
for what this names already; whatever it does not account for is told. It is over with the first load that is as usual.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from profiling_core.diff.causes import by_cause, is_explained, ordered
from profiling_core.model.delta_ids import in_order
from profiling_core.model.finding import CONSTRAINT, REFUSAL, REJECTS, Finding
from profiling_core.model.incident import LASTING, Event, Incident, IncidentStatus

OPENED, SHOWN_AGAIN, RECOVERED, MENDED, REMINDED = "opened", "shown again", "recovered", "mended", "reminded"
WORSE, LASTS, HEARD_AGAIN = "got worse", "lasts", "no longer muted"
# An incident has grown if a load shows 10 times as many rows as any before, or 25 % more values.
_TIMES, _MORE_VALUES = 10, 0.25
_MOST_FINDINGS = 500
_HEARD = (IncidentStatus.OPEN, IncidentStatus.ACKNOWLEDGED)


@dataclass(frozen=True, slots=True)
class IncidentMoment:
    """The version that incidents are brought to.

    ``arrived`` are the tables that it applied deltas to, ``recovered`` and ``retired`` the fingerprints of constraints
    that hold again or are no more, ``owner_of`` says who looks after a table. Every ``remind_after`` deltas that show
    an incident which nobody has acknowledged it is told again (0: never).
    """

    version: int
    label: str
    arrived: Collection[str]
    recovered: Collection[str]
    retired: Collection[str]
    owner_of: Callable[[str], str]
    remind_after: int = 0


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
    steps: dict[int, IncidentStep] = {}
    left = _at_fault(findings, known)
    for incident in reversed(known):
        shown = _accounted_for(incident, left)
        if shown:
            # A rebuild looks at the same load again, and says less of it; a refused delta may be refused otherwise.
            again = moment.label == incident.latest and shown[0].kind != REFUSAL
            steps[incident.number] = IncidentStep(incident) if again else _shown(incident, shown, findings, moment)
            left = [finding for finding in left if finding not in shown]
    left = _that_go_on(left, known, steps)
    for incident in known:
        before = steps.get(incident.number, IncidentStep(incident))
        after = _ended(before, moment, may_go_on=incident.number in steps or _may_be_missing(incident, findings))
        if after.incident != incident:
            steps[incident.number] = after
    free = max((incident.number for incident in known), default=0)
    for number, group in enumerate(by_cause([f for f in left if not f.again]), start=free + 1):
        steps[number] = IncidentStep(_opened(number, group, moment), OPENED)
    return _asked_once([steps[number] for number in sorted(steps)])


def _asked_once(steps: Sequence[IncidentStep]) -> list[IncidentStep]:
    """The steps, of those that ask whether the same rows have changed for good the one of the latest incident."""
    asked = [step for step in steps if step.told == LASTS]

    def is_asked_by_another(step: IncidentStep) -> bool:
        later = [other.incident for other in asked if other.incident.number > step.incident.number]
        return step in asked and any(is_explained(step.incident.diagnosis, one.diagnosis) for one in later)

    return [replace(step, told="") if is_asked_by_another(step) else step for step in steps]


def _at_fault(findings: Sequence[Finding], known: Sequence[Incident]) -> list[Finding]:
    """The findings but those whose rows mostly contradict rows that an incident has named: right rows do that, too."""
    told = {row.identity for incident in known for other in incident.every for row in other.rows if row.wrong} - {""}

    def are_right(finding: Finding) -> bool:
        contradicting = sum(row.beside_identity in told for row in finding.rows)
        return not finding.signed and 2 * contradicting > len(finding.rows)

    return [finding for finding in findings if not are_right(finding)]


def _that_go_on(findings: Sequence[Finding], known: Sequence[Incident], shown: Collection[int]) -> list[Finding]:
    """The findings but those whose rows miss the row before them, as an incident that ends now has told."""
    over = [incident for incident in known if incident.number not in shown]
    return [finding for finding in findings if not any(_is_after(finding, incident) for incident in over)]


def _is_after(finding: Finding, incident: Incident) -> bool:
    """Whether rows are compared with rows before them that are missing, as an incident that ends now has told.

    The first right row after a day that lacked a station does not go on from the row before it.
    """
    compared = not finding.signed and not finding.refers_to and any(row.against for row in finding.rows)
    if not compared or not incident.status.goes_on:
        return False
    shown = {name for row in finding.rows for name in row.values}
    alike = (told for told in incident.findings if told.table == finding.table)
    return any(not told.columns or not shown.isdisjoint(told.columns) for told in alike)


def _may_be_missing(incident: Incident, findings: Sequence[Finding]) -> bool:
    """Whether rows would show it, and the load lacks some."""
    short = (f for f in findings if f.of_load and f.whole_load and not f.count and not f.again)
    return incident.diagnosis.count > 0 and any(finding.table == incident.table for finding in short)


def _accounted_for(incident: Incident, findings: Sequence[Finding]) -> list[Finding]:
    """What an incident accounts for of a version's findings: what shows the same, and what is explained by that.

    More rows of a rule that stands broken explain nothing: they may be wrong for another reason than those before. Nor
    does what is the lesser explanation of the two.
    """
    same = _same(findings, incident)
    others = (finding for finding in findings if finding not in same)
    causes = [finding for finding in same if not finding.again]
    explained = (f for f in others if _is_of_its_values(f, incident) or any(_is_lesser(f, cause) for cause in causes))
    return [*same, *explained]


def _same(findings: Sequence[Finding], incident: Incident) -> list[Finding]:
    """The findings that show the same as an incident: without its diagnosis, no rule whose break is news."""
    same = [finding for finding in findings if _is_same(finding, incident)]
    as_before = any(finding.identity == incident.diagnosis.identity for finding in same)
    return [finding for finding in same if as_before or finding.again or finding.kind != CONSTRAINT]


def _is_lesser(finding: Finding, cause: Finding) -> bool:
    """Whether a cause explains a finding and is the better diagnosis of the two."""
    return is_explained(finding, cause) and ordered((cause, finding))[0].identity == cause.identity


def _is_of_its_values(finding: Finding, incident: Incident) -> bool:
    """Whether rows show values that the incident has named: a name that is new is in more rows than before, too."""
    alike = (known for known in incident.every if (known.table, known.columns) == (finding.table, finding.columns))
    named = {value for known in alike for value in known.values}
    return incident.status.goes_on and finding.of_load and finding.count > 0 and set() != {*finding.values} <= named


def _is_same(finding: Finding, incident: Incident) -> bool:
    """Whether a load shows what an earlier one did: in the same columns and direction, of the same values.

    Once an incident is over, more rows of a rule that stands broken take it up again, since they are no news.
    """
    before = _before(finding, incident)
    if (
        finding.explains
        or not before
        or not (incident.status.goes_on or (finding.again and finding.subject in incident.broken))
    ):
        return False
    names = _names(finding, incident)
    if incident.status is IncidentStatus.ACCEPTED:
        return finding.names <= names and _wrong_cells([finding]) <= _wrong_cells(_before(finding, incident))
    return finding.again or not (finding.names and names) or not finding.names.isdisjoint(names)


def _before(finding: Finding, incident: Incident) -> list[Finding]:
    """What the incident's loads have shown of the finding's columns, in its direction."""
    alike = (known for known in incident.every if known.identity == finding.identity)
    return [known for known in alike if (finding.size or 0.0) * (known.size or 0.0) >= 0]


def _names(finding: Finding, incident: Incident) -> frozenset[str]:
    """The values that the incident's loads have shown of the finding's columns."""
    return frozenset().union(*(known.names for known in _before(finding, incident)))


def _wrong_cells(findings: Sequence[Finding]) -> set[tuple[str, str | None]]:
    """The cells, column and value, in which rows break a rule that names no values: a person has seen no others."""
    rules = (finding for finding in findings if finding.kind == CONSTRAINT and not finding.names)
    return {(name, row.values.get(name)) for rule in rules for row in rule.rows for name in row.wrong}


def _opened(number: int, group: Sequence[Finding], moment: IncidentMoment) -> Incident:
    table = group[0].table
    return Incident(
        number,
        table,
        IncidentStatus.OPEN,
        moment.owner_of(table),
        min((finding.delta for finding in group), key=in_order),
        moment.label,
        moment.version,
        tuple(group[:_MOST_FINDINGS]),
        rows=max(finding.count for finding in group),
        total=group[0].count,
        broken=_constraints(group),
        events=(Event(OPENED, moment.label),),
    )


def _shown(
    incident: Incident, shown: Sequence[Finding], all_shown: Sequence[Finding], moment: IncidentMoment
) -> IncidentStep:
    """The incident that goes on; one whose mute has ended is open again, and told."""
    if incident.status is not IncidentStatus.MUTED or incident.is_muted_beyond(moment.label):
        return _gone_on(incident, shown, all_shown, moment)
    events = (*incident.events, Event(HEARD_AGAIN, moment.label))
    step = _gone_on(replace(incident, status=IncidentStatus.OPEN, events=events), shown, all_shown, moment)
    return replace(step, told=step.told or REMINDED)


def _gone_on(
    incident: Incident, shown: Sequence[Finding], all_shown: Sequence[Finding], moment: IncidentMoment
) -> IncidentStep:
    """The incident as today's load shows it: what is said of it are today's figures."""
    findings, over = _as_before(ordered(shown), incident), not incident.status.goes_on
    others = _with_other_values(findings, incident, all_shown)
    worse = any(_are_many(finding, incident) for finding in others) or _has_grown(findings, incident)
    shown_so = replace(
        incident,
        status=IncidentStatus.OPEN if over else incident.status,
        latest=moment.label,
        findings=findings[:_MOST_FINDINGS],
        earlier=tuple(f for f in incident.every if not any(_says_all(now, f) for now in findings))[:_MOST_FINDINGS],
        deltas=incident.deltas + (moment.label != incident.latest),
        steady=incident.steady + 1 if _is_steady(findings[0], incident) and not over else 1,
        rows=max(incident.rows, *(finding.count for finding in findings)),
        total=incident.total + findings[0].count,
        varied=incident.varied + (moment.label != incident.latest and len(others) > 0),
        broken=tuple(dict.fromkeys((*incident.broken, *_constraints(findings)))),
    )
    told = _told(shown_so, moment, worse=worse)
    event = Event(LASTS if told == LASTS else WORSE if worse else SHOWN_AGAIN, moment.label)
    return IncidentStep(replace(shown_so, events=(*incident.events, event)), told)


def _as_before(findings: Sequence[Finding], incident: Incident) -> tuple[Finding, ...]:
    """The findings, first the one that was the diagnosis: an incident keeps its explanation while loads show it."""
    return tuple(sorted(findings, key=lambda finding: finding.identity != incident.diagnosis.identity))


def _told(after: Incident, moment: IncidentMoment, *, worse: bool) -> str:
    """The news about an incident, or nothing; it asks once whether the change is for good."""
    if after.status not in _HEARD:
        return ""
    if worse:
        return WORSE
    if after.steady == LASTING and after.lasts and all(event.what != LASTS for event in after.events):
        return LASTS
    due = moment.remind_after and after.deltas % moment.remind_after == 0
    return REMINDED if due and after.status is IncidentStatus.OPEN else ""


def _has_grown(findings: Sequence[Finding], incident: Incident) -> bool:
    """Whether far more rows are wrong than in any load before, or a delta is refused for another reason."""
    refused = any(f.kind == REFUSAL and f.signature not in incident.signatures for f in findings)
    return refused or any(0 < _TIMES * incident.rows <= finding.count for finding in findings)


def _with_other_values(findings: Sequence[Finding], incident: Incident, all_shown: Sequence[Finding]) -> list[Finding]:
    """The findings with values that no load of the incident has shown.

    Not what breaks a rule that stands broken, if news or a finding of known values explains its rows.
    """
    known = [finding for finding in findings if not _others(finding, incident)]
    causes = [*known, *(finding for finding in all_shown if not finding.again)]
    explained = [f for f in findings if f.again and any(is_explained(f, cause) for cause in causes)]
    return [finding for finding in findings if finding not in known and finding not in explained]


def _others(finding: Finding, incident: Incident) -> frozenset[str]:
    """The values that a load shows, and none of the incident's before it, if these named any."""
    names = _names(finding, incident)
    return finding.names - names if names else names


def _are_many(finding: Finding, incident: Incident) -> bool:
    """Whether who knows of the incident wants to hear of the other values that a load shows.

    For rows that violate a rule that stands broken they are expected, if at least half of the later loads had other
    values than those before, or several values were not all seen: what breaks in many ways is no rule. What is odd
    about a load and no news, such as cells that are changed back, has others by right. Another reason of rejects is
    news always.
    """
    names = _names(finding, incident)
    unseen = any(known.count > len(known.rows) for known in _before(finding, incident)) and len(names) > 1
    vary = 2 * incident.varied >= incident.deltas or unseen
    most = 0 if finding.kind == REJECTS else _MORE_VALUES * len(names)
    expected = finding.again and (vary or finding.kind not in {CONSTRAINT, REJECTS})
    return len(_others(finding, incident)) > most and not expected


def _is_steady(finding: Finding, incident: Incident) -> bool:
    """Whether the load shows first what the one before it showed, if beside another diagnosis, of no other values."""
    before = {known.identity for known in incident.findings}
    return finding.identity in before and finding.names <= _names(finding, incident)


def _says_all(now: Finding, known: Finding) -> bool:
    """Whether what was found now says all that was found before."""
    return now.identity == known.identity and known.names <= now.names


def _constraints(group: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.subject for finding in group if finding.kind == CONSTRAINT)


def _ended(step: IncidentStep, moment: IncidentMoment, *, may_go_on: bool) -> IncidentStep:
    """The incident where the version does not show it: over with the first load of its table that is as usual.

    Rows that still violate a rule do not keep it open, and a load in which rows are missing ends nothing: they may be
    those that would show it. That the last of them are mended is told, if the break was.
    """
    incident = step.incident
    # A refused delta that is tried again and applied makes a version of the same label.
    just_opened = incident.deltas == 1 and incident.latest == moment.label and incident.diagnosis.kind != REFUSAL
    if just_opened or not _may_end(incident):
        return step
    left = tuple(name for name in incident.broken if name not in moment.recovered and name not in moment.retired)
    mended = not left and not set(incident.broken).isdisjoint(moment.recovered)
    after = replace(incident, broken=left)
    usual = incident.status.goes_on and incident.table in moment.arrived
    if may_go_on or not (mended or usual):
        return replace(step, incident=after)
    events = (*incident.events, _over(incident, moment))
    after = replace(after, status=IncidentStatus.RECOVERED, events=events)
    heard = incident.status in (*_HEARD, IncidentStatus.RECOVERED)
    return IncidentStep(after, RECOVERED if mended and heard else "")


def _over(incident: Incident, moment: IncidentMoment) -> Event:
    """That it is over; of one that was, that the rows it left are mended."""
    return Event(RECOVERED if incident.status.goes_on else MENDED, moment.label, version=moment.version)


def _may_end(incident: Incident) -> bool:
    """Whether an incident may end: one that was accepted for named values stays; an ended one ends with its rules.

    Rejects that were accepted are no right rows: they were usual for as long as they came.
    """
    if incident.status is IncidentStatus.ACCEPTED:
        return not incident.diagnosis.names or incident.diagnosis.kind == REJECTS
    return incident.status.goes_on or (incident.status is IncidentStatus.RECOVERED and bool(incident.broken))
