"""The inner loops of evidence by contexts: hashes of rows, clusters of rare values, and the pairs inside them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Codes, Flags, Words
from profiling_core.algorithms.ground.counting_table import count_narrow, counted
from profiling_core.algorithms.ground.hashing import search_starts
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.model.evidence import EQUAL, GREATER, INCOMPARABLE, LESS

Rows = NDArray[np.int64]

# How a slot's outcome follows from two codes: equal or not; or as the names say.
PLAIN, ORDERED_NULLS_EQUAL, ORDERED_NULLS_UNEQUAL, UNORDERED_NULLS_UNEQUAL = range(4)
# Keys that are collected before they are counted.
_BLOCK = 1024


@kernel
def row_hashes(codes: Codes, rare: Flags) -> Words:
    """uint64[n]: hashes of rows (codes int32[m, n]) in which rare values (bool[m, n]) are all alike."""
    hashes = np.zeros(codes.shape[1], np.uint64)
    for c in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            value = np.uint64(0) if rare[c, row] else np.uint64(codes[c, row] + 2)
            mixed = (hashes[row] ^ value) * np.uint64(0x9E3779B97F4A7C15)
            hashes[row] = mixed ^ (mixed >> np.uint64(29))
    return hashes


@kernel
def distinct(hashes: Words) -> int:
    """How many different hashes there are."""
    bits = 1
    while 1 << bits < 2 * hashes.size:
        bits += 1
    table = np.zeros((1 << bits, 2), np.uint64)
    starts = np.empty(hashes.size, np.uint64)
    search_starts(hashes.reshape(1, hashes.size), bits, starts)
    return count_narrow(table, starts, hashes, np.empty(0, np.uint64), np.uint64(1))


@kernel
def clusters(codes: Codes, rare: Flags) -> tuple[Rows, Rows]:
    """Rows of the rare values that several rows have, ascending within each, and where each value's begin and end."""
    sizes = np.zeros(codes.max() + 3, np.int64)
    for row in range(codes.size):
        if rare[row]:
            sizes[codes[row] + 2] += 1
    at = np.zeros(sizes.size, np.int64)
    starts = np.zeros(sizes.size + 1, np.int64)
    many = 0
    filled = 0
    for value in range(sizes.size):
        if sizes[value] > 1:
            at[value] = filled
            filled += sizes[value]
            many += 1
            starts[many] = filled
    rows = np.empty(filled, np.int64)
    for row in range(codes.size):
        value = codes[row] + 2
        if rare[row] and sizes[value] > 1:
            rows[at[value]] = row
            at[value] += 1
    return rows, starts[: many + 1]


@kernel
def _outcome(left: int, right: int, mode: int) -> int:
    """The outcome of comparing two codes, by order or not, nulls being equal to each other or to nothing."""
    if left < 0 or right < 0:
        return EQUAL if left == right and mode == ORDERED_NULLS_EQUAL else INCOMPARABLE
    if left == right:
        return EQUAL
    return GREATER if mode != UNORDERED_NULLS_UNEQUAL and left > right else LESS


@kernel
def _all_agree_earlier(codes: Codes, rare: Flags, earlier: Rows, rows: Rows) -> bool:
    """Whether all rows share a rare value in one of the earlier columns."""
    for c in earlier:
        if rare[c, rows[0]]:
            same = True
            for row in rows:
                if codes[c, row] != codes[c, rows[0]]:
                    same = False
                    break
            if same:
                return True
    return False


@kernel
def _left_over(codes: Codes, rare: Flags, earlier: Rows, lefts: Rows, rights: Rows) -> int:
    """Moves the pairs that share no rare value in an earlier column to the front; how many they are."""
    size = lefts.size
    for c in earlier:
        kept = 0
        for b in range(size):
            i, j = lefts[b], rights[b]
            lefts[kept] = i
            rights[kept] = j
            kept += not (rare[c, i] and codes[c, i] == codes[c, j])
        size = kept
    return size


