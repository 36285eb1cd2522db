"""What hitting sets are made of when they are denial constraints: predicates, or only those that cannot be weakened.

Over an ordered group, <, = and > are each two of the *weak* predicates ≠, ≤ and ≥ together. So a set of weak predicates
says what a set of predicates says, and one set of weak predicates implies another one just when it contains it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, masks_of, word_count
from profiling_core.algorithms.hitting_sets.mirror import mirror_positions
from profiling_core.model.predicate import Operator, PredicateSpace

# An ordered group's predicates that are not implied by others of the group: all six are one or two of these together.
_WEAK = (Operator.NE, Operator.LE, Operator.GE)
NO_END = 1 << 62


class Universe(NamedTuple):
    """The elements that hitting sets are made of, and how many of them may stand together.

    ``group_of`` (int64[predicates]), ``members`` (uint64[groups, words]: the elements of each group), ``capacity``
    (int64[groups]): at most that many elements of a group; ``limit``: at most that many groups. ``left`` (int64[2]):
    what a search may visit, see :func:`enumeration.search`; nothing that is shared ends what has no bound.
    """

    group_of: NDArray[np.int64]
    members: Masks
    capacity: NDArray[np.int64]
    limit: int
    left: NDArray[np.int64] = np.array([NO_END, 0])

    @property
    def words(self) -> int:
        """Words per set of elements."""
        return int(self.members.shape[1])

    @property
    def all(self) -> Masks:
        """The set of all elements."""
        return np.asarray(np.bitwise_or.reduce(self.members, axis=0))


def predicate_universe(space: PredicateSpace, max_predicates: int | None) -> Universe:
    """Predicates as elements: one per group, and at most ``max_predicates`` (None or 0: any number)."""
    return _universe(space, max_predicates, [tuple(group.operators) for group in space.groups], 1)


def weak_universe(space: PredicateSpace, max_predicates: int | None) -> Universe:
    """The weakest predicates as elements: {≠, ≤, ≥}; two of them make <, > or =. In unordered groups both = and ≠."""
    weak = [_WEAK if group.ordered else tuple(group.operators) for group in space.groups]
    return _universe(space, max_predicates, weak, 2)


def _universe(
    space: PredicateSpace, max_predicates: int | None, operators: Sequence[tuple[Operator, ...]], capacity: int
) -> Universe:
    words = word_count(len(space.predicates))
    members = [
        [space.index[p] for p in group.predicates if p.op in chosen]
        for group, chosen in zip(space.groups, operators, strict=True)
    ]
    return Universe(
        np.array(space.group_of, dtype=np.int64),
        masks_of(members, words),
        np.array([capacity if group.ordered else 1 for group in space.groups], dtype=np.int64),
        min(max_predicates or len(members), len(members)),
    )


def plain_universe(elements: int, limit: int) -> Universe:
    """Elements that may stand together in any way, at most ``limit`` in a set."""
    each = np.arange(elements)
    singles = masks_of([[element] for element in range(elements)], word_count(elements))
    return Universe(each, singles, np.ones_like(each), min(limit, elements))


def mirrored_elements(universe: Universe, space: PredicateSpace) -> NDArray[np.int64]:
    """The pairs of different elements that are each other's mirrors, for ``minimal_hitting_sets``; int64[pairs, 3].

    Ascending, each as lower element, upper element, and whether at most one of them may be chosen. None where a mirror
    is not in the space: a DC that has none stands for itself.
    """
    target = mirror_positions(space).tolist()
    elements = {*np.flatnonzero(np.unpackbits(universe.all.view(np.uint8), bitorder="little")).tolist()}
    if any(target[element] < 0 for element in elements):
        return np.empty((0, 3), dtype=np.int64)
    groups, capacity = universe.group_of, universe.capacity
    pairs = [
        (lower, target[lower], groups[lower] == groups[target[lower]] and capacity[groups[lower]] == 1)
        for lower in sorted(elements)
        if lower < target[lower]
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 3)


def joined(masks: Masks, space: PredicateSpace) -> Masks:
    """The masks with ≤ and ≠ of a group written as <, ≥ and ≠ as >, ≤ and ≥ as =."""
    bits = _bits(masks)
    for at in _ordered_groups(bits, space):
        ne, le, ge = (at[op].copy() for op in _WEAK)
        at[Operator.LT][:] = le & ne
        at[Operator.GT][:] = ge & ne
        at[Operator.EQ][:] = le & ge
        at[Operator.NE][:] = ne & ~le & ~ge
        at[Operator.LE][:] = le & ~ne & ~ge
        at[Operator.GE][:] = ge & ~ne & ~le
    return _masks(bits)


def parted(masks: Masks, space: PredicateSpace) -> Masks:
    """The inverse of :func:`joined`."""
    bits = _bits(masks)
    for at in _ordered_groups(bits, space):
        lt, gt, eq = (at[op].copy() for op in (Operator.LT, Operator.GT, Operator.EQ))
        at[Operator.NE][:] |= lt | gt
        at[Operator.LE][:] |= lt | eq
        at[Operator.GE][:] |= gt | eq
        for op in (Operator.LT, Operator.GT, Operator.EQ):
            at[op][:] = False
    return _masks(bits)


def _bits(masks: Masks) -> NDArray[np.bool_]:
    return np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)


def _masks(bits: NDArray[np.bool_]) -> Masks:
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def _ordered_groups(bits: NDArray[np.bool_], space: PredicateSpace) -> Iterator[dict[Operator, NDArray[np.bool_]]]:
    """Per ordered group, the column of each of its predicates."""
    start = 0
    for group in space.groups:
        if group.ordered:
            yield {op: bits[:, start + i] for i, op in enumerate(group.operators)}
        start += len(group.operators)
