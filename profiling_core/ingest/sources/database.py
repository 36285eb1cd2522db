"""Tables of databases, read in one transaction each: as a whole, by a growing column, or from a table of changes.

*As a whole*: the rows are compared with the stored ones, so inserts, updates and deletes are found; a digest that the
database computes shows beforehand whether there is anything to read. *By watermark*: rows whose column lies beyond the
applied value (less ``overlap``) are upserted; deletes are not seen. *By change table*: its rows, each with ``_op``, in
the order of the watermark column. If the watermark may miss changes, the table is read as a whole.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from profiling_core.ingest.parquet_bounds import may_come_to
from profiling_core.ingest.rows import CHUNK_ROWS, LONGEST_ROW, OPERATION
from profiling_core.ingest.sources import extracts
from profiling_core.ingest.sources.arrow_rows import differences
from profiling_core.ingest.sources.extracts import Extract, check_count
from profiling_core.ingest.sources.formats import ParquetReader
from profiling_core.ingest.sources.moment import Moment
from profiling_core.ingest.sources.passing import passing_folder
from profiling_core.ingest.sources.protocol import Applied, Batch, Found, Position, newest_position
from profiling_core.ingest.sources.queries import Extent, before, select, table_named
from profiling_core.ingest.sources.session import Session
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta import Operation
from profiling_core.model.errors import ConfigurationError, HoldfastError, InputError
from profiling_core.state.connections import address
from profiling_core.state.settings import Settings
from profiling_core.state.urls import without_secrets

_REPEATABLE = {
    Operation.INSERT.value: Operation.UPSERT.value,
    Operation.UPDATE.value: Operation.UPSERT.value,
    Operation.DELETE.value: Operation.REMOVE.value,
}


_ROW = "holdfast row"
_AT_ONCE = 64 << 20  # bytes of text in memory at once
LONGEST_QUERY = 3600
"""Seconds that a query may take, unless the database's address says otherwise: a view may never end."""


