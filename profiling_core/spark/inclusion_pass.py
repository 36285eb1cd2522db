"""Attribute clustering of whole tables in one distributed pass, as S-INDD has it (Shaabani and Meinel, DASFAA 2015).

Tasks read parts of tables, and write what they counted to files by bucket; one task per bucket then reads its blocks
and clusters them. Neither a table nor a column is ever in one process, and the JVM moves only where blocks lie. The
folder of those files must be one that all workers reach.
"""

import pickle
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from profiling_core.algorithms.inclusions.row_parts import Counted, RowParts, part_entries
from profiling_core.algorithms.inclusions.value_clusters import Clusters, cluster, combine
from profiling_core.algorithms.inclusions.value_generator import joined
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.errors import InputError
from profiling_core.spark.entry_blocks import HELD_BYTES, EntryFile, read_bucket, write_entries
from profiling_core.spark.session import parallelism

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Result = TypeVar("Result")
_TASKS_PER_CORE = 4


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
    counted = in_tasks(spark, places, lambda some: _count(some, over, folder))
    files = [file for file, _ in counted]
    rows = Counter(dict.fromkeys(over.attributes, 0))
    for _, some in counted:
        rows.update(some)
    found = in_tasks(spark, range(over.buckets), lambda some: _cluster(some, files))
    return combine((clusters, 1) for clusters in found), dict(rows)


def in_tasks(
    spark: "SparkSession", items: Sequence[Item], work: Callable[[Iterator[Item]], Iterator[Result]]
) -> list[Result]:
    """What work over the items gives, in their order; each task gets some of them.

    Raises:
        InputError: a task raised it.
    """
    tasks = max(1, min(len(items), _TASKS_PER_CORE * parallelism(spark)))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers = [number for batch in batches for number in batch.column("id").to_pylist()]
        try:
            found: list[Result] | InputError = list(work(items[number] for number in numbers))
        except InputError as error:
            found = error
        first = min(numbers, default=len(items))
        yield pa.RecordBatch.from_pydict({"first": [first], "found": [pickle.dumps(found)]})

    answers = spark.range(len(items), numPartitions=tasks).mapInArrow(run, "first long, found binary").toArrow()
    results: list[Result] = []
    for answer in sorted(answers.to_pylist(), key=itemgetter("first")):
        found = pickle.loads(answer["found"])  # noqa: S301  # what our own task has just written
        if isinstance(found, InputError):
            raise found
        results += found
    return results


def start_workers(spark: "SparkSession") -> None:
    """Has Spark start its Python processes in the background, for the tasks that soon come."""
    cores = range(parallelism(spark))
    threading.Thread(target=in_tasks, args=(spark, cores, lambda _: iter(())), daemon=True).start()


def _count(places: Iterable[tuple[str, int]], over: Pass, folder: Path) -> Iterator[tuple[EntryFile, Counter[str]]]:
    held: list[pa.Table] = []
    rows: Counter[str] = Counter()
    for table, part in places:
        portions, counted = part_entries(over.tables[table], part, over.attributes[table], over.values)
        rows[table] += counted
        for entries in portions:
            held.append(entries)
            if sum(entries.nbytes for entries in held) >= HELD_BYTES:
                yield write_entries(joined(held), over.buckets, folder), rows
                held, rows = [], Counter()
    if held:
        yield write_entries(joined(held), over.buckets, folder), rows


def _cluster(buckets: Iterable[int], files: Sequence[EntryFile]) -> Iterator[Clusters]:
    yield combine((cluster(read_bucket(files, bucket)), 1) for bucket in buckets)
