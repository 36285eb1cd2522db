"""The indexes by key of a table's row files: each file that is worth one has one, from the version on that brings it.

They follow from the row files alone. So files of an earlier release, of a compaction or of a rebuild get theirs here,
too, and an index goes with its file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import KEY_INDEX, ROWS, FileRef
from profiling_core.spark.key_index import by_name, index_name, is_worth_it, write_index
from profiling_core.spark.snapshot import match_of, rows_in
from profiling_core.spark.tasks import by_spare_tasks, runner

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def key_indexes(
    files: TableFiles, schema: TableSchema, rows: Sequence[FileRef], spark: "SparkSession", *, anew: bool
) -> tuple[FileRef, ...]:
    """The indexes of these row files: those that there are, and new ones; ``anew``: all are made again."""
    match = match_of(schema)
    names = {index_name(file, match): file for file in rows if file.role == ROWS and is_worth_it(file)}
    known = () if anew else files.before(KEY_INDEX)
    kept = {name: parts for name, parts in by_name(known).items() if name in names}
    missing = {name: file for name, file in names.items() if name not in kept}
    there = tuple(ref for parts in kept.values() for ref in parts.values())
    return (*there, *_made(files, schema, missing, spark)) if missing else there


def _made(
    files: TableFiles, schema: TableSchema, rows: Mapping[str, FileRef], spark: "SparkSession"
) -> tuple[FileRef, ...]:
    columns = pa.schema([pa.field(ROW_ID, pa.int64()), *(pa.field(c.name, arrow_type(c)) for c in schema.columns)])
    folder, refs = files.new_dir(KEY_INDEX), list(rows.values())
    work = _Indexing(columns, tuple(match_of(schema)), folder)
    pieces = runner(spark, rows_in(files.store, refs), by_spare_tasks)
    pieces(work, list(zip(files.verified(refs), rows, strict=True)))
    return files.publish(folder, KEY_INDEX)


@dataclass(frozen=True, slots=True)
class _Indexing:
    """A piece: the index of one row file."""

    schema: pa.Schema
    match: tuple[str, ...]
    folder: Path

    def __call__(self, file: tuple[str, str]) -> None:
        path, name = file
        write_index(path, self.schema, self.match, self.folder, name)
