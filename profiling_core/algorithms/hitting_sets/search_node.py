"""What one node of the search for minimal hitting sets does: which candidates finish its set, which lead nowhere.

A node knows two bit sets over the edges: those not met yet (*open*) and those that exactly one chosen element meets
(*single*). Edges are there twice, as rows of words (bit i: the edge contains element i) and as columns (*hits*: the
edges that contain an element). The searches themselves are in :mod:`enumeration` and :mod:`approximate`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, lowest, popcount, vertical
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.universe import Universe

# Open edges looked at when the one with the fewest candidates is chosen to branch on. A good choice is worth much: 16
# instead of 1,024 made a search on census data eleven times as long.
PROBES = 1024
# Edges that are looked at as rows, all candidates at once, before the candidates that are left are looked at by column.
ROW_PROBES = 64
CHUNK = 4096
NONE = np.uint64(0)
ALL = ~np.uint64(0)


class Edges(NamedTuple):
    """Sets to be met: ``rows``: uint64[edges, words]; ``hits``: uint64[elements, w], the edges that have an element."""

    rows: Masks
    hits: Masks


class Node(NamedTuple):
    """What an element makes of its parent.

    ``opened``, ``single``: uint64[w], the parent's edges; ``hit``: uint64[w], the element's; ``path``: int64[depth],
    the chosen elements, itself the last.
    """

    opened: Masks
    single: Masks
    hit: Masks
    path: NDArray[np.int64]


class FoundSets(NamedTuple):
    """The sets that a search gives: chunks of :data:`CHUNK`, and how many the last one has, int64[1]."""

    chunks: list[Masks]
    filled: NDArray[np.int64]


@kernel
def edges_of(rows: Masks, elements: int) -> Edges:
    """Edges among ``elements`` elements."""
    return Edges(rows, vertical(rows, elements))


@kernel
def nothing_found(words: int) -> FoundSets:
    """No sets yet; a set has ``words`` words."""
    return FoundSets([np.empty((CHUNK, words), dtype=np.uint64)], np.zeros(1, dtype=np.int64))


@kernel
def escapes(base: Masks, own: Masks, hit: Masks, flip: np.uint64, met: Masks) -> bool:
    """Whether some edge of the set ``base & own & (hit ^ flip)`` is not in ``met``."""
    for at in range(base.size):  # noqa: SIM110 -- Numba does not compile any() over a generator
        if base[at] & own[at] & (hit[at] ^ flip) & ~met[at] != 0:
            return True
    return False


@kernel
def finishing(edges: Edges, opened: Masks, hit: Masks, candidates: Masks, out: Masks) -> bool:
    """Write the candidates that meet every edge open after ``hit`` into ``out``; whether there are any.

    The first edges are ANDed; the few candidates that survive them are checked against all edges one by one.
    """
    some = False
    for k in range(out.size):
        out[k] = candidates[k]
        some |= out[k] != 0
    probes = 0
    at = 0
    while at < opened.size and probes < ROW_PROBES:
        word = opened[at] & ~hit[at]
        while word != 0:
            if not some:
                return False
            edge = 64 * at + lowest(word)
            word &= word - np.uint64(1)
            some = False
            for k in range(out.size):
                out[k] &= edges.rows[edge, k]
                some |= out[k] != 0
            probes += 1
        at += 1
    if at == opened.size:
        return some
    some = False
    for k in range(out.size):
        word = out[k]
        while word != 0:
            bit = word & (~word + np.uint64(1))
            if escapes(opened, opened, hit, ALL, edges.hits[64 * k + lowest(word)]):
                out[k] ^= bit
            word ^= bit
        some |= out[k] != 0
    return some


@kernel
def keep_critical(
    edges: Edges, base: Masks, own: Masks, hit: Masks, flip: np.uint64, candidates: Masks, missing: Masks
) -> bool:
    """Removes the candidates that meet all critical edges of one chosen element; returns whether any is left.

    The critical edges are ``base & own & (hit ^ flip)``: of the newest element those that it met first, of the others
    those that the newest one left single. As in :func:`finishing`, the first edges decide on most candidates.
    ``missing`` is scratch of the candidates' size.
    """
    for k in range(candidates.size):
        missing[k] = candidates[k]
    probes = 0
    at = 0
    while at < base.size and probes < ROW_PROBES:
        word = base[at] & own[at] & (hit[at] ^ flip)
        while word != 0:
            edge = 64 * at + lowest(word)
            word &= word - np.uint64(1)
            some = False
            for k in range(candidates.size):
                missing[k] &= edges.rows[edge, k]
                some |= missing[k] != 0
            if not some:
                return True
            probes += 1
        at += 1
    some = False
    for k in range(candidates.size):
        word = missing[k]
        while word != 0:
            bit = word & (~word + np.uint64(1))
            if at == base.size or not escapes(base, own, hit, flip, edges.hits[64 * k + lowest(word)]):
                candidates[k] ^= bit
            word ^= bit
        some |= candidates[k] != 0
    return some


@kernel
def branching_edge(rows: Masks, opened: Masks, hit: Masks, candidates: Masks) -> np.int64:
    """Of the first edges open after ``hit``, one with the fewest candidates; −1 when one has none."""
    best = np.int64(-1)
    fewest = np.int64(1 << 30)
    probes = 0
    for at in range(opened.size):
        word = opened[at] & ~hit[at]
        while word != 0:
            edge = 64 * at + lowest(word)
            word &= word - np.uint64(1)
            size = np.int64(0)
            for k in range(candidates.size):
                size += popcount(rows[edge, k] & candidates[k])
            if size == 0:
                return np.int64(-1)
            if size < fewest:
                fewest = size
                best = edge
            probes += 1
            if probes == PROBES:
                return best
    return best


@kernel
def next_element(pending: Masks) -> np.int64:
    """Takes the first element out of those to be tried; −1: there is none."""
    for word in range(pending.size):
        if pending[word] != 0:
            tried = 64 * word + lowest(pending[word])
            pending[word] &= pending[word] - np.uint64(1)
            return np.int64(tried)
    return np.int64(-1)


@kernel
def emit(chosen: Masks, last: Masks, found: FoundSets) -> None:
    """Append ``chosen`` with each of the elements of ``last`` to what is found."""
    chunks, filled = found
    for k in range(last.size):
        word = last[k]
        while word != 0:
            if filled[0] == CHUNK:
                chunks.append(np.empty((CHUNK, chosen.size), dtype=np.uint64))
                filled[0] = 0
            row = chunks[-1][filled[0]]
            row[:] = chosen
            row[k] |= word & (~word + np.uint64(1))
            filled[0] += 1
            word &= word - np.uint64(1)


@kernel
def strike(group: int, used: int, universe: Universe, taken: NDArray[np.int64], mask: Masks) -> None:
    """Take from the candidates what a choice from ``group`` (counted in ``taken`` already) rules out."""
    members = universe.members
    if taken[group] == universe.capacity[group]:
        for k in range(mask.size):
            mask[k] &= ~members[group, k]
    if used < universe.limit:
        return
    for k in range(mask.size):
        within = np.uint64(0)
        for g in range(taken.size):
            if taken[g] > 0:
                within |= members[g, k]
        mask[k] &= within


@kernel
def visit(edges: Edges, node: Node, mine: Masks, extend: int, chosen: Masks, pending: Masks, found: FoundSets) -> bool:
    """Settle the node that the last element of a path makes of its parent.

    Emits the sets that one more element completes, takes from the candidates ``mine`` those that lead nowhere, and
    writes the elements to branch on next into ``pending``; whether there are any. Without ``extend``, one more element
    is the most that may be chosen.
    """
    opened, single, hit, path = node
    newest = path.size - 1
    if newest >= 0 and not keep_critical(edges, opened, hit, hit, NONE, mine, pending):
        return False
    for i in range(newest):
        if not keep_critical(edges, single, edges.hits[path[i]], hit, ALL, mine, pending):
            return False
    if finishing(edges, opened, hit, mine, pending):
        emit(chosen, pending, found)
        for k in range(mine.size):
            mine[k] &= ~pending[k]
    if not extend:
        return False
    edge = branching_edge(edges.rows, opened, hit, mine)
    if edge < 0:
        return False
    for k in range(mine.size):
        pending[k] = mine[k] & edges.rows[edge, k]
        mine[k] &= ~pending[k]
    return True


@kernel
def choose(opened: Masks, single: Masks, hit: Masks, opened_next: Masks, single_next: Masks) -> None:
    """The open and single edges once the element that meets ``hit`` is chosen."""
    for at in range(hit.size):
        opened_next[at] = opened[at] & ~hit[at]
        single_next[at] = (single[at] & ~hit[at]) | (opened[at] & hit[at])


@kernel
def collected(found: FoundSets) -> Masks:
    """The emitted sets as one array."""
    chunks, filled = found
    sets = np.empty(((len(chunks) - 1) * CHUNK + filled[0], chunks[0].shape[1]), dtype=np.uint64)
    for i in range(len(chunks)):
        count = filled[0] if i == len(chunks) - 1 else CHUNK
        sets[i * CHUNK : i * CHUNK + count] = chunks[i][:count]
    return sets
