"""Null values of single columns, for readers of any format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from profiling_core.ingest.missing import ColumnNulls, without_those
from profiling_core.ingest.rows import RowChunk
from profiling_core.ingest.slashed_days import Reading
from profiling_core.ingest.sources.through import ThroughReader
from profiling_core.spark.sources import SourcePart


@dataclass(frozen=True)
class NullingReader(ThroughReader):
    """A reader whose texts are null where they equal a null value of their column."""

    nulls: ColumnNulls

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """As the reader's, but not of columns with null values: JSON has these as strings among numbers."""
        return {name: found for name, found in self.reader.allowed(part).items() if name not in self.nulls}

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """The reader's rows."""
        for chunk in self.reader.chunks(part, names, seen):
            there = self.nulls.keys() & chunk.cells.keys()
            own = {name: without_those(chunk.cells[name], self.nulls[name]) for name in there}
            yield replace(chunk, cells={**chunk.cells, **own})
