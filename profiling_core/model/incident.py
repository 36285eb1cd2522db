"""Incidents: findings with one cause, from the first delta that shows it until it is over or a person closes it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import PlainSerializer

from profiling_core.model.delta_ids import in_order
from profiling_core.model.finding import CONSTRAINT, REFUSAL, REJECTS, Finding
from profiling_core.model.stored import Sparse, Stored

# If this number of loads in a row shows the same, it is more than one mistake: something may have changed for good.
LASTING = 3
ASSIGNED, UNDID = "assigned to ", "undid: "


class IncidentStatus(StrEnum):
    """Where an incident stands.

    ``open``: nobody has said anything yet. ``acknowledged``: somebody looks after it. ``muted``: it goes on, and nobody
    wants to hear of it. ``accepted``: what was found is right. ``rejected``: it was no error, and its like never is.
    ``recovered``: it is over. ``closed``: by a person.
    """

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    MUTED = "muted"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RECOVERED = "recovered"
    CLOSED = "closed"

    @property
    def goes_on(self) -> bool:
        """Whether a load that shows the same continues it, rather than beginning another one."""
        return self not in (IncidentStatus.RECOVERED, IncidentStatus.CLOSED, IncidentStatus.REJECTED)


_STATUSES = frozenset(status.value for status in IncidentStatus)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an incident: in which delta (empty: between two), who did it, and what for.

    ``until`` is the delta id, such as a day, up to which a mute lasts; empty: as long as the incident goes on.
    ``version`` is the version that ended it: several may have one label.
    """

    what: str
    label: str = ""
    who: str = ""
    note: str = ""
    at: str = ""
    until: str = ""
    version: Sparse[int] = 0

    @property
    def is_decision(self) -> bool:
        """Whether a person decided by it where the incident stands, or who looks after it."""
        return bool(self.who) and (self.what in _STATUSES or self.what.startswith(ASSIGNED))


@dataclass(frozen=True, slots=True)
class Incident(Stored):
    """What has one cause. The first of its ``findings`` is the diagnosis, the others are evidence for it.

    ``opened`` and ``latest`` are the first and the last delta that showed it, ``deltas`` how many did, ``rows`` the
    most rows that one of them had, ``total`` those of all. ``findings`` are what the latest showed, ``earlier`` what
    only those before it did. ``steady`` of the latest deltas on end showed the same, of no other values; ``varied``
    showed values that none before had. ``broken`` are the fingerprints of its constraints that have not recovered.
    """

    number: int
    table: str
    status: IncidentStatus
    owner: str
    opened: str
    latest: str
    version: int
    findings: tuple[Finding, ...]
    deltas: int = 1
    rows: int = 0
    broken: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    earlier: tuple[Finding, ...] = ()
    steady: int = 1
    total: int = 0
    varied: Sparse[int] = 0

    @property
    def diagnosis(self) -> Finding:
        """What best says what is wrong."""
        return self.findings[0]

    @property
    def every(self) -> tuple[Finding, ...]:
        """All that its deltas have shown, the latest first."""
        return (*self.findings, *self.earlier)

    @property
    def in_force(self) -> list[Event]:
        """What happened, without what people took back, and without their taking it back."""
        found: list[Event] = []
        for event in self.events:
            if event.what.startswith(UNDID):
                last = next((place for place in reversed(range(len(found))) if found[place].is_decision), None)
                if last is not None:
                    del found[last]
            else:
                found.append(event)
        return found

    @property
    def muted_until(self) -> str:
        """The delta id up to which it is muted, or was; empty: for good, or it never was."""
        muted = (event.until for event in reversed(self.in_force) if event.what == IncidentStatus.MUTED)
        return next(muted, "")

    def is_muted_beyond(self, label: str) -> bool:
        """Whether it is muted, and still is with a delta of this id; ids compare as deltas do."""
        until = self.muted_until
        return self.status is IncidentStatus.MUTED and (not until or in_order(label) <= in_order(until))

    @property
    def lasts(self) -> bool:
        """Whether what it shows may have changed for good: the same values, or the same of loads, again and again."""
        told = self.diagnosis
        not_applied = told.kind in (REFUSAL, REJECTS)
        return self.steady >= LASTING and not not_applied and bool(told.values or told.of_load)

    @property
    def signatures(self) -> frozenset[str]:
        """By which a refusal that was told is known."""
        return frozenset(finding.signature for finding in self.every)

    @property
    def constraints(self) -> tuple[str, ...]:
        """The fingerprints of the constraints among its findings."""
        return tuple(dict.fromkeys(finding.subject for finding in self.every if finding.kind == CONSTRAINT))


Numbers = Annotated[tuple[Incident, ...], PlainSerializer(lambda found: [incident.number for incident in found])]
"""Incidents that an answer speaks of; its JSON has only their numbers."""
