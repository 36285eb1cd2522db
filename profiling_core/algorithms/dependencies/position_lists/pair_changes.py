"""How many pairs of rows agree on each of many column sets, and how a delta changes that, in one walk over prefixes.

Of the classes of rows that agree on a set, only those change that a row of the delta is in; so the walk keeps, at each
prefix, these classes alone. Prefixes begin with the columns on which the delta agrees with fewest rows: a few columns
on, little more than the delta is left. With all rows as the delta the changes are the counts themselves.
Compare: Huhtala et al., TANE (1999), section 5, stripped partitions; Pyro (VLDB 2018), section 5.2.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.dependencies.position_lists.prefix_walk import Slots, meetings, walk
from profiling_core.algorithms.ground.arrays import Codes, Counts, Words
from profiling_core.algorithms.ground.bit_words import permuted, positions, with_bit, word_count

# Fewer sets than this are not worth another thread.
_PER_THREAD = 64


@dataclass(frozen=True, slots=True, eq=False)
class RowChange:
    """Rows by their slots, int32 each: those that stay, those that go and those that come.

    ``codes``: int32[columns, slots], the rows that come and those that go included; ``comparable``: whether nulls agree
    with each other.
    """

    codes: Codes
    kept: Slots
    gone: Slots
    come: Slots
    comparable: bool


def agreeing_pairs(codes: Codes, sets: Words, *, comparable: bool) -> Counts:
    """The unordered pairs of the rows int32[columns, n] that agree on each column set (uint64[sets, words])."""
    none, every = np.empty(0, np.int32), np.arange(codes.shape[1], dtype=np.int32)
    return pair_changes(RowChange(codes, none, none, every, comparable), sets)


def differing_pairs(codes: Codes, sets: Words, rights: Counts, *, comparable: bool) -> Counts:
    """Per column set the unordered pairs of rows that agree on it, and differ in a column (int64[sets], one each).

    These are the pairs in which both rows have a value in the column, without those that agree on it.
    """
    columns = len(codes)
    together = np.zeros((len(sets), word_count(2 * columns)), np.uint64)
    together[:, : sets.shape[1]] = sets
    with_values = together if comparable else with_bit(together, columns + rights)
    asked = np.concatenate([with_values, with_bit(together, rights)])
    pairs = agreeing_pairs(codes, asked, comparable=comparable)
    differing: Counts = pairs[: len(sets)] - pairs[len(sets) :]
    return differing


def pair_changes(change: RowChange, sets: Words) -> Counts:
    """By how much the number of unordered pairs of rows that agree on each set grows.

    Args:
        change: the rows.
        sets: uint64[sets, words], bit c for column c, and bit m + c, of m columns, for the presence of a value in it.
    """
    if not len(sets) or not len(change.gone) + len(change.come):
        return np.zeros(len(sets), np.int64)
    delta = np.concatenate([change.gone, change.come])
    others = change.kept if len(change.kept) else delta
    met = meetings(change.codes, others, delta, change.comparable)
    ranked = [*np.argsort(met, kind="stable").tolist(), *range(len(met), 2 * len(met))]
    places = _places(sets, ranked)
    order = np.lexsort(places.T[::-1])
    columns = np.array([*ranked, -1], np.int32)[places[order]]
    parts = min(os.cpu_count() or 1, 1 + len(sets) // _PER_THREAD)
    with ThreadPoolExecutor(parts) as pool:
        changed = pool.map(
            lambda part: walk(change.codes, change.kept, delta, len(change.gone), change.comparable, part),
            np.array_split(columns, parts),
        )
        found = np.empty(len(sets), np.int64)
        found[order] = np.concatenate(list(changed))
    return found


def _places(sets: Words, ranked: Sequence[int]) -> Slots:
    """int32[sets, longest + 1]: each set's columns as places in the ranking, ascending, filled up with −1."""
    place = np.full(max(64 * sets.shape[1], len(ranked)), -1, np.int32)
    place[ranked] = np.arange(len(ranked))
    longest = int(np.bitwise_count(sets).sum(axis=1).max())
    return positions(permuted(np.ascontiguousarray(sets), place, word_count(len(ranked))), longest + 1)
