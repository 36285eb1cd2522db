"""The catalog: dataset versions, what they consist of, and what became of their constraints.

``commit`` is the one transaction that makes a version: before it the dataset is at vN whatever was written to disk,
after it at vN+1 whatever happens next. Everything that follows a commit can be repeated from it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, and_, func, select, update

from profiling_core.model.change import ChangeSet
from profiling_core.model.decision import Decision
from profiling_core.model.errors import StateError
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.message import Message
from profiling_core.model.version import Version
from profiling_core.state import migrations, models, outbox, outcomes, versions
from profiling_core.state.engine import open_engine, parse_url, transaction
from profiling_core.state.outbox import Outbox
from profiling_core.state.records import AlertRecord, ValidationRecord


class Catalog:
    """The catalog at an SQLAlchemy URL: ``sqlite:///<path>`` or ``postgresql://…``.

    Holds no open connection and may be shared between threads and carried across a fork. Every method raises
    ``StateError`` where the database cannot be used, and the constructor ``ConfigurationError`` where the URL cannot.
    """

    def __init__(self, url: str) -> None:
        self._engine = open_engine(parse_url(url))

    @property
    def location(self) -> str:
        """The catalog's URL for people, without a password."""
        return self._engine.url.render_as_string(hide_password=True)

    def migrate(self) -> None:
        """Creates the tables or brings them up to date; a quick look when there is nothing to do."""
        with self._write() as connection:
            if migrations.revision(connection) != migrations.HEAD:
                migrations.upgrade(connection)

    # Versions

    def datasets(self) -> list[str]:
        """The names of the datasets that have a version, sorted."""
        with self._read() as connection:
            return sorted(connection.scalars(select(models.datasets.c.name)))

    def current(self, dataset: str) -> Version | None:
        """The newest version; None where the dataset has none yet."""
        with self._read() as connection:
            number = _current_number(connection, dataset)
            return _single(versions.read(connection, dataset, [number]))

    def version(self, dataset: str, number: int) -> Version:
        """The version of that number; raises ``StateError`` where there is none."""
        with self._read() as connection:
            found = _single(versions.read(connection, dataset, [number]))
        if found is None:
            raise StateError(
                f"dataset {dataset!r} has no version {number}",
                where=self.location,
                remedy="list its versions with: holdfast status",
            )
        return found

    def versions(self, dataset: str) -> list[Version]:
        """All versions, oldest first."""
        with self._read() as connection:
            return versions.read(connection, dataset)

    def version_of_run(self, dataset: str, run_id: str) -> Version | None:
        """The version that a run has committed; None where it has not."""
        return self._newest(dataset, run_id=run_id)

    def version_labelled(self, dataset: str, label: str) -> Version | None:
        """The newest version with this label; None where there is none."""
        return self._newest(dataset, label=label)

    def applied(self, dataset: str) -> Mapping[str, frozenset[str]]:
        """The ids of the deltas that the dataset contains, per table."""
        table = models.applied_deltas
        query = select(table.c.table_name, table.c.delta_id).where(table.c.dataset == dataset)
        found: defaultdict[str, set[str]] = defaultdict(set)
        with self._read() as connection:
            for name, delta_id in connection.execute(query):
                found[name].add(delta_id)
        return {name: frozenset(ids) for name, ids in sorted(found.items())}

    def positions(self, dataset: str) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """By table the deltas that the dataset contains, in the order in which they were applied.

        Each with the position by which its source knows its content (empty where none was recorded).
        """
        held = self.applied(dataset)
        found: defaultdict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
        with self._read() as connection:
            for arrivals in versions.read_arrivals(connection, dataset):
                for table, arrival in arrivals.items():
                    known = held.get(table, frozenset())
                    found[table] |= {i: arrival.positions.get(i, {}) for i in arrival.delta_ids if i in known}
        return found

    def commit(self, version: Version, *, rebuild: bool = False) -> Version:
        """Makes a version the dataset's newest, in one transaction; returns it with ``created_at`` set (UTC).

        A run commits once: repeated, it gets the version that it made the first time, with that one's files. (The
        files of the repetition are then named by no version and are collected as garbage.)

        With ``rebuild``, the version re-derives its predecessor's state from the same rows: it brings no deltas, and
        those that the dataset contains stay applied.

        Raises:
            StateError: the run has committed something else; ``number - 1`` is not the dataset's newest version; a
                delta is applied already; or a rebuild comes with deltas, other rows, or nothing to rebuild.
        """
        with self._write() as connection:
            _lock(connection, version.dataset)
            committed = _committed(connection, version)
            if committed is not None:
                return committed
            _check_number(connection, version)
            _check_deltas(connection, version)
            if rebuild:
                _check_rebuild(connection, version)
            versions.write(connection, version, rebuild=rebuild, created_at=version.created_at or _now())
            return versions.read(connection, version.dataset, [version.number])[0]

    def remove_dataset(self, dataset: str) -> bool:
        """Forgets a dataset: versions, deltas, constraints, alerts. Says whether it was there.

        Its files are garbage from then on (``Store.collect_garbage``), and its deltas can be applied afresh.
        """
        with self._write() as connection:
            return versions.remove(connection, dataset)

    # What follows a commit

    def settle(self, tracked: Sequence[Tracked], changes: ChangeSet, messages: Iterable[Message] = ()) -> ChangeSet:
        """Stores what a version has come to, and what is to be told of it, in one transaction; returns its changes.

        A version is settled once: repeated, or done by two processes at once, it gets what was stored the first time.
        """
        dataset, number = changes.dataset, changes.version
        with self._write_for(dataset, number) as connection:
            known = outcomes.read_changes(connection, dataset, number)
            if known:
                return known[0]
            now = _now()
            outcomes.write_tracked(connection, dataset, number, tracked, now)
            outcomes.write_changes(connection, changes, now)
            outbox.put(connection, dataset, messages, now)
        return changes

    def mark_published(self, dataset: str, version: int) -> None:
        """Notes that a version's suites are written and validated."""
        with self._write_for(dataset, version) as connection:
            connection.execute(update(models.versions).where(_is(dataset, version)).values(published_at=_now()))

    def is_published(self, dataset: str, version: int) -> bool:
        """Whether a version's suites have been written and validated."""
        with self._read() as connection:
            return connection.scalar(select(models.versions.c.published_at).where(_is(dataset, version))) is not None

    @property
    def outbox(self) -> Outbox:
        """The messages that wait for their channels."""
        return Outbox(self._engine)

    def tracked(self, dataset: str, version: int | None = None) -> list[Tracked]:
        """The tracked constraints of a version, in the order given, without those that retired with it.

        Without a version: of the newest one whose constraints were saved, which after a crash between commit and diff
        is not the current one.
        """
        with self._read() as connection:
            return outcomes.read_tracked(connection, dataset, version)

    def beginnings(self, dataset: str, version: int) -> dict[str, Tracked]:
        """By fingerprint, what is tracked in a version as it stood when its present state began.

        The state, since when it lasts, and the error that is allowed have been the same from then on; the figures of
        every later delta differ.
        """
        with self._read() as connection:
            return {r.fingerprint: r for r in outcomes.read_beginnings(connection, dataset, version)}

    def history(self, dataset: str, fingerprint: str) -> list[Tracked]:
        """A constraint's standing in every version that tracks it, oldest first."""
        with self._read() as connection:
            return outcomes.read_history(connection, dataset, fingerprint)

    def changes(self, dataset: str, version: int) -> ChangeSet | None:
        """The change set of a version; None while its diff has not been saved."""
        with self._read() as connection:
            found = outcomes.read_changes(connection, dataset, version)
        return found[0] if found else None

    def change_sets(self, dataset: str) -> list[ChangeSet]:
        """All change sets, oldest first."""
        with self._read() as connection:
            return outcomes.read_changes(connection, dataset, None)

    def decide(self, dataset: str, decision: Decision) -> None:
        """Adds a person's decision about a constraint; raises ``StateError`` where the dataset has no version yet."""
        with self._write() as connection:
            if not _current_number(connection, dataset):
                raise StateError(
                    f"dataset {dataset!r} has no constraints to decide about",
                    where=self.location,
                    remedy=f"apply a delta first: holdfast apply {dataset}",
                )
            _lock(connection, dataset)
            outcomes.write_decision(connection, dataset, decision, _now())

    def decisions(self, dataset: str) -> list[Decision]:
        """All decisions about a dataset's constraints, oldest first."""
        with self._read() as connection:
            return outcomes.read_decisions(connection, dataset)

    def save_validation(self, dataset: str, version: int, table: str, result: Mapping[str, Any]) -> None:
        """Stores the result of validating a table (empty: the whole dataset), in place of what is stored for it."""
        with self._write_for(dataset, version) as connection:
            outcomes.write_validation(connection, ValidationRecord(dataset, version, table, result, _now()))

    def validations(self, dataset: str, version: int | None = None) -> list[ValidationRecord]:
        """The validations of a version, or all, oldest first."""
        with self._read() as connection:
            return outcomes.read_validations(connection, dataset, version)

    def alerts(self, dataset: str, version: int | None = None) -> list[AlertRecord]:
        """The messages of a version, or all, oldest first."""
        with self._read() as connection:
            return outcomes.read_alerts(connection, dataset, version)

    # Transactions

    def _read(self) -> AbstractContextManager[Connection]:
        return transaction(self._engine, write=False)

    def _write(self) -> AbstractContextManager[Connection]:
        return transaction(self._engine, write=True)

    @contextmanager
    def _write_for(self, dataset: str, number: int) -> Iterator[Connection]:
        table = models.versions
        there = select(table.c.number).where(table.c.dataset == dataset, table.c.number == number)
        with self._write() as connection:
            # The row lock makes two writers of one version's outcomes follow each other; SQLite locks as a whole.
            if connection.scalar(there.with_for_update()) is None:
                raise StateError(
                    f"dataset {dataset!r} has no version {number} to record anything for",
                    where=self.location,
                    remedy="commit the version first",
                )
            yield connection

    def _newest(self, dataset: str, **values: str) -> Version | None:
        table = models.versions
        same = [table.c[name] == value for name, value in values.items()]
        query = select(func.max(table.c.number)).where(table.c.dataset == dataset, *same)
        with self._read() as connection:
            number = connection.scalar(query)
            return None if number is None else _single(versions.read(connection, dataset, [number]))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _is(dataset: str, number: int) -> Any:
    return and_(models.versions.c.dataset == dataset, models.versions.c.number == number)


