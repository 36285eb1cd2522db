"""Minimal column sets for FDs and UCCs from agree sets: which way is taken depends on the table's width.

Up to :data:`superset_sums.WIDEST` columns, counts of all 2^m sets answer exact and approximate questions alike. Wider,
exact dependencies are the minimal hitting sets of the difference sets (Mannila and Räihä), approximate ones are found
level by level.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets import superset_sums
from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import NO_RHS
from profiling_core.algorithms.dependencies.agree_sets.agree_set_tree import AgreeSetTree
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.search.levelwise import minimal_approximate
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.bit_words import mask_of, permuted, tuples_of, word_count
from profiling_core.algorithms.ground.column_sets import columns_in
from profiling_core.algorithms.ground.limits import greatest_count
from profiling_core.algorithms.hitting_sets.inversion import minimal_hitting_sets
from profiling_core.algorithms.hitting_sets.universe import Universe

Sets = list[tuple[int, ...]]


def minimal_sets(
    agree: AgreeSets, rights: Sequence[int], longest: int | None, limit: int
) -> Iterator[tuple[int, Sets]]:
    """Per right side its minimal left sides, each ascending, shorter ones first.

    Args:
        agree: the agree sets.
        rights: column indices, or :data:`NO_RHS`, which asks for unique column combinations.
        longest: the greatest number of columns on the left; None: no bound.
        limit: the greatest number of violating unordered pairs.
    """
    columns = len(agree.columns)
    bound = columns if longest is None else longest
    if columns <= superset_sums.WIDEST:
        masks = minimal_masks(agree, rights, bound, limit)
        found: Iterator[tuple[int, Sets]] = (
            (rhs, [tuple(columns_in(mask)) for mask in own.tolist()]) for rhs, own in masks
        )
    elif limit == 0:
        found = _exact(agree, rights, bound)
    else:
        found = minimal_approximate(agree, rights, bound, limit)
    for rhs, sets in found:
        yield rhs, sorted(sets, key=lambda s: (len(s), s))


def violations_limit(max_error: float, population: int) -> int:
    """The greatest v with 2·v / population ≤ ``max_error``, by the same division as the error; v in unordered pairs."""
    return greatest_count(max_error, population, each=2)


def minimal_masks(
    agree: AgreeSets, rights: Sequence[int], longest: int, limit: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """What :func:`minimal_sets` finds in a table of at most :data:`superset_sums.WIDEST` columns, as bit masks."""
    columns = len(agree.columns)
    together = superset_sums.superset_sums(agree.equal[:, 0], agree.counts, columns)
    for rhs in rights:
        if rhs == NO_RHS:
            violations = together
        elif agree.complementary:
            violations = superset_sums.violations_of(together, rhs)
        else:
            apart = (agree.different[:, 0] >> np.uint64(rhs)) & np.uint64(1) == 1
            violations = superset_sums.superset_sums(agree.equal[apart, 0], agree.counts[apart], columns)
        yield rhs, superset_sums.minimal_sets(violations, 0 if rhs == NO_RHS else 1 << rhs, longest, limit)


def _exact(agree: AgreeSets, rights: Sequence[int], longest: int) -> Iterator[tuple[int, Sets]]:
    columns = len(agree.columns)
    words = agree.equal.shape[1]
    for rhs, maximal in _maximal_sets(agree, rights):
        excluded = mask_of([] if rhs == NO_RHS else [rhs], words)
        universe = mask_of(range(columns), words) & ~excluded
        if not len(maximal):
            yield rhs, [()]
        elif longest > 0:
            yield rhs, tuples_of(_hitting_sets(universe & ~maximal, universe, columns, longest))
        else:
            yield rhs, []


def _maximal_sets(agree: AgreeSets, rights: Sequence[int]) -> Iterator[tuple[int, Words]]:
    """Per right side the maximal equal masks among the pairs that differ in it (for a UCC: among all pairs)."""
    columns = len(agree.columns)
    words = word_count(columns + 1)
    bits = np.unpackbits(np.ascontiguousarray(agree.equal).view(np.uint8), axis=1, bitorder="little")
    # The tree is searched fastest with the columns first that most sets have; the bit after the last is the UCC's.
    order = np.argsort(-bits[:, :columns].sum(axis=0, dtype=np.int64), kind="stable")
    place = np.full(64 * agree.equal.shape[1], -1, np.int32)
    place[order] = np.arange(columns)
    equal = permuted(agree.equal, place, words)
    tree = AgreeSetTree(words)
    tree.extend(equal, permuted(agree.different, place, words) | mask_of([columns], words))
    at = {rhs: columns if rhs == NO_RHS else int(place[rhs]) for rhs in rights}
    uncovered = tree.uncovered(np.arange(len(agree)), mask_of(list(at.values()), words), agree.counts)
    for rhs, bit in at.items():
        yield rhs, agree.equal[uncovered[:, bit // 64] >> np.uint64(bit % 64) & np.uint64(1) == 1]


def _hitting_sets(edges: Words, universe: Words, columns: int, longest: int) -> Words:
    members = np.stack([mask_of([column], edges.shape[1]) for column in range(columns)]) & universe
    ones = np.ones(columns, np.int64)
    return minimal_hitting_sets(edges, Universe(np.arange(columns), members, ones, min(longest, columns)))
