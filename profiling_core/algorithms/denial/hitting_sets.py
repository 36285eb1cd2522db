"""Minimal hitting sets of a family of edges: MMCS (Murakami, Uno 2014) on vertical bit sets, evaluated lazily.

Inversion, maximal empty boxes and what refines them all ask the same: which minimal sets of elements meet every edge,
when each *group* of elements may lend only so many, and only so many groups may lend? Edges are rows of words (bit i:
the edge contains element i). A node of the search knows the edges not met yet (*open*) and those that exactly one
chosen element meets (*single*); a set is minimal while each of its elements meets a single edge, its *critical* ones.

What makes it fast: a node is two bit sets over the edges, whatever the number of chosen elements. Candidates that would
take the last critical edge of a chosen element go at once, for the whole subtree. The elements that finish the set are
the AND over the open edges, so that the last level is never walked. Both look at the parent's bit sets as if the
element were chosen already, end after a few edges as a rule, and only nodes that have children get bit sets at all.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks, counts, lowest, popcount
from profiling_core.algorithms.kernel import kernel

# Open edges looked at when the one with the fewest candidates is chosen to branch on. A good choice is worth much: 16
# instead of 1,024 made a search on census data eleven times as long.
PROBES = 1024
# Edges that are looked at as rows, all candidates at once, before the candidates that are left are looked at by column.
ROW_PROBES = 64
CHUNK = 4096
NONE = np.uint64(0)
ALL = ~np.uint64(0)


@kernel
def vertical(rows: Masks, elements: int) -> Masks:
    """The transpose: per element the bit set of edges that contain it, uint64[elements, ⌈edges / 64⌉]."""
    edges, words = rows.shape
    hits = np.zeros((elements, max(1, (edges + 63) // 64)), dtype=np.uint64)
    for e in range(edges):
        bit = np.uint64(1) << np.uint64(e & 63)
        at = e >> 6
        for k in range(words):
            word = rows[e, k]
            while word != 0:
                hits[64 * k + lowest(word), at] |= bit
                word &= word - np.uint64(1)
    return hits


@kernel
def all_edges(edges: int, width: int) -> Masks:
    """The bit set of that many edges, in ``width`` words."""
    full = np.zeros(width, dtype=np.uint64)
    for edge in range(edges):
        full[edge >> 6] |= np.uint64(1) << np.uint64(edge & 63)
    return full


@kernel
def escapes(base: Masks, own: Masks, hit: Masks, flip: np.uint64, met: Masks) -> bool:
    """Whether some edge of the set ``base & own & (hit ^ flip)`` is not in ``met``."""
    for at in range(base.size):  # noqa: SIM110 -- Numba does not compile any() over a generator
        if base[at] & own[at] & (hit[at] ^ flip) & ~met[at] != 0:
            return True
    return False


@kernel
def finishing(rows: Masks, hits: Masks, opened: Masks, hit: Masks, candidates: Masks, out: Masks) -> bool:
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
                out[k] &= rows[edge, k]
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
            if escapes(opened, opened, hit, ALL, hits[64 * k + lowest(word)]):
                out[k] ^= bit
            word ^= bit
        some |= out[k] != 0
    return some


@kernel
def keep_critical(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    rows: Masks, hits: Masks, base: Masks, own: Masks, hit: Masks, flip: np.uint64, candidates: Masks, missing: Masks
) -> bool:
    """Remove the candidates (there are some) that meet all critical edges of one chosen element; whether any is left.

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
                missing[k] &= rows[edge, k]
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
            if at == base.size or not escapes(base, own, hit, flip, hits[64 * k + lowest(word)]):
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
def emit(chosen: Masks, last: Masks, out: list[Masks], filled: NDArray[np.int64]) -> None:
    """Append ``chosen`` with each of the elements of ``last`` to the output chunks."""
    for k in range(last.size):
        word = last[k]
        while word != 0:
            if filled[0] == CHUNK:
                out.append(np.empty((CHUNK, chosen.size), dtype=np.uint64))
                filled[0] = 0
            row = out[-1][filled[0]]
            row[:] = chosen
            row[k] |= word & (~word + np.uint64(1))
            filled[0] += 1
            word &= word - np.uint64(1)


