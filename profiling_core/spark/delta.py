"""A delta against the stored rows: which rows come and which go, computed in buckets of equal keys.

A delta of one bucket is reduced in this process, and of the stored rows those are read that it speaks of. Else tasks
share out the rows by key (see ``sharing``); then each reduces a bucket (see ``bucket``), writes what it finds to files
of its own, and answers with their names. Files that no answer names are not used: a task that runs twice does no harm.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.repeats import Hashes
from profiling_core.model.account import Account
from profiling_core.model.delta import ROW_ID
from profiling_core.spark.bucket import SHOWN, DeltaFrame, WrittenPart, examples_shown, reduce_bucket
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.spark.session import parallelism
from profiling_core.spark.sharing import SLOTS, SharedRows, all_hashes, hashes_of, rows_in, share_out
from profiling_core.spark.sources import REPORT, SourcePart, balanced, typed_schema
from profiling_core.spark.tasks import in_tasks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUCKET_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class DeltaWork:
    """How many rows a delta is about at most, stored ones included, and where tasks may leave some meanwhile."""

    rows: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Example:
    """A reject, to show."""

    file: str
    line: int
    detail: str
    row: str


@dataclass
class Tally:
    """The sum of the tasks' answers.

    ``files`` are the names of each part's files; ``rejects`` counts per delta (its number) and reason, ``examples``
    holds the first rejects of each. ``repeated`` are the first rows that gave way to a later one of their key, as file,
    line and key, and ``alike`` counts those that say the same as it. ``accounts`` are by delta, of its files' lines;
    ``origins`` are by delta what its position keeps of where its rows stand (see ``model.origin``).
    """

    inserts: int = 0
    deletes: int = 0
    updates: int = 0
    superseded: int = 0
    unchanged: int = 0
    alike: int = 0
    last_row_id: int = -1

    def __post_init__(self) -> None:
        self.files: dict[WrittenPart, list[str]] = {part: [] for part in WrittenPart}
        self.rejects: Counter[tuple[int, str]] = Counter()
        self.examples: dict[tuple[int, str], tuple[Example, ...]] = {}
        self.accounts: dict[int, Account] = {}
        self.origins: dict[int, Mapping[str, Any]] = {}
        self.repeated: list[tuple[str, int, Mapping[str, str | None]]] = []

    def add(self, answer: Mapping[str, Any]) -> None:
        """Adds one task's answer."""
        for name in ("inserts", "deletes", "updates", "superseded", "unchanged"):
            setattr(self, name, getattr(self, name) + answer[name])
        alike, repeated = answer["repeated"]
        self.alike += alike
        self.repeated = sorted([*self.repeated, *map(tuple, repeated)], key=lambda row: row[:2])[:SHOWN]
        self.last_row_id = max(self.last_row_id, answer["last_row_id"])
        for part, name in answer["files"].items():
            self.files[WrittenPart(part)].append(name)
        for step, reason, count, examples in answer["rejects"]:
            self.rejects[step, reason] += count
            known = [*self.examples.get((step, reason), ()), *(Example(*example) for example in examples)]
            known.sort(key=lambda row: (row.file, row.line))
            self.examples[step, reason] = tuple(examples_shown(known, lambda row: row.detail))


def reduce_here(rows: pa.Table, stored: Rows | None, frame: DeltaFrame) -> Tally:
    """Reduces a delta that fits one bucket, as :func:`reduce_delta` does in tasks.

    Args:
        rows: as ``sources.typed_schema`` says, without reports.
        stored: the table's rows, or None where there are none.
        frame: what there is to know.
    """
    schema = _stored_schema(frame)
    found = [schema.empty_table()]
    if stored is not None:
        names = [ROW_ID, *frame.names]
        match = [frame.names[i] for i in frame.key] or list(frame.names)
        wanted = rows.select(frame.match).rename_columns(match)
        near = stored.portions(names) if frame.snapshots else stored.with_keys(wanted, names)
        found += [portion.rename_columns(schema.names).cast(schema) for portion in near]
    tally = Tally()
    tally.add(reduce_bucket(rows, pa.concat_tables(found), frame))
    return tally


