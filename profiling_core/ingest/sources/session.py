"""The operations of a database transaction that a source needs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from sqlglot import exp

from profiling_core.ingest.sources.queries import Extent


class Session(Protocol):
    """A transaction that reads one state of a database.

    Attributes:
        snapshot: the database's name for that state; empty if it has none.
    """

    snapshot: str

    def schema(self, table: exp.Table, rows: exp.Condition | None = None) -> pa.Schema:
        """The columns of a table with the types that hold the values of some of its rows (None: all).

        Where no type holds them (more than 38 digits, days before the year 1 or after 9999), the column is text.
        """
        ...

    def names(self, table: exp.Table) -> list[str]:
        """The columns of a table."""
        ...

    def size(self) -> int:
        """The bytes that the database's storage takes."""
        ...

    def extent(self, table: exp.Table, schema: pa.Schema, rows: exp.Condition | None = None) -> Extent:
        """The extent of some rows of a table (None: all of them)."""
        ...

    def batches(self, query: exp.Select, schema: pa.Schema, at_once: int) -> Iterator[pa.RecordBatch]:
        """The rows of a query that selects columns of :meth:`schema`, at most ``at_once`` in a batch."""
        ...

    def read_apart(
        self, query: exp.Select, table: exp.Table, schema: pa.Schema, at_once: int, folder: Path
    ) -> list[Path] | None:
        """The files of a query of one table, read by several processes at this moment; None: one process is better.

        Raises:
            UnreachableError: a process ended before it had read its part.
        """
        ...

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """The rows of a query that has few."""
        ...

    def row_digest(self, alias: str) -> exp.Expression:
        """An aggregate over the rows of an aliased table that tells two contents apart, in any order of rows."""
        ...
