"""Minimal approximate denial constraints: g1 ≤ ε, and every proper non-empty subset above it.

An approximate DC is a set of predicates that so few pairs satisfy that their weight stays within a limit: a hitting set
that may leave some edges open. The search is that of :mod:`enumeration` with one more branch per node,
in which the branching edge is *given up* along with its candidates; a node ends when what it has given up is
already too much. Edges stand in order of falling weight, so that "more than the limit?" is mostly answered at once.
Source: Livshits et al., "Approximate Denial Constraints", VLDB 2020 (ADCEnum).
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, full_set, lowest, tuples_of, vertical
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.mirror import canonical
from profiling_core.algorithms.hitting_sets.satisfiability import satisfiable
from profiling_core.algorithms.hitting_sets.search_node import CHUNK, choose, collected, emit, strike
from profiling_core.algorithms.hitting_sets.universe import Universe, predicate_universe
from profiling_core.model.predicate import PredicateSpace

# Open edges looked at for what can no longer be met; the heaviest come first, and tell soon enough.
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


@kernel
def settle(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    hits: Masks,
    opened: Masks,
    single: Masks,
    path: NDArray[np.int64],
    weights: NDArray[np.int64],
    limit: int,
    mine: Masks,
    last: Masks,
) -> bool:
    """Sort the candidates of a node, whose own weight is above the limit: which complete it, which lead nowhere.

    Those that bring it within the limit leave ``mine``, into ``last`` when the set is minimal. So do those with which a
    chosen element is no longer needed. Returns whether any candidate remains.
    """
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


@kernel
def search_within(
    rows: Masks,
    weights: NDArray[np.int64],
    allowed: int,
    universe: Masks,
    group_of: NDArray[np.int64],
    members: Masks,
    limit: int,
) -> Masks:
    """All minimal sets of at most ``limit`` elements, one per group, that leave at most the weight ``allowed`` open."""
    words = universe.size
    hits = vertical(rows, group_of.size)
    deepest = limit + 2
    out = [np.empty((CHUNK, words), dtype=np.uint64)]
    filled = np.zeros(1, dtype=np.int64)
    opened = np.zeros((deepest, hits.shape[1]), dtype=np.uint64)
    single = np.zeros((deepest, hits.shape[1]), dtype=np.uint64)
    # Per depth: the candidates without those being branched on, those to be tried, and those already tried.
    candidates = np.zeros((deepest, words), dtype=np.uint64)
    pending = np.zeros((deepest, words), dtype=np.uint64)
    done = np.zeros((deepest, words), dtype=np.uint64)
    path = np.zeros(deepest, dtype=np.int64)
    chosen = np.zeros(words, dtype=np.uint64)
    last = np.zeros(words, dtype=np.uint64)
    taken = np.zeros(members.shape[0], dtype=np.int64)
    capacity = np.ones(members.shape[0], dtype=np.int64)
    opened[0] = full_set(rows.shape[0], hits.shape[1])
    candidates[0] = universe
    depth = 0
    settle(hits, opened[0], single[0], path[:0], weights, allowed, candidates[0], last)
    emit(chosen, last, out, filled)
    if limit <= 1:
        return collected(out, filled)
    while depth >= 0:
        word = 0
        while word < words and pending[depth, word] == 0:
            word += 1
        if word == words:
            # All ways to meet the branching edge are done: give it up, and branch on the next one.
            edge = next_edge(rows, opened[depth], weights, allowed, candidates[depth])
            if edge >= 0:
                for k in range(words):
                    pending[depth, k] = candidates[depth, k] & rows[edge, k]
                    candidates[depth, k] &= ~pending[depth, k]
                    done[depth, k] = 0
                continue
            depth -= 1
            if depth >= 0:
                tried = path[depth]
                bit = np.uint64(1) << np.uint64(tried & 63)
                chosen[tried >> 6] &= ~bit
                done[depth, tried >> 6] |= bit
                taken[group_of[tried]] -= 1
            continue
        tried = 64 * word + lowest(pending[depth, word])
        bit = np.uint64(1) << np.uint64(tried & 63)
        pending[depth, word] ^= bit
        path[depth] = tried
        taken[group_of[tried]] += 1
        for k in range(words):
            candidates[depth + 1, k] = candidates[depth, k] | done[depth, k]
        strike(group_of[tried], depth + 1, limit, members, capacity, taken, candidates[depth + 1])
        chosen[word] |= bit
        choose(opened[depth], single[depth], hits[tried], opened[depth + 1], single[depth + 1])
        below = depth + 1
        more = settle(hits, opened[below], single[below], path[:below], weights, allowed, candidates[below], last)
        emit(chosen, last, out, filled)
        if more and below + 1 < limit:
            pending[below] = 0
            depth = below
            continue
        chosen[word] &= ~bit
        done[depth, word] |= bit
        taken[group_of[tried]] -= 1
    return collected(out, filled)


def weight_limit(max_error: float, pairs: int) -> int:
    """The greatest number of violating pairs whose share of all pairs, as a float, is at most ``max_error``."""
    if not pairs:
        return 0
    limit = int(max_error * pairs)
    while limit < pairs and (limit + 1) / pairs <= max_error:
        limit += 1
    while limit > 0 and limit / pairs > max_error:
        limit -= 1
    return limit


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
    allowed = weight_limit(max_error, pairs)
    found = search_within(rows, weights, allowed, universe.all, universe.group_of, universe.members, universe.limit)
    found = canonical(found, space)
    return tuples_of(found[satisfiable(found, space)])
