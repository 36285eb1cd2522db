"""Incidents: what has one cause, from the delta that showed it first until it is over or a person closes it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from profiling_core.model.finding import Finding

# After so many deltas of its table that did not show it, what comes again is another incident: it is told.
QUIET = 14


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
        """Whether the next delta with the same cause continues it, rather than beginning another one."""
        return self not in (IncidentStatus.RECOVERED, IncidentStatus.CLOSED, IncidentStatus.REJECTED)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an incident: in which delta (empty: between two), who did it, and what for."""

    what: str
    label: str = ""
    who: str = ""
    note: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """What has one cause. The first of its ``findings`` is the diagnosis, the others are evidence for it.

    ``opened`` and ``latest`` are the first and the last delta that showed it, ``deltas`` how many did, ``rows`` the
    most rows that one of them had. ``broken`` are the fingerprints of its constraints that have not recovered.
    ``quiet`` counts the versions with deltas of its table since the latest that showed it.
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
    quiet: int = 0

    @property
    def diagnosis(self) -> Finding:
        """What best says what is wrong."""
        return self.findings[0]

    @property
    def signatures(self) -> frozenset[str]:
        """By which the next delta with the same cause is known."""
        return frozenset(finding.signature for finding in self.findings)

    @property
    def constraints(self) -> tuple[str, ...]:
        """The fingerprints of the constraints among its findings."""
        return tuple(finding.subject for finding in self.findings if finding.kind == "constraint")

    def to_json(self) -> dict[str, Any]:
        """The incident as plain JSON data."""
        return asdict(self) | {"status": self.status.value, "findings": [f.to_json() for f in self.findings]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        findings = tuple(Finding.from_json(finding) for finding in data["findings"])
        events = tuple(Event(**event) for event in data["events"])
        status, broken = IncidentStatus(data["status"]), tuple(data["broken"])
        return cls(**{**data, "status": status, "findings": findings, "broken": broken, "events": events})