@kernel
def strike(
    group: int,
    used: int,
    limit: int,
    members: Masks,
    capacity: NDArray[np.int64],
    taken: NDArray[np.int64],
    mask: Masks,
) -> None:
    """Take from the candidates what a choice from ``group`` (counted in ``taken`` already) rules out."""
    if taken[group] == capacity[group]:
        for k in range(mask.size):
            mask[k] &= ~members[group, k]
    if used < limit:
        return
    for k in range(mask.size):
        within = np.uint64(0)
        for g in range(taken.size):
            if taken[g] > 0:
                within |= members[g, k]
        mask[k] &= within


@kernel
def visit(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    rows: Masks,
    hits: Masks,
    opened: Masks,
    single: Masks,
    hit: Masks,
    path: NDArray[np.int64],
    mine: Masks,
    extend: int,
    chosen: Masks,
    pending: Masks,
    out: list[Masks],
    filled: NDArray[np.int64],
) -> bool:
    """Settle the node that the last element of ``path`` (whose edges are ``hit``) makes of its parent.

    Emits the sets that one more element completes, takes from the candidates ``mine`` those that lead nowhere, and
    writes the elements to branch on next into ``pending``; whether there are any. Without ``extend``, one more element
    is the most that may be chosen.
    """
    newest = path.size - 1
    if newest >= 0 and not keep_critical(rows, hits, opened, hit, hit, NONE, mine, pending):
        return False
    for i in range(newest):
        if not keep_critical(rows, hits, single, hits[path[i]], hit, ALL, mine, pending):
            return False
    if finishing(rows, hits, opened, hit, mine, pending):
        emit(chosen, pending, out, filled)
        for k in range(mine.size):
            mine[k] &= ~pending[k]
    if not extend:
        return False
    edge = branching_edge(rows, opened, hit, mine)
    if edge < 0:
        return False
    for k in range(mine.size):
        pending[k] = mine[k] & rows[edge, k]
        mine[k] &= ~pending[k]
    return True


@kernel
def choose(opened: Masks, single: Masks, hit: Masks, opened_next: Masks, single_next: Masks) -> None:
    """The open and single edges once the element that meets ``hit`` is chosen."""
    for at in range(hit.size):
        opened_next[at] = opened[at] & ~hit[at]
        single_next[at] = (single[at] & ~hit[at]) | (opened[at] & hit[at])


@kernel
def collected(out: list[Masks], filled: NDArray[np.int64]) -> Masks:
    """The emitted sets as one array."""
    found = np.empty(((len(out) - 1) * CHUNK + filled[0], out[0].shape[1]), dtype=np.uint64)
    for i in range(len(out)):
        count = filled[0] if i == len(out) - 1 else CHUNK
        found[i * CHUNK : i * CHUNK + count] = out[i][:count]
    return found


@kernel
def root(
    rows: Masks,
    hits: Masks,
    universe: Masks,
    capacity: NDArray[np.int64],
    limit: int,
) -> tuple[Masks, Masks, NDArray[np.int64]]:
    """The first level of the search: the hitting sets of one element, and the branches to search one by one.

    A branch is an element, for :func:`search`'s ``first``, and what may join it (uint64[branches, words]).
    """
    words = universe.size
    out = [np.empty((CHUNK, words), dtype=np.uint64)]
    filled = np.zeros(1, dtype=np.int64)
    opened = all_edges(rows.shape[0], hits.shape[1])
    mine = universe.copy()
    pending = np.zeros(words, dtype=np.uint64)
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
) -> Masks:
    """All minimal hitting sets of ``first`` and elements of ``universe``, uint64[sets, words]: one branch of the root.

    ``hits`` is :func:`vertical` of the rows, ``group_of`` gives each element's group, ``members`` each group's
    elements, ``capacity`` how many of them may be chosen together; at most ``limit`` groups lend elements. The sets
    come in no particular order, each once.
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
    opened[0] = all_edges(rows.shape[0], hits.shape[1])
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
            chosen[word] |= bit
            extend = room[depth + 1] + (limit - used[depth + 1]) * widest > 1
            if visit(
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
