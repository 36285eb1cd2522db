"""What people do about incidents: look after them, give them to somebody, take them as right, hear no more, close."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import ChangedMeanwhileError, InputError
from profiling_core.model.finding import CONSTRAINT
from profiling_core.model.incident import ASSIGNED, UNDID, Event, Incident, IncidentStatus
from profiling_core.model.lesson import Lesson, lessons
from profiling_core.model.texts import moment_text
from profiling_core.pipeline.deciding import check_until
from profiling_core.pipeline.workspace import Workspace

_VERDICTS = {
    IncidentStatus.ACCEPTED: Verdict.ACCEPT,
    IncidentStatus.MUTED: Verdict.MUTE,
    IncidentStatus.REJECTED: Verdict.REJECT,
}
_TAKEN_BACK = {
    IncidentStatus.ACCEPTED: Verdict.UNACCEPT,
    IncidentStatus.MUTED: Verdict.UNMUTE,
    IncidentStatus.REJECTED: Verdict.RESTORE,
}
_NOTE = "note"
_STATUSES = {status.value for status in IncidentStatus}


def find(work: Workspace, number: int, seen: int | None = None) -> Incident:
    """The incident of that number.

    ``seen`` is how many events it had when the person who decides looked at it (None: it does not matter), so that a
    form that is sent twice decides once.

    Raises:
        InputError: there is none.
        ChangedMeanwhileError: something has happened to it since.
    """
    for incident in work.catalog.incidents(work.dataset):
        if incident.number == number:
            if seen not in (None, len(incident.events)):
                raise _changed_since(work, incident)
            return incident
    raise InputError(
        f"dataset {work.dataset!r} has no incident {number}", remedy="`holdfast incidents --all` lists them"
    )


def _changed_since(work: Workspace, incident: Incident) -> ChangedMeanwhileError:
    last = incident.events[-1]
    by = f" by {last.who}" if last.who else ""
    return ChangedMeanwhileError(
        f"incident {incident.number} of dataset {work.dataset!r} has changed since you looked at it: "
        f"{last.what}{by}; your change was not saved",
        remedy="look at it again, and repeat what you did if it still makes sense",
    )


def set_status(
    work: Workspace,
    number: int,
    status: IncidentStatus,
    *,
    who: str,
    note: str = "",
    until: str = "",
    seen: int | None = None,
) -> Incident:
    """Notes what a person decides about an incident.

    Accepting, muting or rejecting it does the same to its constraints, as ``holdfast accept``, ``mute`` and
    ``reject``, and the judges of loads learn it (:func:`taught`); a muted or accepted incident swallows what continues
    it, one that is muted ``until`` a delta id up to that.

    Raises:
        InputError: there is no such incident, it is over where somebody wants to look after it, or a mute is to last
            until a delta that is applied already.
        ChangedMeanwhileError: somebody else has changed it at the same time.
    """
    incident = find(work, number, seen)
    if status is IncidentStatus.ACKNOWLEDGED and not incident.status.goes_on:
        raise _over(incident)
    check_until(work, until)
    decided = _decisions(work, incident, _VERDICTS[status], who, note, until) if status in _VERDICTS else []
    event = replace(_event(status.value, who, note), until=until)
    return _changed(work, incident, replace(incident, status=status), event, decided)


def _over(incident: Incident) -> InputError:
    last = next((event for event in reversed(incident.events) if event.what == incident.status.value), None)
    by = " ".join(
        word for word in (f"by {last.who}" if last and last.who else "", moment_text(last.at) if last else "") if word
    )
    return InputError(
        f"incident {incident.number} is {incident.status.value}{f' ({by})' if by else ''}: it takes no more decisions",
        remedy=f"`holdfast incidents reopen {incident.number}` opens it again",
    )


def taught(work: Workspace, number: int | None = None) -> list[Lesson]:
    """What people have taught about findings of loads: by all incidents, or by one."""
    every = lessons(work.catalog.incidents(work.dataset), work.config.renames)
    return [lesson for lesson in every if number in (None, lesson.incident)]


def broken_cells(work: Workspace, table: str) -> dict[str, dict[str, int]]:
    """By delta and column the rows of a table that broke a rule, but for what people took as right."""
    found: dict[str, dict[str, int]] = {}
    for incident in work.catalog.incidents(work.dataset):
        wrong = incident.status not in (IncidentStatus.ACCEPTED, IncidentStatus.REJECTED)
        for finding in incident.every if wrong else ():
            if (finding.kind, finding.table) == (CONSTRAINT, table):
                of_delta = found.setdefault(finding.delta, {})
                shown = {*finding.columns, *(name for row in finding.rows for name in row.values)}
                of_delta.update({name: max(finding.count, of_delta.get(name, 0)) for name in shown})
    return found


def assign(work: Workspace, number: int, owner: str, *, who: str, note: str = "", seen: int | None = None) -> Incident:
    """Gives an incident to somebody; raises as :func:`find` does."""
    incident = find(work, number, seen)
    return _changed(work, incident, replace(incident, owner=owner), _event(f"{ASSIGNED}{owner}", who, note))


def note(work: Workspace, number: int, text: str, *, who: str, seen: int | None = None) -> Incident:
    """Leaves a note on an incident, which changes nothing else; raises as :func:`find` does."""
    incident = find(work, number, seen)
    return _changed(work, incident, incident, _event(_NOTE, who, text))


def undo(work: Workspace, number: int, *, who: str, seen: int | None = None) -> Incident:
    """Takes back what a person decided last about an incident, and for its constraints; a second time what was before.

    A run that has used an accepted error meanwhile keeps it: the undoing takes effect with the next run.

    Raises:
        InputError: there is no such incident, or nothing to take back.
        ChangedMeanwhileError: somebody else has changed it at the same time.
    """
    incident = find(work, number, seen)
    last = undoable(incident)
    if last is None:
        raise InputError(f"nobody has decided anything about incident {number} that could be taken back")
    left = [event for event in incident.in_force if event is not last]
    after, decided = incident, list[Decision]()
    if last.what == incident.status.value:
        before = next((event for event in reversed(left) if event.what in _STATUSES), Event(IncidentStatus.OPEN))
        after = replace(incident, status=IncidentStatus(before.what))
        decided = _instead(work, incident, before, who)
    elif last.what.startswith(ASSIGNED):
        owners = (event.what.removeprefix(ASSIGNED) for event in reversed(left) if event.what.startswith(ASSIGNED))
        after = replace(incident, owner=next(owners, work.config.owner_of(incident.table)))
    return _changed(work, incident, after, _event(f"{UNDID}{last.what}", who, ""), decided)


def _instead(work: Workspace, incident: Incident, before: Event, who: str) -> list[Decision]:
    """What is said of the constraints in place of the incident's status: it is taken back, what was before stands."""
    why = f"incident {incident.number}: undone"
    back, again = _TAKEN_BACK.get(incident.status), _VERDICTS.get(IncidentStatus(before.what))
    gone = _decisions(work, incident, back, who, why) if back else []
    return gone + (_decisions(work, incident, again, who, why, before.until) if again else [])


def undoable(incident: Incident) -> Event | None:
    """What a person decided last about an incident, and has not taken back; None where there is nothing."""
    return next((event for event in reversed(incident.in_force) if event.is_decision), None)


def _event(what: str, who: str, note: str) -> Event:
    return Event(what, who=who, note=note, at=datetime.now(UTC).isoformat(timespec="seconds"))


def _changed(
    work: Workspace, before: Incident, after: Incident, event: Event, decided: Sequence[Decision] = ()
) -> Incident:
    changed = replace(after, events=(*before.events, event))
    work.catalog.handle(work.dataset, before, changed, decided)
    return changed


def _decisions(
    work: Workspace, incident: Incident, verdict: Verdict, who: str, note: str, until: str = ""
) -> list[Decision]:
    """What a person's word about an incident says of its constraints."""
    why = note or f"incident {incident.number}"
    every = [t.measured for t in work.catalog.tracked(work.dataset) if t.fingerprint in incident.constraints]
    accepted = verdict is Verdict.ACCEPT
    return [
        Decision(m.constraint, verdict, who, until=until, error=m.error if accepted else 0.0, note=why) for m in every
    ]
