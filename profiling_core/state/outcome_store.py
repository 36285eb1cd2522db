"""The outcomes of a dataset's versions: constraints, changes, decisions, incidents, validations and messages.

The catalog (:mod:`catalog`) has the versions themselves. What people decide and what steps find out after a commit is
written here, in transactions of its own, and beside the version's files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from sqlalchemy import Connection, and_, select

from profiling_core.model.change import ChangeSet
from profiling_core.model.decision import Decision
from profiling_core.model.errors import StateError
from profiling_core.model.incident import Incident
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.message import Message
from profiling_core.state import catalog_journal, commits, incidents, models, outbox, outcomes
from profiling_core.state.engine import open_engine, transaction
from profiling_core.state.journal import Journal
from profiling_core.state.objects import Place
from profiling_core.state.outbox import Outbox
from profiling_core.state.records import AlertRecord, ValidationRecord
from profiling_core.state.row_checksums import change

_VERSION = models.versions.c.number


class Outcomes:
    """What a catalog knows beside its versions; :class:`Catalog` is made of it, and says what all methods raise."""

    def __init__(self, url: str, home: Place | None = None) -> None:
        """A catalog whose documents lie below ``home`` (None: for a look at a database alone, they are left out)."""
        self._engine = open_engine(url)
        self._home = home

    @property
    def location(self) -> str:
        """The catalog's URL for people, without a password."""
        return self._engine.url.render_as_string(hide_password=True)

    def settle(
        self,
        tracked: Sequence[Tracked],
        changes: ChangeSet,
        messages: Iterable[Message] = (),
        opened: Iterable[Incident] = (),
        known: Iterable[Incident] | None = None,
    ) -> ChangeSet:
        """Stores what a version has come to, and what is to be told of it, in one transaction; returns its changes.

        ``opened`` are the incidents that it opens or changes, ``known`` those that there were when this was found out
        (None: it does not matter).

        A version is settled once: repeated, or done by two processes at once, it gets what was stored the first time.

        Raises:
            ChangedMeanwhileError: one of the incidents is not as it was; nothing was stored.
        """
        dataset, number = changes.dataset, changes.version
        with self._write_for(dataset, number) as connection:
            settled = outcomes.read_changes(connection, dataset, number)
            if settled:
                return settled[0]
            now = commits.now()
            outcomes.write_tracked(connection, dataset, number, tracked, now)
            outcomes.write_changes(connection, changes, now)
            self._write_incidents(connection, dataset, opened, known)
            outbox.put(connection, dataset, messages, now)
        return changes

    def incidents(self, dataset: str) -> list[Incident]:
        """The dataset's incidents, by number."""
        with self._read() as connection:
            return incidents.read(connection, dataset)

    def save_incidents(
        self,
        dataset: str,
        changed: Iterable[Incident],
        messages: Iterable[Message] = (),
        known: Iterable[Incident] | None = None,
    ) -> None:
        """Stores incidents that refused deltas open or change, between versions, and what is to be told of them.

        ``known`` are those that there were when this was found out (None: it does not matter).

        Raises:
            ChangedMeanwhileError: one of them is not as it was; nothing was stored.
        """
        with self._change(dataset) as connection:
            self._write_incidents(connection, dataset, changed, known)
            outbox.put(connection, dataset, messages, commits.now())

    def handle(self, dataset: str, before: Incident, after: Incident, decided: Iterable[Decision] = ()) -> None:
        """Stores what a person does about an incident, and decides by it, in one transaction.

        Raises:
            ChangedMeanwhileError: the incident is not as the person found it; nothing was stored.
        """
        with self._change(dataset) as connection:
            for decision in decided:
                outcomes.write_decision(connection, dataset, decision, commits.now())
            self._write_incidents(connection, dataset, [after], [before])

    def _write_incidents(
        self, connection: Connection, dataset: str, changed: Iterable[Incident], known: Iterable[Incident] | None
    ) -> None:
        incidents.write(connection, dataset, changed, known, commits.now())
        # A delta that is refused before there is a version has no files to be written beside.
        if (journal := self._journal(dataset)) and commits.current_number(connection, dataset):
            catalog_journal.keep_outcomes(connection, journal, dataset, None)

    def mark_published(self, dataset: str, version: int) -> None:
        """Notes that a version's suites are written and validated."""
        with self._write_for(dataset, version) as connection:
            row = catalog_journal.version_row(connection, dataset, version)
            change(connection, models.versions, row, published_at=commits.now())

    def is_published(self, dataset: str, version: int) -> bool:
        """Whether a version's suites have been written and validated."""
        with self._read() as connection:
            return connection.scalar(select(models.versions.c.published_at).where(_is(dataset, version))) is not None

    @property
    def outbox(self) -> Outbox:
        """The messages that wait for their channels."""
        return Outbox(self._engine, self._change, self._keep_messages)

    def tracked(self, dataset: str, version: int | None = None) -> list[Tracked]:
        """The tracked constraints of a version, in the order given, without those that retired with it.

        Without a version: of the newest one whose constraints were saved, which after a crash between commit and diff
        is not the current one.
        """
        with self._read() as connection:
            return outcomes.read_tracked(connection, dataset, version)

    def chosen(self, dataset: str, version: int | None, fingerprints: Sequence[str]) -> list[Tracked]:
        """The tracked constraints of a version (None: as in :meth:`tracked`) that have these fingerprints."""
        with self._read() as connection:
            return outcomes.read_chosen(connection, dataset, version, fingerprints)

    def forgotten(self, dataset: str, version: int) -> list[str]:
        """The constraints tracked in a version that only earlier releases had a form for, as text."""
        with self._read() as connection:
            return outcomes.read_forgotten(connection, dataset, version)

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

    def decide(self, dataset: str, decision: Decision, seen: int | None = None) -> None:
        """Adds a person's decision about a constraint.

        ``seen`` is how many decisions about it there were when the person looked at it (None: it does not matter).

        Raises:
            StateError: the dataset has no version yet.
            ChangedMeanwhileError: somebody has decided about it since; nothing was stored.
        """
        with self._change(dataset) as connection:
            if not commits.current_number(connection, dataset):
                raise StateError(
                    f"dataset {dataset!r} has no constraints to decide about",
                    where=self.location,
                    remedy=f"apply a delta first: holdfast apply {dataset}",
                )
            if seen is not None:
                outcomes.check_decisions(connection, dataset, decision.constraint.fingerprint, seen)
            outcomes.write_decision(connection, dataset, decision, commits.now())
            if journal := self._journal(dataset):
                catalog_journal.keep_outcomes(connection, journal, dataset, None)

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
    def _change(self, dataset: str) -> Iterator[Connection]:
        """A transaction that changes what is known of a dataset: one after the other, counted, on no older catalog."""
        journal = self._journal(dataset)
        noted = journal.edition() if journal else 0
        with self._write() as connection:
            catalog_journal.check_edition(dataset, catalog_journal.edition(connection, dataset), noted, self.location)
            yield connection
            edition = catalog_journal.advance(connection, dataset)
        if journal and edition:
            journal.note_edition(edition)

    @contextmanager
    def _write_for(self, dataset: str, number: int) -> Iterator[Connection]:
        table = models.versions
        there = select(table.c.number).where(table.c.dataset == dataset, table.c.number == number)
        with self._change(dataset) as connection:
            if connection.scalar(there) is None:
                raise StateError(
                    f"dataset {dataset!r} has no version {number} to record anything for",
                    where=self.location,
                    remedy="commit the version first",
                )
            yield connection
            if journal := self._journal(dataset):
                catalog_journal.keep_outcomes(connection, journal, dataset, number)

    def _keep_messages(self, connection: Connection, dataset: str, number: int) -> None:
        """Writes what has become of a version's messages beside its files."""
        if (journal := self._journal(dataset)) and connection.scalar(select(_VERSION).where(_is(dataset, number))):
            catalog_journal.keep_outcomes(connection, journal, dataset, number)

    def _journal(self, dataset: str) -> Journal | None:
        return Journal(self._home, dataset) if self._home else None


def _is(dataset: str, number: int) -> Any:
    return and_(models.versions.c.dataset == dataset, models.versions.c.number == number)
