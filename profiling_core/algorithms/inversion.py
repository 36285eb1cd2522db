"""Inversion: from the evidences of all pairs to the set-minimal cover of denial constraints.

A set of predicates is a valid DC exactly when it meets the complement of every evidence, so the set-minimal cover is
the family of minimal hitting sets with at most one predicate per group. Trivial DCs and one of each mirror pair are
left out at the end; the search itself is in :mod:`profiling_core.algorithms.hitting_sets`.
Sources: Bleifuß et al., Hydra, section 5 (inversion); Murakami and Uno (MMCS); Pena et al., FastADC.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks, counts, mask_of, masks_of, tuples_of, word_count
from profiling_core.algorithms.hitting_sets import root, search, vertical
from profiling_core.algorithms.mirror import canonical, with_mirrors
from profiling_core.algorithms.refinement import berge
from profiling_core.algorithms.satisfiability import satisfiable
from profiling_core.model.predicate import PredicateSpace

# Below so many edges times elements, starting threads costs more than it saves.
_WORTH_THREADS = 20_000


@dataclass(frozen=True)
class Universe:
    """The elements that hitting sets are made of, and how many of them may stand together.

    ``group_of`` (int64[elements]), ``members`` (uint64[groups, words]), ``capacity`` (int64[groups]): at most that many
    elements of a group; ``limit``: at most that many groups.
    """

    group_of: NDArray[np.int64]
    members: Masks
    capacity: NDArray[np.int64]
    limit: int

    @property
    def words(self) -> int:
        """Words per set of elements."""
        return int(self.members.shape[1])

    @property
    def all(self) -> Masks:
        """The set of all elements."""
        return mask_of(range(len(self.group_of)), self.words)


def predicate_universe(space: PredicateSpace, max_predicates: int | None) -> Universe:
    """Predicates as elements: one per group, and at most ``max_predicates`` (None or 0: any number)."""
    words = word_count(len(space.predicates))
    members = [[i for i, g in enumerate(space.group_of) if g == group] for group in range(len(space.groups))]
    return Universe(
        np.array(space.group_of, dtype=np.int64),
        masks_of(members, words),
        np.ones(len(members), dtype=np.int64),
        min(max_predicates or len(members), len(members)),
    )


def minimal_hitting_sets(edges: Masks, universe: Universe, threads: int = 0) -> Masks:
    """All minimal sets of elements that meet every edge, uint64[sets, words], in no particular order.

    The first level of the search is spread over ``threads`` (0: one per core).
    """
    if not universe.capacity.size:
        return np.zeros((0, universe.words), dtype=np.uint64)
    rows = np.ascontiguousarray(edges[np.argsort(counts(edges), kind="stable")])
    hits = vertical(rows, universe.group_of.size)
    fixed = (universe.group_of, universe.members, universe.capacity, universe.limit)
    threads = threads or os.cpu_count() or 1
    if threads == 1 or rows.shape[0] * universe.group_of.size < _WORTH_THREADS:
        return search(rows, hits, -1, universe.all, *fixed)
    singles, candidates, branches = root(rows, hits, universe.all, universe.capacity, universe.limit)
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(lambda b: search(rows, hits, int(branches[b]), candidates[b], *fixed), range(len(branches)))
        return np.concatenate([singles, *parts])


def minimal_cover_masks(masks: Masks, space: PredicateSpace, *, max_predicates: int | None) -> Masks:
    """The set-minimal cover as masks of predicates, uint64[dcs, words], in no particular order."""
    universe = predicate_universe(space, max_predicates)
    found = minimal_hitting_sets(~masks & universe.all, universe)
    found = canonical(found, space)
    return found[satisfiable(found, space)]


def minimal_cover(masks: Masks, space: PredicateSpace, *, max_predicates: int | None) -> list[tuple[int, ...]]:
    """The set-minimal cover: all non-trivial, operator-canonical, set-minimal DCs, one of each mirror pair.

    ``masks`` (uint64[e, w]) are the predicates satisfied by each distinct evidence of *ordered* pairs, both directions.
    ``max_predicates`` bounds the length (None or 0: unbounded). Returns ascending predicate positions, sorted.
    """
    return tuples_of(minimal_cover_masks(masks, space, max_predicates=max_predicates))


def refine(
    cover: Sequence[tuple[int, ...]], new_masks: Masks, space: PredicateSpace, *, max_predicates: int | None
) -> list[tuple[int, ...]]:
    """The set-minimal cover once the evidences ``new_masks`` have come to those that ``cover`` is the cover of.

    Exactly :func:`minimal_cover` of all evidences together, also under a bound on length, which must be the one that
    ``cover`` was found with. Trivial DCs are missing from ``cover`` and need not be there: no evidence violates them,
    and whatever contains one is trivial too.

    Args:
        cover: ascending predicate positions, one of each mirror pair.
        new_masks: predicates satisfied by each new evidence of ordered pairs, both directions; uint64[e, w].
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
    """
    universe = predicate_universe(space, max_predicates)
    family = with_mirrors(masks_of(cover, universe.words), space)
    edges = ~new_masks & universe.all
    found = berge(family, edges, universe.group_of, universe.members, universe.limit)
    found = canonical(found, space)
    return tuples_of(found[satisfiable(found, space)])
