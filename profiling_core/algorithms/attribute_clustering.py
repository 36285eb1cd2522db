"""Unary inclusion dependencies by attribute clustering (Shaabani and Meinel, SSDBM 2017).

The generator maps each value to its cluster: the set of attributes that hold it. All that INDs and partial INDs need
is, per cluster, how many values have it, and per attribute in it the rows that hold them: by Lemma 4.2 A ⊆ B holds iff
B is in every cluster that A is in, and the values of A in clusters with B over those in all are the coverage. Merge and
extract (Definitions 4.4, 4.8) become one signed addition: old clusters of the touched values go, new ones come.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.canonical_values import Values
from profiling_core.algorithms.value_generator import (
    buckets,
    column_entries,
    is_among,
    joined,
    numpy_column,
    summed,
    value_ids,
)
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.schema import TableSchema

_VALUES_AT_ONCE = 2_000_000
_CLUSTERS_AT_ONCE = 4096
_DENSE = 1 << 20


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column that takes part; ``comparable`` names the type class (or "text"), within which values compare."""

    table: str
    column: str
    comparable: str


@dataclass(frozen=True, slots=True)
class Clusters:
    """Distinct clusters: attribute ids (ascending) → distinct values, and rows per attribute in the same order."""

    counts: Mapping[tuple[int, ...], tuple[int, tuple[int, ...]]]

    def __len__(self) -> int:
        return len(self.counts)


def attributes_of(schema: TableSchema, values: Values) -> list[Attribute]:
    """The attributes of a table, in column order: its profiled columns."""
    return [Attribute(schema.table, c.name, "text" if values == "text" else c.type.type_class) for c in schema.profiled]


def cluster(entries: pa.Table) -> Clusters:
    """The clusters of a generator (Definition 4.1): entries as ``summed`` leaves them, all frequencies positive."""
    if not entries.num_rows:
        return Clusters({})
    attribute, frequency = numpy_column(entries, "attribute"), numpy_column(entries, "frequency")
    ids = value_ids(entries)
    order = np.lexsort((attribute, ids))
    ids, attribute, frequency = ids[order], attribute[order].astype(np.int64), frequency[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(ids)) + 1])
    sizes = np.diff(np.append(starts, len(ids)))
    which = _same_sets(attribute, starts, sizes)
    return _counted(which, attribute, frequency, starts, sizes)


