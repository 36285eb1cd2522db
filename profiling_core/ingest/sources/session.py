"""What a transaction of a database can do for a source that reads it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from sqlglot import exp

from profiling_core.ingest.sources.queries import Extent


class Session(Protocol):
    """A transaction that reads one state of a database.

    Attributes:
        snapshot: what the database calls that state; empty where it has no name for it.
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
        """The bytes that the database takes where it is stored."""
        ...

    def extent(self, table: exp.Table, schema: pa.Schema, rows: exp.Condition | None = None) -> Extent:
        """What some rows of a table come to (None: all of them)."""
        ...

    def batches(self, query: exp.Select, schema: pa.Schema, at_once: int) -> Iterator[pa.RecordBatch]:
        """The rows of a query that selects columns of :meth:`schema`, at most ``at_once`` in a batch."""
        ...

    def read_apart(
        self, query: exp.Select, table: exp.Table, schema: pa.Schema, at_once: int, folder: Path
    ) -> list[Path] | None:
        """The files of a query of one table, which several processes read at this moment; None: this one does better.

        Raises:
            UnreachableError: a process ended before it had read its part.
        """
        ...

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """The few rows of a query."""
        ...

    def row_digest(self, alias: str) -> exp.Expression:
        """An aggregate over the rows of a table so called that tells two contents apart, whatever their order."""
        ...
