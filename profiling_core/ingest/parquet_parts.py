"""Parquet files in parts, as typed rows or as texts: for discovery that never holds a table in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from profiling_core.ingest.files import Values, stored_column
from profiling_core.ingest.infer import column_of, schema_of
from profiling_core.ingest.parquet_bounds import Unfolding
from profiling_core.ingest.plain_types import is_fine, with_fine_as_text
from profiling_core.ingest.rows import unreadable_file
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType


@dataclass(frozen=True, slots=True)
class ParquetParts:
    """A Parquet file's rows in parts, its row groups; it is pickled for tasks."""

    path: Path
    schema: TableSchema
    sizes: tuple[int, ...]

    def __len__(self) -> int:
        """The number of parts; 0: no rows."""
        return len(self.sizes)

    def size(self, part: int) -> int:
        """A part's bytes, uncompressed."""
        return self.sizes[part]

    def read(self, part: int, columns: Sequence[str]) -> pa.Table:
        """Some columns of a part's rows; raises ``InputError`` where they cannot be read as the schema says."""
        unfolding = Unfolding(self.path, group=part)
        try:
            rows = unfolding.open().read_row_group(part, columns=list(columns))
        except (OSError, pa.ArrowException) as error:
            raise unreadable_file(self.path, error) from error
        typed = [
            stored_column(self.path, unfolding.plain_chunks(rows[name]), self.schema.column(name)) for name in columns
        ]
        return pa.table(typed, names=list(columns))


def parquet_parts(path: Path, values: Values) -> ParquetParts:
    """A Parquet file in parts; raises ``InputError`` where it is malformed or has types that cannot be compared."""
    try:
        with Unfolding(path).open() as file:
            fields, metadata = file.schema_arrow, file.metadata
            _, fine = with_fine_as_text(file.read([field.name for field in fields if is_fine(field.type)]))
    except (OSError, pa.ArrowException) as error:
        raise unreadable_file(path, error) from error
    known = schema_of(path.stem, fields, str(path)).columns
    columns = (column_of(c.name, LogicalType.STRING) if values == "text" or c.name in fine else c for c in known)
    schema = TableSchema(path.stem, tuple(columns))
    sizes = tuple(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    return ParquetParts(path, schema, sizes)
