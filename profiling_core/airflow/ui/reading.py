"""The content of the pages, read from the catalog: plain frozen records, ready for a template or for JSON.

Only the catalog is read, and a version's small files on columns and rejects, never the data: a page costs a few queries
and small files, whatever the tables' size.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import Field

from profiling_core.airflow.places import settings
from profiling_core.airflow.ui.figures import MOST_BARS, DeltaRows, deltas_that_show
from profiling_core.airflow.ui.places import catalog, workspace
from profiling_core.alert.delivery import undelivered_lines
from profiling_core.model.change import Change, ChangeSet, LifecycleState, Transition
from profiling_core.model.constraint import measured_of
from profiling_core.model.decision import Decision
from profiling_core.model.errors import HoldfastError, InputError, StateError
from profiling_core.model.incident import Incident, Numbers
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.kinds.column import ColumnRule
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.stored import Chained, Hidden, Stored, beside
from profiling_core.model.version import Version
from profiling_core.pipeline.joins import LIKELY, JoinGraph, join_graph
from profiling_core.pipeline.learning import learning
from profiling_core.state.catalog import Catalog
from profiling_core.state.glance import DatasetGlance
from profiling_core.state.rule_list import RuleQuery
from profiling_core.state.store import Store
from profiling_core.state.version_reports import KnownColumn, columns_in, kept_away_in

RUNS_SHOWN = 20
"""Versions on a dataset's page: the changes of each have to be read. A link leads to earlier ones."""
INCIDENTS_SHOWN = 30
"""Incidents on a dataset's page, the open ones first: more than a person works on."""
RULES_SHOWN = 100
"""Rules on a page: as many as a person reads at once, about 60 kB."""
_MOST_CHANGES = 40
"""Changes on a rule's page: for each one the changes of its version have to be read."""


@dataclass(frozen=True)
class DatasetRun(Stored):
    """One version in the list of runs: its deltas, and how many constraints changed, by kind of change."""

    version: int
    label: str
    created_at: str
    inserts: int
    deletes: int
    updates: int
    rejects: int
    counts: Mapping[str, int]
    alerts: int


@dataclass(frozen=True)
class DatasetPage(Stored):
    """A dataset's page: a summary, its newest runs, its incidents, and the content of its files.

    ``columns`` are by table those whose role is known; ``kept_away`` the constraints not shown because they are like a
    rejected one; ``learning`` has by table the first load that is judged by others; ``undelivered`` the messages that
    wait. ``arriving`` are the deltas of its sources, as :func:`profiling_core.pipeline.arriving.overview` gives them.
    """

    __flat__: ClassVar = ("summary",)

    summary: DatasetGlance
    runs: tuple[DatasetRun, ...] = ()
    incidents: tuple[Incident, ...] = ()
    columns: Chained[str, KnownColumn] = field(default_factory=dict)
    kept_away: tuple[KeptAway, ...] = ()
    learning: Mapping[str, str] = field(default_factory=dict)
    undelivered: tuple[str, ...] = ()
    arriving: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RulesPage(Stored):
    """Some of a dataset's rules, from the ``first`` (0) of those that match, and how many match."""

    dataset: str
    wanted: Hidden[RuleQuery]
    first: int
    total: int
    rules: tuple[Tracked, ...]
    tables: Hidden[tuple[str, ...]]

    @property
    def lines(self) -> list[tuple[str, list[Tracked]]]:
        """The rules line by line: one each, except obeyed rules of a single column, which share a line.

        A shared line has the column's name, other lines an empty one. A search for rules of columns, for a word or with
        an order
        gives each rule its own line.
        """
        found: dict[str, list[Tracked]] = {}
        asked = self.wanted.kind or self.wanted.text or self.wanted.sort or self.wanted.state
        for rule in self.rules:
            may_share = rule.state is not LifecycleState.VIOLATED and not asked
            columns = (m.constraint.column for m in measured_of(ColumnRule, [rule.measured]) if may_share)
            name = next((f"{rule.table}.{column}" for column in columns if column), "")
            found.setdefault(name or rule.fingerprint, []).append(rule)
        return [(name if len(rules) > 1 else "", rules) for name, rules in found.items()]


