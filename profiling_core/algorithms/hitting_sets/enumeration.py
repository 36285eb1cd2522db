"""Minimal hitting sets of a family of edges: MMCS (Murakami, Uno 2014) on vertical bit sets, evaluated lazily.

Inversion, maximal empty boxes and what refines them all ask the same: which minimal sets of elements meet every edge,
when each *group* of elements may lend only so many, and only so many groups may lend? A set is minimal while each of
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
And where elements are predicates, those are left out that contradict the chosen ones (:mod:`contradictions`): whatever
would contain both is trivial.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, counts, full_set, lowest
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.contradictions import Contradictions, keep_consistent
from profiling_core.algorithms.hitting_sets.search_node import (
    ALL,
    CHUNK,
    NONE,
    choose,
    collected,
    keep_critical,
    strike,
    visit,
)


@kernel
def keep_canonical(mirrors: NDArray[np.int64], chosen: Masks, mask: Masks) -> bool:
    """Take the elements from ``mask`` with which no extension of ``chosen`` is canonical; whether any can be.

    A set is canonical when, of the first pair of mirrors of which it has one element, it has the lower one. So the
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
def root(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    rows: Masks,
    hits: Masks,
    universe: Masks,
    capacity: NDArray[np.int64],
    limit: int,
    gone: Masks,
    gone_hits: Masks,
    mirrors: NDArray[np.int64],
) -> tuple[Masks, Masks, NDArray[np.int64]]:
    """The first level of the search: the hitting sets of one element, and the branches to search one by one.

    A branch is an element, for :func:`search`'s ``first``, and what may join it (uint64[branches, words]). Sets must
    miss an edge of ``gone``, where there are any; with ``mirrors``, canonical ones are enough.
    """
    words = universe.size
    out = [np.empty((CHUNK, words), dtype=np.uint64)]
    filled = np.zeros(1, dtype=np.int64)
    opened = full_set(rows.shape[0], hits.shape[1])
    mine = universe.copy()
    pending = np.zeros(words, dtype=np.uint64)
    keep_canonical(mirrors, pending, mine)
    if gone.shape[0]:
        missed = full_set(gone.shape[0], gone_hits.shape[1])
        keep_critical(gone, gone_hits, missed, missed, missed, NONE, mine, pending)
    nothing = np.zeros(hits.shape[1], dtype=np.uint64)
    path = np.zeros(0, dtype=np.int64)
    chosen = np.zeros(words, dtype=np.uint64)
    extend = limit * capacity.max() > 1
    if limit < 1 or not visit(rows, hits, opened, nothing, nothing, path, mine, extend, chosen, pending, out, filled):
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
    return collected(out, filled), candidates, branches


@kernel
def search(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    rows: Masks,
    hits: Masks,
    first: int,
    universe: Masks,
    group_of: NDArray[np.int64],
    members: Masks,
    capacity: NDArray[np.int64],
    limit: int,
    gone: Masks,
    gone_hits: Masks,
    mirrors: NDArray[np.int64],
    contradictions: Contradictions,
) -> Masks:
    """All minimal hitting sets of ``first`` and elements of ``universe``, uint64[sets, words]: one branch of the root.

    ``hits`` is :func:`vertical` of the rows, ``group_of`` gives each element's group, ``members`` each group's
    elements, ``capacity`` how many of them may be chosen together; at most ``limit`` groups lend elements. Where
    there are ``gone`` edges (``gone_hits``: their transpose), each set misses one of them. Of a set and its
    mirror (``mirrors``, see :func:`keep_canonical`), the one that is not canonical may be missing, and so may sets with
    ``contradictions``. The sets come in no particular order, each once.
    """
    words = universe.size
    widest = capacity.max()
    deepest = min(limit * widest, capacity.sum()) + 2
    out = [np.empty((CHUNK, words), dtype=np.uint64)]
    filled = np.zeros(1, dtype=np.int64)
    # Per depth: edges, what may still be chosen, what is to be tried, how far the choice went.
    opened = np.zeros((deepest, hits.shape[1]), dtype=np.uint64)
    single = np.zeros((deepest, hits.shape[1]), dtype=np.uint64)
    candidates = np.zeros((deepest, words), dtype=np.uint64)
    pending = np.zeros((deepest, words), dtype=np.uint64)
    used = np.zeros(deepest, dtype=np.int64)
    room = np.zeros(deepest, dtype=np.int64)
    path = np.zeros(deepest, dtype=np.int64)
    chosen = np.zeros(words, dtype=np.uint64)
    taken = np.zeros(capacity.size, dtype=np.int64)
    missed = np.zeros((deepest, gone_hits.shape[1]), dtype=np.uint64)
    scratch = np.zeros(words, dtype=np.uint64)
    known = np.empty((contradictions.operands, contradictions.operands), dtype=np.uint8)
    local = np.empty(contradictions.operands, dtype=np.int32)
    opened[0] = full_set(rows.shape[0], hits.shape[1])
    missed[0] = full_set(gone.shape[0], gone_hits.shape[1])
    candidates[0] = universe
    depth = 0
    pending[0, first >> 6] = np.uint64(1) << np.uint64(first & 63)
    while depth >= 0:
        word = 0
        while word < words and pending[depth, word] == 0:
            word += 1
        if word < words:
            tried = 64 * word + lowest(pending[depth, word])
            bit = np.uint64(1) << np.uint64(tried & 63)
            pending[depth, word] ^= bit
            path[depth] = tried
            group = group_of[tried]
            fresh = taken[group] == 0
            taken[group] += 1
            used[depth + 1] = used[depth] + 1 if fresh else used[depth]
            room[depth + 1] = room[depth] + capacity[group] - 1 if fresh else room[depth] - 1
            candidates[depth + 1] = candidates[depth]
            strike(group, used[depth + 1], limit, members, capacity, taken, candidates[depth + 1])
            if gone.shape[0]:
                for at in range(missed.shape[1]):
                    missed[depth + 1, at] = missed[depth, at] & ~gone_hits[tried, at]
                # An edge of these that is missed is like a critical one: not all may be met.
                hit = gone_hits[tried]
                keep_critical(gone, gone_hits, missed[depth], missed[depth], hit, ALL, candidates[depth + 1], scratch)
            chosen[word] |= bit
            promising = keep_canonical(mirrors, chosen, candidates[depth + 1])
            if promising and contradictions.operands:
                promising = keep_consistent(contradictions, tried, chosen, candidates[depth + 1], known, local)
            extend = room[depth + 1] + (limit - used[depth + 1]) * widest > 1
            if promising and visit(
                rows,
                hits,
                opened[depth],
                single[depth],
                hits[tried],
                path[: depth + 1],
                candidates[depth + 1],
                extend,
                chosen,
                pending[depth + 1],
                out,
                filled,
            ):
                choose(opened[depth], single[depth], hits[tried], opened[depth + 1], single[depth + 1])
                depth += 1
                continue
        else:
            depth -= 1
            if depth < 0:
                break
        # Back at ``depth``, with the last tried element's subtree done.
        tried = path[depth]
        bit = np.uint64(1) << np.uint64(tried & 63)
        chosen[tried >> 6] &= ~bit
        candidates[depth, tried >> 6] |= bit
        taken[group_of[tried]] -= 1
    return collected(out, filled)
