"""Files as parts of deltas: a reader per format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import pyarrow as pa

from profiling_core.ingest import csv_rows, json_rows
from profiling_core.ingest.csv_lines import count_lines, lines_in
from profiling_core.ingest.exact_numbers import EXACT
from profiling_core.ingest.number_forms import PLAIN_FORMED
from profiling_core.ingest.rows import OPERATION, RowChunk
from profiling_core.ingest.slashed_days import Reading, Slashed
from profiling_core.ingest.sources import parquet_rows
from profiling_core.ingest.sources.protocol import Reader
from profiling_core.ingest.sources.through import ThroughReader
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.source import Source, SourceFormat, SourceKind
from profiling_core.model.types import LogicalType
from profiling_core.spark.sources import SourcePart

_ALLOWED_BY_KIND: Mapping[str, frozenset[Reading]] = MappingProxyType(
    {
        "number": frozenset(
            {LogicalType.INTEGER, LogicalType.DECIMAL, LogicalType.FLOAT, LogicalType.STRING, *EXACT, *PLAIN_FORMED}
        ),
        "string": frozenset({LogicalType.DATE, LogicalType.TIMESTAMP, LogicalType.TIME, LogicalType.STRING, *Slashed}),
        "boolean": frozenset({LogicalType.BOOLEAN, LogicalType.STRING}),
        "nested": frozenset({LogicalType.STRING}),
    }
)


class _Texts:
    """Attributes that readers of untyped formats share."""

    typed: ClassVar[bool] = False
    optional: ClassVar[bool] = False

    def schema(self, part: SourcePart) -> pa.Schema:
        raise NotImplementedError(part.place)

    def allowed(self, _: SourcePart) -> Mapping[str, frozenset[Reading]]:
        return {}


@dataclass(frozen=True)
class CsvReader(_Texts):
    """CSV, written in a dialect; the texts in ``null_values`` are null."""

    dialect: CsvDialect
    null_values: tuple[str, ...]

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """The header."""
        return csv_rows.header(Path(part.place), self.dialect)

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:  # noqa: ARG002 -- the header has all names
        """The rows below the header."""
        return csv_rows.read(Path(part.place), self.dialect, self.null_values)

    def total(self, part: SourcePart) -> int:
        """The file's lines."""
        return lines_in(Path(part.place), self.dialect)


@dataclass(frozen=True)
class JsonReader(_Texts):
    """JSON lines; each object has what ``operation`` names, which says what becomes of its row."""

    operation: str = ""
    optional: ClassVar[bool] = True

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """All keys that occur."""
        return json_rows.columns(Path(part.place))

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """The readings that the kinds of JSON values of each column allow."""
        return allowed_by_kinds(json_rows.kinds(Path(part.place)))

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """The objects; an absent key is null."""
        operation = (self.operation,) if self.operation else ()
        return json_rows.read(Path(part.place), (*operation, *names), seen)

    def total(self, part: SourcePart) -> int:
        """The file's lines."""
        return count_lines(Path(part.place), returns=False)


@dataclass(frozen=True)
class ParquetReader:
    """Parquet, which has types."""

    typed: ClassVar[bool] = True
    optional: ClassVar[bool] = False

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.schema(part).names)

    def schema(self, part: SourcePart) -> pa.Schema:
        """The columns with their types."""
        return parquet_rows.schema(Path(part.place))

    def allowed(self, _: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """Nothing: the types are known."""
        return {}

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:  # noqa: ARG002 -- the schema has all names
        """The rows."""
        return parquet_rows.read(Path(part.place))

    def total(self, part: SourcePart) -> int:
        """The rows that the file says it has."""
        return parquet_rows.count(Path(part.place))


@dataclass(frozen=True)
class OfOperations(ThroughReader):
    """The column ``operation``, which says what becomes of a row, is called ``_op``."""

    operation: str

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """The columns."""
        return tuple(map(self._named, self.reader.names(part)))

    def schema(self, part: SourcePart) -> pa.Schema:
        """The columns with their types."""
        schema = self.reader.schema(part)
        return pa.schema([field.with_name(self._named(field.name)) for field in schema])

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """The readings of the columns."""
        return {self._named(name): found for name, found in self.reader.allowed(part).items()}

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """The rows."""
        for chunk in self.reader.chunks(part, names, seen):
            yield replace(chunk, cells={self._named(name): cells for name, cells in chunk.cells.items()})
        if seen is not None and self.operation in seen:
            seen.remove(self.operation)
            seen.add(OPERATION)

    def _named(self, name: str) -> str:
        return OPERATION if name == self.operation else name


def allowed_by_kinds(kinds: Mapping[str, set[str]]) -> dict[str, frozenset[Reading]]:
    """The readings that the kinds of JSON values allow, by column."""
    return {name: frozenset.intersection(*map(_ALLOWED_BY_KIND.__getitem__, found)) for name, found in kinds.items()}


def reader_of(source: Source) -> Reader:
    """The reader for a source of files."""
    operation = source.operation if source.kind is SourceKind.CHANGES else ""
    reader: Reader = ParquetReader()
    if source.format is SourceFormat.CSV:
        reader = CsvReader(source.dialect, source.null_values)
    elif source.format is SourceFormat.JSONL:
        reader = JsonReader(operation)
    return OfOperations(reader, operation) if operation not in ("", OPERATION) else reader
