"""Minimal approximate denial constraints: g1 ≤ ε, and every proper non-empty subset above it.

An approximate DC is a set of predicates that so few pairs satisfy that their weight stays within a limit: a hitting set
that may leave some edges open. The search is that of :mod:`enumeration` with one more branch per node,
in which the branching edge is *given up* along with its candidates; a node ends when what it has given up is
already too much. Edges stand in order of falling weight, so that "more than the limit?" is mostly answered at once.
Source: Livshits et al., "Approximate Denial Constraints", VLDB 2020 (ADCEnum).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, full_set, lowest, tuples_of
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.limits import greatest_count
from profiling_core.algorithms.hitting_sets.mirror import canonical
from profiling_core.algorithms.hitting_sets.satisfiability import satisfiable
from profiling_core.algorithms.hitting_sets.search_node import (
    Edges,
    choose,
    collected,
    edges_of,
    emit,
    next_element,
    nothing_found,
    strike,
)
from profiling_core.algorithms.hitting_sets.universe import Universe, predicate_universe
from profiling_core.model.predicate import PredicateSpace

# Open edges that are checked for whether they can still be met; the heaviest come first and decide soon.
PROBES = 256


@kernel
def exceeds(opened: Masks, single: Masks, own: Masks, hit: Masks, weights: NDArray[np.int64], limit: int) -> bool:
    """Whether the open edges, and the single ones that only ``own`` meets, outweigh the limit once ``hit`` is met."""
    total = np.int64(0)
    for at in range(opened.size):
        word = (opened[at] | (single[at] & own[at])) & ~hit[at]
        while word != 0:
            total += weights[64 * at + lowest(word)]
            if total > limit:
                return True
            word &= word - np.uint64(1)
    return False


@kernel
def next_edge(rows: Masks, opened: Masks, weights: NDArray[np.int64], limit: int, candidates: Masks) -> np.int64:
    """The heaviest open edge that a candidate meets; −1 when none does, or what none does outweighs the limit."""
    best = np.int64(-1)
    lost = np.int64(0)
    probes = 0
    for at in range(opened.size):
        word = opened[at]
        while word != 0:
            edge = 64 * at + lowest(word)
            word &= word - np.uint64(1)
            met = False
            for k in range(candidates.size):
                met |= (rows[edge, k] & candidates[k]) != 0
            if not met:
                lost += weights[edge]
                if lost > limit:
                    return np.int64(-1)
            elif best < 0:
                best = np.int64(edge)
            probes += 1
            if probes >= PROBES and best >= 0:
                return best
    return best


class Weighed(NamedTuple):
    """Edges with their weights, int64[edges], and the weight that may stay open."""

    edges: Edges
    weights: NDArray[np.int64]
    allowed: int


@kernel
def settle(weighed: Weighed, opened: Masks, single: Masks, path: NDArray[np.int64], mine: Masks, last: Masks) -> bool:
    """Sort the candidates of a node, whose own weight is above the limit: which complete it, which lead nowhere.

    Those that bring it within the limit leave ``mine``, into ``last`` when the set is minimal. So do those with which a
    chosen element is no longer needed. Returns whether any candidate remains.
    """
    hits, weights, limit = weighed.edges.hits, weighed.weights, weighed.allowed
    nothing = np.zeros(opened.size, dtype=np.uint64)
    some = False
    for k in range(mine.size):
        last[k] = 0
        word = mine[k]
        while word != 0:
            hit = hits[64 * k + lowest(word)]
            bit = word & (~word + np.uint64(1))
            word ^= bit
            needed = True
            for element in path:
                needed = needed and exceeds(opened, single, hits[element], hit, weights, limit)
            if not needed:
                mine[k] &= ~bit
            elif not exceeds(opened, nothing, nothing, hit, weights, limit):
                mine[k] &= ~bit
                last[k] |= bit
        some |= mine[k] != 0
    return some


class _Stack(NamedTuple):
    """Where a search stands, per depth and at all.

    Attributes:
        opened: uint64[depth, w], the open edges.
        single: uint64[depth, w], those that one element meets.
        candidates: uint64[depth, words], what may be chosen, without what is being branched on.
        pending: uint64[depth, words], what is to be tried.
        done: uint64[depth, words], what has been tried.
        path: int64[depth], the chosen elements.
        chosen: uint64[words], the same as a set.
        taken: int64[groups], how many of each group.
    """

    opened: Masks
    single: Masks
    candidates: Masks
    pending: Masks
    done: Masks
    path: NDArray[np.int64]
    chosen: Masks
    taken: NDArray[np.int64]


@kernel
def _stack(edges: Edges, universe: Universe, within: Masks) -> _Stack:
    deepest, words, width = universe.limit + 2, within.size, edges.hits.shape[1]
    stack = _Stack(
        np.zeros((deepest, width), dtype=np.uint64),
        np.zeros((deepest, width), dtype=np.uint64),
        np.zeros((deepest, words), dtype=np.uint64),
        np.zeros((deepest, words), dtype=np.uint64),
        np.zeros((deepest, words), dtype=np.uint64),
        np.zeros(deepest, dtype=np.int64),
        np.zeros(words, dtype=np.uint64),
        np.zeros(universe.capacity.size, dtype=np.int64),
    )
    stack.opened[0] = full_set(edges.rows.shape[0], width)
    stack.candidates[0] = within
    return stack


@kernel
def _take(stack: _Stack, depth: int, tried: np.int64, universe: Universe, hit: Masks) -> None:
    """Chooses an element, whose edges are ``hit``."""
    group, below, candidates = universe.group_of[tried], depth + 1, stack.candidates
    stack.path[depth] = tried
    stack.taken[group] += 1
    for k in range(stack.chosen.size):
        candidates[below, k] = candidates[depth, k] | stack.done[depth, k]
    strike(group, below, universe, stack.taken, candidates[below])
    stack.chosen[tried >> 6] |= np.uint64(1) << np.uint64(tried & 63)
    choose(stack.opened[depth], stack.single[depth], hit, stack.opened[below], stack.single[below])


@kernel
def _give_back(stack: _Stack, depth: int, universe: Universe) -> None:
    """Undoes the last choice at a depth."""
    tried = stack.path[depth]
    bit = np.uint64(1) << np.uint64(tried & 63)
    stack.chosen[tried >> 6] &= ~bit
    stack.done[depth, tried >> 6] |= bit
    stack.taken[universe.group_of[tried]] -= 1


@kernel
def _branch(stack: _Stack, depth: int, weighed: Weighed) -> bool:
    """Gives the branching edge up, all ways to meet it being done, and branches on the next one, if there is any."""
    rows, mine = weighed.edges.rows, stack.candidates[depth]
    edge = next_edge(rows, stack.opened[depth], weighed.weights, weighed.allowed, mine)
    if edge < 0:
        return False
    for k in range(mine.size):
        stack.pending[depth, k] = mine[k] & rows[edge, k]
        mine[k] &= ~stack.pending[depth, k]
        stack.done[depth, k] = 0
    return True


@kernel
def search_within(weighed: Weighed, universe: Universe, within: Masks) -> Masks:
    """All minimal sets of elements of ``within``, one per group, that leave at most the allowed weight open."""
    found = nothing_found(within.size)
    stack = _stack(weighed.edges, universe, within)
    opened, single, candidates, path = stack.opened, stack.single, stack.candidates, stack.path
    last = np.zeros(within.size, dtype=np.uint64)
    settle(weighed, opened[0], single[0], path[:0], candidates[0], last)
    emit(stack.chosen, last, found)
    depth = 0 if universe.limit > 1 else -1
    while depth >= 0:
        tried = next_element(stack.pending[depth])
        if tried < 0:
            if not _branch(stack, depth, weighed):
                depth -= 1
                if depth >= 0:
                    _give_back(stack, depth, universe)
            continue
        _take(stack, depth, tried, universe, weighed.edges.hits[tried])
        below = depth + 1
        more = settle(weighed, opened[below], single[below], path[:below], candidates[below], last)
        emit(stack.chosen, last, found)
        if more and below + 1 < universe.limit:
            stack.pending[below] = 0
            depth = below
        else:
            _give_back(stack, depth, universe)
    return collected(found)


def _heaviest_first(masks: Masks, counts: NDArray[np.int64], universe: Universe) -> tuple[Masks, NDArray[np.int64]]:
    order = np.argsort(-counts, kind="stable")
    return np.ascontiguousarray(~masks[order] & universe.all), np.ascontiguousarray(counts[order])


def minimal_approximate_cover(
    masks: Masks,
    counts: NDArray[np.int64],
    space: PredicateSpace,
    *,
    max_predicates: int | None,
    max_error: float,
    pairs: int,
) -> list[tuple[int, ...]]:
    """All non-trivial canonical DCs with g1 ≤ ε whose proper non-empty subsets all have g1 > ε, one per mirror pair.

    Args:
        masks: predicates satisfied by each distinct evidence of ordered pairs, both directions; uint64[e, w].
        counts: ordered pairs of each evidence.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
        max_error: ε.
        pairs: all ordered pairs, n·(n−1).

    Returns:
        Ascending predicate positions, sorted.
    """
    universe = predicate_universe(space, max_predicates)
    if not universe.capacity.size:
        return []
    rows, weights = _heaviest_first(masks, counts, universe)
    edges = edges_of(rows, universe.group_of.size)
    found = search_within(Weighed(edges, weights, greatest_count(max_error, pairs)), universe, universe.all)
    found = canonical(found, space)
    return tuples_of(found[satisfiable(found, space)])
