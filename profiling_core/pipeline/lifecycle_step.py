"""The diff step: results of two versions become tracked constraints and a change set."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from profiling_core.algorithms.rules.selection import PRESENTED
from profiling_core.diff.lifecycle import LEAST_SURPRISE, advance
from profiling_core.diff.redaction import redacted, redacted_finding
from profiling_core.diff.step import Step
from profiling_core.maintain.results import NOTHING, read_results
from profiling_core.maintain.run import FINDINGS, SPARED
from profiling_core.model.account import Account
from profiling_core.model.change import Change, ChangeSet, Transition
from profiling_core.model.constraint import DATASET, ColumnList, Constraint, renamed
from profiling_core.model.decision import Decided, standing
from profiling_core.model.finding import Finding
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.origin import Origins, placed, placed_finding
from profiling_core.model.stored import readable
from profiling_core.model.version import HELD, FileRef, Version
from profiling_core.pipeline import notifications, structure
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.version_reports import kept_away_in

# What of a version's files the comparison with the one before reads.
_COMPARED = ("results", FINDINGS, SPARED)


@dataclass(frozen=True)
class Arrivals:
    """How many deltas a version applied to the tables that a constraint speaks of."""

    version: Version

    def deltas(self, constraint: Constraint) -> int:
        """The most deltas that any of the constraint's tables received."""
        return max(len(self._ids(table)) for table in constraint.tables)

    def rows(self, table: str) -> int:
        """How many new and changed rows a table received; the dataset as a whole is none."""
        arrival = self.version.arrivals.get(table)
        return arrival.inserts + arrival.updates if arrival else 0

    def since(self, constraint: Constraint) -> str:
        """The first delta that counts for a constraint which appears with this version."""
        if self.version.number > 1:
            return self.version.label
        return min((self._ids(table)[0] for table in constraint.tables if self._ids(table)), default=self.version.label)

    def _ids(self, table: str) -> tuple[str, ...]:
        arrival = self.version.arrivals.get(table)
        return arrival.delta_ids if arrival else ()


def settle(work: Workspace, version: Version) -> ChangeSet:
    """Computes and records what a committed version changed, and what is to be told of it; once for each version."""
    known = work.catalog.changes(work.dataset, version.number)
    if known is not None:
        return known
    tracked, change_set = step(work, version)

    def record() -> ChangeSet:
        told = notifications.told(work, version, change_set)
        messages = notifications.messages(work, told, str(version.number))
        return work.catalog.settle(tracked, change_set, messages, told.incidents, told.known)

    return notifications.as_they_are(record)


def settle_without(work: Workspace, version: Version, lost: Collection[FileRef]) -> list[str]:
    """Records that a version changed nothing, where nobody has looked yet and what it came to is lost; says so.

    What was followed before it stays as it was: the version after it is compared with that.
    """
    if not any(ref.role in _COMPARED for ref in lost) or work.catalog.changes(work.dataset, version.number) is not None:
        return []
    arrived = {table: _counts(version, table) for table in version.arrivals}
    nothing = ChangeSet(work.dataset, version.number, version.run_id, arrived, (), ())
    work.catalog.settle(followed(work, version.number - 1), nothing)
    told = f"nobody was told what version {version.number} changed, and its files are damaged"
    return [f"{told}: what it broke counts as broken now"]


def step(work: Workspace, version: Version) -> tuple[list[Tracked], ChangeSet]:
    """The tracked constraints and the change set of a version that need not be committed yet."""
    known = followed(work, version.number - 1)
    gone = structure.without_subject(known, version.tables)
    previous = [t for t in known if t not in gone]
    decided = decisions(work)
    old = _tables_before(work, version)
    listed = _listed(work, version)
    tracked: list[Tracked] = []
    changes = [structure.retired(t) for t in gone]
    for table in (*version.tables, DATASET):
        own = [t for t in previous if t.measured.constraint.kept_with == table]
        touched = table in version.arrivals or (table == DATASET and version.files_of("results"))
        if not touched:
            tracked += own
            continue
        now = replace(_step(work, version, table, decided, is_new=table not in old), listed=listed)
        followers, changed = advance(own, now)
        tracked += followers
        changes += [*changed, *_spared(work, version, table)]
    arrived = {table: _counts(version, table) for table in version.arrivals}
    origins = origins_of(work, version)
    changes = [placed(redacted(change, work.config.redacted(change.table)), origins) for change in changes]
    changes.sort(key=lambda c: (not c.alerts, c.rank or 10**9, c.transition, c.measured.constraint.text))
    found = (
        *_refused(work, version),
        *(placed_finding(finding, origins) for t in version.arrivals for finding in _findings(work, version, t)),
    )
    return tracked, ChangeSet(work.dataset, version.number, version.run_id, arrived, tuple(changes), found)


def origins_of(work: Workspace, version: Version) -> Callable[[str], Origins]:
    """Where the rows of a table came from, asked of the catalog once and only when a row is to be placed.

    The version need not be committed yet.
    """

    @cache
    def positions() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        return work.catalog.positions(work.dataset)

    @cache
    def of(table: str) -> Origins:
        arrival = version.arrivals.get(table)
        return Origins({**positions().get(table, {}), **(arrival.positions if arrival else {})})

    return of


