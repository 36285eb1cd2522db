"""Parquet, in chunks: its columns are typed already, and a row's place is its number."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.parquet_bounds import Unfolding
from profiling_core.ingest.rows import CHUNK_ROWS, RowChunk, check_names, unreadable_file


def schema(path: Path) -> pa.Schema:
    """The file's Arrow schema.

    Raises:
        InputError: the file is unreadable, not Parquet, or has names that a table cannot have.
    """
    try:
        found = pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise unreadable_file(path, error) from error
    check_names(found.names, path)
    return found


def read(path: Path) -> Iterator[RowChunk]:
    """The rows in chunks; all of them can be read, or else the file cannot.

    Raises:
        InputError: as for :func:`schema`, or a page is damaged, or unfolds to too much.
    """
    first = 1
    try:
        unfolding = Unfolding(path)
        with unfolding.open() as file:
            for batch in file.iter_batches(CHUNK_ROWS):
                size = batch.num_rows
                lines = pa.array(range(first, first + size), pa.int64())
                first += size
                cells = {name: unfolding.plain(batch.column(name)) for name in batch.schema.names}
                yield RowChunk(lines, None, pa.nulls(size, pa.string()), cells)
    except (OSError, pa.ArrowException) as error:
        raise unreadable_file(path, error) from error
