"""The generator of the dataset's attribute clustering on Spark: one job brings it from one version to the next.

Once ``value_counts`` has sent the delta's entries to their buckets, one task per touched bucket reads what the bucket
holds of their values (base and signed delta files), merges, tells how clusters change, and writes the bucket's delta
file, or a new base file once there are too many. Buckets without a touched value are neither read nor written. A first
version is a delta on nothing.
"""

import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from profiling_core.algorithms.inclusions.orphan_values import Inclusion, Orphans, first_of, orphans_of
from profiling_core.algorithms.inclusions.value_clusters import Clusters, Merge, combine, merge
from profiling_core.algorithms.inclusions.value_generator import ENTRY, in_order, joined, summed
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.spark.value_counts import SignedRows, count_values, from_stream, to_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_BASE, _DELTA = "base.parquet", "delta.parquet"
_ROW_GROUP = 32_768
_RECORD = "kind string, attributes array<int>, values bigint, rows array<bigint>, content binary"
_REBUILD = "derive the state anew with: holdfast rebuild"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A generator file where tasks read it, with the checksum that it must have."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Generator:
    """The stored generator: number of buckets, how values compare, and per bucket its files (empty: nothing yet).

    ``rehashed`` are files made for another number of buckets: their entries move, and they are needed no more. Entries
    of attributes that are ``gone`` are passed over.
    """

    buckets: int
    values: Values
    files: Mapping[int, tuple[StoredFile, ...]]
    max_files: int
    rehashed: tuple[str, ...] = ()
    gone: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Advance:
    """What a delta changed: the clusters, and per inclusion asked for, the values newly left without partner."""

    change: Clusters
    orphans: tuple[Orphans, ...]


def bucket_of(ref: FileRef) -> int:
    """The bucket that a generator file belongs to."""
    return int(Path(ref.path).parent.name.removeprefix("bucket="))


def is_base(ref: FileRef) -> bool:
    """Whether a generator file stands for all that its bucket held when it was written."""
    return Path(ref.path).name == _BASE


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
    sent = count_values(spark, rows, generator.rehashed, generator.buckets, generator.values)
    if sent is None:
        return Advance(Clusters({}), tuple(Orphans.none() for _ in inclusions))
    merging = min(generator.buckets, 2 * spark.sparkContext.defaultParallelism)
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
        try:
            held = joined([_sent_entries(sent, held=True), *(_read_verified(file) for file in files)])
            held = _without(held, generator.gone)
        except OSError as error:
            return _records([_Record("damaged", content=str(error).encode())])
        delta = summed(_sent_entries(sent, held=False))
        merged = merge(held, delta)
        if not merged.is_consistent:
            return _records([_Record("inconsistent")])
        whole = not files or len(files) >= generator.max_files
        content = summed(joined([held, delta])) if whole else delta
        if content.num_rows or (whole and files):
            _write(content, Path(into, f"bucket={number:04}"), _BASE if whole else _DELTA)
        return _records(_findings(merged, inclusions))

    return bucket


def _without(entries: pa.Table, gone: Sequence[int]) -> pa.Table:
    if not gone:
        return entries
    return entries.filter(pc.invert(pc.is_in(entries["attribute"], pa.array(gone, pa.int32()))))


def _sent_entries(sent: pa.Table, *, held: bool) -> pa.Table:
    chosen = sent.filter(pc.equal(sent["held"], held))
    return joined(from_stream(data) for data in chosen["entries"].to_pylist())


@dataclass(frozen=True, slots=True)
class _Record:
    """What a task answers with: a change of a cluster, orphans of an inclusion, or what is wrong."""

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


def _read_verified(file: StoredFile) -> pa.Table:
    data = Path(file.path).read_bytes()
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise OSError(file.path)
    return pq.read_table(pa.BufferReader(data)).cast(ENTRY)


def _write(entries: pa.Table, folder: Path, name: str) -> None:
    """Writes a file whole or not at all: a task that is tried again, or twice, leaves the same file."""
    folder.mkdir(exist_ok=True)
    temporary = folder / f".{uuid.uuid4().hex}"
    pq.write_table(in_order(entries), temporary, compression="zstd", row_group_size=_ROW_GROUP)
    temporary.replace(folder / name)


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
        what = "a file of the inclusions' state is missing or damaged"
        raise StateError(what, where=record.content.decode(), remedy=_REBUILD)
    if record.kind == "inconsistent":
        raise StateError("the deltas delete values that the inclusions' state does not hold", remedy=_REBUILD)
