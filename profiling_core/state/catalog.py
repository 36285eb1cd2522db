"""The catalog: dataset versions, their parts, and the history of their constraints.

``commit`` is the one transaction that makes a version: before it the dataset is at vN whatever was written to disk,
after it at vN+1 whatever happens next. Everything that follows a commit can be repeated from it.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import func, select

from profiling_core.model.errors import StateError
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.version import FileRef, Version
from profiling_core.state import catalog_journal, commits, glance, migrations, models, rule_list, versions
from profiling_core.state.engine import check_integrity
from profiling_core.state.journal import Journal, datasets_with_state
from profiling_core.state.manifests import Manifest
from profiling_core.state.objects import Place
from profiling_core.state.outcome_store import Outcomes
from profiling_core.state.row_checksums import damaged, proven

_LOG = logging.getLogger(__name__)
_VERSION = models.versions.c.number


class Catalog(Outcomes):
    """The catalog at an SQLAlchemy URL: ``sqlite:///<path>`` or ``postgresql://…``.

    Holds no open connection and may be shared between threads and carried across a fork. Every method raises
    ``StateError`` where the database cannot be used, and the constructor ``ConfigurationError`` where the URL cannot.
    """

    def __init__(self, url: str, home: Place | None = None) -> None:
        """A catalog as :class:`Outcomes` opens it."""
        super().__init__(url, home)
        self._states: glance.States = {}

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
        made, editions = {}, {}
        with self._write() as connection:
            if migrations.revision(connection) != migrations.HEAD:
                migrations.upgrade(connection)
            for dataset in datasets:
                journal = self._journal(dataset)
                if journal and journal.confirm_whole():
                    versions.remove(connection, dataset)
                    made[dataset] = catalog_journal.rebuild(connection, journal, dataset)
                    editions[journal] = catalog_journal.advance(connection, dataset, by=_noted(journal) + 1)
        for journal, edition in editions.items():
            journal.note_edition(edition)
        return made

    # Versions

    def datasets(self) -> list[str]:
        """The names of the datasets that have a version, sorted."""
        with self._read() as connection:
            return sorted(connection.scalars(select(models.datasets.c.name)))

    def in_short(self, datasets: Sequence[str] | None = None) -> list[glance.DatasetGlance]:
        """These datasets (None: all that there are) in short, by a few queries for all of them together."""
        with self._read() as connection:
            return glance.read(connection, datasets, self._states)

    def stamps(self, dataset: str, since: int = 0) -> dict[int, glance.Stamp]:
        """By number, what the versions of a dataset are called, from one on; without what they consist of."""
        with self._read() as connection:
            return glance.stamps(connection, dataset, since)

    def rules(
        self, dataset: str, wanted: rule_list.RuleQuery, *, first: int = 0, count: int = 100
    ) -> tuple[list[Tracked], int]:
        """Some of the constraints that are followed, from the ``first`` of those wanted on, and how many these are."""
        with self._read() as connection:
            return rule_list.read(connection, dataset, wanted, first=first, count=count)

    def current(self, dataset: str) -> Version | None:
        """The newest version; None where the dataset has none yet.

        Raises:
            StateError: the catalog is damaged, or is not that of the state beside it.
        """
        journal = self._journal(dataset)
        # Before the catalog is read: another process may commit meanwhile.
        newest, noted = (journal.newest(), journal.edition()) if journal else (0, 0)
        with self._read() as connection:
            number = commits.current_number(connection, dataset)
            found = commits.single(versions.read(connection, dataset, [number]))
            manifest = versions.manifest_of(connection, dataset, number)
            edition = catalog_journal.edition(connection, dataset)
        if journal:
            catalog_journal.check(journal, dataset, newest, found, manifest)
            catalog_journal.check_edition(dataset, edition, noted, self.location)
        if journal and manifest:
            journal.confirm(number, manifest)  # where a process ended between its commit and this
        return found

    def edition(self, dataset: str) -> int:
        """How many changes of a dataset it has had."""
        with self._read() as connection:
            return catalog_journal.edition(connection, dataset)

    def check_rows(self, version: Version) -> None:
        """Whether what the next delta builds on is in the catalog: what followed the newest version, and was decided.

        Documents beside the files that somebody has removed are told in the log: no delta needs them, but without them
        the catalog could not be made again.

        Raises:
            StateError: rows that were there are gone.
        """
        self.check_outcomes(version.dataset, version.number)
        with self._read() as connection:
            lacking = versions.applied_lacking(connection, version)
            journal = self._journal(version.dataset)
            gone = catalog_journal.missing(connection, journal, version.dataset, version.number) if journal else []
        for path in gone:
            _LOG.warning(
                "%s is missing: without it the catalog cannot be made again; bring it back from a backup, and see what "
                "else holdfast fsck says",
                path,
            )
        if lacking:
            raise damaged(f"it lacks {lacking[0]} of dataset {version.dataset!r}")

    def check_outcomes(self, dataset: str, number: int) -> None:
        """Whether all that followed a version is in the catalog; raises ``StateError`` as :meth:`check_rows` does."""
        journal = self._journal(dataset)
        if journal:
            with self._read() as connection:
                catalog_journal.check_rows(connection, journal, dataset, number)

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
        with self._change(version.dataset) as connection:
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
            digest = catalog_journal.prepare(connection, journal, made) if journal else None
            versions.write(connection, version, rebuild=rebuild, manifest=digest)
            written = versions.read(connection, version.dataset, [version.number])[0]
        if journal and digest:
            journal.confirm(version.number, digest)
        return written

    # Keeping

    def adopt(self, dataset: str) -> None:
        """Writes the documents beside the files of a dataset that an earlier release made, where there are none."""
        with self._change(dataset) as connection:
            number = commits.current_number(connection, dataset)
            journal = self._journal(dataset)
            if journal and number and versions.manifest_of(connection, dataset, number) is None:
                catalog_journal.adopt(connection, journal, dataset)

    def keep_from(self, dataset: str, created_at: str) -> list[FileRef]:
        """Gives up the files of versions made before a time (ISO 8601, UTC); returns those that no other version has.

        Their history stays. The newest version's files are always kept.
        """
        with self._change(dataset) as connection:
            versions.keep_from(connection, dataset, created_at)
            if journal := self._journal(dataset):
                catalog_journal.keep_outcomes(connection, journal, dataset, None)
            return versions.not_kept(connection, dataset)

    def documented(self, dataset: str) -> int:
        """The newest version that has a manifest; 0 where none has."""
        table = models.versions
        query = select(func.max(_VERSION)).where(table.c.dataset == dataset, table.c.manifest.is_not(None))
        with self._read() as connection:
            return connection.scalar(query) or 0

    def documents_lost(self, dataset: str, numbers: Sequence[int]) -> list[str]:
        """Where documents beside the files should be that lack what the catalog says of these versions."""
        journal = self._journal(dataset)
        with self._read() as connection:
            # State of releases without manifests has no documents either.
            return catalog_journal.lost(connection, journal, dataset, numbers) if journal and numbers else []

    def forget_files(self, dataset: str) -> None:
        """Forgets the files that :meth:`keep_from` returned, once they are gone."""
        with self._change(dataset) as connection:
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

    def _newest(self, dataset: str, **values: str) -> Version | None:
        table = models.versions
        same = [table.c[name] == value for name, value in values.items()]
        query = select(func.max(table.c.number)).where(table.c.dataset == dataset, *same)
        with self._read() as connection:
            number = connection.scalar(query)
            return None if number is None else commits.single(versions.read(connection, dataset, [number]))


def _noted(journal: Journal) -> int:
    """The newest change that is noted; a damaged note is written again."""
    try:
        return journal.edition()
    except StateError:
        return 0