@dataclass(frozen=True)
class VersionPage(Stored):
    """The changes of one run, alerting ones first. ``newest`` is the dataset's newest version."""

    __flat__: ClassVar = ("run",)

    dataset: str
    run: DatasetRun
    newest: Hidden[int]
    arrived: Mapping[str, Mapping[str, int]]
    changes: Chained[Transition, Change]
    alerts: Annotated[tuple[str, ...], Field(alias="messages")]


@dataclass(frozen=True)
class ConstraintPage(Stored):
    """A constraint through the versions that track it, oldest first, with the label of each version.

    ``newly`` counts the new rows of the latest versions that violate it.
    """

    __flat__: ClassVar = ("latest",)

    dataset: str
    latest: Tracked
    history: Annotated[tuple[tuple[str, Tracked], ...], beside("label")]
    changes: Annotated[tuple[tuple[int, Change], ...], beside("version")]
    decisions: tuple[Decision, ...] = ()
    incidents: Numbers = ()
    newly: Annotated[tuple[DeltaRows, ...], Field(alias="rows_per_delta")] = ()


def dataset_names() -> list[str]:
    """The datasets that the catalog knows, sorted."""
    return [found.name for found in catalog().in_short()]


def summary(name: str) -> DatasetGlance | None:
    """A dataset's summary; None if the catalog does not know it."""
    return next(iter(catalog().in_short([name])), None)


def dataset(name: str) -> DatasetPage | None:
    """A dataset's page; None if the catalog does not know it."""
    known, found = catalog(), summary(name)
    if found is None:
        return None
    undelivered = tuple(undelivered_lines(known.outbox.undelivered(name)))
    incidents, waiting = _incidents(known, name), arriving(name)
    current = known.current(name)
    if current is None:
        return DatasetPage(found, incidents=incidents, undelivered=undelivered, arriving=waiting)
    columns, away, learns = _told(settings().store(name), current)
    return DatasetPage(found, tuple(_runs(name)), incidents, columns, away, learns, undelivered, waiting)


def not_begun(name: str) -> DatasetPage:
    """The page of a dataset that has a DAG and is not in the catalog yet."""
    return DatasetPage(DatasetGlance(name), arriving=arriving(name))


def arriving(name: str) -> dict[str, Any]:
    """The deltas of the dataset's sources that are not applied; or why the sources cannot be read from here."""
    from profiling_core.pipeline.arriving import overview

    try:
        return overview(workspace(name))
    except (HoldfastError, OSError) as error:
        return {"pending": {}, "waiting": [], "refused": [], "unreadable": {"": str(error)}}


def runs_before(name: str, before: int) -> list[DatasetRun]:
    """The runs that committed versions before one, newest first."""
    return list(_runs(name, before))


def _runs(name: str, before: int | None = None) -> Iterator[DatasetRun]:
    known = catalog()
    numbers = [n for n in sorted(known.stamps(name), reverse=True) if before is None or n < before]
    for number in numbers[:RUNS_SHOWN]:
        changes = known.changes(name, number)
        if changes is not None:
            yield _run(known.version(name, number), changes)


def rules(name: str, wanted: RuleQuery, first: int = 0) -> RulesPage | None:
    """Some of a dataset's rules; None if it follows none yet."""
    found = summary(name)
    if found is None or not found.version:
        return None
    shown, total = catalog().rules(name, wanted, first=first, count=RULES_SHOWN)
    return RulesPage(name, wanted, first, total, tuple(shown), tuple(found.rows))


def joins(name: str) -> JoinGraph | None:
    """Which tables refer to which; None if nothing has been applied yet. Without inclusions no table refers."""
    current = catalog().current(name)
    if current is None:
        return None
    try:
        return join_graph(workspace(name), LIKELY)
    except InputError:
        return JoinGraph(name, current.number, {table: state.rows for table, state in current.tables.items()}, ())


