"""Rows of sources that one process reads, such as a database in one transaction, as Parquet files for Spark's tasks.

So tasks need neither the source's address nor its secrets, and they read one consistent state. Extracts lie in the
state directory, which tasks can access, and are removed after reading. Those of a run that reads several tables at one
moment lie with the run until it has committed, so that a repeated step takes the same rows.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.sources.arrow_rows import plain_batch, plain_schema
from profiling_core.ingest.sources.formats import ParquetReader
from profiling_core.ingest.sources.protocol import Batch
from profiling_core.model.errors import InputError
from profiling_core.spark.sources import SourcePart

# Rows of a file, about.
_PART_ROWS = 1_000_000


class Extract:
    """The files of one batch, in a folder; ``where`` is the source as people know it."""

    def __init__(self, folder: Path, where: str) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self._folder = folder
        self._where = where
        self.parts: list[SourcePart] = []

    @property
    def folder(self) -> Path:
        """The folder of its files, created if missing."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._folder

    def add(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, step: int = 0) -> None:
        """Writes a delta's rows, in order, to at least one file, which has the columns."""
        self.take(write(self.folder, len(self.parts), batches, schema), step)

    def take(self, paths: Iterable[Path], step: int = 0) -> None:
        """Takes over files that :func:`write` has written to the folder."""
        for path in paths:
            self.parts.append(SourcePart(len(self.parts), step, self._where, path.stat().st_size, str(path)))

    def check(self, rows: int, step: int = 0) -> None:
        """Raises ``InputError`` where a delta's files do not have as many rows as were counted at their source."""
        read = sum(int(pq.read_metadata(part.place).num_rows) for part in self.parts if part.step == step)
        check_count(rows, read, self._where)


def check_count(counted: int, read: int, where: str) -> None:
    """Raises ``InputError`` where the number of rows read differs from the count."""
    if read != counted:
        raise InputError(
            f"{counted:,} rows were counted, and {read:,} were read: nothing is applied",
            where=where,
            remedy="run again; if that does not help, report the table as one that cannot be read",
        )


def write(folder: Path, number: int, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> list[Path]:
    """Writes rows, in order, to numbered files; at least one file, which has the columns."""
    rows = iter(map(plain_batch, batches))
    plain = plain_schema(schema)
    paths = [folder / f"{number:06}.000000.parquet"]
    while _write(paths[-1], rows, plain):
        paths.append(folder / f"{number:06}.{len(paths):06}.parquet")
    return paths


def _write(path: Path, rows: Iterator[pa.RecordBatch], schema: pa.Schema) -> bool:
    """Writes one file; returns whether there may be more rows."""
    written = 0
    # Light compression, so that a reader does not mistake equal rows for a file that is made to unpack to too much.
    with pq.ParquetWriter(path, schema, compression="snappy", use_dictionary=False) as writer:
        for batch in rows:
            writer.write_batch(batch.cast(schema))
            written += batch.num_rows
            if written >= _PART_ROWS:
                return True
    return False


def kept(data: Mapping[str, Any], folder: Path) -> Batch:
    """The batch of an extract as it was written, whose files are now in this folder."""
    batch = Batch.from_json({**data, "reader": ParquetReader()})
    parts = tuple(replace(part, place=str(folder / Path(part.place).name)) for part in batch.parts)
    return replace(batch, parts=parts)


def remove(batch: Batch) -> None:
    """Removes the files of a batch that was read."""
    for folder in {Path(part.place).parent for part in batch.parts}:
        shutil.rmtree(folder, ignore_errors=True)
