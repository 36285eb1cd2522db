"""Attribute clustering of whole tables in one distributed pass, as S-INDD has it (Shaabani and Meinel, DASFAA 2015).

Tasks read parts of tables, and write what they counted to files by bucket; one task per bucket then reads its blocks
and clusters them. Neither a table nor a column is ever in one process, and the JVM moves only where blocks lie. The
folder of those files must be one that all workers reach.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from profiling_core.algorithms.inclusions.row_parts import Counted, RowParts, part_entries
from profiling_core.algorithms.inclusions.value_clusters import Clusters, cluster, combine
from profiling_core.algorithms.inclusions.value_generator import joined
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.errors import InputError
from profiling_core.spark.entry_blocks import HELD_BYTES, EntryFile, read_bucket, write_entries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Batches = Iterator[pa.RecordBatch]
_TASKS_PER_CORE = 4
_ERROR, _RESULT = "error", "result"


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: the tables' rows, by table what is counted, how values compare, and into how many buckets they go."""

    tables: Mapping[str, RowParts]
    attributes: Mapping[str, Sequence[Counted]]
    values: Values
    buckets: int


def clusters_on_spark(spark: "SparkSession", over: Pass, folder: Path) -> tuple[Clusters, dict[str, int]]:
    """The clusters of all values, and the rows of the tables.

    Args:
        spark: the session.
        over: what is counted.
        folder: an empty directory for the entries on their way.

    Raises:
        InputError: a part cannot be read.
    """
    places = [(table, part) for table in over.attributes for part in range(len(over.tables[table]))]
    rows = dict.fromkeys(over.attributes, 0)
    files: list[EntryFile] = []
    for counted in in_tasks(spark, places, lambda some: _count(some, over, folder)):
        files.append(EntryFile(counted["path"], tuple(counted["offsets"])))
        for table, number in counted["rows"].items():
            rows[table] += number
    found = in_tasks(spark, range(over.buckets), lambda some: _cluster(some, files))
    return combine((_clusters(record), 1) for record in found), rows


def in_tasks(
    spark: "SparkSession", items: Sequence[Item], work: Callable[[Iterator[Item]], Iterator[Any]]
) -> list[Any]:
    """What work over the items gives, JSON by JSON; each task gets some of them.

    Raises:
        InputError: a task raised it.
    """
    tasks = max(1, min(len(items), _TASKS_PER_CORE * spark.sparkContext.defaultParallelism))

    def run(batches: Batches) -> Batches:
        numbers = (number for batch in batches for number in batch.column(0).to_pylist())
        try:
            for result in work(items[number] for number in numbers):
                yield _record(_RESULT, result)
        except InputError as error:
            yield _record(_ERROR, [error.what, error.where, error.remedy])

    found = spark.range(0, len(items), 1, tasks).mapInArrow(run, "kind string, content string").toArrow()
    records = [(r["kind"], json.loads(r["content"])) for r in found.to_pylist()]
    for kind, content in records:
        if kind == _ERROR:
            what, where, remedy = content
            raise InputError(what, where=where, remedy=remedy)
    return [content for _, content in records]


def _record(kind: str, content: Any) -> pa.RecordBatch:
    return pa.record_batch([pa.array([kind]), pa.array([json.dumps(content)])], ["kind", "content"])


def _count(places: Iterable[tuple[str, int]], over: Pass, folder: Path) -> Iterator[Any]:
    held: list[pa.Table] = []
    rows: Counter[str] = Counter()
    for table, part in places:
        entries, counted = part_entries(over.tables[table], part, over.attributes[table], over.values)
        held.append(entries)
        rows[table] += counted
        if sum(entries.nbytes for entries in held) >= HELD_BYTES:
            yield {**asdict(write_entries(joined(held), over.buckets, folder)), "rows": rows}
            held, rows = [], Counter()
    if held:
        yield {**asdict(write_entries(joined(held), over.buckets, folder)), "rows": rows}


def _cluster(buckets: Iterable[int], files: Sequence[EntryFile]) -> Iterator[Any]:
    clusters = combine((cluster(read_bucket(files, bucket)), 1) for bucket in buckets)
    yield [[key, *counts] for key, counts in clusters.counts.items()]


def _clusters(record: Any) -> Clusters:
    return Clusters({tuple(key): (values, tuple(rows)) for key, values, rows in record})
