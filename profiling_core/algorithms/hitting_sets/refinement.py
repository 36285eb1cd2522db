"""What becomes of minimal hitting sets when edges come: the Berge step.

A hitting set that misses a new edge is replaced by its extensions with one element
of that edge, except those that contain another hitting set; every other one stays. Extending can neither miss a set
within a bound on length nor make one minimal that is not, so the bounded family becomes exactly the bounded family of
all edges.
Source: Berge, Hypergraphs (1989), the sequential step for one edge more.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, lowest, vertical
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.evidences import Evidences
from profiling_core.algorithms.hitting_sets.search_node import strike
from profiling_core.algorithms.hitting_sets.set_trie import (
    containing_some,
    insert,
    new_trie,
    strike_completing,
    take_subsets,
)
from profiling_core.algorithms.hitting_sets.universe import Universe

# Up to 4,096 evidences are taken together, since one round costs less than several.
_ALL_AT_ONCE = 4096
# Words of bit sets that are looked at together.
_SPAN = 64


def refined(
    family: Masks, evidences: Evidences, universe: Universe, *, within: Masks | None = None
) -> tuple[NDArray[np.bool_], Masks]:
    """Minimal hitting sets made to meet the complements of these evidences too: which stay, and what is new.

    Of many evidences, only the first that violates each set is taken to extend it by, and again for what comes of that:
    few decide on all.

    Args:
        family: the minimal hitting sets without these evidences, uint64[sets, words].
        evidences: what is to be met.
        universe: the elements.
        within: each set must lie in at least one of these evidences, as those of ``family`` do; None: no bound.
    """
    hits = evidences.hits(universe.all)
    held_by = None if within is None else vertical(within, universe.group_of.size)
    first = first_satisfying(family, hits)
    stay = first < 0
    while (first >= 0).any():
        # What replaces a violated set is violated by no evidence that the set was not violated by.
        if len(evidences) <= _ALL_AT_ONCE:
            chosen = evidences.masks[containing_some(evidences.masks, family[first >= 0])]
        else:
            chosen = evidences.at(np.unique(first[first >= 0]))
        edges = ~chosen & universe.all
        holding = len(family) - np.count_nonzero(first >= 0)
        family = berge(family, edges, universe)
        fresh = family[holding:]
        if held_by is not None:
            fresh = fresh[first_satisfying(fresh, held_by) >= 0]
            family = np.concatenate([family[:holding], fresh])
        first = np.concatenate([np.full(holding, -1), first_satisfying(fresh, hits)])
    return stay, family[np.count_nonzero(stay) :]


@kernel
def _doubled(sets: Masks) -> Masks:
    larger = np.empty((2 * sets.shape[0], sets.shape[1]), dtype=np.uint64)
    larger[: sets.shape[0]] = sets
    return larger


@kernel
def berge(family: Masks, edges: Masks, universe: Universe) -> Masks:  # noqa: C901 -- one step per edge, on arrays that grow
    """The minimal hitting sets that meet ``edges`` as well.

    ``family`` holds those without these edges. Returns uint64[sets, words]: first those of the family that stay, in
    their order.
    """
    words = family.shape[1]
    sets = np.empty((max(16, 2 * family.shape[0]), words), dtype=np.uint64)
    sets[: family.shape[0]] = family
    many = family.shape[0]
    alive = np.ones(sets.shape[0], dtype=np.bool_)
    lent = np.zeros(universe.capacity.size, dtype=np.int64)
    stack = np.zeros(universe.capacity.sum() + 3, dtype=np.int32)
    extra = np.zeros_like(stack)
    taken = np.empty(sets.shape[0], dtype=np.int64)
    trie = new_trie(4 * sets.shape[0])
    for number in range(many):
        trie = insert(trie, sets[number], number)
    extended = np.empty(words, dtype=np.uint64)
    for e in range(edges.shape[0]):
        missing = take_subsets(trie, ~edges[e], stack, taken)
        fresh = many
        for i in range(missing):
            old = taken[i]
            alive[old] = False
            extended[:] = edges[e]
            lent[:] = 0
            groups = 0
            for k in range(words):
                word = sets[old, k]
                while word != 0:
                    group = universe.group_of[64 * k + lowest(word)]
                    word &= word - np.uint64(1)
                    groups += lent[group] == 0
                    lent[group] += 1
            for group in range(universe.capacity.size):
                if lent[group] > 0:
                    strike(group, groups, universe, lent, extended)
            strike_completing(trie, sets[old], extended, stack, extra)
            for k in range(words):
                word = extended[k]
                while word != 0:
                    if many == sets.shape[0]:
                        sets = _doubled(sets)
                        larger = np.ones(sets.shape[0], dtype=np.bool_)
                        larger[:many] = alive
                        alive = larger
                        taken = np.concatenate((taken, np.empty(sets.shape[0] - taken.size, dtype=np.int64)))
                    sets[many] = sets[old]
                    sets[many, k] |= word & (~word + np.uint64(1))
                    alive[many] = True
                    many += 1
                    word &= word - np.uint64(1)
        for number in range(fresh, many):
            trie = insert(trie, sets[number], number)
    return sets[:many][alive[:many]]


@kernel
def first_satisfying(sets: Masks, hits: Masks) -> NDArray[np.int64]:
    """Per non-empty set of predicates the first evidence that holds it whole, −1: none; ``hits``: their transpose."""
    width = hits.shape[1]
    found = np.full(sets.shape[0], -1, dtype=np.int64)
    chosen = np.empty(64 * sets.shape[1], dtype=np.int64)
    whole = np.empty(_SPAN, dtype=np.uint64)
    for row in range(sets.shape[0]):
        many = 0
        for k in range(sets.shape[1]):
            word = sets[row, k]
            while word != 0:
                chosen[many] = 64 * k + lowest(word)
                many += 1
                word &= word - np.uint64(1)
        start = 0
        while start < width and found[row] < 0:
            # Most are satisfied by one of the first evidences.
            span = min(_SPAN if start else 1, width - start)
            whole[:span] = hits[chosen[0], start : start + span]
            for i in range(1, many):
                for at in range(span):
                    whole[at] &= hits[chosen[i], start + at]
            for at in range(span):
                if whole[at] != 0:
                    found[row] = 64 * (start + at) + lowest(whole[at])
                    break
            start += span
    return found
