"""Parquet, in chunks: columns are typed, a row's place is its number, and nested values become JSON."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.parquet_bounds import Unfolding
from profiling_core.ingest.rows import CHUNK_ROWS, RowChunk, check_names, unreadable_file
from profiling_core.ingest.sources.arrow_rows import plain_schema, row_chunks

if TYPE_CHECKING:
    from profiling_core.ingest.sources.objects import Place


def schema(path: "Place") -> pa.Schema:
    """The file's Arrow schema, with the types of :func:`plain_schema`.

    Raises:
        InputError: the file is unreadable, not Parquet, or has names that a table cannot have.
    """
    try:
        with path.open("rb") as file:
            found = pq.ParquetFile(file, coerce_int96_timestamp_unit="us").schema_arrow
    except (OSError, pa.ArrowException) as error:
        raise unreadable_file(path, error) from error
    check_names(found.names, path)
    return plain_schema(found)


def read(path: Path) -> Iterator[RowChunk]:
    """The rows in chunks; either all of them can be read or the file cannot.

    Raises:
        InputError: as for :func:`schema`, or a page is damaged, or unpacks to too much.
    """
    try:
        unfolding = Unfolding(path)
        with unfolding.open() as file:
            yield from row_chunks(_unfolded(batch, unfolding) for batch in file.iter_batches(CHUNK_ROWS))
    except (OSError, pa.ArrowException) as error:
        raise unreadable_file(path, error) from error


def count(path: Path) -> int:
    """How many rows the file has by its footer."""
    return int(pq.read_metadata(path).num_rows)


def _unfolded(batch: pa.RecordBatch, unfolding: Unfolding) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(map(unfolding.plain, batch.columns)), names=batch.schema.names)
