"""What a batch changes in the multiset of agree sets: the pairs of its rows with the others (DynASt, section 3).

The pairs that go are D×K and D×D, those that come I×K and I×I, of deleted rows D, inserted rows I and rows K that
stay. Equal rows are one row with a weight throughout. D and I pass K together, with weights of opposite signs.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import word_count
from profiling_core.algorithms.dynast.agree_set_table import AgreeSetTable
from profiling_core.algorithms.dynast.column_dictionary import NULL_CODE, UNUSED_HALF, Codes
from profiling_core.algorithms.dynast.compressed_relation import CompressedRelation, null_masks
from profiling_core.algorithms.dynast.pair_comparison import count_direct, lane_bits

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
Halves = NDArray[np.uint16]

# Up to so many columns, agree sets are counted in a table of 2^m counters.
DIRECT_COLUMNS = 20
# Below so many pairs a second thread costs more than it brings.
PAIRS_PER_THREAD = 20_000_000


@dataclass(frozen=True, slots=True, eq=False)
class WeightedRows:
    """Distinct rows, int32[n, columns], and how many rows each stands for, int64[n]: negative where they go."""

    codes: Codes
    weights: Counts
    nullable: bool

    @property
    def low(self) -> Halves:
        """uint16[n, columns], the lower halves; of a null that is incomparable one that no row has."""
        halves = (self.codes & UNUSED_HALF).astype(np.uint16)
        if self.nullable:
            halves[self.codes == NULL_CODE] = UNUSED_HALF
        return halves

    @property
    def high(self) -> Halves:
        """uint16[n, columns], the upper halves."""
        return (self.codes >> 16).astype(np.uint16)

    @property
    def nulls(self) -> Words:
        """uint64[n, words], the null columns; of no words where nulls are values."""
        return null_masks(self.codes) if self.nullable else np.zeros((len(self.codes), 0), np.uint64)

    def relation(self) -> CompressedRelation:
        """The rows as the other side of a comparison, with positive weights."""
        own = CompressedRelation.restored(
            np.ascontiguousarray(self.codes.T), np.empty(0, np.int64), np.empty(0, np.int64), nullable=self.nullable
        )
        own.weights[: len(self.codes)] = np.abs(self.weights)
        return own


def distinct_rows(codes: Codes, sign: int, *, nullable: bool) -> WeightedRows:
    """Rows int32[n, columns] as distinct ones, weighted with their number times the sign."""
    if not len(codes):
        return WeightedRows(codes, np.empty(0, np.int64), nullable)
    rows, many = np.unique(codes, axis=0, return_counts=True)
    return WeightedRows(np.ascontiguousarray(rows), sign * many, nullable)


def count_batch(table: AgreeSetTable, kept: CompressedRelation, gone: WeightedRows, come: WeightedRows) -> None:
    """Adds to the table the pairs that a batch brings, and subtracts those that it takes.

    Args:
        table: the multiset of agree sets.
        kept: the rows that stay, without those that go.
        gone: the rows that go, of negative weight.
        come: the rows that come.
    """
    both = WeightedRows(
        np.concatenate([gone.codes, come.codes]), np.concatenate([gone.weights, come.weights]), kept.nullable
    )
    everywhere = np.full(len(both.codes), kept.used, np.int64)
    _count(table, kept, both, everywhere)
    for rows in (gone, come):
        if len(rows.codes):
            _count(table, rows.relation(), rows, np.arange(len(rows.codes)))
            _count_equal(table, rows)


def count_all(table: AgreeSetTable, rows: CompressedRelation, threads: int) -> None:
    """Adds to an empty table all pairs of a relation's rows."""
    own = WeightedRows(
        np.ascontiguousarray(rows.codes[:, : rows.used].T), rows.weights[: rows.used].astype(np.int64), rows.nullable
    )
    _count(table, rows, own, np.arange(rows.used), threads)
    _count_equal(table, own)


def _count(
    table: AgreeSetTable, right: CompressedRelation, left: WeightedRows, before: Counts, threads: int = 1
) -> None:
    """Counts the pairs of left rows with the positions before ``before`` of the right ones."""
    nulls = right.has_nulls or (left.nullable and bool((left.codes == NULL_CODE).any()))
    if right.columns <= DIRECT_COLUMNS and not nulls:
        _count_direct(table, right, left, before, threads)
        return
    table.count_pairs(
        right.low, right.high, right.high_of, right.nulls, right.weights, (0, right.used),
        left.low, left.high, left.nulls, left.weights, before, lane_bits(),
    )  # fmt: skip


def _count_direct(
    table: AgreeSetTable, right: CompressedRelation, left: WeightedRows, before: Counts, threads: int
) -> None:
    workers = max(1, min(threads, int(before.sum()) // PAIRS_PER_THREAD))
    low, high = left.low, left.high

    def part(worker: int) -> Counts:
        """Every ``workers``-th row: each part then has as many long triangle rows as short ones."""
        counts = np.zeros(1 << right.columns, np.int64)
        own = slice(worker, None, workers)
        count_direct(
            counts, right.low, right.high, right.high_of, right.weights, 0, right.used,
            np.ascontiguousarray(low[own]), np.ascontiguousarray(high[own]), left.weights[own].copy(),
            before[own].copy(), lane_bits(),
        )  # fmt: skip
        return counts

    if workers == 1:
        counts = part(0)
    else:
        with ThreadPoolExecutor(workers) as pool:
            counts = sum(pool.map(part, range(workers)), np.zeros(1 << right.columns, np.int64))
    found = np.flatnonzero(counts)
    found = found[found != 0]
    keys = np.zeros((len(found), table.words), np.uint64)
    keys[:, 0] = found
    table.add(keys, counts[found])


def _count_equal(table: AgreeSetTable, rows: WeightedRows) -> None:
    """Counts the pairs of equal rows: they agree wherever they are not null."""
    repeated = np.abs(rows.weights) > 1
    if not repeated.any() or not table.words:
        return
    weights = rows.weights[repeated]
    null = null_masks(rows.codes[repeated]) if rows.nullable else None
    words = word_count(rows.codes.shape[1])
    keys = np.zeros((len(weights), table.words), np.uint64)
    keys[:, :words] = np.packbits(np.arange(64 * words) < rows.codes.shape[1], bitorder="little").view(np.uint64)
    if null is not None:
        keys[:, :words] &= ~null
        keys[:, words:] = null
    table.add(keys, np.sign(weights) * (np.abs(weights) * (np.abs(weights) - 1) // 2))
