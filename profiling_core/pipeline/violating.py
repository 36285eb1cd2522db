"""All rows that violate a constraint now, for people to page through: DuckDB asks the rows of the newest version.

The same query as in suites and exports, over the version's own files; on the machine that is asked, with bounded memory
and time, and without Spark, so that a server of pages can run it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Timer
from typing import TYPE_CHECKING

from profiling_core.emit.comparison import InexpressibleError, name
from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.sql import violating_rows
from profiling_core.model.constraint import Constraint
from profiling_core.model.delta import DELTA_ID, ROW_ID
from profiling_core.model.errors import InputError
from profiling_core.model.origin import Origin
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.texts import value_text
from profiling_core.model.types import LogicalType
from profiling_core.model.version import ROWS, Version
from profiling_core.pipeline.lifecycle_step import origins_of
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LONGEST_SECONDS = 20.0
"""How long a person waits for a page; a proxy gives up after 30 to 60 seconds."""
MEMORY = "1GB"
"""What a query may take beside the server of the pages; beyond it DuckDB writes to its temporary folder."""
HIDDEN = "•••"
_ID = DELTA_ID


@dataclass(frozen=True, slots=True)
class ViolatingRows:
    """Some of the rows that violate a constraint, from the ``first`` (0) on, of ``total``.

    ``columns`` are those that the constraint speaks of, then the table's key; redacted values are :data:`HIDDEN`.
    ``origins`` say of each of the rows where it came from.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    origins: tuple[Origin, ...]
    first: int
    total: int


def violating(work: Workspace, version: Version, constraint: Constraint, *, first: int, count: int) -> ViolatingRows:
    """Some of the rows that violate a constraint in a version; rows that contradict each other stand together.

    Raises:
        InputError: DuckDB is not installed, the query takes too long or too much, or SQL cannot ask exactly that.
        StateError: the version's files are damaged, or not kept any more.
    """
    schemas = {table: _with_id(version.tables[table].schema) for table in constraint.tables if table in version.tables}
    text = _query(work, constraint, schemas)
    with _asking(work, version, schemas) as connection:
        found = connection.sql(text)
        total = found.count("*").fetchall()[0][0]
        columns = tuple(map(str, found.columns))
        shown = found.order(_order(constraint, columns)).limit(count, offset=first).fetchall()
    hidden, place = work.config.redacted(constraint.tables[0]), columns.index(_ID)
    known = origins_of(work, version)(constraint.tables[0])
    rows = tuple(
        tuple(
            HIDDEN if column in hidden else value_text(value)
            for column, value in zip(columns, row, strict=True)
            if column != _ID
        )
        for row in shown
    )
    names = tuple(column for column in columns if column != _ID)
    return ViolatingRows(names, rows, tuple(known.of(row[place]) for row in shown), first, int(total))


def _with_id(schema: TableSchema) -> TableSchema:
    """The schema with the id of a row as a part of the key, under a name that no column of a table has."""
    return replace(
        schema,
        columns=(*schema.columns, Column(_ID, LogicalType.INTEGER, ordered=True, profiled=False)),
        key=(*schema.key, _ID),
    )


def _query(work: Workspace, constraint: Constraint, schemas: Mapping[str, TableSchema]) -> str:
    """What DuckDB is asked; raises ``InputError`` where it cannot be asked."""
    if constraint.of_deltas:
        raise InputError("this rule is about deltas as a whole: no row violates it")
    gone = [c for side in constraint.sides for c in side.columns if c not in _names(schemas, side.table)]
    if gone:
        raise InputError(f"the newest version no longer has the column {gone[0]!r}, which this rule speaks of")
    try:
        query = violating_rows(constraint, schemas, work.config.nulls_of(constraint.tables[0]))
    except InexpressibleError as error:
        raise InputError(f"its violating rows cannot be asked for in SQL: {error}") from error
    return sql_text(query, schemas, Dialect.DUCKDB)


def _order(constraint: Constraint, columns: Sequence[str]) -> str:
    """Rows that contradict each other together, what few of them say before what most say; the key, a column, last."""

    def quoted(names: Sequence[str]) -> list[str]:
        return [name(column).sql("duckdb") for column in names]

    groups = quoted(constraint.determinant)
    alike = ", ".join([*groups, *quoted(constraint.telling)])
    rare = [f"count(*) OVER (PARTITION BY {alike})"] if groups else []
    return ", ".join([*groups, *rare, *quoted(columns)])


def _names(schemas: Mapping[str, TableSchema], table: str) -> tuple[str, ...]:
    return tuple(schemas[table].names) if table in schemas else ()


@contextmanager
def _asking(work: Workspace, version: Version, schemas: Mapping[str, TableSchema]) -> "Iterator[DuckDBPyConnection]":
    """A connection in which the version's tables have their names; what it asks ends after a while."""
    try:
        import duckdb
    except ImportError as error:
        raise InputError(
            "the rows are shown where DuckDB is installed", remedy="pip install 'holdfast[duckdb]' beside Airflow"
        ) from error
    import pyarrow as pa

    from profiling_core.spark.snapshot import read_vector

    with duckdb.connect(config={"memory_limit": MEMORY, "threads": 1}) as connection:
        for table in schemas:
            rows = connection.read_parquet([str(file) for file in work.store.verified(version.files_of(ROWS, table))])
            gone = pa.table({ROW_ID: pa.array(read_vector(work.store, version, table).to_array(), pa.int64())})
            there = rows.join(connection.from_arrow(gone).set_alias("gone"), ROW_ID, how="anti")
            own = [name(column).sql("duckdb") for column in schemas[table].names if column != _ID]
            there.project(", ".join([*own, ROW_ID, f"{ROW_ID} AS {_ID}"])).create_view(table)
        timer = Timer(LONGEST_SECONDS, connection.interrupt)
        timer.start()
        try:
            yield connection
        except duckdb.Error as error:
            raise InputError(
                f"the rows could not be found within {LONGEST_SECONDS:g} seconds and {MEMORY} of memory",
                where=str(error).partition("\n")[0],
                remedy="holdfast explain shows examples; holdfast export --format sql writes the query as a view",
            ) from error
        finally:
            with suppress(RuntimeError):
                timer.cancel()