def _told(
    store: Store, current: Version
) -> tuple[dict[str, tuple[KnownColumn, ...]], tuple[KeptAway, ...], dict[str, str]]:
    """Columns, rejections and loads by the version's files; empty if this server cannot read them."""
    try:
        columns = {table: tuple(columns_in(store, current, table)) for table in current.tables}
        known = {table: found for table, found in columns.items() if found}
        return known, tuple(kept_away_in(store, current)), learning(store, current)
    except (StateError, OSError):
        return {}, (), {}


def _incidents(catalog: Catalog, name: str) -> tuple[Incident, ...]:
    """The open incidents, then the latest closed ones; the newest of each first."""
    found = sorted(catalog.incidents(name), key=lambda i: (not i.status.goes_on, -i.number))
    return tuple(found)[:INCIDENTS_SHOWN]


def version(name: str, number: int) -> VersionPage | None:
    """The changes of one run; None if there is no such version, or its changes are not worked out yet."""
    known = catalog()
    changes, stamps = known.changes(name, number), known.stamps(name)
    if changes is None or not stamps:
        return None
    messages = tuple(alert.message for alert in known.alerts(name, number))
    run = _run(known.version(name, number), changes)
    return VersionPage(name, run, max(stamps), changes.arrived, by_transition(changes.changes), messages)


def by_transition(changes: Sequence[Change]) -> dict[Transition, tuple[Change, ...]]:
    """Changes by transition, the most urgent first."""
    found = {t: tuple(c for c in changes if c.transition is t) for t in _ORDER}
    return {transition: those for transition, those in found.items() if those}


def constraint(name: str, fingerprint: str) -> ConstraintPage | None:
    """A constraint's history; None if the dataset never tracked it."""
    known = catalog()
    history = known.history(name, fingerprint)
    if not history:
        return None
    stamps = known.stamps(name)
    labels = {number: stamp.label for number, stamp in stamps.items()}
    decided = (d for d in known.decisions(name) if d.constraint.fingerprint == fingerprint)
    shown = (i for i in known.incidents(name) if fingerprint in i.constraints)
    return ConstraintPage(
        name,
        history[-1],
        tuple((labels[t.version], t) for t in history),
        tuple(_changes_of(name, fingerprint, history)),
        tuple(decided),
        tuple(shown),
        tuple(deltas_that_show(name, [fingerprint], {t.version: stamps[t.version] for t in history[-MOST_BARS:]})),
    )


def _changes_of(name: str, fingerprint: str, history: Sequence[Tracked]) -> Iterator[tuple[int, Change]]:
    """The changes of a constraint in the newest versions in which its figures or state changed, newest first."""
    before = (None, *history)
    moved = [now.version for then, now in zip(before, history, strict=False) if then is None or _moved(then, now)]
    for number in list(reversed(moved))[:_MOST_CHANGES]:
        changes = catalog().changes(name, number)
        for change in changes.changes if changes else ():
            if change.measured.constraint.fingerprint == fingerprint:
                yield number, change


def _moved(before: Tracked, now: Tracked) -> bool:
    return (before.state, before.measured.violations) != (now.state, now.measured.violations)


_ORDER = (
    Transition.BROKE,
    Transition.ERROR_JUMPED,
    Transition.SPARED,
    Transition.RECOVERED,
    Transition.ERROR_CHANGED,
    Transition.APPEARED,
    Transition.GENERALISED,
    Transition.RETIRED,
)


def _run(made: Version, changes: ChangeSet) -> DatasetRun:
    def total(what: str) -> int:
        return sum(counts.get(what, 0) for counts in changes.arrived.values())

    counts = Counter(change.transition.name.lower() for change in changes.changes)
    alerts = sum(change.alerts for change in changes.changes)
    arrived = (total("inserts"), total("deletes"), total("updates"), total("rejects"))
    return DatasetRun(made.number, made.label, made.created_at, *arrived, counts, alerts)