def followed(work: Workspace, number: int) -> list[Tracked]:
    """The tracked constraints of a version, under the names that their columns have now."""
    tracked = work.catalog.tracked(work.dataset, number) if number else []
    renames = work.config.renames
    return [
        replace(t, measured=replace(t.measured, constraint=renamed(t.measured.constraint, renames))) for t in tracked
    ]


def decisions(work: Workspace) -> dict[str, Decided]:
    """What people have decided about the dataset's constraints, by fingerprint."""
    return standing(work.catalog.decisions(work.dataset), work.config.renames)


def severities(work: Workspace) -> dict[str, str]:
    """What people call violations of constraints, by fingerprint."""
    return {name: decided.severity for name, decided in decisions(work).items() if decided.pinned and decided.severity}


def kept_away(work: Workspace) -> list[KeptAway]:
    """What the current version would show, had nobody rejected what it is like."""
    version = work.catalog.current(work.dataset)
    return kept_away_in(work.store, version) if version else []


def _spared(work: Workspace, version: Version, table: str) -> list[Change]:
    """The constraints that the version was spared a break of, because its run set rows aside."""
    if table not in version.arrivals or not version.arrivals[table].set_aside:
        return []
    files = version.files_of(SPARED, table)
    return list(readable(Change.from_json, (change for ref in files for change in work.store.read_json(ref))))


def _findings(work: Workspace, version: Version, table: str) -> list[Finding]:
    """What checks of the table's delta found in it."""
    found = (Finding.from_json(body) for ref in version.files_of(FINDINGS, table) for body in work.store.read_json(ref))
    return [redacted_finding(finding, work.config.redacted(table)) for finding in found]


def _refused(work: Workspace, version: Version) -> list[Finding]:
    """What says why deltas of tables wait that the version's run read, and did not apply."""
    return [Finding.from_json(work.store.read_json(ref)) for ref in version.files if ref.role == HELD]


def screening_step(work: Workspace, base: Version, label: str, decided: Mapping[str, Decided]) -> Step:
    """The step that a delta which is looked at before it is applied will be part of."""
    return Step(
        version=base.number + 1,
        label=label,
        results=NOTHING,
        presented=0,
        min_held_deltas=work.config.alerts.min_held_deltas,
        max_rank=work.config.alerts.max_rank,
        least_surprise=LEAST_SURPRISE,
        deltas=lambda _: 0,
        since=lambda _: label,
        decided=decided,
    )


def _tables_before(work: Workspace, version: Version) -> frozenset[str]:
    """What the version before has results of: its tables, and the dataset as a whole; nothing before the first."""
    if version.number == 1:
        return frozenset()
    return frozenset({DATASET, *work.catalog.version(work.dataset, version.number - 1).tables})


def _listed(work: Workspace, version: Version) -> tuple[ColumnList, ...]:
    """The columns whose new values another table lists."""
    return read_results(work.store, version, DATASET).listed if work.config.inclusions == "on" else ()


def _step(work: Workspace, version: Version, table: str, decided: Mapping[str, Decided], *, is_new: bool) -> Step:
    arrivals = Arrivals(version)
    results = read_results(work.store, version, table)
    most = work.config.tables[table].presented if table != DATASET else PRESENTED
    return Step(
        version=version.number,
        label=version.label,
        results=results,
        presented=min(most, results.shown),
        min_held_deltas=work.config.alerts.min_held_deltas,
        max_rank=work.config.alerts.max_rank,
        least_surprise=LEAST_SURPRISE,
        deltas=arrivals.deltas,
        since=arrivals.since,
        threshold=lambda constraint: _threshold(work, constraint),
        bootstrap=is_new,
        decided=decided,
        arrived=arrivals.rows(table),
    )


def _threshold(work: Workspace, constraint: Constraint) -> float:
    return constraint.threshold(work.config.tables[constraint.tables[0]].errors)


def _counts(version: Version, table: str) -> dict[str, int]:
    arrival = version.arrivals[table]
    accounts = (position["lines"] for position in arrival.positions.values() if "lines" in position)
    account = sum(map(Account.from_json, accounts), Account())
    return {
        "lines": account.total,
        "left_out": account.total - account.rows,
        "lost": account.lost,
        "within": account.within,
        "deltas": len(arrival.delta_ids),
        "inserts": arrival.inserts,
        "deletes": arrival.deletes,
        "updates": arrival.updates,
        "rejects": arrival.rejects,
        "set_aside": arrival.set_aside,
        "superseded": arrival.superseded,
        "unchanged": arrival.unchanged,
        "rows": version.tables[table].rows,
    }


def summary(change_set: ChangeSet) -> dict[str, Any]:
    """The change set in numbers, small enough for an asset event or a task's result."""
    kinds = [change.transition for change in change_set.changes]
    return {
        "version": change_set.version,
        "arrived": {table: dict(counts) for table, counts in change_set.arrived.items()},
        **{transition.name.lower(): kinds.count(transition) for transition in Transition},
        "broken": [c.measured.constraint.text for c in change_set.changes if c.alerts][:10],
    }
