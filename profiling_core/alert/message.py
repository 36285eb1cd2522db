"""One message per incident: what opened, and what is over, put in parts that every channel shows in its way.

What one cause explains is one message: a diagnosis first, with the rows that show it, and below it what else it broke.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar
from urllib.parse import quote

from profiling_core.alert.brief import MOST_ROWS, Brief, actions, first_line, shown_rows
from profiling_core.alert.faults import findings_of
from profiling_core.alert.rows import RowTable, row_table
from profiling_core.alert.text_table import shortened, visible
from profiling_core.alert.wording import LONGEST, extent, headline, reading, spoken, when
from profiling_core.diff.incidents import OPENED, RECOVERED, REMINDED, WORSE, IncidentMoment, IncidentStep, advance
from profiling_core.model.change import Change, ChangeSet, Transition
from profiling_core.model.finding import CONSTRAINT, REFUSAL, Finding
from profiling_core.model.incident import Incident
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Stored

_DENIAL = "¬("
_MOST_ALSO = 4
_LAST = 1_000_000
_NEWS = (Transition.BROKE, Transition.ERROR_JUMPED, Transition.SPARED, Transition.ERROR_CHANGED, Transition.RECOVERED)


@dataclass(frozen=True, slots=True)
class Told(Stored):
    """One constraint's part of an alert."""

    fingerprint: str
    constraint: str
    transition: Transition
    headline: str
    when: str
    words: str
    extent: str
    reading: str
    rank: int | None
    in_its_place: tuple[str, ...]
    rows: RowTable
    same_rows_as: str = ""  # the constraint told before it that the same rows break


