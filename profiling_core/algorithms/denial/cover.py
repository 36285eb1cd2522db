"""The reduced cover: what is left of a set-minimal cover when everything goes that another DC of it implies.

A DC implies another one when its predicates, or its mirror's, all follow from the other's. So each DC is closed
(:mod:`satisfiability`), and by growing closure those are kept whose closure, either way
round, holds no DC kept before. Source: docs/semantics.md, "reduced cover"; Bleifuß et al., Hydra, section 5.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import (
    Masks,
    counts,
    masks_of,
    permuted,
    positions,
    tuples_of,
    word_count,
)
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover_masks
from profiling_core.algorithms.hitting_sets.mirror import mirror_positions, mirrored_space
from profiling_core.algorithms.hitting_sets.satisfiability import closures
from profiling_core.algorithms.hitting_sets.set_trie import has_subset, insert, new_trie
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import PredicateSpace


@kernel
def _kept(masks: Masks, closed: Masks, mirrored: Masks, longest: int) -> NDArray[np.bool_]:
    """Of DCs in order, those whose closure holds no earlier kept one, neither way round."""
    kept = np.zeros(masks.shape[0], dtype=np.bool_)
    trie = new_trie(1024)
    stack = np.zeros(longest + 2, dtype=np.int32)
    for row in range(masks.shape[0]):
        if not has_subset(trie, closed[row], stack) and not has_subset(trie, mirrored[row], stack):
            kept[row] = True
            trie = insert(trie, masks[row], row)
    return kept


def reduced_cover_masks(masks: Masks, space: PredicateSpace) -> Masks:
    """The reduced cover as masks of predicates, uint64[fewer, words], by growing closure."""
    if not len(masks):
        return masks
    wide = mirrored_space(space)
    words = word_count(len(wide.predicates))
    padded = np.zeros((len(masks), words), dtype=np.uint64)
    padded[:, : masks.shape[1]] = masks
    closed, closure_sizes = closures(padded, wide)
    lengths = counts(masks)
    longest = int(lengths.max())
    by_position = positions(masks, longest).T[::-1]
    order = np.lexsort([*by_position, lengths, closure_sizes])
    order = order[closure_sizes[order] >= 0]
    closed = closed[order]
    mirrored = permuted(closed, mirror_positions(wide), words)
    return masks[order][_kept(padded[order], closed, mirrored, longest)]


def reduced_cover(dcs: Sequence[tuple[int, ...]], space: PredicateSpace) -> list[tuple[int, ...]]:
    """The reduced cover of a set-minimal one: ascending predicate positions, sorted."""
    return tuples_of(reduced_cover_masks(masks_of(dcs, word_count(len(space.predicates))), space))


def reduced_cover_of(masks: Masks, space: PredicateSpace, *, max_predicates: int | None) -> list[tuple[int, ...]]:
    """The reduced cover straight from the evidences: the same as that of :func:`inversion.minimal_cover`.

    A DC in which an operator can be weakened follows from the weaker one, whose closure is smaller, or is the same and
    comes first. So the reduced cover is a part of the maximal one.
    """
    found = maximal_cover_masks(masks, space, max_predicates=max_predicates)
    return tuples_of(found if space.is_same_column else reduced_cover_masks(found, space))


def strongest(maximal: list[tuple[int, ...]], space: PredicateSpace) -> list[tuple[int, ...]]:
    """The reduced cover of a maximal one, sorted as it is.

    Over same-column predicates it is all of it, since DCs imply each other by their operators alone.
    """
    return maximal if space.is_same_column else reduced_cover(maximal, space)


def constraints(dcs: Sequence[tuple[int, ...]], space: PredicateSpace) -> list[DenialConstraint]:
    """The DCs as nouns."""
    return [DenialConstraint(space.table, tuple(space.predicates[i] for i in dc)) for dc in dcs]
