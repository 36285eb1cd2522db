"""Minimal hitting sets while edges go: those that become one are looked for inside what an edge leaves out.

A set that is a hitting set only once an edge is gone lies within the edge's complement, the evidence that is gone: it
missed that edge alone of all. Of the other edges only what they have within it matters, and of that only what is
minimal. On census data these are some twenty of 80,000 edges, so that a search among them takes less time than to find
them. Under a bound on length, where sets are short and lie within many evidences, one search among a sample of the
other edges does, and what it finds is refined. What contains a set that is found is minimal no more.
Source: Xiao et al., dynamic hitting set enumeration (ICDE 2022), for the problem.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, counts, popcount
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.enumeration import root, search
from profiling_core.algorithms.hitting_sets.evidences import Evidences
from profiling_core.algorithms.hitting_sets.inversion import minimal_hitting_sets
from profiling_core.algorithms.hitting_sets.refinement import refined
from profiling_core.algorithms.hitting_sets.search_node import edges_of
from profiling_core.algorithms.hitting_sets.universe import Universe

# If fewer evidences are looked at, starting threads costs more than it saves.
_WORTH_THREADS = 1_000_000
# At most this number of the remaining evidences is looked at first.
_SAMPLE = 4096


def freed(gone: Masks, remaining: Evidences, universe: Universe, *, threads: int = 0) -> Masks:
    """The minimal hitting sets that evidences which are gone stood in the way of, uint64[sets, words].

    Edges are told by their complements, the evidences: a hitting set lies within none of them. A set that lies within
    several that are gone may be there as many times. Short sets lie within many, and are looked for within all at once
    where there is a bound on length.

    Args:
        gone: the evidences that are no more; where they come with their mirrors and so do the sets that are asked for,
            one of each pair is enough.
        remaining: those that are left.
        universe: the elements.
        threads: threads to use; 0: one per core.
    """
    if not universe.capacity.size or not len(gone):
        return np.empty((0, universe.words), dtype=np.uint64)
    if universe.limit < universe.capacity.size:
        return _freed_short(gone, remaining, universe, threads=threads)
    threads = threads or os.cpu_count() or 1
    if len(gone) * len(remaining) < _WORTH_THREADS:
        threads = 1
    unmirrored = np.empty((0, 3), dtype=np.int64)

    def of(part: Masks) -> Masks:
        return _freed(part, remaining.masks, universe, universe.all, unmirrored)

    parts = [np.ascontiguousarray(gone[start::threads]) for start in range(threads)]
    if threads == 1:
        return of(parts[0])
    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(of, parts)))


def _freed_short(gone: Masks, remaining: Evidences, universe: Universe, *, threads: int) -> Masks:
    """The same under a bound on length, each set once.

    Searched for among few of the edges that are left; what misses one of the others is refined. What lies within no
    evidence that is gone is left out throughout, as is what is too long, and for the same reason: no extension of it is
    asked for.
    """
    sample = remaining.at(np.arange(0, len(remaining), len(remaining) // _SAMPLE + 1))
    found = minimal_hitting_sets(~sample & universe.all, universe, gone=~gone & universe.all, threads=threads)
    stay, fresh = refined(found, remaining, universe, within=gone)
    return np.concatenate([found[stay], fresh])


@kernel
def _freed(gone: Masks, remaining: Masks, universe: Universe, every: Masks, mirrors: NDArray[np.int64]) -> Masks:
    """``every``: all elements of the universe."""
    none_gone = np.empty((0, every.size), dtype=np.uint64)
    avoided = edges_of(none_gone, universe.group_of.size)
    found = [none_gone]
    many = 0
    for g in range(gone.shape[0]):
        within = gone[g] & every
        rows = minimal_differences(within, remaining)
        if rows.shape[0] > 0 and counts(rows[:1])[0] == 0:
            continue
        edges = edges_of(rows, universe.group_of.size)
        singles, candidates, branches = root(edges, universe, within, avoided, mirrors)
        found.append(singles)
        for b in range(branches.size):
            first = branches[b]
            found.append(search(edges, first, candidates[b], universe, avoided, mirrors))
    for part in found:
        many += part.shape[0]
    joined = np.empty((many, every.size), dtype=np.uint64)
    at = 0
    for part in found:
        joined[at : at + part.shape[0]] = part
        at += part.shape[0]
    return joined


@kernel
def minimal_differences(within: Masks, evidences: Masks) -> Masks:  # noqa: C901 -- one pass by size after another
    """The minimal ones among the sets of elements ``within`` that each evidence lacks, uint64[sets, words].

    By growing size; a single empty set where an evidence lacks none.
    """
    many, words = evidences.shape
    # Single elements are minimal; they rule most others out at once.
    lonely = np.zeros(words, dtype=np.uint64)
    for e in range(many):
        size = np.int64(0)
        for k in range(words):
            size += popcount(within[k] & ~evidences[e, k])
        if size == 0:
            return np.zeros((1, words), dtype=np.uint64)
        if size == 1:
            for k in range(words):
                lonely[k] |= within[k] & ~evidences[e, k]
    left = np.empty((many + 1, words), dtype=np.uint64)
    at = 0
    for e in range(many):
        met = False
        for k in range(words):
            left[at, k] = within[k] & ~evidences[e, k]
            met |= left[at, k] & lonely[k] != 0
        at += not met
    singles = counts(lonely.reshape(1, words))[0]
    kept = np.zeros((singles + at, words), dtype=np.uint64)
    used = 0
    for k in range(words):
        word = lonely[k]
        while word != 0:
            kept[used, k] = word & (~word + np.uint64(1))
            word ^= kept[used, k]
            used += 1
    for i in np.argsort(counts(left[:at]), kind="mergesort"):
        if not _has_subset_among(kept[singles:used], left[i]):
            kept[used] = left[i]
            used += 1
    return kept[:used]


@kernel
def _has_subset_among(sets: Masks, mask: Masks) -> bool:
    for j in range(sets.shape[0]):
        inside = True
        for k in range(mask.size):
            inside &= sets[j, k] & ~mask[k] == 0
        if inside:
            return True
    return False