def share_out_parts(
    spark: "SparkSession",
    parts: Sequence[SourcePart],
    read: Callable[[SourcePart], Iterator[pa.RecordBatch]],
    match: Sequence[str],
    folder: Path,
) -> tuple[pa.Table, list[SharedRows]]:
    """Has tasks read the parts of deltas, and leave their rows by slot.

    Args:
        spark: the session.
        parts: the parts; executors must see them under the same paths.
        read: a part's rows as batches of ``sources.typed_schema``; it travels to the tasks.
        match: the columns that tell whether two rows are one.
        folder: where the rows are left.

    Returns:
        The parts' reports: ``file`` and ``detail``; and the files with the rows.
    """

    def work(shares: Iterator[Sequence[SourcePart]]) -> Iterator[tuple[list[tuple[int, str]], list[SharedRows]]]:
        for share in shares:
            reports: list[tuple[int, str]] = []
            tables = _without_reports((batch for part in share for batch in read(part)), reports)
            yield reports, list(share_out(tables, match, folder))

    answers = in_tasks(spark, balanced(parts, parallelism(spark)), work)
    reports = [{"file": file, "detail": detail} for found, _ in answers for file, detail in found]
    schema = pa.schema({"file": pa.int32(), "detail": pa.string()})
    return pa.Table.from_pylist(reports, schema), [file for _, files in answers for file in files]


def _without_reports(batches: Iterator[pa.RecordBatch], reports: list[tuple[int, str]]) -> Iterator[pa.Table]:
    for batch in batches:
        table = pa.Table.from_batches([batch])
        if pc.all(pc.equal(table["ordinal"], REPORT)).as_py():
            reports += zip(table["file"].to_pylist(), table["detail"].to_pylist(), strict=True)
        else:
            yield table


def reduce_delta(
    spark: "SparkSession", landed: Sequence[SharedRows], stored: Rows | None, frame: DeltaFrame, work: DeltaWork
) -> Tally:
    """Reduces the rows of all pending deltas against the stored ones in tasks, and writes the parts.

    Args:
        spark: the session.
        landed: the rows of the deltas, as ``share_out_parts`` left them.
        stored: the table's rows, or None where there are none.
        frame: what the tasks must know.
        work: how many rows there are, and where tasks may leave some.
    """
    there = [] if stored is None else _shared_stored(spark, landed, stored.apart, frame, work.folder)
    buckets = min(SLOTS, max(1, -(-work.rows // BUCKET_ROWS)))
    bounds = [SLOTS * number // buckets for number in range(buckets + 1)]

    def reduced(numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
        for number in numbers:
            slots = range(bounds[number], bounds[number + 1])
            rows = rows_in(landed, slots, typed_schema(frame.types))
            yield reduce_bucket(rows, rows_in(there, slots, _stored_schema(frame)), frame)

    tally = Tally()
    for answer in in_tasks(spark, range(buckets), reduced):
        tally.add(answer)
    return tally


def _shared_stored(
    spark: "SparkSession", landed: Sequence[SharedRows], stored: Rows, frame: DeltaFrame, folder: Path
) -> list[SharedRows]:
    """The stored rows that a delta speaks of, by slot; of snapshots all."""
    places = [(number, path) for number, part in enumerate(stored.parts) for path in part.paths]

    def work(some: Iterator[tuple[int, str]]) -> Iterator[list[SharedRows]]:
        wanted = None if frame.snapshots else all_hashes(landed)
        for number, path in some:
            of_file = replace(stored, parts=(RowFiles.of([path], stored.parts[number].gone),))
            tables = (_spoken_of(portion, frame, wanted) for portion in of_file.portions([ROW_ID, *frame.names]))
            yield list(share_out(tables, frame.match, folder))

    return [file for files in in_tasks(spark, places, work) for file in files]


def _spoken_of(rows: pa.Table, frame: DeltaFrame, wanted: Hashes | None) -> pa.Table:
    schema = _stored_schema(frame)
    rows = rows.rename_columns(schema.names).cast(schema)
    return rows if wanted is None else rows.filter(pa.array(np.isin(hashes_of(rows, frame.match), wanted)))


def _stored_schema(frame: DeltaFrame) -> pa.Schema:
    return pa.schema([pa.field(ROW_ID, pa.int64()), *map(pa.field, frame.columns, frame.types)])
