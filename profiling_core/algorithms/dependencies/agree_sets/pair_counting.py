"""What a batch changes in the multiset of agree sets: the pairs of its rows with the others (DynASt, section 3).

The pairs that go are D×K and D×D, those that come I×K and I×I, of deleted rows D, inserted rows I and rows K that
stay. Equal rows are one row with a weight throughout. D and I pass K together, with weights of opposite signs.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetTable
from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation, null_masks
from profiling_core.algorithms.dependencies.agree_sets.pair_comparison import count_direct, lane_bits
from profiling_core.algorithms.dependencies.agree_sets.weighted_rows import WeightedRows
from profiling_core.algorithms.ground.arrays import Counts
from profiling_core.algorithms.ground.bit_words import word_count
from profiling_core.algorithms.values.column_dictionary import NULL_CODE

# Up to 20 columns, agree sets are counted in a table of 2^m counters.
DIRECT_COLUMNS = 20
# Fewer rows than these are looked up one by one where they have nulls.
ROWS_FOR_PATTERNS = 10_000
# With fewer pairs a second thread costs more than it saves.
PAIRS_PER_THREAD = 20_000_000


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
    _count(table, kept, both, np.full(len(both.codes), kept.used, np.int64))
    for rows in (gone, come):
        if len(rows.codes):
            _count(table, rows.relation(), rows, np.arange(len(rows.codes)))
            _count_equal(table, rows)


def count_all(table: AgreeSetTable, rows: CompressedRelation) -> None:
    """Adds to an empty table all pairs of a relation's rows."""
    own = WeightedRows(
        np.ascontiguousarray(rows.codes[:, : rows.used].T), rows.weights[: rows.used].astype(np.int64), rows.nullable
    )
    _count(table, rows, own, np.arange(rows.used))
    _count_equal(table, own)


def _count(table: AgreeSetTable, right: CompressedRelation, left: WeightedRows, before: Counts) -> None:
    """Counts the pairs of left rows with the positions before ``before`` of the right ones."""
    nulls = right.has_nulls or (left.nullable and bool((left.codes == NULL_CODE).any()))
    if right.columns <= DIRECT_COLUMNS and not nulls:
        _count_direct(table, right, left, before)
        return
    patterns = right.null_patterns[: None if right.used >= ROWS_FOR_PATTERNS else 0]
    table.count_pairs(right.compared, patterns, left.before(before), right.used)


def _count_direct(table: AgreeSetTable, right: CompressedRelation, left: WeightedRows, before: Counts) -> None:
    workers = max(1, min(os.cpu_count() or 1, int(before.sum()) // PAIRS_PER_THREAD))
    rows = left.before(before)

    def part(worker: int) -> Counts:
        """Every ``workers``-th row: each part then has as many long triangle rows as short ones."""
        counts = np.zeros(1 << right.columns, np.int64)
        count_direct(counts, right.compared, rows.part(slice(worker, None, workers)), right.used, lane_bits())
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
