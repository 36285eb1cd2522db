"""Tables as parts that are counted apart, and where what was counted waits until all parts are done.

A part's distinct values go to the bucket of their hash. A bucket then holds all that any attribute has of its values,
so it is clustered for itself: neither a table nor a column is ever held whole.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

import pyarrow as pa

from profiling_core.algorithms.inclusions.value_clusters import Clusters, cluster, combine
from profiling_core.algorithms.inclusions.value_generator import attribute_entries, joined, partitioned
from profiling_core.algorithms.values.canonical_values import Values

CELLS_PER_PART = 2_000_000
ENTRIES_AT_ONCE = 500_000
Counted = tuple[tuple[str, ...], int]
"""Columns that are counted as one, and their attribute id."""


class RowParts(Protocol):
    """A table's rows in parts that can be read in any order, side by side."""

    def __len__(self) -> int:
        """The number of parts."""
        ...

    def read(self, part: int, columns: Sequence[str]) -> pa.Table:
        """Some columns of a part's rows."""
        ...


class Spool(Protocol):
    """Keeps entries by bucket; takes them from several threads at once."""

    def put(self, entries: pa.Table) -> None:
        """Adds entries of any buckets."""
        ...

    def buckets(self) -> Iterable[Callable[[], pa.Table]]:
        """What was put, bucket by bucket: functions that read one each."""
        ...


class TableParts:
    """A table in memory."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._rows = max(1, CELLS_PER_PART // max(1, table.num_columns))

    def __len__(self) -> int:
        """At least one part, so that every column is seen."""
        return int(max(1, -(-self._table.num_rows // self._rows)))

    def read(self, part: int, columns: Sequence[str]) -> pa.Table:
        """Some columns of a part's rows, not copied."""
        return self._table.select(list(columns)).slice(part * self._rows, self._rows)


class MemorySpool:
    """Entries in memory, in ``count`` buckets."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._parts: list[list[pa.Table]] = [[] for _ in range(count)]

    def put(self, entries: pa.Table) -> None:
        """Adds entries of any buckets."""
        for bucket, part in partitioned(entries, self._count):
            self._parts[bucket].append(part)

    def buckets(self) -> Iterable[Callable[[], pa.Table]]:
        """What was put, bucket by bucket."""
        return [partial(joined, parts) for parts in self._parts if parts]


def part_entries(
    table: RowParts, part: int, counted: Sequence[Counted], values: Values
) -> tuple[Iterator[pa.Table], int]:
    """The entries of some attributes in a part, of a few attributes at a time; and its rows."""
    wanted = dict.fromkeys(name for names, _ in counted for name in names)
    rows = table.read(part, list(wanted))
    return _portions(attribute_entries([rows[name] for name in names], i, values) for names, i in counted), len(rows)


def _portions(parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
    held: list[pa.Table] = []
    for part in parts:
        held.append(part)
        if sum(entries.num_rows for entries in held) >= ENTRIES_AT_ONCE:
            yield joined(held)
            held = []
    if held:
        yield joined(held)


def clusters_of_parts(
    tables: Mapping[str, RowParts], attributes: Mapping[str, Sequence[Counted]], values: Values, spool: Spool
) -> tuple[Clusters, dict[str, int]]:
    """The clusters of all tables' values, and the tables' rows, by as many threads as there are cores.

    Args:
        tables: rows by table.
        attributes: by table what is counted; each table at most once.
        values: how values compare.
        spool: an empty one.

    Raises:
        TypeError: a column's values never compare with anything.
    """

    def count(place: tuple[str, int]) -> tuple[str, int]:
        table, part = place
        portions, rows = part_entries(tables[table], part, attributes[table], values)
        for entries in portions:
            spool.put(entries)
        return table, rows

    def clustered(read: Callable[[], pa.Table]) -> tuple[Clusters, int]:
        return cluster(read()), 1

    places = [(table, part) for table in attributes for part in range(len(tables[table]))]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        rows = dict.fromkeys(attributes, 0)
        for table, counted in threads.map(count, places):
            rows[table] += counted
        return combine(threads.map(clustered, spool.buckets())), rows
