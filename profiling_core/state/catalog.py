"""The catalog: dataset versions, what they consist of, and what became of their constraints.

``commit`` is the one transaction that makes a version: before it the dataset is at vN whatever was written to disk,
after it at vN+1 whatever happens next. Everything that follows a commit can be repeated from it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, func, select

from profiling_core.model.change import ChangeSet
from profiling_core.model.decision import Decision
from profiling_core.model.errors import StateError
from profiling_core.model.incident import Incident
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.message import Message
from profiling_core.model.version import FileRef, Version
from profiling_core.state import chronicle, commits, incidents, migrations, models, outbox, outcomes, versions
from profiling_core.state.engine import check_integrity, open_engine, parse_url, transaction
from profiling_core.state.journal import Journal, datasets_with_state
from profiling_core.state.manifests import Manifest
from profiling_core.state.outbox import Outbox
from profiling_core.state.records import AlertRecord, ValidationRecord
from profiling_core.state.sealing import change, proven

_VERSION = models.versions.c.number


class Catalog:
    """The catalog at an SQLAlchemy URL: ``sqlite:///<path>`` or ``postgresql://…``.

    Holds no open connection and may be shared between threads and carried across a fork. Every method raises
    ``StateError`` where the database cannot be used, and the constructor ``ConfigurationError`` where the URL cannot.
    """

    def __init__(self, url: str, home: Path | None = None) -> None:
        """A catalog whose documents lie below ``home`` (None: for a look at a database alone, they are left out)."""
        self._engine = open_engine(parse_url(url))
        self._home = home

    @property
    def location(self) -> str:
        """The catalog's URL for people, without a password."""
        return self._engine.url.render_as_string(hide_password=True)

    def migrate(self) -> None:
        """Creates the tables or brings them up to date; a quick look when there is nothing to do.

        Raises:
            StateError: the database is damaged or of a newer release; or it is empty, and state lies beside it.
        """
        with self._write() as connection:
            check_integrity(connection)
            revision = migrations.revision(connection)
            if revision is None and self._home and (known := datasets_with_state(self._home)):
                raise StateError(
                    f"the catalog is empty or missing, but state of {', '.join(known)} lies beside it",
                    where=f"{self.location}, {self._home / 'state'}",
                    remedy="put the catalog back (HOLDFAST_CATALOG names it), or make it again from the state: "
                    "holdfast fsck --rebuild-catalog. Nothing was read or changed",
                )
            if revision != migrations.HEAD:
                migrations.upgrade(connection)

    def rebuild(self, datasets: Sequence[str]) -> dict[str, int]:
        """Makes what the catalog says of datasets again from the documents beside their files.

        Returns the newest version of each; a dataset without documents has none.

        Raises:
            StateError: a document is damaged. The catalog is then as it was.
        """
        made = {}
        with self._write() as connection:
            if migrations.revision(connection) != migrations.HEAD:
                migrations.upgrade(connection)
            for dataset in datasets:
                journal = self._journal(dataset)
                if journal and journal.confirm_whole():
                    versions.remove(connection, dataset)
                    made[dataset] = chronicle.rebuild(connection, journal, dataset)
        return made

    # Versions

    def datasets(self) -> list[str]:
        """The names of the datasets that have a version, sorted."""
        with self._read() as connection:
            return sorted(connection.scalars(select(models.datasets.c.name)))

    def current(self, dataset: str) -> Version | None:
        """The newest version; None where the dataset has none yet.

        Raises:
            StateError: the catalog is damaged, or is not that of the state beside it.
        """
        journal = self._journal(dataset)
        newest = journal.newest() if journal else 0  # before the catalog is read: another process may commit meanwhile
        with self._read() as connection:
            number = commits.current_number(connection, dataset)
            found = commits.single(versions.read(connection, dataset, [number]))
            manifest = versions.manifest_of(connection, dataset, number)
        if journal:
            chronicle.check(journal, dataset, newest, found, manifest)
        if journal and manifest:
            journal.confirm(number, manifest)  # where a process ended between its commit and this
        return found

    def version(self, dataset: str, number: int) -> Version:
        """The version of that number; raises ``StateError`` where there is none."""
        with self._read() as connection:
            found = commits.single(versions.read(connection, dataset, [number]))
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
        query = select(table).where(table.c.dataset == dataset)
        found: defaultdict[str, set[str]] = defaultdict(set)
        with self._read() as connection:
            for row in proven(table, connection.execute(query).mappings()):
                found[row["table_name"]].add(row["delta_id"])
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

    def commit(self, version: Version, *, rebuild: bool = False, made_with: Mapping[str, Any] | None = None) -> Version:
        """Makes a version the dataset's newest, in one transaction; returns it with ``created_at`` set (UTC).

        A run commits once: repeated, it gets the version that it made the first time, with that one's files. (The
        files of the repetition are then named by no version and are collected as garbage.)

        With ``rebuild``, the version re-derives its predecessor's state from the same rows: it brings no deltas, and
        those that the dataset contains stay applied. ``made_with`` (program, configuration) is kept in its manifest.

        Raises:
            StateError: the run has committed something else; ``number - 1`` is not the dataset's newest version; a
                delta is applied already; or a rebuild comes with deltas, other rows, or nothing to rebuild.
        """
        journal = self._journal(version.dataset)
        with self._write() as connection:
            commits.lock(connection, version.dataset)
            committed = commits.committed(connection, version)
            if committed is not None:
                return committed
            commits.check_number(connection, version)
            commits.check_deltas(connection, version)
            if rebuild:
                commits.check_rebuild(connection, version)
            version = replace(version, created_at=version.created_at or commits.now())
            made = Manifest(version, rebuild, made_with or {}, "")
            digest = chronicle.prepare(connection, journal, made) if journal else None
            versions.write(connection, version, rebuild=rebuild, manifest=digest)
            written = versions.read(connection, version.dataset, [version.number])[0]
        if journal and digest:
            journal.confirm(version.number, digest)
        return written

    # Keeping

    def adopt(self, dataset: str) -> None:
        """Writes the documents beside the files of a dataset that an earlier release made, where there are none."""
        with self._write() as connection:
            number = commits.current_number(connection, dataset)
            journal = self._journal(dataset)
            if journal and number and versions.manifest_of(connection, dataset, number) is None:
                commits.lock(connection, dataset)
                chronicle.adopt(connection, journal, dataset)

    def keep_from(self, dataset: str, created_at: str) -> list[FileRef]:
        """Gives up the files of versions made before a time (ISO 8601, UTC); returns those that no other version has.

        Their history stays. The newest version's files are always kept.
        """
        with self._write() as connection:
            commits.lock(connection, dataset)
            versions.keep_from(connection, dataset, created_at)
            if journal := self._journal(dataset):
                chronicle.keep_outcomes(connection, journal, dataset, None)
            return versions.not_kept(connection, dataset)

    def forget_files(self, dataset: str) -> None:
        """Forgets the files that :meth:`keep_from` returned, once they are gone."""
        with self._write() as connection:
            versions.forget_files(connection, dataset)

    def named(self, dataset: str) -> set[str]:
        """The paths of all files that the catalog, or a manifest of a version whose files are kept, names."""
        with self._read() as connection:
            found = versions.named(connection, dataset)
            oldest = versions.kept_from(connection, dataset)
        journal = self._journal(dataset)
        return found | journal.named(oldest) if journal else found

    def remove_dataset(self, dataset: str) -> bool:
        """Forgets a dataset: versions, deltas, constraints, alerts. Says whether it was there.

        Its files are garbage from then on (``Store.collect_garbage``), and its deltas can be applied afresh.
        """
        if journal := self._journal(dataset):
            journal.forget()
        with self._write() as connection:
            return versions.remove(connection, dataset)

    # What follows a commit

    def settle(
        self,
        tracked: Sequence[Tracked],
        changes: ChangeSet,
        messages: Iterable[Message] = (),
        opened: Iterable[Incident] = (),
    ) -> ChangeSet:
        """Stores what a version has come to, and what is to be told of it, in one transaction; returns its changes.

        ``opened`` are the incidents that it opens or changes.

        A version is settled once: repeated, or done by two processes at once, it gets what was stored the first time.
        """
        dataset, number = changes.dataset, changes.version
        with self._write_for(dataset, number) as connection:
            known = outcomes.read_changes(connection, dataset, number)
            if known:
                return known[0]
            now = commits.now()
            outcomes.write_tracked(connection, dataset, number, tracked, now)
            outcomes.write_changes(connection, changes, now)
            self._write_incidents(connection, dataset, opened)
            outbox.put(connection, dataset, messages, now)
        return changes

    def incidents(self, dataset: str) -> list[Incident]:
        """The dataset's incidents, by number."""
        with self._read() as connection:
            return incidents.read(connection, dataset)

    def save_incidents(self, dataset: str, changed: Iterable[Incident], messages: Iterable[Message] = ()) -> None:
        """Stores incidents that people or refused deltas change, between versions, and what is to be told of them."""
        with self._write() as connection:
            self._write_incidents(connection, dataset, changed)
            outbox.put(connection, dataset, messages, commits.now())

    def _write_incidents(self, connection: Connection, dataset: str, changed: Iterable[Incident]) -> None:
        incidents.write(connection, dataset, changed, commits.now())
        # A delta that is refused before there is a version has no files to be written beside.
        if (journal := self._journal(dataset)) and commits.current_number(connection, dataset):
            chronicle.keep_outcomes(connection, journal, dataset, None)

    def mark_published(self, dataset: str, version: int) -> None:
        """Notes that a version's suites are written and validated."""
        with self._write_for(dataset, version) as connection:
            row = chronicle.version_row(connection, dataset, version)
            change(connection, models.versions, row, published_at=commits.now())

    def is_published(self, dataset: str, version: int) -> bool:
        """Whether a version's suites have been written and validated."""
        with self._read() as connection:
            return connection.scalar(select(models.versions.c.published_at).where(_is(dataset, version))) is not None

    @property
    def outbox(self) -> Outbox:
        """The messages that wait for their channels."""
        return Outbox(self._engine, self._keep_messages)

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
            if not commits.current_number(connection, dataset):
                raise StateError(
                    f"dataset {dataset!r} has no constraints to decide about",
                    where=self.location,
                    remedy=f"apply a delta first: holdfast apply {dataset}",
                )
            commits.lock(connection, dataset)
            outcomes.write_decision(connection, dataset, decision, commits.now())
            if journal := self._journal(dataset):
                chronicle.keep_outcomes(connection, journal, dataset, None)

    def decisions(self, dataset: str) -> list[Decision]:
        """All decisions about a dataset's constraints, oldest first."""
        with self._read() as connection:
            return outcomes.read_decisions(connection, dataset)

    def save_validation(self, dataset: str, version: int, table: str, result: Mapping[str, Any]) -> None:
        """Stores the result of validating a table (empty: the whole dataset), in place of what is stored for it."""
        with self._write_for(dataset, version) as connection:
            outcomes.write_validation(connection, ValidationRecord(dataset, version, table, result, commits.now()))

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
            if journal := self._journal(dataset):
                chronicle.keep_outcomes(connection, journal, dataset, number)

    def _keep_messages(self, connection: Connection, dataset: str, number: int) -> None:
        """Writes what has become of a version's messages beside its files."""
        if (journal := self._journal(dataset)) and connection.scalar(select(_VERSION).where(_is(dataset, number))):
            chronicle.keep_outcomes(connection, journal, dataset, number)

    def _journal(self, dataset: str) -> Journal | None:
        return Journal(self._home, dataset) if self._home else None

    def _newest(self, dataset: str, **values: str) -> Version | None:
        table = models.versions
        same = [table.c[name] == value for name, value in values.items()]
        query = select(func.max(table.c.number)).where(table.c.dataset == dataset, *same)
        with self._read() as connection:
            number = connection.scalar(query)
            return None if number is None else commits.single(versions.read(connection, dataset, [number]))


def _is(dataset: str, number: int) -> Any:
    return and_(models.versions.c.dataset == dataset, models.versions.c.number == number)
