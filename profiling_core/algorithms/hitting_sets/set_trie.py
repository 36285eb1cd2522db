"""A set-trie: numbered sets kept by their ascending positions, asked which of them are subsets of a given one.

Minimisation and refinement of covers ask this hundreds of thousands of times; walking only the branches whose positions
the given set holds visits a few dozen nodes where a list would compare thousands of sets.
Source: Savnik, "Index data structure for fast subset and superset queries" (2013).
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, counts, lowest
from profiling_core.algorithms.ground.kernel import kernel

# Columns of the node table: position, first child, next sibling, number of the set that ends here plus one (0: none).
_POSITION, _CHILD, _SIBLING, _ENDS = range(4)


@kernel
def new_trie(capacity: int) -> NDArray[np.int32]:
    """The node table of an empty trie, int32[capacity, 4]; row 0 is the root, and row 0's position counts the rows."""
    nodes = np.zeros((max(2, capacity), 4), dtype=np.int32)
    nodes[0, _POSITION] = 1
    return nodes


@kernel
def insert(nodes: NDArray[np.int32], mask: Masks, number: int) -> NDArray[np.int32]:
    """Add a non-empty set under its number; returns the node table, a larger one where the old one was full."""
    at = 0
    for k in range(mask.size):
        word = mask[k]
        while word != 0:
            position = 64 * k + lowest(word)
            word &= word - np.uint64(1)
            child = nodes[at, _CHILD]
            while child != 0 and nodes[child, _POSITION] != position:
                child = nodes[child, _SIBLING]
            if child == 0:
                child = nodes[0, _POSITION]
                if child == nodes.shape[0]:
                    larger = np.zeros((2 * child, 4), dtype=np.int32)
                    larger[:child] = nodes
                    nodes = larger
                nodes[0, _POSITION] += 1
                nodes[child, _POSITION] = position
                nodes[child, _SIBLING] = nodes[at, _CHILD]
                nodes[at, _CHILD] = child
            at = child
    nodes[at, _ENDS] = number + 1
    return nodes


@kernel
def has_subset(nodes: NDArray[np.int32], mask: Masks, stack: NDArray[np.int32]) -> bool:
    """Whether some set of the trie is a subset of ``mask``; ``stack`` is scratch, two longer than any set."""
    depth = 0
    stack[0] = nodes[0, _CHILD]
    while depth >= 0:
        node = stack[depth]
        if node == 0:
            depth -= 1
            continue
        stack[depth] = nodes[node, _SIBLING]
        position = nodes[node, _POSITION]
        if (mask[position >> 6] >> np.uint64(position & 63)) & np.uint64(1):
            if nodes[node, _ENDS] != 0:
                return True
            depth += 1
            stack[depth] = nodes[node, _CHILD]
    return False


@kernel
def strike_completing(
    nodes: NDArray[np.int32], mask: Masks, candidates: Masks, stack: NDArray[np.int32], extra: NDArray[np.int32]
) -> None:
    """Remove from ``candidates`` each position whose addition makes ``mask`` contain a set of the trie.

    ``mask`` alone contains none. One walk for all candidates: each branch may pass one position that is not in the
    mask, told in ``extra`` (−1: none yet). ``stack`` and ``extra`` are scratch, two longer than any set.
    """
    depth = 0
    stack[0] = nodes[0, _CHILD]
    extra[0] = -1
    while depth >= 0:
        node = stack[depth]
        passed = extra[depth]
        if node == 0 or (passed >= 0 and (candidates[passed >> 6] >> np.uint64(passed & 63)) & np.uint64(1) == 0):
            depth -= 1
            continue
        stack[depth] = nodes[node, _SIBLING]
        position = nodes[node, _POSITION]
        bit = np.uint64(1) << np.uint64(position & 63)
        if mask[position >> 6] & bit == 0:
            if passed >= 0 or candidates[position >> 6] & bit == 0:
                continue
            passed = position
        if nodes[node, _ENDS] != 0:
            candidates[passed >> 6] &= ~(np.uint64(1) << np.uint64(passed & 63))
        else:
            depth += 1
            stack[depth] = nodes[node, _CHILD]
            extra[depth] = passed


@kernel
def take_subsets(nodes: NDArray[np.int32], mask: Masks, stack: NDArray[np.int32], taken: NDArray[np.int64]) -> int:
    """Remove all sets that are subsets of ``mask``, and write their numbers into ``taken``; how many they are."""
    many = 0
    depth = 0
    stack[0] = nodes[0, _CHILD]
    while depth >= 0:
        node = stack[depth]
        if node == 0:
            depth -= 1
            continue
        stack[depth] = nodes[node, _SIBLING]
        position = nodes[node, _POSITION]
        if (mask[position >> 6] >> np.uint64(position & 63)) & np.uint64(1):
            if nodes[node, _ENDS] != 0:
                taken[many] = nodes[node, _ENDS] - 1
                nodes[node, _ENDS] = 0
                many += 1
            depth += 1
            stack[depth] = nodes[node, _CHILD]
    return many


@kernel
def containing_some(sets: Masks, parts: Masks) -> NDArray[np.bool_]:
    """Which sets contain one of ``parts``; no part is empty."""
    trie = new_trie(4 * parts.shape[0])
    longest = np.int64(0)
    for row in range(parts.shape[0]):
        trie = insert(trie, parts[row], row)
        longest = max(longest, counts(parts[row : row + 1])[0])
    stack = np.zeros(longest + 2, dtype=np.int32)
    found = np.zeros(sets.shape[0], dtype=np.bool_)
    for row in range(sets.shape[0]):
        found[row] = has_subset(trie, sets[row], stack)
    return found
