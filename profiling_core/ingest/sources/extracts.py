"""Rows of sources that one process reads, such as a database in one transaction: as Parquet files for Spark's tasks.

So tasks need neither the source's address nor its secrets, and what they read is one consistent state. Extracts lie in
the state directory, which tasks see, and are removed once they are read.
"""

import shutil
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.sources.arrow_rows import plain_batch, plain_schema
from profiling_core.ingest.sources.protocol import Batch
from profiling_core.spark.sources import SourcePart
from profiling_core.state.settings import Settings

_PART_ROWS = 1_000_000
_FORGOTTEN_SECONDS = 86_400.0


class Extract:
    """The files of one batch; ``where`` is what people know their rows' origin as."""

    def __init__(self, settings: Settings, where: str) -> None:
        root = settings.home / "extracts"
        _forget_old(root)
        self._folder = root / uuid.uuid4().hex
        self._where = where
        self.parts: list[SourcePart] = []

    def add(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, step: int = 0) -> None:
        """Writes a delta's rows, in order; at least one file, which has the columns."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        rows = iter(map(plain_batch, batches))
        plain = plain_schema(schema)
        while self._write(rows, plain, step):
            pass

    def _write(self, rows: Iterator[pa.RecordBatch], schema: pa.Schema, step: int) -> bool:
        """One file; whether there may be more rows."""
        number, written = len(self.parts), 0
        path = self._folder / f"{number:06}.parquet"
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in rows:
                writer.write_batch(batch.cast(schema))
                written += batch.num_rows
                if written >= _PART_ROWS:
                    break
        self.parts.append(SourcePart(number, step, self._where, path.stat().st_size, str(path)))
        return written >= _PART_ROWS


def remove(batch: Batch) -> None:
    """Removes the files of a batch that was read."""
    for folder in {Path(part.place).parent for part in batch.parts}:
        shutil.rmtree(folder, ignore_errors=True)


def _forget_old(root: Path) -> None:
    """Removes what runs left that ended before they had read it."""
    for folder in root.iterdir() if root.is_dir() else ():
        if folder.stat().st_mtime < time.time() - _FORGOTTEN_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
