"""The generator of the dataset's attribute clustering on Spark: one job brings it from one version to the next.

Once ``value_counts`` has sent the delta's entries to their buckets, one task per touched bucket looks up what the
bucket holds of their values (base and signed delta files), merges, tells how clusters change, and writes the bucket's
delta file, or a new base file once there are too many. Buckets without a touched value are neither read nor written. A
first version is a delta on nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.inclusions.orphan_values import Inclusion, Orphans, first_of, orphans_of
from profiling_core.algorithms.inclusions.value_clusters import Clusters, Merge, combine, merge
from profiling_core.algorithms.inclusions.value_generator import joined, summed, value_hashes
from profiling_core.model.errors import StateError
from profiling_core.spark.generator_files import (
    BASE,
    DELTA,
    Generator,
    bucket_folder,
    find_entries,
    read_entries,
    without,
    write_entries,
)
from profiling_core.spark.session import parallelism
from profiling_core.spark.value_counts import SignedRows, count_values, from_stream, to_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

REBUILD = "derive the state anew with: holdfast rebuild"
_RECORD = "kind string, attributes array<int>, values bigint, rows array<bigint>, content binary"


@dataclass(frozen=True, slots=True)
class Advance:
    """The changes of a delta: the clusters and, per requested inclusion, the values newly left without partner."""

    change: Clusters
    orphans: tuple[Orphans, ...]


def nothing(inclusions: Sequence[Inclusion]) -> Advance:
    """No change."""
    return Advance(Clusters({}), tuple(Orphans.none() for _ in inclusions))


def damaged(path: str) -> StateError:
    """The error where a generator file is not what was written."""
    return StateError("a file of the inclusions' state is missing or damaged", where=path, remedy=REBUILD)


def advance(
    spark: "SparkSession",
    generator: Generator,
    rows: Sequence[SignedRows],
    into: Path,
    inclusions: Sequence[Inclusion] = (),
) -> Advance:
    """Merges rows into the generator; writes a base or delta file per touched bucket, ``bucket=<n>/``, below ``into``.

    Raises:
        StateError: a file of a touched bucket is damaged, or rows go that never came.
    """
    sent = count_values(spark, rows, generator.moved, generator.buckets, generator.values)
    if sent is None:
        return nothing(inclusions)
    merging = min(generator.buckets, 2 * parallelism(spark))
    merged = (
        sent.repartition(merging, "bucket")
        .groupBy("bucket")
        .applyInArrow(_merging(generator, str(into), inclusions), _RECORD)
    )
    return _collected(merged, len(inclusions))


def _merging(generator: Generator, into: str, inclusions: Sequence[Inclusion]) -> Callable[[pa.Table], pa.Table]:
    def bucket(sent: pa.Table) -> pa.Table:
        number = sent["bucket"][0].as_py()
        files = generator.files.get(number, ())
        whole = not files or len(files) >= generator.max_files
        moved, delta = _sent_entries(sent, held=True), summed(_sent_entries(sent, held=False))
        try:
            wanted = np.unique(value_hashes(delta))
            stored = joined(map(read_entries, files)) if whole else find_entries(files, wanted)
        except OSError as error:
            return _records([_Record("damaged", content=str(error).encode())])
        held = without(joined([moved, stored]), generator.gone)
        merged = merge(held, delta)
        if not merged.is_consistent:
            return _records([_Record("inconsistent")])
        kept = held if whole else without(moved, generator.gone)
        content = summed(joined([kept, delta])) if kept.num_rows else delta
        if content.num_rows or (whole and files):
            write_entries(content, bucket_folder(Path(into), number), BASE if whole else DELTA)
        return _records(_findings(merged, inclusions))

    return bucket


def _sent_entries(sent: pa.Table, *, held: bool) -> pa.Table:
    chosen = sent.filter(pc.equal(sent["held"], held))
    return joined(from_stream(data) for data in chosen["entries"].to_pylist())


@dataclass(frozen=True, slots=True)
class _Record:
    """An answer of a task: a change of a cluster, orphans of an inclusion, or an error."""

    kind: str
    attributes: tuple[int, ...] = ()
    values: int = 0
    rows: tuple[int, ...] = ()
    content: bytes = b""


def _findings(merged: Merge, inclusions: Sequence[Inclusion]) -> list[_Record]:
    clusters = [_Record("cluster", key, values, rows) for key, (values, rows) in merged.change.counts.items()]
    orphans = [
        _Record("orphans", (number,), found.values, (found.rows,), to_stream(found.examples))
        for number, found in enumerate(orphans_of(merged, inclusions))
        if found.values
    ]
    return clusters + orphans


def _records(found: Sequence[_Record]) -> pa.Table:
    return pa.table(
        {
            "kind": pa.array([r.kind for r in found], pa.string()),
            "attributes": pa.array([r.attributes for r in found], pa.list_(pa.int32())),
            "values": pa.array([r.values for r in found], pa.int64()),
            "rows": pa.array([r.rows for r in found], pa.list_(pa.int64())),
            "content": pa.array([r.content for r in found], pa.binary()),
        }
    )


def _collected(merged: "DataFrame", inclusions: int) -> Advance:
    found = [_Record(**record) for record in merged.toArrow().to_pylist()]
    for record in found:
        _refuse(record)
    changes = [Clusters({tuple(r.attributes): (r.values, tuple(r.rows))}) for r in found if r.kind == "cluster"]
    orphans: list[list[Orphans]] = [[] for _ in range(inclusions)]
    for record in found:
        if record.kind == "orphans":
            orphans[record.attributes[0]].append(Orphans(record.values, record.rows[0], from_stream(record.content)))
    return Advance(combine((change, 1) for change in changes), tuple(first_of(parts) for parts in orphans))


def _refuse(record: _Record) -> None:
    if record.kind == "damaged":
        raise damaged(record.content.decode())
    if record.kind == "inconsistent":
        raise StateError("the deltas delete values that the inclusions' state does not hold", remedy=REBUILD)
