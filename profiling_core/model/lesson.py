"""What people have taught about findings: of which kind, in which columns, and up to what size they are no news.

A finding of a load is no constraint, so that nothing stands that could be accepted or muted. What stands is what was
said of the incidents that showed it, and the judges of later loads keep to that.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

from profiling_core.model.finding import CONSTRAINT, REFUSAL, REJECTS, REPEATED_KEYS, SET_ASIDE
from profiling_core.model.incident import Incident, IncidentStatus

# Before so many loads nothing can be said of the next one.
LEAST_LOADS = 7
_OTHER_KINDS = (CONSTRAINT, SET_ASIDE, REJECTS, REPEATED_KEYS, REFUSAL)
_SAID = (IncidentStatus.ACCEPTED, IncidentStatus.MUTED, IncidentStatus.REJECTED)
_TAKEN_BACK = (IncidentStatus.OPEN, IncidentStatus.CLOSED)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Findings of a ``kind`` in these columns of a table (none: of the table) are no news up to this magnitude.

    ``incident`` is the one of which ``who`` said so; ``said`` is its status then. ``subject`` is what the finding spoke
    of there (the stores that lacked): what is accepted of one is not accepted of another.
    """

    table: str
    kind: str
    columns: tuple[str, ...]
    magnitude: float
    incident: int
    who: str
    said: IncidentStatus
    subject: str = ""

    @property
    def words(self) -> str:
        """``findings of scale in price are reported only where they are further off than in incident 3``."""
        what = f"findings of {self.kind}{' in ' if self.columns else ''}{' and '.join(self.columns)}"
        if self.magnitude == inf:
            return f"{what} are no longer reported"
        others = f"say something else than “{self.subject}” or " if self.subject else ""
        return f"{what} are reported only where they {others}are further off than in incident {self.incident}"

    def covers(self, kind: str, columns: Iterable[str], magnitude: float, subject: str = "") -> bool:
        """Whether a finding is no news."""
        same = kind == self.kind and set(columns) == set(self.columns)
        return same and magnitude <= self.magnitude and (self.magnitude == inf or subject == self.subject)


def lessons(incidents: Iterable[Incident], renames: Mapping[str, Mapping[str, str]]) -> list[Lesson]:
    """What stands after all that was said of these incidents: accepted findings up to their size, others for good.

    Args:
        incidents: a dataset's, by number.
        renames: per table the names that columns have now, by those that they had.
    """
    return [lesson for incident in incidents for lesson in _of(incident, renames.get(incident.table, {}))]


def _of(incident: Incident, renamed: Mapping[str, str]) -> Iterator[Lesson]:
    known = [event for event in incident.events if event.who and event.what in (*_SAID, *_TAKEN_BACK)]
    if not known or known[-1].what not in _SAID:
        return
    said = IncidentStatus(known[-1].what)
    for finding in incident.findings:
        if finding.kind not in _OTHER_KINDS and finding.table == incident.table:
            columns = tuple(renamed.get(name, name) for name in finding.columns)
            most = finding.magnitude if said is IncidentStatus.ACCEPTED else inf
            who = known[-1].who
            yield Lesson(finding.table, finding.kind, columns, most, incident.number, who, said, finding.subject)
