"""Lessons: decisions of people about incidents keep later findings of the same kind and columns from being reported.

A finding of a load is no constraint, so it cannot be accepted or muted itself. People decide about the incident that
showed it, and the judges of later loads follow that decision.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from profiling_core.model.delta_ids import in_order
from profiling_core.model.incident import Incident, IncidentStatus

# A load is judged only once 7 loads came before it.
LEAST_LOADS = 7
_SAID = (IncidentStatus.ACCEPTED, IncidentStatus.MUTED, IncidentStatus.REJECTED)
_TAKEN_BACK = (IncidentStatus.OPEN, IncidentStatus.CLOSED)


class Sized(Protocol):
    """The part of a finding that a lesson is compared with."""

    @property
    def kind(self) -> str:
        """The kind of the finding."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in which it was found."""

    @property
    def subject(self) -> str:
        """The thing that the finding is about, such as one store."""

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are missing, or the value whose share has changed."""

    @property
    def size(self) -> float | None:
        """The distance from the usual, with its direction."""

    @property
    def room(self) -> float:
        """The part of the distance that chance explains."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Findings of one kind in these columns of a table are not reported; accepted findings only up to a size.

    Attributes:
        table: the table; columns: its columns in question (empty: the table as a whole).
        kind: the kind of finding.
        incident: the number of the incident that ``who`` decided about; said: its status after that.
        size: the accepted distance from the usual, with its direction; None: the record is older and has no size.
        room: the part of ``size`` that chance explains.
        subject: the thing that the finding was about; values: the missing stores. A lesson about one store does not
            apply to another.
        until: the last delta id to which the lesson applies; empty: it applies for good.
        loads: the first and the last delta that count as usual, since people accepted everything odd about them;
            empty: no delta does.
    """

    table: str
    kind: str
    columns: tuple[str, ...]
    incident: int
    who: str
    said: IncidentStatus
    size: float | None = None
    room: float = 0.0
    subject: str = ""
    values: tuple[str, ...] = ()
    until: str = ""
    loads: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """``findings of scale in price are reported only where they are further off than in incident 3``."""
        what = f"findings of {self.kind}{' in ' if self.columns else ''}{' and '.join(self.columns)}"
        if self.said is not IncidentStatus.ACCEPTED:
            return f"{what} are {f'not reported until {self.until}' if self.until else 'no longer reported'}"
        others = f"say something else than “{self.subject}” or " if self.subject else ""
        return f"{what} are reported only where they {others}are further off than in incident {self.incident}"

    def covers(self, found: "Sized", delta: str) -> bool:
        """Whether a finding in a delta is not to be reported."""
        if self.until and in_order(delta) > in_order(self.until):
            return False
        if found.kind != self.kind or set(found.columns) != set(self.columns):
            return False
        if self.said is not IncidentStatus.ACCEPTED:
            return True
        fewer = bool(found.values) and set(found.values) <= set(self.values)
        return (fewer or found.subject == self.subject) and self._is_as_large(found)

    def makes_usual(self, delta: str) -> bool:
        """Whether people have accepted a delta, so that it counts as usual."""
        return bool(self.loads) and in_order(self.loads[0]) <= in_order(delta) <= in_order(self.loads[-1])

    def _is_as_large(self, found: "Sized") -> bool:
        """Whether a finding is no larger than the accepted one, within what chance explains."""
        if self.size is None or found.size is None:
            return True
        one_way = self.size * found.size >= 0
        return one_way and abs(found.size) - found.room <= abs(self.size) + self.room


def lessons(incidents: Iterable[Incident], renames: Mapping[str, Mapping[str, str]]) -> list[Lesson]:
    """The lessons of all decisions about these incidents: accepted findings up to their size, others for good.

    Args:
        incidents: a dataset's, by number.
        renames: per table the current names of columns, by their former names.
    """
    every = list(incidents)
    return [lesson for incident in every for lesson in _of(incident, renames.get(incident.table, {}), every)]


def _of(incident: Incident, renamed: Mapping[str, str], every: Sequence[Incident]) -> Iterator[Lesson]:
    known = [event for event in incident.events if event.who and event.what in (*_SAID, *_TAKEN_BACK)]
    if not known or known[-1].what not in _SAID:
        return
    said = IncidentStatus(known[-1].what)
    loads = (incident.opened, incident.latest) if said is IncidentStatus.ACCEPTED else ()
    if loads and any(_is_odd_beside(other, incident) for other in every):
        loads = ()
    for finding in incident.every:
        if finding.of_load and finding.table == incident.table:
            columns = tuple(renamed.get(name, name) for name in finding.columns)
            of = (finding.table, finding.kind, columns, incident.number, known[-1].who, said)
            yield Lesson(*of, finding.size, finding.room, finding.subject, finding.values, known[-1].until, loads)


def _is_odd_beside(other: Incident, incident: Incident) -> bool:
    """Whether another incident, which nobody has accepted, tells of an odd load in the same span of deltas."""
    if other.table != incident.table or other.status is IncidentStatus.ACCEPTED:
        return False
    apart = in_order(other.latest) < in_order(incident.opened) or in_order(incident.latest) < in_order(other.opened)
    return not apart and any(finding.of_load for finding in other.every)