def _same_sets(attribute: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per value the number of its attribute set: its path in a trie, walked level by level for all values at once."""
    width = int(attribute.max()) + 1
    node = np.zeros(len(starts), np.int64)
    nodes = 1
    walking = np.arange(len(starts))
    for level in range(int(sizes.max())):
        walking = walking[sizes[walking] > level]
        children, child = _distinct(node[walking] * width + attribute[starts[walking] + level])
        node[walking] = nodes + child
        nodes += children
    return _distinct(node)[1]


def _distinct(keys: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """The number of distinct keys, and each key's place among them in ascending order."""
    largest = int(keys.max())
    if largest >= max(_DENSE, len(keys)):
        found, inverse = np.unique(keys, return_inverse=True)
        return len(found), inverse
    seen = np.zeros(largest + 1, np.int64)
    seen[keys] = 1
    places = np.cumsum(seen) - 1
    return int(places[-1]) + 1, places[keys]


def _counted(
    which: NDArray[np.int64],
    attribute: NDArray[np.int64],
    frequency: NDArray[np.int64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> Clusters:
    found, example = np.unique(which, return_index=True)
    values = np.bincount(which, minlength=len(found))
    offsets = np.concatenate([[0], np.cumsum(sizes[example])])
    within = np.arange(len(attribute)) - np.repeat(starts, sizes)
    # Sums of floats are exact here: no table has 2^53 rows.
    rows = np.bincount(np.repeat(offsets[which], sizes) + within, weights=frequency).astype(np.int64)
    sets = [attribute[starts[e] : starts[e] + sizes[e]].tolist() for e in example.tolist()]
    return Clusters(
        {
            tuple(attributes): (int(values[c]), tuple(rows[offsets[c] : offsets[c + 1]].tolist()))
            for c, attributes in enumerate(sets)
        }
    )


def combine(parts: Iterable[tuple[Clusters, int]]) -> Clusters:
    """The signed sum of clusterings over disjoint sets of values (or of the same values before and after)."""
    values: dict[tuple[int, ...], int] = {}
    rows: dict[tuple[int, ...], NDArray[np.int64]] = {}
    for clusters, sign in parts:
        for attributes, (count, frequencies) in clusters.counts.items():
            signed = sign * np.array(frequencies, np.int64)
            values[attributes] = values.get(attributes, 0) + sign * count
            rows[attributes] = rows[attributes] + signed if attributes in rows else signed
    kept = sorted(attributes for attributes in values if values[attributes] or rows[attributes].any())
    return Clusters({attributes: (values[attributes], tuple(rows[attributes].tolist())) for attributes in kept})


@dataclass(frozen=True, slots=True)
class Merge:
    """A delta merged into a generator: touched values' entries before and after, and the change of the clusters."""

    before: pa.Table
    after: pa.Table
    change: Clusters

    @property
    def is_consistent(self) -> bool:
        """Whether nothing was extracted that was not there."""
        return bool((numpy_column(self.after, "frequency") > 0).all())


def merge(generator: pa.Table, delta: pa.Table) -> Merge:
    """Merges what comes and extracts what goes (Algorithms 1 and 6, for all values of a delta at once).

    Args:
        generator: entries, in any number of signed parts; at least those of the touched values.
        delta: signed entries, each (value, attribute) once.
    """
    before = summed(generator.filter(pa.array(is_among(generator, delta))))
    after = summed(joined([before, delta]))
    merged = Merge(before, after, Clusters({}))
    if not merged.is_consistent:
        return merged
    return Merge(before, after, combine([(cluster(after), 1), (cluster(before), -1)]))


@dataclass(frozen=True, slots=True)
class Coverage:
    """Per ordered pair of attributes what they share: int64[a, a] values, and rows of the first with such values."""

    values: NDArray[np.int64]
    rows: NDArray[np.int64]


def coverage(clusters: Clusters, attributes: int) -> Coverage:
    """What attributes share, from the clusters alone; on the diagonal an attribute's distinct values and rows."""
    shared = np.zeros((attributes, attributes), np.float64)
    rows = np.zeros((attributes, attributes), np.float64)
    items = list(clusters.counts.items())
    for first in range(0, len(items), _CLUSTERS_AT_ONCE):
        block = items[first : first + _CLUSTERS_AT_ONCE]
        at = np.repeat(np.arange(len(block)), [len(key) for key, _ in block])
        members = np.array([a for key, _ in block for a in key], np.int64)
        present = np.zeros((len(block), attributes), np.float64)
        present[at, members] = 1.0
        held = np.zeros_like(present)
        held[at, members] = [r for _, (_, frequencies) in block for r in frequencies]
        values = np.array([count for _, (count, _) in block], np.float64)
        # Matrix products of whole numbers below 2^53 are exact in floats, and fast.
        shared += present.T @ (present * values[:, None])
        rows += held.T @ present
    return Coverage(shared.astype(np.int64), rows.astype(np.int64))


def inclusions(
    shared: Coverage, attributes: Sequence[Attribute], min_coverage: float | Callable[[Attribute], float] = 1.0
) -> list[Measured]:
    """All unary INDs with at least this coverage, those with an empty included side and A ⊆ A left out.

    Args:
        shared: what the attributes share.
        attributes: by id; they need not be in order.
        min_coverage: one for all, or by the included attribute.

    Returns:
        By included, then referenced attribute: tables by name, columns by position.
    """
    least = [min_coverage(a) if callable(min_coverage) else min_coverage for a in attributes]
    kinds = np.array([a.comparable for a in attributes], np.str_)
    distinct = np.diagonal(shared.values)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (distinct > 0) & (shared.values / distinct >= np.array(least)[:, None])
    found &= kinds[:, None] == kinds[None, :]
    np.fill_diagonal(found, val=False)
    order = sorted(range(len(attributes)), key=lambda a: (attributes[a].table, a))
    return [measured(shared, attributes, a, b) for a in order for b in order if found[a, b]]


def measured(shared: Coverage, attributes: Sequence[Attribute], included: int, referenced: int) -> Measured:
    """The exact figures of one inclusion, valid or not; an empty side is wholly included."""
    lhs, rhs = attributes[included], attributes[referenced]
    constraint = InclusionDependency(ColumnList(lhs.table, (lhs.column,)), ColumnList(rhs.table, (rhs.column,)))
    population, support = int(shared.values[included, included]), int(shared.values[included, referenced])
    rows = int(shared.rows[included, included])
    share = int(shared.rows[included, referenced]) / rows if rows else 1.0
    return Measured(constraint, population - support, population, support, share)


def discover(
    tables: Mapping[str, pa.Table],
    schemas: Mapping[str, TableSchema],
    *,
    values: Values,
    min_coverage: float = 1.0,
) -> list[Measured]:
    """All unary INDs within and across tables, in one go and in this process's memory.

    Args:
        tables: by name; columns in the Arrow types of their logical types (``values: text``: source text as strings).
        schemas: by the same names; only profiled columns take part.
        values: whether values compare as typed, or by their text, and then across all types.
        min_coverage: the least coverage of a partial IND; 1: exact ones only.

    Raises:
        TypeError: a column's values never compare with anything.
    """
    attributes = [a for schema in schemas.values() for a in attributes_of(schema, values)]

    def entries(attribute: int) -> pa.Table:
        place = attributes[attribute]
        return column_entries(tables[place.table][place.column], attribute, values)

    with ThreadPoolExecutor() as threads:
        columns = list(threads.map(entries, range(len(attributes))))
    kinds = sorted({a.comparable for a in attributes})
    parts = [[c for c, a in zip(columns, attributes, strict=True) if a.comparable == kind] for kind in kinds]
    clusters = combine((_clustered(joined(part)), 1) for part in parts)
    return inclusions(coverage(clusters, len(attributes)), attributes, min_coverage)


def _clustered(entries: pa.Table) -> Clusters:
    """The clusters of entries of single columns; a part of the values at a time, to bound what grouping them takes."""
    parts = -(-entries.num_rows // _VALUES_AT_ONCE)
    if parts <= 1:
        return cluster(entries)
    bucket = buckets(entries, parts)
    return combine((cluster(entries.filter(pa.array(bucket == part))), 1) for part in range(parts))
