"""What the pages show, read from the catalog: plain frozen records, ready for a template or for JSON.

Only the catalog is read, and what a version knows of columns and of what was rejected, never the data: a page costs a
few queries and small files, whatever the tables' size.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from profiling_core.airflow.places import settings
from profiling_core.alert.delivery import undelivered_lines
from profiling_core.model.change import Change, ChangeSet, LifecycleState, Transition
from profiling_core.model.constraint import DATASET
from profiling_core.model.errors import StateError
from profiling_core.model.incident import Incident
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.version import Version
from profiling_core.pipeline.learning import learning
from profiling_core.state.catalog import Catalog
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store
from profiling_core.state.told import KnownColumn, columns_in, kept_away_in

RUNS_SHOWN = 90
INCIDENTS_SHOWN = 30


@dataclass(frozen=True)
class DatasetRun:
    """One version in the list of runs: what arrived and how many constraints changed, by kind of change."""

    version: int
    label: str
    created_at: str
    inserts: int
    deletes: int
    updates: int
    rejects: int
    counts: Mapping[str, int]
    alerts: int

    def to_json(self) -> dict[str, Any]:
        """The run as plain JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class DatasetSummary:
    """A dataset at a glance. ``version`` is 0 and ``runs`` empty where nothing was committed."""

    name: str
    version: int
    label: str
    created_at: str
    rows: Mapping[str, int]
    states: Mapping[str, int]
    violated: tuple[Tracked, ...]
    undelivered: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The summary as plain JSON data."""
        return self.__dict__ | {
            "rows": dict(self.rows),
            "states": dict(self.states),
            "violated": [t.to_json() for t in self.violated],
            "undelivered": list(self.undelivered),
        }


@dataclass(frozen=True)
class DatasetPage:
    """A dataset's page: its tracked constraints in presented order, by table, and its runs, newest first.

    Inclusions, which are ranked across all tables, stand under the empty name. ``columns`` are by table those whose
    role is known, ``kept_away`` what is not told since it is like what a person rejected, ``learning`` by table since
    when its loads are judged by those before.
    """

    summary: DatasetSummary
    constraints: Mapping[str, tuple[Tracked, ...]]
    runs: tuple[DatasetRun, ...]
    incidents: tuple[Incident, ...] = ()
    columns: Mapping[str, tuple[KnownColumn, ...]] = field(default_factory=dict)
    kept_away: tuple[KeptAway, ...] = ()
    learning: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The dataset as plain JSON data."""
        return self.summary.to_json() | {
            "constraints": {table: [t.to_json() for t in found] for table, found in self.constraints.items()},
            "runs": [run.to_json() for run in self.runs],
            "incidents": [incident.to_json() for incident in self.incidents],
            "columns": [column.to_json() for found in self.columns.values() for column in found],
            "kept_away": [kept.to_json() for kept in self.kept_away],
            "learning": dict(self.learning),
        }


@dataclass(frozen=True)
class VersionPage:
    """What one run changed, the alerting changes first. ``newest`` is the dataset's newest version."""

    dataset: str
    run: DatasetRun
    newest: int
    arrived: Mapping[str, Mapping[str, int]]
    changes: Mapping[Transition, tuple[Change, ...]]
    alerts: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The run and its changes as plain JSON data."""
        return {
            "dataset": self.dataset,
            **self.run.to_json(),
            "arrived": {table: dict(counts) for table, counts in self.arrived.items()},
            "changes": [change.to_json() for found in self.changes.values() for change in found],
            "messages": list(self.alerts),
        }


@dataclass(frozen=True)
class ConstraintPage:
    """A constraint through the versions that track it, oldest first, with the label of each version."""

    dataset: str
    latest: Tracked
    history: tuple[tuple[str, Tracked], ...]
    changes: tuple[tuple[int, Change], ...]

    def to_json(self) -> dict[str, Any]:
        """The constraint's history as plain JSON data."""
        return self.latest.to_json() | {
            "dataset": self.dataset,
            "history": [{"label": label, **tracked.to_json()} for label, tracked in self.history],
            "changes": [{"version": version, **change.to_json()} for version, change in self.changes],
        }


def dataset_names() -> list[str]:
    """The datasets that have a version, sorted."""
    return _catalog().datasets()


def summary(name: str) -> DatasetSummary:
    """A dataset at a glance."""
    catalog = _catalog()
    return _summary(catalog, name, catalog.current(name), catalog.tracked(name))


