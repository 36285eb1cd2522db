"""The clusters of values: which sets of attributes hold values in common, how many values, in how many rows each.

Merge and extract (Definitions 4.4 and 4.8 of the paper that ``attribute_clustering`` names) are one signed addition:
the old clusters of the values that a delta touches go, their new ones come.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from operator import add

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.value_generator import (
    Grouped,
    grouped,
    is_among,
    joined,
    numpy_column,
    summed,
)

_DENSE = 1 << 20


@dataclass(frozen=True, slots=True)
class Clusters:
    """Distinct clusters: attribute ids (ascending) → distinct values, and rows per attribute in the same order."""

    counts: Mapping[tuple[int, ...], tuple[int, tuple[int, ...]]]

    def __len__(self) -> int:
        return len(self.counts)


def cluster(entries: pa.Table) -> Clusters:
    """The clusters of a generator (Definition 4.1): entries whose frequencies add up to positive ones."""
    return clusters_of(grouped(entries))


def clusters_of(found: Grouped) -> Clusters:
    """The clusters of entries that are added up, all frequencies positive."""
    if not len(found.starts):
        return Clusters({})
    sizes = np.diff(np.append(found.starts, len(found.at)))
    which = _same_sets(found.attribute, found.starts, sizes)
    return _counted(which, found, sizes)


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


def _counted(which: NDArray[np.int64], found: Grouped, sizes: NDArray[np.int64]) -> Clusters:
    values = np.bincount(which)
    example = np.empty(len(values), np.int64)
    example[which] = np.arange(len(which))  # any value of a cluster
    offsets = np.concatenate([[0], np.cumsum(sizes[example])])
    within = np.arange(len(found.at)) - np.repeat(found.starts, sizes)
    # Sums of floats are exact here: no table has 2^53 rows.
    rows = np.bincount(np.repeat(offsets[which], sizes) + within, weights=found.frequency).astype(np.int64)
    sets = [found.attribute[found.starts[e] : found.starts[e] + sizes[e]].tolist() for e in example.tolist()]
    return Clusters(
        {
            tuple(attributes): (int(values[c]), tuple(rows[offsets[c] : offsets[c + 1]].tolist()))
            for c, attributes in enumerate(sets)
        }
    )


def combine(parts: Iterable[tuple[Clusters, int]]) -> Clusters:
    """The signed sum of clusterings over disjoint sets of values (or of the same values before and after)."""
    values: dict[tuple[int, ...], int] = {}
    rows: dict[tuple[int, ...], tuple[int, ...]] = {}
    for clusters, sign in parts:
        for attributes, (count, frequencies) in clusters.counts.items():
            signed = frequencies if sign == 1 else tuple(sign * frequency for frequency in frequencies)
            values[attributes] = values.get(attributes, 0) + sign * count
            rows[attributes] = tuple(map(add, rows[attributes], signed)) if attributes in rows else signed
    kept = sorted(attributes for attributes in values if values[attributes] or any(rows[attributes]))
    return Clusters({attributes: (values[attributes], rows[attributes]) for attributes in kept})


def without(clusters: Clusters, gone: Collection[int]) -> Clusters:
    """The clusters of the same values without some of the attributes; values that only these held are gone, too."""
    parts = []
    for key, (values, rows) in clusters.counts.items():
        stay = [i for i, attribute in enumerate(key) if attribute not in gone]
        if stay:
            parts.append((Clusters({tuple(key[i] for i in stay): (values, tuple(rows[i] for i in stay))}), 1))
    return combine(parts)


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
