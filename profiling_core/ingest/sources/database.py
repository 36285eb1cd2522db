"""Tables of databases, read in one transaction each: as a whole, by a column that grows, or from a table of changes.

*As a whole*: the rows are compared with the stored ones, so inserts, updates and deletes are found; a digest that the
database computes tells beforehand whether there is anything to read. *By watermark*: rows whose column lies beyond what
is applied (and ``overlap`` before that) are put in place; deletes are not seen. *By change table*: its rows, each with
``_op``, in the order of the watermark column.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from profiling_core.ingest.rows import OPERATION
from profiling_core.ingest.sources import extracts
from profiling_core.ingest.sources.arrow_rows import differences
from profiling_core.ingest.sources.extracts import Extract
from profiling_core.ingest.sources.formats import ParquetReader
from profiling_core.ingest.sources.protocol import Applied, Batch, Found, Position, newest_position
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta import Operation
from profiling_core.state.connections import address
from profiling_core.state.settings import Settings, without_secrets

_REPEATABLE = {
    Operation.INSERT.value: Operation.UPSERT.value,
    Operation.UPDATE.value: Operation.UPSERT.value,
    Operation.DELETE.value: Operation.REMOVE.value,
}


class Session(Protocol):
    """A transaction that reads one state of a database."""

    def schema(self, table: exp.Table) -> pa.Schema:
        """The columns of a table with their types.

        Raises:
            ConfigurationError: there is no such table.
        """
        ...

    def batches(self, query: exp.Select, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows of a query that selects columns of :meth:`schema`."""
        ...

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """The few rows of a query."""
        ...

    def row_digest(self, table: exp.Table) -> exp.Expression:
        """An aggregate over the rows of a table that tells two contents apart, whatever their order."""
        ...


class Database:
    """A table of a database; a subclass knows how to reach it."""

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        self._settings = settings
        self._source = table.source
        self._keyed = bool(table.key)
        self._table = _table(table.source.table or "")
        self._changes = _table(table.source.change_table or "")

    def session(self) -> AbstractContextManager[Session]:
        """A transaction; raises ``UnreachableError`` where the database does not answer."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        """Where the database is, with secrets."""
        return address(self._source)

    @property
    def where(self) -> str:
        """The database and the table, without secrets."""
        return f"{without_secrets(self.url)}, table {self._source.table}"

    def look(self, applied: Applied, label: str | None) -> Found:
        """One delta, where the table is another one than what is applied."""
        since = newest_position(applied)
        with self.session() as session:
            position = self._position(session)
        if since is not None and {k: since.get(k) for k in position} == position:
            return Found()
        if since is not None and position.get("watermark") is None and self._source.watermark:
            return Found()
        digest = hashlib.sha256(json.dumps(position, sort_keys=True).encode()).hexdigest()[:8]
        return Found((f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}.{digest}",)).up_to(label)

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """The rows as they are now, read into files."""
        since = newest_position(applied)
        whole = since is None or not self._source.watermark
        extract = Extract(self._settings, self.where)
        with self.session() as session:
            position = self._position(session) if delta_ids else {}
            if delta_ids:
                self._read(session, extract, None if whole else since, position)
        return Batch(
            tuple(extract.parts),
            ParquetReader(),
            operations=not whole,
            whole=whole,
            positions=dict.fromkeys(delta_ids, position),
            deltas=tuple(delta_ids[-1:]),
        )

    def confirm(self, batch: Batch) -> None:
        """Removes the files; one transaction has read them, so nothing can have changed."""
        extracts.remove(batch)

    def _position(self, session: Session) -> dict[str, Any]:
        if self._source.watermark:
            table = self._changes if self._source.change_table else self._table
            ((watermark,),) = session.rows(exp.select(exp.Max(this=self._mark())).from_(table))
            return {"watermark": None if watermark is None else _text(watermark)}
        ((count, digest),) = session.rows(
            exp.select(exp.Count(this=exp.Star()), session.row_digest(self._table)).from_(self._table)
        )
        return {"rows_there": count, "digest": str(digest)}

    def _mark(self) -> exp.Column:
        return exp.column(self._source.watermark or "", quoted=True)

    def _read(self, session: Session, extract: Extract, since: Position | None, position: Position) -> None:
        schema = session.schema(self._table)
        if since is None:
            extract.add(session.batches(_select(schema, self._table), schema), schema)
            return
        newest = exp.Literal.string(position["watermark"])
        fresh = self._mark() <= newest
        if self._source.change_table:
            schema = schema.append(pa.field(OPERATION, pa.string()))
            query = _select(schema, self._changes).where(fresh).order_by(self._mark())
            if since["watermark"] is not None:
                query = query.where(self._mark() > exp.Literal.string(since["watermark"]))
            extract.add(map(_repeatable, session.batches(query, schema)), schema)
            return
        query = _select(schema, self._table).where(fresh)
        if since["watermark"] is not None:
            begin = exp.Literal.string(_before(since["watermark"], self._source.overlap))
            query = query.where(self._mark() >= begin if self._keyed else self._mark() > begin)
        rows = differences((), session.batches(query, schema))
        extract.add(rows, schema.append(pa.field(OPERATION, pa.string())))


def _repeatable(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Changes of several transactions: what one inserts another may delete, before any of them is applied."""
    places = pc.index_in(batch.column(OPERATION), pa.array(list(_REPEATABLE)))
    operation = pc.coalesce(pa.array(list(_REPEATABLE.values())).take(places), batch.column(OPERATION))
    return batch.set_column(batch.schema.get_field_index(OPERATION), OPERATION, operation)


def _select(schema: pa.Schema, table: exp.Table) -> exp.Select:
    return exp.select(*(exp.column(name, quoted=True) for name in schema.names)).from_(table)


def _table(name: str) -> exp.Table:
    """A table by its name, with its schema and catalog before it where they are given."""
    *before, own = name.split(".")
    catalog, schema = [None, None, *before][-2:]
    return exp.table_(own, db=schema, catalog=catalog, quoted=True)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime | date) else str(value)


def _before(watermark: str, overlap: float) -> str:
    """A watermark moved back: numbers by as much, times by as many seconds."""
    if not overlap:
        return watermark
    try:
        return str(int(watermark) - int(overlap))
    except ValueError:
        return (datetime.fromisoformat(watermark) - timedelta(seconds=overlap)).isoformat()
