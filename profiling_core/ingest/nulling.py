"""Null values of single columns, for readers of any format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from profiling_core.ingest.missing import ColumnNulls, without_those
from profiling_core.ingest.rows import RowChunk
from profiling_core.ingest.slashed_days import Reading
from profiling_core.ingest.sources.protocol import Reader
from profiling_core.spark.sources import SourcePart


@dataclass(frozen=True)
class NullingReader:
    """A reader whose texts are null where they equal a null value of their column; it is pickled for tasks."""

    reader: Reader
    nulls: ColumnNulls

    @property
    def typed(self) -> bool:
        """As the reader's."""
        return self.reader.typed

    @property
    def optional(self) -> bool:
        """As the reader's."""
        return self.reader.optional

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """As the reader's."""
        return self.reader.names(part)

    def schema(self, part: SourcePart) -> pa.Schema:
        """As the reader's."""
        return self.reader.schema(part)

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """As the reader's, but not of columns with null values: JSON has these as strings among numbers."""
        return {name: found for name, found in self.reader.allowed(part).items() if name not in self.nulls}

    def total(self, part: SourcePart, /) -> int | None:
        """As the reader's."""
        return self.reader.total(part)

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """The reader's rows."""
        for chunk in self.reader.chunks(part, names, seen):
            there = self.nulls.keys() & chunk.cells.keys()
            own = {name: without_those(chunk.cells[name], self.nulls[name]) for name in there}
            yield replace(chunk, cells={**chunk.cells, **own})