@kernel
def _write_keys(codes: Codes, slots: Rows, lefts: Rows, rights: Rows, keys: Words) -> None:
    """Adds the outcomes of pairs of rows to their keys, uint64[words, n]."""
    for p in range(slots.shape[0]):
        left, right, mode = codes[slots[p, 0]], codes[slots[p, 1]], slots[p, 4]
        shift = np.uint64(slots[p, 3])
        out = keys[slots[p, 2]]
        less, equal = np.uint64(LESS) << shift, np.uint64(EQUAL) << shift
        if mode == PLAIN:
            for b in range(lefts.size):
                out[b] |= equal if left[lefts[b]] == right[rights[b]] else less
        else:
            for b in range(lefts.size):
                out[b] |= np.uint64(_outcome(left[lefts[b]], right[rights[b]], mode)) << shift


@kernel
def _as_contexts(rare: Flags, slots: Rows, lefts: Rows, true_keys: Words, keys: Words) -> None:
    """Makes of true keys those of the contexts: rows that share a rare value differ there."""
    for word in range(keys.shape[0]):
        for b in range(lefts.size):
            keys[word, b] = true_keys[word, b]
    for p in range(slots.shape[0]):
        if slots[p, 5]:
            flags = rare[slots[p, 0]]
            out = keys[slots[p, 2]]
            shift = np.uint64(slots[p, 3])
            for b in range(lefts.size):
                equal = (out[b] >> (shift + np.uint64(1))) & np.uint64(flags[lefts[b]])
                out[b] ^= (equal * np.uint64(EQUAL ^ LESS)) << shift


class RowClusters(NamedTuple):
    """The ``rows`` of clusters, int64, one after the other; ``starts``: int64[clusters + 1], where each begins."""

    rows: Rows
    starts: Rows


class KeyedRows(NamedTuple):
    """All rows, and what their keys are made of.

    Attributes:
        codes: int32[m, n].
        rare: bool[m, n], where a row's value is rare.
        slots: int64[p, 6], per compared slot its left and right column, word, shift, mode, and whether values are rare.
        left_keys: uint64[n, words], the key bits that follow from the left row alone.
        right_keys: uint64[n, words], those that follow from the right row alone.
        weights: uint64[n], how many rows each stands for.
    """

    codes: Codes
    rare: Flags
    slots: Rows
    left_keys: Words
    right_keys: Words
    weights: Words


@kernel
def count_cluster_pairs(
    true_table: Words, context_table: Words, clusters: RowClusters, every: KeyedRows, earlier: Rows
) -> tuple[Words, Words]:
    """Counts the pairs within clusters by their true keys and by those of their contexts.

    Args:
        true_table: uint64[2^b, words + 1], empty.
        context_table: another one.
        clusters: the clusters.
        every: all rows.
        earlier: the columns whose clusters are counted elsewhere, with the pairs that share a rare value there.

    Returns:
        The two tables, grown if need be.
    """
    rows, starts = clusters
    codes, rare, slots, left_keys, right_keys, weights = every
    words = left_keys.shape[1]
    true_used, context_used = 0, 0
    lefts, rights = np.empty(_BLOCK, np.int64), np.empty(_BLOCK, np.int64)
    true_keys, context_keys = np.empty((words, _BLOCK), np.uint64), np.empty((words, _BLOCK), np.uint64)
    products, searches = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint64)
    filled = 0
    for c in range(starts.size):
        # The last round has no cluster, but what the others have left.
        ended = c == starts.size - 1
        members = rows[:1] if ended else rows[starts[c] : starts[c + 1]]
        if not ended and _all_agree_earlier(codes, rare, earlier, members):
            continue
        for a in range(members.size):
            at = a + 1
            while at < members.size or (ended and filled):
                while at < members.size and filled < _BLOCK:
                    lefts[filled] = members[a]
                    rights[filled] = members[at]
                    filled += 1
                    at += 1
                if filled < _BLOCK and not ended:
                    break
                size = _left_over(codes, rare, earlier, lefts[:filled], rights[:filled])
                for b in range(size):
                    products[b] = weights[lefts[b]] * weights[rights[b]]
                    for w in range(words):
                        true_keys[w, b] = left_keys[lefts[b], w] | right_keys[rights[b], w]
                _write_keys(codes, slots, lefts[:size], rights[:size], true_keys)
                _as_contexts(rare, slots, lefts[:size], true_keys, context_keys)
                true_table, true_used = counted(
                    true_table, true_used, true_keys, size, products, np.uint64(1), searches
                )
                context_table, context_used = counted(
                    context_table, context_used, context_keys, size, products, np.uint64(1), searches
                )
                filled = 0
    return true_table, context_table