@dataclass(frozen=True, slots=True)
class Alert(Stored):
    """One message. ``text`` is the whole of it as plain text, ``brief`` its parts, for channels that show more.

    ``told`` are the constraints of the version that it speaks of, and ``incident`` the number of what it is about (0:
    of nothing that goes on).
    """

    dataset: str
    version: int
    table: str
    label: str
    title: str
    text: str
    told: tuple[Told, ...] = ()
    incident: int = 0
    brief: Brief | None = None
    __derived__: ClassVar[tuple[str, ...]] = ("good_news",)

    @property
    def good_news(self) -> bool:
        """Whether it tells of recoveries alone."""
        return self.brief is not None and self.brief.good_news


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known when a version is told: the incidents so far, who owns which table, and where the pages are."""

    known: Sequence[Incident] = ()
    owner_of: Callable[[str], str] = lambda _: ""
    remind_after: int = 0
    page: str = ""
    most_rows: int = 10


@dataclass(frozen=True, slots=True)
class Telling:
    """The incidents that a version opened or changed, the messages that say so, and the incidents before."""

    incidents: tuple[Incident, ...]
    alerts: tuple[Alert, ...]
    known: tuple[Incident, ...] = ()


@dataclass(frozen=True, slots=True)
class _Version:
    changes: ChangeSet
    label: str
    schemas: Mapping[str, TableSchema]
    around: Circumstances = field(default_factory=Circumstances)

    def told(self, fingerprints: Sequence[str], transitions: Sequence[Transition]) -> tuple[Told, ...]:
        """The changes of these constraints, in the order in which they are told."""
        news = [
            change
            for change in self.changes.changes
            if change.measured.constraint.fingerprint in fingerprints and change.transition in transitions
        ]
        news.sort(key=lambda c: (_NEWS.index(c.transition), c.rank or _LAST, c.measured.constraint.text))
        return tuple(_told(change, self, _told_of_its_rows(change, news[:n])) for n, change in enumerate(news))


def tell(
    changes: ChangeSet, label: str, schemas: Mapping[str, TableSchema], around: Circumstances | None = None
) -> Telling:
    """What a version opens, continues and ends, and the messages of what is news of it.

    Args:
        changes: the version's changes and findings.
        label: what people call the version, such as its day.
        schemas: per table its columns and key, by which rows are identified.
        around: what is known so far.
    """
    version = _Version(changes, label, schemas, around or Circumstances())
    steps = advance(version.around.known, findings_of(changes, label, schemas), _moment(version))
    heard = (step for step in steps if step.told and _is_heard(step, changes))
    alerts = [_alert(step, version) for step in sorted(heard, key=lambda step: step.told not in (OPENED, WORSE))]
    return Telling(tuple(step.incident for step in steps), tuple(alerts), tuple(version.around.known))


def _is_heard(step: IncidentStep, changes: ChangeSet) -> bool:
    """Whether it is told: not the end of what only muted constraints had shown."""
    over = (c for c in changes.changes if c.alerts and c.transition is Transition.RECOVERED)
    return step.told != RECOVERED or any(
        change.measured.constraint.fingerprint in step.incident.constraints for change in over
    )


def _moment(version: _Version) -> IncidentMoment:
    def those(transition: Transition) -> set[str]:
        of = (c for c in version.changes.changes if c.transition is transition)
        return {change.measured.constraint.fingerprint for change in of}

    around = version.around
    return IncidentMoment(
        version.changes.version,
        version.label,
        version.changes.arrived.keys(),
        those(Transition.RECOVERED),
        those(Transition.RETIRED),
        around.owner_of,
        around.remind_after,
    )


def _alert(step: IncidentStep, version: _Version) -> Alert:
    incident, over = step.incident, step.told == RECOVERED
    brief = _over(incident, version) if over else _found(step, version)
    told = version.told(incident.constraints, (Transition.RECOVERED,) if over else _NEWS[:-1])
    return _made(brief, version, incident.table, told, incident.number)


def _made(brief: Brief, version: _Version, table: str, told: Sequence[Told], incident: int = 0) -> Alert:
    changes = version.changes
    return Alert(
        changes.dataset, changes.version, table, version.label, brief.first, brief.text, tuple(told), incident, brief
    )


def _found(step: IncidentStep, version: _Version) -> Brief:
    incident, (first, *rest) = step.incident, step.incident.findings
    others = [finding for place, finding in enumerate(rest) if not _is_said(finding, [first, *rest[:place]])]
    schema = version.schemas.get(incident.table)
    shown = [replace(row, expected={}, instead={}) if incident.lasts else row for row in first.rows[:MOST_ROWS]]
    key = schema.key if schema else ()
    # A table with a key keeps of each row that breaks a rule only the key and the rule's columns.
    about = [name for row in shown for name in row.values] if key and first.kind == CONSTRAINT else first.columns
    rows = shown_rows(shown, key, about)
    again = {
        REMINDED: f" It has lasted for {incident.deltas:,} deltas.",
        WORSE: f" Incident {incident.number}, open since {spoken(incident.opened)}, {_grown(first)}.",
    }.get(step.told, "")
    since = first.delta if step.told == WORSE else incident.opened
    return Brief(
        first=first_line(version.changes.dataset, incident, since) + again,
        rows=rows,
        more_rows=max(0, first.count - len(rows)) if rows else 0,
        sentences=(*first.details, *_to_do(incident)),
        also=tuple(_also(finding, incident) for finding in others[:_MOST_ALSO]),
        more=max(0, len(others) - _MOST_ALSO),
        owner=incident.owner,
        actions=actions(version.changes.dataset, incident),
        link=_link(version, incident),
    )


def _grown(finding: Finding) -> str:
    """How an incident that is told again differs from what it was."""
    if finding.kind == REFUSAL:
        return "had another reason before"
    return "had other values before" if finding.again and finding.values else "has grown"


def _to_do(incident: Incident) -> tuple[str, ...]:
    """What would fix it; where it may have changed for good, what accepting it makes of it."""
    if not incident.lasts:
        return (incident.diagnosis.mended,) if incident.diagnosis.mended else ()
    return ("Accept it where it has: from then on it is right, and anything else is told.",)


def _is_said(finding: Finding, before: Sequence[Finding]) -> bool:
    """Whether one told before says it of as many rows, in the same columns: values that are new, and of no known shape.

    So does what says how many rows have none of the rule that there is one.
    """
    alike = [f for f in before if f.table == finding.table and f.count == finding.count > 0]
    return any(_says_the_same(finding, other) for other in alike)


def _says_the_same(finding: Finding, other: Finding) -> bool:
    if set(finding.columns) != set(other.columns) or finding.kind != CONSTRAINT:
        return False
    return other.kind == CONSTRAINT or (
        other.kind == "nulls" and finding.headline.endswith(f" no {' '.join(other.columns)}")
    )


def _also(finding: Finding, incident: Incident) -> str:
    return finding.headline if finding.table == incident.table else f"{finding.table}: {finding.headline}"


def _link(version: _Version, incident: Incident) -> str:
    page = version.around.page.rstrip("/")
    return f"{page}/datasets/{quote(version.changes.dataset)}/incidents/{incident.number}" if page else ""


def _over(incident: Incident, version: _Version) -> Brief:
    lasted = "1 delta" if incident.deltas == 1 else f"{incident.deltas:,} deltas"
    rest = [finding.headline for finding in incident.findings]
    return Brief(
        first=visible(
            f"{version.changes.dataset}.{incident.table}: ended with {spoken(version.label)}. "
            f"Since {spoken(incident.opened)}, {lasted} showed: {rest[0]}."
        ),
        also=tuple(rest[1 : 1 + _MOST_ALSO]),
        more=max(0, len(rest) - 1 - _MOST_ALSO),
        owner=incident.owner,
        link=_link(version, incident),
        good_news=True,
    )


def _told_of_its_rows(change: Change, before: Sequence[Change]) -> str:
    """The first constraint before it whose witnesses show all of its own, in its columns; empty where there is none."""
    rows, columns = _breaking(change), set(change.measured.constraint.columns)
    for other in before:
        shown = columns <= set(other.measured.constraint.columns) and other.transition is change.transition
        if rows and shown and rows <= _breaking(other):
            return other.measured.constraint.text
    return ""


def _breaking(change: Change) -> set[tuple[tuple[str, str | None], ...]]:
    return {tuple(sorted(witness.broken_by.items())) for witness in change.witnesses}


def _told(change: Change, version: _Version, same_rows_as: str) -> Told:
    constraint, label = change.measured.constraint, version.label
    arrived = version.changes.arrived.get(change.table, {})
    return Told(
        fingerprint=constraint.fingerprint,
        constraint=constraint.text,
        transition=change.transition,
        headline=headline(change, label),
        when=when(change, label),
        words=shortened(constraint.words, 2 * LONGEST),
        extent=extent(change),
        reading=reading(change, arrived),
        rank=change.rank,
        in_its_place=_in_its_place(change) if change.transition is Transition.BROKE else (),
        rows=row_table(change, version.schemas.get(change.table), most_rows=version.around.most_rows),
        same_rows_as=same_rows_as,
    )


def _in_its_place(change: Change) -> tuple[str, ...]:
    """What takes its place, in as plain a form: beside a broken FD its refinements by conditions say nothing."""
    plain = not change.measured.constraint.text.startswith(_DENIAL)
    return tuple(text for text in change.replaced_by if not (plain and text.startswith(_DENIAL)))
