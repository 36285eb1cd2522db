"""A delta against the stored rows: which rows come and which go, computed in buckets of equal keys.

A delta of one bucket is reduced in this process, and of the stored rows those are read that it speaks of. Else each
task reduces one bucket (see ``bucket``), writes what it finds to files of its own, and answers with their names;
the driver publishes files that were answered for and no others, so that a task that runs twice does no harm.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from profiling_core.model.delta import ROW_ID
from profiling_core.spark.bucket import SHOWN, DeltaFrame, WrittenPart, reduce_bucket
from profiling_core.spark.rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BUCKET_ROWS = 100_000
BROADCAST_KEYS = 200_000


@dataclass(frozen=True, slots=True)
class Example:
    """A reject, to show."""

    file: str
    line: int
    detail: str
    row: str


@dataclass
class Tally:
    """What the tasks' answers add up to.

    ``files`` are the names of each part's files; ``rejects`` counts per delta (its number) and reason, ``examples``
    holds the first rejects of each. ``repeated`` are the first rows that gave way to a later one of their key, as file,
    line and key, and ``alike`` counts those that say the same as it.
    """

    inserts: int = 0
    deletes: int = 0
    updates: int = 0
    superseded: int = 0
    alike: int = 0
    last_row_id: int = -1

    def __post_init__(self) -> None:
        self.files: dict[WrittenPart, list[str]] = {part: [] for part in WrittenPart}
        self.rejects: Counter[tuple[int, str]] = Counter()
        self.examples: dict[tuple[int, str], tuple[Example, ...]] = {}
        self.repeated: list[tuple[str, int, Mapping[str, str | None]]] = []

    def add(self, answer: Mapping[str, Any]) -> None:
        """Adds one task's answer."""
        for name in ("inserts", "deletes", "updates", "superseded"):
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
            self.examples[step, reason] = tuple(sorted(known, key=lambda row: (row.file, row.line))[:SHOWN])


def reduce_here(rows: pa.Table, stored: Rows | None, frame: DeltaFrame) -> Tally:
    """Reduces a delta that fits one bucket, as :func:`reduce_delta` does in tasks.

    Args:
        rows: as ``sources.typed_schema`` says, without reports.
        stored: the table's rows, or None where there are none.
        frame: what there is to know.
    """
    schema = pa.schema([pa.field(ROW_ID, pa.int64()), *map(pa.field, frame.columns, frame.types)])
    found = [schema.empty_table()]
    if stored is not None:
        names = [ROW_ID, *frame.names]
        match = [frame.names[i] for i in frame.key] or list(frame.names)
        wanted = rows.select(frame.match).rename_columns(match)
        near = stored.portions(names) if frame.snapshots else stored.agreeing(wanted, names)
        found += [portion.rename_columns(schema.names).cast(schema) for portion in near]
    tally = Tally()
    tally.add(reduce_bucket(rows, pa.concat_tables(found), frame))
    return tally


def reduce_delta(rows: "DataFrame", stored: "DataFrame | None", frame: DeltaFrame, sizes: tuple[int, int]) -> Tally:
    """Reduces the rows of all pending deltas against the stored ones in tasks, and writes the parts.

    Args:
        rows: as ``sources.typed_schema`` says, without reports.
        stored: ``_row_id`` and the table's columns, or None where there are none.
        frame: what the tasks must know.
        sizes: how many rows there are of each, at most.
    """
    from pyspark.sql import functions as f

    match = f.xxhash64(*frame.match)
    rows = rows.withColumn("match", match)
    buckets = max(1, -(-sum(sizes) // BUCKET_ROWS))
    bucket = f.pmod("match", f.lit(buckets)).alias("bucket")
    fresh = rows.select(bucket, *(name for name in rows.columns if name != "match"))
    if stored is None:
        answers = fresh.groupBy("bucket").applyInArrow(_alone(frame), "answer string")
    else:
        stored = stored.toDF(ROW_ID, *frame.columns).withColumn("match", match)
        if not frame.snapshots:
            wanted = rows.select("match").distinct()
            wanted = f.broadcast(wanted) if sizes[0] <= BROADCAST_KEYS else wanted
            stored = stored.join(wanted, "match", "left_semi")
        old = stored.select(bucket, ROW_ID, *frame.columns)
        answers = fresh.groupBy("bucket").cogroup(old.groupBy("bucket")).applyInArrow(_beside(frame), "answer string")
    tally = Tally()
    for answer in answers.toArrow()["answer"].to_pylist():
        tally.add(json.loads(answer))
    return tally


def _beside(frame: DeltaFrame) -> Callable[[pa.Table, pa.Table], pa.Table]:
    def task(rows: pa.Table, stored: pa.Table) -> pa.Table:
        return pa.table({"answer": [json.dumps(reduce_bucket(rows, stored, frame))]})

    return task


def _alone(frame: DeltaFrame) -> Callable[[pa.Table], pa.Table]:
    schema = pa.schema([pa.field(ROW_ID, pa.int64()), *map(pa.field, frame.columns, frame.types)])

    def task(rows: pa.Table) -> pa.Table:
        return pa.table({"answer": [json.dumps(reduce_bucket(rows, schema.empty_table(), frame))]})

    return task
