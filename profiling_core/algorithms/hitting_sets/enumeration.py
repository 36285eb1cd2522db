"""Minimal hitting sets of a family of edges: MMCS (Murakami, Uno 2014) on vertical bit sets, evaluated lazily.

Inversion, maximal empty boxes and what refines them all ask the same: which minimal sets of elements meet every edge,
when each *group* of elements, and the number of groups, is bounded? A set is minimal while each of
its elements meets a single edge, its *critical* ones.

What makes it fast: a node is two bit sets over the edges, whatever the number of chosen elements. Candidates that would
take the last critical edge of a chosen element go at once, for the whole subtree. The elements that finish the set are
the AND over the open edges, so that the last level is never walked. Both look at the parent's bit sets as if the
element were chosen already, end after a few edges as a rule, and only nodes that have children get bit sets at all.

A search may be confined to sets that *miss* at least one of some other edges, ``gone``: those sets become hitting sets
when these edges go. Candidates that would meet the last edge of ``gone`` that is still missed are left out like others
that lead nowhere, so that a few edges gone cost a small part of the whole search.

Where edges come with their mirrors, so do the sets, and only the canonical one of a set and its mirror is wanted:
``mirrors`` are the pairs of elements that are each other's mirrors. Branches in which no canonical set is left are cut.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, counts, full_set, lowest
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.search_node import (
    ALL,
    CHUNK,
    NONE,
    Edges,
    Node,
    choose,
    collected,
    keep_critical,
    next_element,
    nothing_found,
    strike,
    visit,
)
from profiling_core.algorithms.hitting_sets.universe import Universe

# Visits after which a search tells how many there were: seldom enough that threads do not wait for each other's memory.
TOLD_VISITS = 64


@kernel
def keep_canonical(mirrors: NDArray[np.int64], chosen: Masks, mask: Masks) -> bool:
    """Take the elements from ``mask`` with which no extension of ``chosen`` is canonical; whether any can be.

    A set is canonical when it has the lower element of the first pair of mirrors with exactly one element in it. So the
    upper element of a pair must not be chosen while no lower one of an earlier pair is, or can be.

    Args:
        mirrors: int64[pairs, 3], lower and upper element of each pair, and whether they exclude each other; ascending.
        chosen: the chosen elements.
        mask: those that may join them.
    """
    for pair in range(mirrors.shape[0]):
        lower, upper = mirrors[pair, 0], mirrors[pair, 1]
        available = chosen[lower >> 6] | mask[lower >> 6]
        if available >> np.uint64(lower & 63) & np.uint64(1):
            if mirrors[pair, 2]:
                mask[upper >> 6] &= ~(np.uint64(1) << np.uint64(upper & 63))
            return True
        if chosen[upper >> 6] >> np.uint64(upper & 63) & np.uint64(1):
            return False
        mask[upper >> 6] &= ~(np.uint64(1) << np.uint64(upper & 63))
    return True


@kernel
def root(
    edges: Edges, universe: Universe, within: Masks, gone: Edges, mirrors: NDArray[np.int64]
) -> tuple[Masks, Masks, NDArray[np.int64]]:
    """The first level of the search: the hitting sets of one element, and the branches to search one by one.

    A branch is an element, for :func:`search`'s ``first``, and what may join it (uint64[branches, words]). Elements are
    those of the universe that are in ``within``. Sets must miss an edge of ``gone``, where there are any; with
    ``mirrors``, canonical ones are enough.
    """
    words = within.size
    found = nothing_found(words)
    opened = full_set(edges.rows.shape[0], edges.hits.shape[1])
    mine = within.copy()
    pending = np.zeros(words, dtype=np.uint64)
    keep_canonical(mirrors, pending, mine)
    if gone.rows.shape[0]:
        missed = full_set(gone.rows.shape[0], gone.hits.shape[1])
        keep_critical(gone, missed, missed, missed, NONE, mine, pending)
    nothing = np.zeros(edges.hits.shape[1], dtype=np.uint64)
    node = Node(opened, nothing, nothing, np.zeros(0, dtype=np.int64))
    extend = universe.limit * universe.capacity.max() > 1
    chosen = np.zeros(words, dtype=np.uint64)
    if universe.limit < 1 or not visit(edges, node, mine, extend, chosen, pending, found):
        pending[:] = 0
    branches = np.zeros(counts(pending.reshape(1, words))[0], dtype=np.int64)
    candidates = np.empty((branches.size, words), dtype=np.uint64)
    for b in range(branches.size):
        word = 0
        while pending[word] == 0:
            word += 1
        branches[b] = 64 * word + lowest(pending[word])
        candidates[b] = mine
        bit = pending[word] & (~pending[word] + np.uint64(1))
        pending[word] ^= bit
        mine[word] |= bit
    return collected(found), candidates, branches


class _Stack(NamedTuple):
    """Where a search stands, per depth and at all.

    Attributes:
        opened: uint64[depth, w], the edges that are not met.
        single: uint64[depth, w], those that one element meets.
        missed: uint64[depth, w], of the edges that are gone.
        candidates: uint64[depth, words], what may still be chosen.
        pending: uint64[depth, words], what is to be tried.
        used: int64[depth], the groups that lend elements.
        room: int64[depth], how many more elements these may lend.
        path: int64[depth], the chosen elements.
        chosen: uint64[words], the same as a set.
        taken: int64[groups], how many of each group.
        widest: the most that a group may lend.
    """

    opened: Masks
    single: Masks
    missed: Masks
    candidates: Masks
    pending: Masks
    used: NDArray[np.int64]
    room: NDArray[np.int64]
    path: NDArray[np.int64]
    chosen: Masks
    taken: NDArray[np.int64]
    widest: np.int64


@kernel
def _stack(edges: Edges, gone: Edges, universe: Universe, within: Masks) -> _Stack:
    words, width, capacity = within.size, edges.hits.shape[1], universe.capacity
    widest = capacity.max()
    deepest = min(universe.limit * widest, capacity.sum()) + 2
    opened, missed = (
        np.zeros((deepest, width), dtype=np.uint64),
        np.zeros((deepest, gone.hits.shape[1]), dtype=np.uint64),
    )
    candidates = np.zeros((deepest, words), dtype=np.uint64)
    opened[0] = full_set(edges.rows.shape[0], width)
    missed[0] = full_set(gone.rows.shape[0], gone.hits.shape[1])
    candidates[0] = within
    counts = np.zeros((3, deepest), dtype=np.int64)
    return _Stack(
        opened,
        np.zeros((deepest, width), dtype=np.uint64),
        missed,
        candidates,
        np.zeros((deepest, words), dtype=np.uint64),
        counts[0],
        counts[1],
        counts[2],
        np.zeros(words, dtype=np.uint64),
        np.zeros(capacity.size, dtype=np.int64),
        widest,
    )


@kernel
def _take(stack: _Stack, depth: int, tried: np.int64, universe: Universe) -> bool:
    """Chooses an element; whether more than one may be chosen after it."""
    group = universe.group_of[tried]
    used, room, below = stack.used, stack.room, depth + 1
    fresh = stack.taken[group] == 0
    stack.path[depth] = tried
    stack.taken[group] += 1
    used[below] = used[depth] + 1 if fresh else used[depth]
    room[below] = room[depth] + universe.capacity[group] - 1 if fresh else room[depth] - 1
    stack.candidates[below] = stack.candidates[depth]
    strike(group, used[below], universe, stack.taken, stack.candidates[below])
    stack.chosen[tried >> 6] |= np.uint64(1) << np.uint64(tried & 63)
    return bool(room[below] + (universe.limit - used[below]) * stack.widest > 1)


@kernel
def _give_back(stack: _Stack, depth: int, universe: Universe) -> None:
    """Undoes the last choice at a depth, with its subtree done: what is tried later may contain the element."""
    tried = stack.path[depth]
    bit = np.uint64(1) << np.uint64(tried & 63)
    stack.chosen[tried >> 6] &= ~bit
    stack.candidates[depth, tried >> 6] |= bit
    stack.taken[universe.group_of[tried]] -= 1


@kernel
def _keep_missing(stack: _Stack, depth: int, tried: np.int64, gone: Edges, scratch: Masks) -> None:
    """Takes the candidates that would meet the last edge of ``gone`` that is still missed."""
    hit, missed = gone.hits[tried], stack.missed
    for at in range(missed.shape[1]):
        missed[depth + 1, at] = missed[depth, at] & ~hit[at]
    # An edge of these that is missed is like a critical one: not all may be met.
    keep_critical(gone, missed[depth], missed[depth], hit, ALL, stack.candidates[depth + 1], scratch)


@kernel
def search(
    edges: Edges, first: int, within: Masks, universe: Universe, gone: Edges, mirrors: NDArray[np.int64]
) -> Masks:
    """All minimal hitting sets of ``first`` and elements of ``within``, uint64[sets, words]: one branch of the root.

    Where there are ``gone`` edges, each set misses one of them. Of a set and its mirror (``mirrors``, see
    :func:`keep_canonical`), the one that is not canonical may be missing. The sets come in no particular order, each
    once. From the universe's ``left[0]`` is taken how many nodes are visited,
    or sets found if these are more: once nothing is left the search is given up, sets are missing, and ``left[1]`` is
    1. Searches in threads share it, and may then visit a few nodes more.
    """
    found = nothing_found(within.size)
    visits, told, left = 0, 0, universe.left
    stack = _stack(edges, gone, universe, within)
    scratch = np.zeros(within.size, dtype=np.uint64)
    opened, single = stack.opened, stack.single
    depth = 0
    stack.pending[0, first >> 6] = np.uint64(1) << np.uint64(first & 63)
    while depth >= 0:
        tried = next_element(stack.pending[depth])
        if tried >= 0:
            visits = max(visits + 1, (len(found.chunks) - 1) * CHUNK)
            if visits - told >= TOLD_VISITS:
                left[0] -= visits - told
                told = visits
            if left[0] < 0:
                left[1] = 1
                break
            extend, mine, hit = _take(stack, depth, tried, universe), stack.candidates[depth + 1], edges.hits[tried]
            if gone.rows.shape[0]:
                _keep_missing(stack, depth, tried, gone, scratch)
            promising = keep_canonical(mirrors, stack.chosen, mine)
            node = Node(opened[depth], single[depth], hit, stack.path[: depth + 1])
            if promising and visit(edges, node, mine, extend, stack.chosen, stack.pending[depth + 1], found):
                choose(opened[depth], single[depth], hit, opened[depth + 1], single[depth + 1])
                depth += 1
                continue
        else:
            depth -= 1
            if depth < 0:
                break
        _give_back(stack, depth, universe)
    left[0] -= visits - told
    return collected(found)
