"""What people have taught about findings: which kind, in which columns, and up to what size, is no news.

A finding of a load is no constraint, so that nothing stands that could be accepted or muted. What stands is what was
said of the incidents that showed it, and the judges of later loads keep to that.
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
    """What was found in a load, as far as lessons speak of it."""

    @property
    def kind(self) -> str:
        """What was found."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Where."""

    @property
    def subject(self) -> str:
        """Of what."""

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are missing, or the one that has another share."""

    @property
    def size(self) -> float | None:
        """How far from the usual."""

    @property
    def room(self) -> float:
        """What chance makes of that."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Findings of a ``kind`` in these columns of a table (none: of the table) are no news; accepted ones up to a size.

    ``incident`` is the one that ``who`` judged; ``said`` is its status then. ``size`` is that of the finding
    there, with its direction (None: of findings of older records, which had none), ``room`` what chance makes of it.
    ``subject`` is what the finding spoke of, ``values`` are the stores that lacked: what is accepted of one is not
    accepted of another. ``until`` is the delta id up to which it counts; empty: for good. ``loads`` are the first and
    the last delta that are usual from now on, since people accept all that was odd about them; empty: none are.
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
        """Whether what was found in a delta is no news."""
        if self.until and in_order(delta) > in_order(self.until):
            return False
        if found.kind != self.kind or set(found.columns) != set(self.columns):
            return False
        if self.said is not IncidentStatus.ACCEPTED:
            return True
        fewer = bool(found.values) and set(found.values) <= set(self.values)
        return (fewer or found.subject == self.subject) and self._is_as_large(found)

    def makes_usual(self, delta: str) -> bool:
        """Whether a delta's load is usual now, however odd it was."""
        return bool(self.loads) and in_order(self.loads[0]) <= in_order(delta) <= in_order(self.loads[-1])

    def _is_as_large(self, found: "Sized") -> bool:
        """Whether it lies between the usual and what was accepted, or as near to that as chance brings it."""
        if self.size is None or found.size is None:
            return True
        one_way = self.size * found.size >= 0
        return one_way and abs(found.size) - found.room <= abs(self.size) + self.room


def lessons(incidents: Iterable[Incident], renames: Mapping[str, Mapping[str, str]]) -> list[Lesson]:
    """What stands after all that was said of these incidents: accepted findings up to their size, others for good.

    Args:
        incidents: a dataset's, by number.
        renames: per table the names that columns have now, by those that they had.
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
    """Whether some load of an incident was odd in what another one tells, which nobody has accepted."""
    if other.table != incident.table or other.status is IncidentStatus.ACCEPTED:
        return False
    apart = in_order(other.latest) < in_order(incident.opened) or in_order(incident.latest) < in_order(other.opened)
    return not apart and any(finding.of_load for finding in other.every)
