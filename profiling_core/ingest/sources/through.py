"""A reader that reads as another one does: the base of those that change a part of what it gives."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from profiling_core.ingest.rows import RowChunk
from profiling_core.ingest.sources.protocol import Reader
from profiling_core.spark.sources import SourcePart

if TYPE_CHECKING:
    import pyarrow as pa

    from profiling_core.ingest.slashed_days import Reading


@dataclass(frozen=True)
class ThroughReader:
    """Each answer is that of ``reader``; it is pickled for tasks, too."""

    reader: Reader

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

    def schema(self, part: SourcePart) -> "pa.Schema":
        """As the reader's."""
        return self.reader.schema(part)

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset["Reading"]]:
        """As the reader's."""
        return self.reader.allowed(part)

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """As the reader's."""
        return self.reader.chunks(part, names, seen)

    def total(self, part: SourcePart, /) -> int | None:
        """As the reader's."""
        return self.reader.total(part)
