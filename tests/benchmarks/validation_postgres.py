"""What the same checks cost in PostgreSQL: the second table of ``make bench-validation``."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
from databases.postgres_server import PostgresServer, binaries

from benchmarks.pages import seconds
from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.sql import violating_rows
from profiling_core.model.constraint import Constraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_TYPES = {LogicalType.INTEGER: "bigint", LogicalType.FLOAT: "double precision", LogicalType.STRING: "text"}
_TICKS = os.sysconf("SC_CLK_TCK")


def measured(
    rows: dict[str, pa.Table], schemas: dict[str, TableSchema], constraints: dict[str, Constraint]
) -> list[tuple[object, ...]]:
    """Per check its CPU seconds of the server's process, beside those of one scan; none where there is no server."""
    programs = binaries()
    if programs is None:
        return []
    with _server(programs) as connection:
        for name, table in rows.items():
            _fill(connection, schemas[name], table)
        scan = "SELECT sum(hashtextextended(o::text, 0)) FROM orders AS o"
        _timed(connection, scan)
        alone, wall, _ = _timed(connection, scan)
        found: list[tuple[object, ...]] = [("one full scan", seconds(alone), "1.0", seconds(wall), "")]
        for name, constraint in constraints.items():
            query = sql_text(violating_rows(constraint, schemas, NullSemantics.SQL), schemas, Dialect.POSTGRES)
            cpu, wall, count = _timed(connection, f"SELECT count(*) FROM ({query}) AS found")
            found.append((name, seconds(cpu), f"{cpu / alone:.1f}", seconds(wall), count))
    return found


@contextmanager
def _server(programs: Path) -> Iterator[psycopg.Connection[Any]]:
    server = PostgresServer(programs)
    try:
        with psycopg.connect(server.new_database(), autocommit=True) as connection:
            connection.execute("SET max_parallel_workers_per_gather = 0")  # all work in the process that is measured
            connection.execute("SET work_mem = '256MB'")
            yield connection
    finally:
        server.stop()


def _fill(connection: psycopg.Connection[Any], schema: TableSchema, table: pa.Table) -> None:
    columns = ", ".join(f"{c.name} {_TYPES[c.type]}" for c in schema.columns)
    connection.execute(f"CREATE TABLE {schema.table} ({columns})".encode())
    with connection.cursor().copy(f"COPY {schema.table} FROM STDIN".encode()) as copy:
        for batch in table.drop_columns([ROW_ID]).to_batches(10_000):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)
    connection.execute(f"VACUUM ANALYZE {schema.table}".encode())


def _timed(connection: psycopg.Connection[Any], query: str) -> tuple[float, float, object]:
    stat = Path(f"/proc/{connection.info.backend_pid}/stat")
    cpu, wall = _used(stat), time.monotonic()
    row = connection.execute(query.encode()).fetchone()
    return _used(stat) - cpu, time.monotonic() - wall, row[0] if row else None


def _used(stat: Path) -> float:
    user, system = stat.read_text("ascii").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / _TICKS
