"""What people do about incidents: look after them, give them to somebody, take them as right, hear no more, close."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import InputError
from profiling_core.model.incident import Event, Incident, IncidentStatus
from profiling_core.model.lesson import Lesson, lessons
from profiling_core.pipeline.workspace import Workspace

_VERDICTS = {
    IncidentStatus.ACCEPTED: Verdict.ACCEPT,
    IncidentStatus.MUTED: Verdict.MUTE,
    IncidentStatus.REJECTED: Verdict.REJECT,
}


def find(work: Workspace, number: int) -> Incident:
    """The incident of that number; raises ``InputError`` where there is none."""
    for incident in work.catalog.incidents(work.dataset):
        if incident.number == number:
            return incident
    raise InputError(
        f"dataset {work.dataset!r} has no incident {number}", remedy="`holdfast incidents --all` lists them"
    )


def set_status(work: Workspace, number: int, status: IncidentStatus, *, who: str, note: str = "") -> Incident:
    """Notes what a person decides about an incident.

    What is accepted, muted or rejected is so for its constraints, too, as by ``holdfast accept``, ``mute`` and
    ``reject``, and the judges of loads learn it (:func:`taught`); a muted or accepted incident swallows what continues
    it.

    Raises:
        InputError: there is no such incident, or it is over where somebody wants to look after it.
        ChangedMeanwhileError: somebody else has changed it at the same time.
    """
    incident = find(work, number)
    if status is IncidentStatus.ACKNOWLEDGED and not incident.status.goes_on:
        raise _over(incident)
    decided = _decisions(work, incident, _VERDICTS[status], who, note) if status in _VERDICTS else []
    return _changed(work, incident, replace(incident, status=status), _event(status.value, who, note), decided)


def _over(incident: Incident) -> InputError:
    last = next((event for event in reversed(incident.events) if event.what == incident.status.value), None)
    by = " ".join(word for word in (f"by {last.who}" if last and last.who else "", last.at if last else "") if word)
    return InputError(
        f"incident {incident.number} is {incident.status.value}{f' ({by})' if by else ''}: it takes no more decisions",
        remedy=f"`holdfast incidents reopen {incident.number}` opens it again",
    )


def taught(work: Workspace, number: int | None = None) -> list[Lesson]:
    """What people have taught about findings of loads: by all incidents, or by one."""
    every = lessons(work.catalog.incidents(work.dataset), work.config.renames)
    return [lesson for lesson in every if number in (None, lesson.incident)]


def assign(work: Workspace, number: int, owner: str, *, who: str, note: str = "") -> Incident:
    """Gives an incident to somebody; raises ``InputError`` where there is no such incident."""
    incident = find(work, number)
    return _changed(work, incident, replace(incident, owner=owner), _event(f"assigned to {owner}", who, note))


def _event(what: str, who: str, note: str) -> Event:
    return Event(what, who=who, note=note, at=datetime.now(UTC).isoformat(timespec="seconds"))


def _changed(
    work: Workspace, before: Incident, after: Incident, event: Event, decided: Sequence[Decision] = ()
) -> Incident:
    changed = replace(after, events=(*before.events, event))
    work.catalog.handle(work.dataset, before, changed, decided)
    return changed


def _decisions(work: Workspace, incident: Incident, verdict: Verdict, who: str, note: str) -> list[Decision]:
    """What a person's word about an incident says of its constraints."""
    why = note or f"incident {incident.number}"
    every = [t.measured for t in work.catalog.tracked(work.dataset) if t.fingerprint in incident.constraints]
    accepted = verdict is Verdict.ACCEPT
    return [Decision(m.constraint, verdict, who, error=m.error if accepted else 0.0, note=why) for m in every]