class Database:
    """A table of a database; a subclass knows how to reach it.

    ``is_in_process`` says that queries use this process's memory, so that a digest, too, needs rows of bounded length.
    """

    is_in_process: ClassVar[bool] = False

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        self._settings = settings
        self._source = table.source
        self._keyed = bool(table.key)
        self._table = table_named(table.source.table or "")
        self._changes = table_named(table.source.change_table or "")
        self._moment: Moment | None = None

    def session(self) -> AbstractContextManager[Session]:
        """A transaction; raises ``UnreachableError`` where the database does not answer."""
        raise NotImplementedError

    def told(self, error: Exception) -> HoldfastError | None:
        """An error of the database's driver as a message for people; None: the driver did not raise it."""
        raise NotImplementedError

    def read_at(self, moment: Moment) -> None:
        """From now on reads the state of this database at a shared moment."""
        self._moment = moment

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        try:
            if self._moment is not None:
                yield self._moment.session(self.url, self.session)
            else:
                with self.session() as session:
                    yield session
        except Exception as error:
            told = self.told(error)
            if told is None:
                raise
            raise told from error

    @property
    def url(self) -> str:
        """Where the database is, with secrets."""
        return address(self._source)

    @property
    def where(self) -> str:
        """The database and the table, without secrets."""
        return f"{without_secrets(self.url)}, table {self._source.table}"

    def look(self, applied: Applied, label: str | None) -> Found:
        """One delta, if the table differs from the applied state."""
        since = newest_position(applied)
        with self._reading() as session:
            position = self._position(session)
        if since is not None and {k: since.get(k) for k in position} == position:
            return Found()
        digest = hashlib.sha256(json.dumps(position, sort_keys=True).encode()).hexdigest()[:8]
        return Found((f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}.{digest}",)).up_to(label)

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """The rows as they are now, read into files."""
        return self.extract(delta_ids, applied, Extract(passing_folder(self._settings), self.where))

    def extract(self, delta_ids: Sequence[str], applied: Applied, extract: Extract) -> Batch:
        """As :meth:`open`, into the files of an extract."""
        since = newest_position(applied)
        with self._reading() as session:
            position = self._position(session) if delta_ids else {}
            whole = since is None or not self._source.watermark or not self._continues(session, since)
            if delta_ids:
                self._read(session, extract, None if whole else since)
            snapshot = {"snapshot": session.snapshot} if session.snapshot else {}
        notes = []
        if whole and since is not None and self._source.watermark:
            notes = [f"{self.where} is compared as a whole: {self._source.watermark} does not show what is new"]
        return Batch(
            tuple(extract.parts),
            ParquetReader(),
            operations=not whole,
            whole=whole,
            positions=dict.fromkeys(delta_ids, position | snapshot),
            deltas=tuple(delta_ids[-1:]),
            notes=tuple(notes),
        )

    def confirm(self, batch: Batch) -> None:
        """Removes the files; one transaction has read them, so nothing can have changed."""
        extracts.remove(batch)

    def _position(self, session: Session) -> dict[str, Any]:
        columns = {"columns": session.names(self._table)}
        if not self._source.watermark:
            count, digest = self._content(session, None)
            return {"rows_there": count, "digest": digest, **columns}
        newest = exp.cast(exp.Max(this=self._mark), "text")
        ((watermark,),) = session.rows(exp.select(newest).from_(self._followed))
        latest = self._content(session, self._from(watermark))
        return {"by": self._by, "watermark": watermark, "latest": latest, **columns}

    def _content(self, session: Session, rows: exp.Condition | None) -> list[Any]:
        """The number of these rows, and their digest."""
        if self.is_in_process:
            self._extent(session, session.schema(self._followed), self._followed, rows)
        table = self._followed.as_(_ROW, quoted=True)  # else a column of the table's name would be taken for the row
        query = exp.select(exp.Count(this=exp.Star()), session.row_digest(_ROW)).from_(table)
        ((count, digest),) = session.rows(query if rows is None else query.where(rows))
        return [count, str(digest)]

    @property
    def _by(self) -> list[str | None]:
        """The table and column of the watermark."""
        return [self._source.change_table, self._source.watermark]

    @property
    def _followed(self) -> exp.Table:
        """The table that is watched for changes."""
        return self._changes if self._source.change_table else self._table

    @property
    def _mark(self) -> exp.Column:
        return exp.column(self._source.watermark or "", quoted=True)

    def _from(self, watermark: str | None) -> exp.Condition:
        """The rows from a watermark less the overlap on; and rows without one, which may have come at any time."""
        unknown: exp.Condition = self._mark.is_(exp.null())
        if watermark is None:
            return unknown
        return exp.or_(unknown, self._mark >= exp.Literal.string(before(watermark, self._source.overlap)))

    def _continues(self, session: Session, since: Position) -> bool:
        """Whether all changes lie beyond the watermark.

        Rows with a key may come again, since they are upserted. Without a key no row may come again, so the rows up to
        the
        watermark must be unchanged. The newest applied row of a change table must still be there; in another table at
        least one
        row as new must be there, else it was emptied or reset.
        """
        if since.get("by") != self._by or since["watermark"] is None:
            return False
        mark = exp.Literal.string(since["watermark"])
        if not self._keyed:
            return bool(
                since.get("latest") == self._content(session, exp.and_(self._from(mark.name), self._mark <= mark))
            )
        reached = self._mark.eq(mark) if self._source.change_table else self._mark >= mark
        newest = exp.select(exp.Count(this=exp.Star())).from_(self._followed).where(reached)
        return session.rows(newest) != [(0,)]

    def _read(self, session: Session, extract: Extract, since: Position | None) -> None:
        if since is None:
            schema = session.schema(self._table)
            query, extent = select(schema, self._table), self._extent(session, schema, self._table)
            at_once = _at_once(extent)
            paths = session.read_apart(query, self._table, schema, at_once, extract.folder)
            if paths is None:
                extract.add(session.batches(query, schema, at_once), schema)
            else:
                extract.take(paths)
            extract.check(extent.rows)
            return
        fresh = self._from(since["watermark"]) if self._keyed else self._mark > exp.Literal.string(since["watermark"])
        if self._source.change_table:
            schema = self._changes_schema(session, fresh)
            rows = self._batches(session, schema, self._changes, fresh, self._mark)
            extract.add(map(_repeatable, rows), schema)
            return
        schema = session.schema(self._table, fresh)
        rows = differences((), self._batches(session, schema, self._table, fresh))
        extract.add(rows, schema.append(pa.field(OPERATION, pa.string())))

    def _batches(
        self,
        session: Session,
        schema: pa.Schema,
        table: exp.Table,
        rows: exp.Condition | None = None,
        by: exp.Column | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Some rows of a table, perhaps ordered by a column, in batches that fit into memory.

        Raises:
            InputError: a row is too long, or all rows come to far more than is stored.
        """
        extent, read = self._extent(session, schema, table, rows), 0
        query = select(schema, table)
        query = query if rows is None else query.where(rows)
        for batch in session.batches(query if by is None else query.order_by(by), schema, _at_once(extent)):
            read += batch.num_rows
            yield batch
        check_count(extent.rows, read, self.where)

    def _extent(
        self, session: Session, schema: pa.Schema, table: exp.Table, rows: exp.Condition | None = None
    ) -> Extent:
        """The extent of some rows; raises ``InputError`` where it exceeds the bounds."""
        extent = session.extent(table, schema, rows)
        if extent.longest > LONGEST_ROW:
            raise self._too_much(f"a row has {extent.longest:,} bytes of text, and can have {LONGEST_ROW:,}")
        if extent.whole > may_come_to(session.size()):
            raise self._too_much("its rows come to far more than the database holds")
        return extent

    def _too_much(self, what: str) -> InputError:
        return InputError(
            what,
            where=self.where,
            remedy="if that is no mistake, follow a view without the long columns, or a table that holds the rows",
        )

    def _changes_schema(self, session: Session, fresh: exp.Condition) -> pa.Schema:
        """The table's columns with the types of the change table, and ``_op``."""
        names = session.names(self._table)
        found = session.schema(self._changes, fresh)
        missing = [name for name in (*names, OPERATION) if name not in found.names]
        if missing:
            raise ConfigurationError(
                f"the table of changes has no column {missing[0]!r}",
                where=self.where,
                remedy=f"add it to {self._source.change_table}, which has the table's columns and {OPERATION}",
            )
        return pa.schema([found.field(name) for name in (*names, OPERATION)])


def _at_once(extent: Extent) -> int:
    """How many of these rows fit into memory at once."""
    return max(1, min(CHUNK_ROWS, _AT_ONCE // max(extent.longest, 1)))


def _repeatable(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Changes as upserts and removes: one transaction of a delta may delete a row that another inserts."""
    places = pc.index_in(batch.column(OPERATION), pa.array(list(_REPEATABLE)))
    operation = pc.coalesce(pa.array(list(_REPEATABLE.values())).take(places), batch.column(OPERATION))
    return batch.set_column(batch.schema.get_field_index(OPERATION), OPERATION, operation)