def dataset(name: str) -> DatasetPage | None:
    """A dataset's page; None where it has no version."""
    catalog = _catalog()
    current = catalog.current(name)
    if current is None:
        return None
    tracked = catalog.tracked(name)
    by_table = {
        table: tuple(sorted((t for t in tracked if t.measured.constraint.kept_with == table), key=_presented_order))
        for table in (*current.tables, DATASET)
    }
    versions = {version.number: version for version in catalog.versions(name)}
    runs = [_run(versions[changes.version], changes) for changes in catalog.change_sets(name)]
    shown = {table: found for table, found in by_table.items() if found}
    columns, away, learns = _told(settings().store(name), current)
    return DatasetPage(
        _summary(catalog, name, current, tracked),
        shown,
        tuple(reversed(runs))[:RUNS_SHOWN],
        _incidents(catalog, name),
        columns,
        away,
        learns,
    )


def _told(
    store: Store, current: Version
) -> tuple[dict[str, tuple[KnownColumn, ...]], tuple[KeptAway, ...], dict[str, str]]:
    """What the version's files tell of columns, rejections and loads; nothing where this server does not see them."""
    try:
        columns = {table: tuple(columns_in(store, current, table)) for table in current.tables}
        known = {table: found for table, found in columns.items() if found}
        return known, tuple(kept_away_in(store, current)), learning(store, current)
    except (StateError, OSError):
        return {}, (), {}


def _incidents(catalog: Catalog, name: str) -> tuple[Incident, ...]:
    """Those that go on, then the last that are over; the newest of each first."""
    found = sorted(catalog.incidents(name), key=lambda i: (not i.status.goes_on, -i.number))
    return tuple(found)[:INCIDENTS_SHOWN]


def version(name: str, number: int) -> VersionPage | None:
    """What one run changed; None where there is no such version, or its changes are not worked out yet."""
    catalog = _catalog()
    changes = catalog.changes(name, number)
    current = catalog.current(name)
    if changes is None or current is None:
        return None
    found = {t: tuple(c for c in changes.changes if c.transition is t) for t in _ORDER}
    messages = tuple(alert.message for alert in catalog.alerts(name, number))
    run = _run(catalog.version(name, number), changes)
    return VersionPage(name, run, current.number, changes.arrived, {t: c for t, c in found.items() if c}, messages)


def constraint(name: str, fingerprint: str) -> ConstraintPage | None:
    """A constraint's history; None where the dataset never tracked it."""
    catalog = _catalog()
    history = catalog.history(name, fingerprint)
    if not history:
        return None
    labels = {version.number: version.label for version in catalog.versions(name)}
    changes = tuple(
        (changes.version, change)
        for changes in reversed(catalog.change_sets(name))
        for change in changes.changes
        if change.measured.constraint.fingerprint == fingerprint
    )
    return ConstraintPage(name, history[-1], tuple((labels[t.version], t) for t in history), changes)


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


def _catalog() -> Catalog:
    return _opened(settings())


@cache
def _opened(settings: Settings) -> Catalog:
    return settings.catalog()


def _summary(catalog: Catalog, name: str, current: Version | None, tracked: Sequence[Tracked]) -> DatasetSummary:
    undelivered = tuple(undelivered_lines(catalog.outbox.undelivered(name)))
    states = Counter(t.state.value for t in tracked)
    violated = sorted((t for t in tracked if t.state is LifecycleState.VIOLATED), key=_presented_order)
    if current is None:
        return DatasetSummary(name, 0, "", "", {}, states, tuple(violated), undelivered)
    rows = {table: state.rows for table, state in current.tables.items()}
    return DatasetSummary(
        name, current.number, current.label, current.created_at, rows, states, tuple(violated), undelivered
    )


def _run(made: Version, changes: ChangeSet) -> DatasetRun:
    def total(what: str) -> int:
        return sum(counts.get(what, 0) for counts in changes.arrived.values())

    counts = Counter(change.transition.name.lower() for change in changes.changes)
    alerts = sum(change.alerts for change in changes.changes)
    arrived = (total("inserts"), total("deletes"), total("updates"), total("rejects"))
    return DatasetRun(made.number, made.label, made.created_at, *arrived, counts, alerts)


def _presented_order(tracked: Tracked) -> tuple[bool, int, str]:
    return (tracked.state is not LifecycleState.VIOLATED, tracked.rank or 10**9, tracked.measured.constraint.text)
