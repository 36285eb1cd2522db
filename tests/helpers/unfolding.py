"""Parquet files that are small and unfold to gigabytes; each is made once per process, and linked."""

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def repeated(path: Path, length: int, rows: int, groups: int = 1) -> Path:
    """A column of one text that a dictionary holds once per group of ``rows`` rows."""
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * length]))
    table = pa.table({"a": cells})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return path


def zeros(path: Path) -> Path:
    """Eleven row groups of a text of 100 MB, compressed."""
    shutil.copyfile(_made(_write_zeros), path)
    return path


def nulls(path: Path) -> Path:
    """140 million nulls."""
    shutil.copyfile(_made(_write_nulls), path)
    return path


def _write_zeros(path: Path) -> None:
    table = pa.table({"a": ["\0" * 100_000_000]})
    with pq.ParquetWriter(path, table.schema, compression="zstd", use_dictionary=False) as writer:
        for _ in range(11):
            writer.write_table(table)


def _write_nulls(path: Path) -> None:
    table = pa.table({"a": pa.nulls(20_000_000, pa.int64())})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(7):
            writer.write_table(table, row_group_size=20_000_000)


@cache
def _made(write: Callable[[Path], None]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="holdfast-unfolding-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write(folder / "made.parquet")
    return folder / "made.parquet"
