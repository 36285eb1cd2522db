"""The indexes by key of a table's row files: each file that is worth one has one, from the version on that brings it.

They follow from the row files alone. So files of an earlier release, of a compaction or of a rebuild get theirs here,
too, and an index goes with its file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.maintain.run import TableRun
from profiling_core.model.delta import ROW_ID
from profiling_core.model.version import KEY_INDEX, ROWS, FileRef
from profiling_core.spark.key_index import by_name, index_name, is_worth_it, write_index
from profiling_core.spark.snapshot import match_of, rows_in
from profiling_core.spark.tasks import by_spare_tasks, runner


def key_indexes(run: TableRun, files: Sequence[FileRef]) -> tuple[FileRef, ...]:
    """The indexes of these row files: those that there are, and new ones. A rebuild makes all anew."""
    match = match_of(run.schema)
    names = {index_name(file, match): file for file in files if file.role == ROWS and is_worth_it(file)}
    known = run.base.files_of(KEY_INDEX, run.table) if run.base and not run.rebuild else ()
    kept = {name: parts for name, parts in by_name(known).items() if name in names}
    missing = {name: file for name, file in names.items() if name not in kept}
    there = tuple(ref for parts in kept.values() for ref in parts.values())
    return (*there, *_made(run, missing)) if missing else there


def _made(run: TableRun, files: dict[str, FileRef]) -> tuple[FileRef, ...]:
    columns = run.schema.columns
    schema = pa.schema([pa.field(ROW_ID, pa.int64()), *(pa.field(c.name, arrow_type(c)) for c in columns)])
    folder = run.store.new_dir(run.run_id, run.table, KEY_INDEX)
    paths = run.store.verified(list(files.values()))
    work = _Indexing(schema, tuple(match_of(run.schema)), folder)
    pieces = runner(run.spark, rows_in(run.store, list(files.values())), by_spare_tasks)
    pieces(work, list(zip(paths, files, strict=True)))
    return run.store.publish(folder, run.table, KEY_INDEX)


@dataclass(frozen=True, slots=True)
class _Indexing:
    """A piece: the index of one row file."""

    schema: pa.Schema
    match: tuple[str, ...]
    folder: Path

    def __call__(self, file: tuple[str, str]) -> None:
        path, name = file
        write_index(path, self.schema, self.match, self.folder, name)
