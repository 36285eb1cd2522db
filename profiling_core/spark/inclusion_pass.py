"""Attribute clustering of whole tables in one distributed pass, as S-INDD has it (Shaabani and Meinel, DASFAA 2015).

Tasks read parts of tables, and write what they counted to files by bucket; one task per bucket then reads its blocks
and clusters them. Neither a table nor a column is ever in one process, and the JVM moves only where blocks lie. The
folder of those files must be one that all workers reach.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from profiling_core.algorithms.inclusions.row_parts import Counted, RowParts, part_entries
from profiling_core.algorithms.inclusions.value_clusters import Clusters, cluster, combine
from profiling_core.algorithms.inclusions.value_generator import joined
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.spark.entry_blocks import HELD_BYTES, EntryFile, read_bucket, write_entries
from profiling_core.spark.tasks import in_tasks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
