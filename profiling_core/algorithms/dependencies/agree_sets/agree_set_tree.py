"""The AS-tree: agree sets by prefix, asked for the specialisations of a column set (DynASt, section 6).

A prefix tree without its chains (Morrison's PATRICIA): an inner node tests the first column in which the sets below it
differ. Beside it stand the union of these sets and that of the columns that their pairs differ in, so that a search
leaves a whole subtree alone after one look. Columns that most pairs agree on should come first: where a set has such a
column, the few sets without it are left behind at once.

The tree knows sets, not how often they occur: cardinalities stand beside it in the multiset (:mod:`agree_set_table`),
and a set whose cardinality falls to zero stays in the tree until it is built anew (section 7.5).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Counts, Words, grown
from profiling_core.algorithms.ground.bit_words import lowest
from profiling_core.algorithms.ground.kernel import kernel

Nodes = NDArray[np.int32]
NONE = -1
_FIRST = 1024
# Columns of the node table: the tested bit, the subtrees without and with it. A subtree is a node, or −2 − leaf.
_BIT, _WITHOUT, _WITH = range(3)
_EMPTY = -1


class _Tree(NamedTuple):
    """The tree as kernels take it.

    Attributes:
        equal: uint64[sets, words], per leaf the columns that pairs agree on.
        apart: uint64[sets, words], those that they differ in.
        nodes: int32[sets, 3].
        union: uint64[sets, words], per node the columns of all sets below it.
        differ: uint64[sets, words], those that their pairs differ in.
        root: int32[1], the first node.
    """

    equal: Words
    apart: Words
    nodes: Nodes
    union: Words
    differ: Words
    root: Nodes


class AgreeSetTree:
    """Numbered agree sets: ``equal`` and ``apart``, uint64[sets, words], the columns that pairs agree and differ in."""

    def __init__(self, words: int) -> None:
        self.words = words
        self.sets = 0
        equal, apart, union, differ = np.zeros((4, _FIRST, words), np.uint64)
        root = np.full(1, _EMPTY, np.int32)
        self._tree = _Tree(equal, apart, np.zeros((_FIRST, 3), np.int32), union, differ, root)

    @property
    def equal(self) -> Words:
        """uint64[room, words]."""
        return self._tree.equal

    @property
    def apart(self) -> Words:
        """uint64[room, words]."""
        return self._tree.apart

    def extend(self, equal: Words, apart: Words) -> None:
        """Adds sets, numbered from :attr:`sets` on; none of them twice."""
        first, self.sets = self.sets, self.sets + len(equal)
        if self.sets > len(self.equal):
            room, tree = 1 << int(self.sets - 1).bit_length(), self._tree
            equal_sets, apart_sets, union, differ = (
                grown(array, room) for array in (tree.equal, tree.apart, tree.union, tree.differ)
            )
            self._tree = _Tree(equal_sets, apart_sets, grown(tree.nodes, room), union, differ, tree.root)
        self.equal[first : self.sets] = equal
        self.apart[first : self.sets] = apart
        _insert_all(self._tree, first, self.sets)

    def violating(self, equal: Words, apart: Words, counts: Counts) -> Counts:
        """Per question the number of a maximal set ⊇ ``equal`` among those whose pairs differ in ``apart``.

        :data:`NONE` if there is none.
        """
        return _violating(self._tree, equal, apart, counts)

    def uncovered(self, sets: Counts, wanted: Words, counts: Counts) -> Words:
        """Per set the wanted columns that its pairs differ in, and no pair of a strictly greater one: uint64[n, words].

        It is a maximal set for just these right sides; sets without any are intersections of greater ones.
        """
        return _uncovered(self._tree, sets, wanted, counts)


@kernel
def _bit(equal: Words, apart: Words, leaf: int, bit: np.int64) -> np.int64:
    words = equal.shape[1]
    word = bit >> 6
    value = equal[leaf, word] if word < words else apart[leaf, word - words]
    return np.int64((value >> np.uint64(bit & 63)) & np.uint64(1))


@kernel
def _first_difference(equal: Words, apart: Words, a: int, b: np.int64) -> np.int64:
    words = equal.shape[1]
    for w in range(words):
        difference = equal[a, w] ^ equal[b, w]
        if difference != 0:
            return np.int64(64 * w) + lowest(difference)
    for w in range(words):
        difference = apart[a, w] ^ apart[b, w]
        if difference != 0:
            return np.int64(64 * (words + w)) + lowest(difference)
    return np.int64(-1)


@kernel
def _insert_all(tree: _Tree, first: int, end: int) -> None:
    equal, apart, nodes, union, differ, root = tree
    words = equal.shape[1]
    for leaf in range(first, end):
        if leaf == 0:
            root[0] = -2
            continue
        at = np.int64(root[0])
        while at >= 0:
            at = np.int64(nodes[at, _WITHOUT + _bit(equal, apart, leaf, nodes[at, _BIT])])
        bit = _first_difference(equal, apart, leaf, -2 - at)
        # A tree of n leaves has n − 1 nodes: that of this leaf is the one before its number.
        fresh = leaf - 1
        parent, side = np.int64(-1), np.int64(0)
        at = np.int64(root[0])
        while at >= 0 and nodes[at, _BIT] < bit:
            for w in range(words):
                union[at, w] |= equal[leaf, w]
                differ[at, w] |= apart[leaf, w]
            parent, side = at, _bit(equal, apart, leaf, nodes[at, _BIT])
            at = np.int64(nodes[at, _WITHOUT + side])
        mine = _bit(equal, apart, leaf, bit)
        nodes[fresh, _BIT] = bit
        nodes[fresh, _WITHOUT + mine] = -2 - leaf
        nodes[fresh, _WITH - mine] = at
        for w in range(words):
            union[fresh, w] = equal[leaf, w] | (union[at, w] if at >= 0 else equal[-2 - at, w])
            differ[fresh, w] = apart[leaf, w] | (differ[at, w] if at >= 0 else apart[-2 - at, w])
        if parent < 0:
            root[0] = fresh
        else:
            nodes[parent, _WITHOUT + side] = fresh


@kernel
def _new_stack(words: int) -> NDArray[np.int64]:
    """Room for a depth-first walk: each of the bits on a path leaves one subtree behind."""
    return np.empty(128 * words + 2, np.int64)


@kernel
def _contains(masks: Words, row: int, part: Words) -> bool:
    missing = np.uint64(0)
    for w in range(part.size):
        missing |= part[w] & ~masks[row, w]
    return bool(missing == 0)


@kernel
def _meets(masks: Words, row: int, other: Words) -> bool:
    some = np.uint64(0)
    for w in range(other.size):
        some |= masks[row, w] & other[w]
    return bool(some != 0)


@kernel
def _violating(tree: _Tree, asked: Words, columns: Words, counts: Counts) -> Counts:
    equal, apart, nodes, union, differ, root = tree
    found = np.full(asked.shape[0], NONE, np.int64)
    words = equal.shape[1]
    stack = _new_stack(words)
    lower = np.empty((1, words), np.uint64)
    for question in range(asked.shape[0]):
        lower[0] = asked[question]
        stack[0] = root[0]
        depth = 0 if root[0] != _EMPTY else -1
        while depth >= 0:
            at = stack[depth]
            depth -= 1
            if at >= 0:
                if _contains(union, at, lower[0]) and _meets(differ, at, columns[question]):
                    stack[depth + 1] = nodes[at, _WITHOUT]
                    stack[depth + 2] = nodes[at, _WITH]
                    depth += 2
                continue
            leaf = -2 - at
            if not counts[leaf] or not _contains(equal, leaf, lower[0]) or not _meets(apart, leaf, columns[question]):
                continue
            # Subtrees that were left out of the walk so far have no superset of the smaller set, so none of this one.
            if found[question] == NONE or not _contains(lower, 0, equal[leaf]):
                found[question] = leaf
                lower[0] = equal[leaf]
    return found


@kernel
def _uncovered(tree: _Tree, sets: Counts, wanted: Words, counts: Counts) -> Words:
    equal, apart, nodes, union, differ, root = tree
    words = equal.shape[1]
    found = np.zeros((sets.size, words), np.uint64)
    stack = _new_stack(words)
    for i in range(sets.size):
        own = equal[sets[i]]
        rest = found[i]
        some = np.uint64(0)
        for w in range(words):
            rest[w] = apart[sets[i], w] & wanted[w]
            some |= rest[w]
        stack[0] = root[0]
        depth = 0
        while depth >= 0 and some != 0:
            at = stack[depth]
            depth -= 1
            if at >= 0:
                if _contains(union, at, own) and _meets(differ, at, rest):
                    stack[depth + 1] = nodes[at, _WITHOUT]
                    stack[depth + 2] = nodes[at, _WITH]
                    depth += 2
                continue
            leaf = -2 - at
            if not counts[leaf] or not _meets(apart, leaf, rest) or not _contains(equal, leaf, own):
                continue
            if _contains(own.reshape(1, words), 0, equal[leaf]):
                continue
            some = np.uint64(0)
            for w in range(words):
                rest[w] &= ~apart[leaf, w]
                some |= rest[w]
    return found