def _single(found: Sequence[Version]) -> Version | None:
    return found[0] if found else None


def _current_number(connection: Connection, dataset: str) -> int:
    table = models.versions
    return connection.scalar(select(func.max(table.c.number)).where(table.c.dataset == dataset)) or 0


def _lock(connection: Connection, dataset: str) -> None:
    """Makes commits to one dataset follow each other (SQLite has locked the whole database already)."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]  # the same methods
    table = models.datasets
    connection.execute(insert(table).values(name=dataset, created_at=_now()).on_conflict_do_nothing())
    connection.execute(select(table.c.name).where(table.c.name == dataset).with_for_update())


def _committed(connection: Connection, version: Version) -> Version | None:
    table = models.versions
    query = select(table.c.number, table.c.content).where(
        table.c.dataset == version.dataset, table.c.run_id == version.run_id
    )
    known = connection.execute(query).first()
    if known is None:
        return None
    if known.content != versions.content_digest(version):
        raise StateError(
            f"run {version.run_id!r} has already committed version {known.number}, with other contents than now",
            where=f"dataset {version.dataset!r}",
            remedy="a run's deltas must not change under it: plan the run again from the current version",
        )
    return versions.read(connection, version.dataset, [known.number])[0]


def _check_number(connection: Connection, version: Version) -> None:
    current = _current_number(connection, version.dataset)
    if version.number != current + 1:
        raise StateError(
            f"version {version.number} cannot follow version {current}: another run has committed meanwhile",
            where=f"dataset {version.dataset!r}, run {version.run_id!r}",
            remedy="run it again: it will be planned on the current version",
        )


def _check_deltas(connection: Connection, version: Version) -> None:
    table = models.applied_deltas
    for name, arrival in version.arrivals.items():
        same = (table.c.dataset == version.dataset, table.c.table_name == name)
        known = {row.delta_id: row.number for row in connection.execute(select(table).where(*same))}
        again = sorted(set(arrival.delta_ids) & set(known))
        if again or len(set(arrival.delta_ids)) < len(arrival.delta_ids):
            what = f"delta {again[0]!r} is part of version {known[again[0]]}" if again else "a delta is named twice"
            raise StateError(
                f"{what}; applying it again would count it twice",
                where=f"dataset {version.dataset!r}, table {name!r}, run {version.run_id!r}",
                remedy="run it again: it will be planned without the deltas that are applied already",
            )


def _check_rebuild(connection: Connection, version: Version) -> None:
    before = _single(versions.read(connection, version.dataset, [version.number - 1]))
    rows = {name: table.rows for name, table in version.tables.items()}
    if before is None:
        problem = "there is no version to rebuild"
    elif any(arrival.delta_ids for arrival in version.arrivals.values()):
        problem = "a rebuild brings no deltas"
    elif rows != {name: table.rows for name, table in before.tables.items() if name in rows}:
        problem = f"a rebuild keeps the rows of version {before.number}"
    else:
        return
    raise StateError(
        f"{problem}, so this version is not one",
        where=f"dataset {version.dataset!r}, run {version.run_id!r}",
        remedy="rebuild from the current version's snapshot, and apply new deltas in a run of their own",
    )
