"""What people do about incidents: look after them, give them to somebody, take them as right, hear no more, close."""

from collections.abc import Callable
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
        InputError: there is no such incident.
    """
    changed = _changed(work, number, lambda i: replace(i, status=status), _event(status.value, who, note))
    if status in _VERDICTS:
        _decide(work, changed, _VERDICTS[status], who, note)
    return changed


def taught(work: Workspace, number: int | None = None) -> list[Lesson]:
    """What people have taught about findings of loads: by all incidents, or by one."""
    every = lessons(work.catalog.incidents(work.dataset), work.config.renames)
    return [lesson for lesson in every if number in (None, lesson.incident)]


def assign(work: Workspace, number: int, owner: str, *, who: str, note: str = "") -> Incident:
    """Gives an incident to somebody; raises ``InputError`` where there is no such incident."""
    event = _event(f"assigned to {owner}", who, note)
    return _changed(work, number, lambda i: replace(i, owner=owner), event)


def _event(what: str, who: str, note: str) -> Event:
    return Event(what, who=who, note=note, at=datetime.now(UTC).isoformat(timespec="seconds"))


def _changed(work: Workspace, number: int, change: Callable[[Incident], Incident], event: Event) -> Incident:
    incident = find(work, number)
    changed = replace(change(incident), events=(*incident.events, event))
    work.catalog.save_incidents(work.dataset, [changed])
    return changed


def _decide(work: Workspace, incident: Incident, verdict: Verdict, who: str, note: str) -> None:
    for tracked in work.catalog.tracked(work.dataset):
        if tracked.fingerprint in incident.constraints:
            error = tracked.measured.error if verdict is Verdict.ACCEPT else 0.0
            why = note or f"incident {incident.number}"
            work.catalog.decide(
                work.dataset, Decision(tracked.measured.constraint, verdict, who, error=error, note=why)
            )
