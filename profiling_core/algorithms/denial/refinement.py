"""What becomes of minimal hitting sets when edges come or go.

The Berge step, for edges that come: a hitting set that misses a new edge is replaced by its extensions with one element
of that edge, except those that contain another hitting set; every other one stays. Extending can neither miss a set
within a bound on length nor make one minimal that is not, so the bounded family becomes exactly the bounded family of
all edges.

For edges that go: a hitting set stays minimal while each of its elements meets an edge alone. Those that only now are
hitting sets miss one of the edges that are gone, and are searched for (:mod:`hitting_sets`).
Sources: Berge, Hypergraphs (1989); DESIGN.md, "Insert of an evidence is one Berge step".
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks, lowest, popcount, vertical
from profiling_core.algorithms.denial.set_trie import has_subset, insert, new_trie, take_subsets
from profiling_core.algorithms.kernel import kernel


@kernel
def _doubled(sets: Masks) -> Masks:
    larger = np.empty((2 * sets.shape[0], sets.shape[1]), dtype=np.uint64)
    larger[: sets.shape[0]] = sets
    return larger


@kernel
def berge(family: Masks, edges: Masks, group_of: NDArray[np.int64], members: Masks, limit: int) -> Masks:
    """The minimal hitting sets, at most one element per group and ``limit`` elements, with ``edges`` to be met as well.

    ``family`` holds those without these edges. Returns uint64[sets, words]: first those of the family that stay, in
    their order.
    """
    words = family.shape[1]
    sets = np.empty((max(16, 2 * family.shape[0]), words), dtype=np.uint64)
    sets[: family.shape[0]] = family
    many = family.shape[0]
    alive = np.ones(sets.shape[0], dtype=np.bool_)
    stack = np.zeros(members.shape[0] + 3, dtype=np.int32)
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
            size = np.int64(0)
            for k in range(words):
                size += popcount(sets[old, k])
            if size >= limit:
                continue
            extended[:] = edges[e]
            for k in range(words):
                word = sets[old, k]
                while word != 0:
                    own = members[group_of[64 * k + lowest(word)]]
                    for other in range(words):
                        extended[other] &= ~own[other]
                    word &= word - np.uint64(1)
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
                    if not has_subset(trie, sets[many], stack):
                        alive[many] = True
                        many += 1
                    word &= word - np.uint64(1)
        for number in range(fresh, many):
            trie = insert(trie, sets[number], number)
    return sets[:many][alive[:many]]


@kernel
def still_minimal(sets: Masks, gone: Masks, hits: Masks) -> NDArray[np.bool_]:
    """Which hitting sets remain minimal when edges go; sets of one element always do.

    Edges are told by their complements, the evidences: ``gone`` are those that go, ``hits`` the transpose of those that
    remain (``bit_words.vertical``). An element is needed while a remaining evidence holds all others of its set.
    """
    words = sets.shape[1]
    needed = np.ones(sets.shape[0], dtype=np.bool_)
    gone_hits = vertical(gone, hits.shape[0])
    endangered = np.empty(words, dtype=np.uint64)
    for row in range(sets.shape[0]):
        _lacking_one(sets[row], gone_hits, endangered)
        for k in range(words):
            word = endangered[k]
            while word != 0 and needed[row]:
                needed[row] = _some_holds(hits, sets[row], 64 * k + lowest(word))
                word &= word - np.uint64(1)
    return needed


@kernel
def _lacking_one(elements: Masks, hits: Masks, out: Masks) -> None:
    """The elements that are the only ones of their set to be lacking in some row of the transpose; of two or more."""
    size = np.int64(0)
    for k in range(elements.size):
        size += popcount(elements[k])
        out[k] = 0
    if size < 2:
        return
    for at in range(hits.shape[1]):
        some, more = np.uint64(0), np.uint64(0)
        for k in range(elements.size):
            word = elements[k]
            while word != 0:
                lacking = ~hits[64 * k + lowest(word), at]
                more |= some & lacking
                some |= lacking
                word &= word - np.uint64(1)
        single = some & ~more
        if single == 0:
            continue
        for k in range(elements.size):
            word = elements[k]
            while word != 0:
                bit = word & (~word + np.uint64(1))
                if single & ~hits[64 * k + lowest(word), at] != 0:
                    out[k] |= bit
                word ^= bit


@kernel
def satisfied_by_some(sets: Masks, hits: Masks) -> NDArray[np.bool_]:
    """Which sets of predicates some evidence holds whole; ``hits``: the evidences' transpose."""
    found = np.zeros(sets.shape[0], dtype=np.bool_)
    for row in range(sets.shape[0]):
        found[row] = _some_holds(hits, sets[row], np.int64(-1))
    return found


@kernel
def _some_holds(hits: Masks, elements: Masks, without: np.int64) -> bool:
    """Whether a row of the transpose holds all elements but ``without`` (there are some)."""
    for at in range(hits.shape[1]):
        both = ~np.uint64(0)
        for k in range(elements.size):
            word = elements[k]
            while word != 0 and both != 0:
                element = 64 * k + lowest(word)
                if element != without:
                    both &= hits[element, at]
                word &= word - np.uint64(1)
        if both != 0:
            return True
    return False
