"""The configuration of a table's source; imports no package but pydantic."""

import codecs
from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from profiling_core.model.dialect import CsvDialect, InnerQuotes, Long, Short, may_delimit
from profiling_core.model.number_marks import Marks


class Strict(BaseModel):
    """A part of the configuration: unknown fields are errors, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SourceFormat(StrEnum):
    """The formats of sources."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    DEBEZIUM = "debezium"
    PARQUET_TABLE = "parquet-table"
    DELTA = "delta"
    ICEBERG = "iceberg"
    POSTGRESQL = "postgresql"
    DUCKDB = "duckdb"
    SPARK_TABLE = "spark-table"


class SourceKind(StrEnum):
    """The meaning of a delta's rows: changes, new rows, or the whole table."""

    CHANGES = "changes"
    APPEND = "append"
    SNAPSHOT = "snapshot"


_WHEN = frozenset({"marker", "settle_seconds"})
_ACCEPTED = frozenset({"late", "repeated"})
_OF_DATABASE = frozenset({"url", "url_env", "url_connection", "table", "watermark", "overlap", "change_table"})
_DIALECT = frozenset(field.name for field in fields(CsvDialect))
FIELDS: Mapping[SourceFormat, frozenset[str]] = {
    SourceFormat.CSV: frozenset({"path", "kind", "operation", "null_values", "decimal", "thousands", "version"})
    | _DIALECT
    | _WHEN
    | _ACCEPTED,
    SourceFormat.JSONL: frozenset({"path", "kind", "operation", "version"}) | _WHEN | _ACCEPTED,
    SourceFormat.PARQUET: frozenset({"path", "kind", "operation", "version"}) | _WHEN | _ACCEPTED,
    SourceFormat.DEBEZIUM: frozenset({"path"}) | _WHEN,
    SourceFormat.PARQUET_TABLE: frozenset({"path", "settle_seconds", "history"}),
    SourceFormat.DELTA: frozenset({"path", "history"}),
    SourceFormat.ICEBERG: frozenset({"catalog", "table", "history"}),
    SourceFormat.POSTGRESQL: _OF_DATABASE,
    SourceFormat.DUCKDB: _OF_DATABASE,
    SourceFormat.SPARK_TABLE: frozenset({"table"}),
}
"""The fields that each format takes, ``format`` apart."""


class Source(Strict):
    """The source of a table's deltas; :data:`FIELDS` lists the fields of each format.

    Files land as one file ``<delta id>.<ext>`` or directory ``<delta id>/`` per delta under ``path``.
    ``path`` is relative to the project root unless absolute. Delta ids apply in ascending order as text.
    """

    path: str = ""
    format: SourceFormat = SourceFormat.CSV
    kind: SourceKind = SourceKind.CHANGES
    operation: Annotated[str, Field(min_length=1)] = "_op"
    null_values: tuple[str, ...] = ("",)
    delimiter: Annotated[str, Field(min_length=1)] = ","
    quote: Annotated[str, Field(max_length=1)] = '"'
    escape: Annotated[str, Field(max_length=1)] = ""
    inner_quotes: InnerQuotes = "doubled"
    places: tuple[Annotated[int, Field(ge=0)], ...] = ()
    encoding: str = "utf-8"
    comment: str = ""
    skip_rows: Annotated[int, Field(ge=0)] = 0
    header: Annotated[int, Field(ge=0)] = 1
    skip_below: Annotated[int, Field(ge=0)] = 0
    names: tuple[str, ...] = ()
    width: Annotated[int, Field(ge=0)] = 0
    row_names: bool = True
    framed: bool = False
    repeated_header: bool = False
    skip_footer: Annotated[int, Field(ge=0)] = 0
    trim: bool = False
    short_rows: Short = "reject"
    long_rows: Long = "reject"
    decimal: Literal[".", ","] = "."
    thousands: Literal["", ",", ".", " ", "'"] = ""
    version: str | None = None
    marker: str | None = None
    settle_seconds: Annotated[float, Field(ge=0)] | None = None
    late: Literal["refuse", "apply"] = "refuse"
    repeated: Literal["refuse", "apply"] = "refuse"
    catalog: str | None = None
    url: str | None = None
    url_env: str | None = None
    url_connection: str | None = None
    table: str | None = None
    watermark: str | None = None
    overlap: Annotated[float, Field(ge=0)] = 0.0
    change_table: str | None = None
    history: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _fits(self) -> "Source":
        strange = sorted(self.model_fields_set - FIELDS[self.format] - {"format"})
        if strange:
            allowed = ", ".join(sorted(FIELDS[self.format]))
            raise ValueError(f"{strange[0]} is not for format: {self.format}, which takes {allowed}")
        self._has_all()
        self._has_names()
        _ = self.marks  # raises if both marks are the same
        if self.marker is not None and "{delta}" not in self.marker:
            raise ValueError("the marker does not name {delta}, such as '{delta}.done' or '{delta}/_SUCCESS'")
        if self.late == "apply" and self.kind is SourceKind.SNAPSHOT:
            raise ValueError("late: apply would undo later changes with an older snapshot")
        if self.version is not None and self.kind is not SourceKind.CHANGES:
            raise ValueError("a version column needs kind: changes")
        if "operation" in self.model_fields_set and self.kind is not SourceKind.CHANGES:
            raise ValueError("a column of operations needs kind: changes")
        return self

    @property
    def marks(self) -> Marks | None:
        """The marks of numbers in its texts; None if the format has numbers of its own."""
        return Marks(self.decimal, self.thousands) if "thousands" in FIELDS[self.format] else None

    @property
    def dialect(self) -> CsvDialect:
        """How its CSV files are written."""
        return CsvDialect(**{name: getattr(self, name) for name in _DIALECT})

    def _has_names(self) -> None:
        if bool(self.names) == bool(self.header) and self.format is SourceFormat.CSV:
            raise ValueError("names are given to the columns of files without a header (header: 0), and to no others")
        if not may_delimit(self.delimiter):
            raise ValueError("a delimiter of several characters has no letter, digit, quote or line end")
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            raise ValueError(f"encoding {self.encoding!r} is not known; write utf-8, cp1252 or utf-16") from error

    def _has_all(self) -> None:
        allowed = FIELDS[self.format]
        for name in ("path", "catalog", "table"):
            if name in allowed and not getattr(self, name):
                raise ValueError(f"format: {self.format} needs {name}")
        if "url" in allowed:
            check_one_url(self.url, self.url_env, self.url_connection)
        if self.change_table and not self.watermark:
            raise ValueError("a change_table needs a watermark: the column that orders its rows")


def check_one_url(*given: str | None) -> None:
    """Raises ``ValueError`` unless exactly one of ``url``, ``url_env`` and ``url_connection`` is given."""
    if sum(value is not None for value in given) != 1:
        raise ValueError("give exactly one of url, url_env and url_connection")
