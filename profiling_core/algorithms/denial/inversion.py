"""Inversion: from the evidences of all pairs to the set-minimal cover of denial constraints.

A set of predicates is a valid DC exactly when it meets the complement of every evidence, so the set-minimal cover is
the family of minimal hitting sets with at most one predicate per group. Trivial DCs and one of each mirror pair are
left out; the search itself is in :mod:`profiling_core.algorithms.denial.hitting_sets`.
Sources: Bleifuß et al., Hydra, section 5 (inversion); Murakami and Uno (MMCS); Pena et al., FastADC.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks, counts, masks_of, tuples_of, vertical, word_count
from profiling_core.algorithms.denial.contradictions import Contradictions, can_contradict, contradictions, none
from profiling_core.algorithms.denial.hitting_sets import root, search
from profiling_core.algorithms.denial.mirror import canonical, mirror_positions, with_mirrors
from profiling_core.algorithms.denial.refinement import berge, satisfied_by_some, still_minimal
from profiling_core.algorithms.denial.satisfiability import satisfiable
from profiling_core.model.predicate import Operator, PredicateSpace

# Below so many edges times elements, starting threads costs more than it saves.
_WORTH_THREADS = 20_000
# Where one in so many evidences came, or is gone, updating a cover takes as long as inverting anew (measured on census
# and tax data).
_CAME_COSTS, _GONE_COSTS = 10, 30
# An ordered group's predicates that are not implied by others of the group: all six are one or two of these together.
_WEAK = (Operator.NE, Operator.LE, Operator.GE)


@dataclass(frozen=True)
class Universe:
    """The elements that hitting sets are made of, and how many of them may stand together.

    ``group_of`` (int64[predicates]), ``members`` (uint64[groups, words]: the elements of each group), ``capacity``
    (int64[groups]): at most that many elements of a group; ``limit``: at most that many groups.
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
        return np.asarray(np.bitwise_or.reduce(self.members, axis=0))


def predicate_universe(space: PredicateSpace, max_predicates: int | None) -> Universe:
    """Predicates as elements: one per group, and at most ``max_predicates`` (None or 0: any number)."""
    return _universe(space, max_predicates, [tuple(group.operators) for group in space.groups], 1)


def weak_universe(space: PredicateSpace, max_predicates: int | None) -> Universe:
    """The weakest predicates as elements: {≠, ≤, ≥}, of which two make <, > or =; in unordered groups both = and ≠."""
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


def minimal_hitting_sets(
    edges: Masks,
    universe: Universe,
    *,
    gone: Masks | None = None,
    mirrors: NDArray[np.int64] | None = None,
    contradictory: Contradictions | None = None,
    threads: int = 0,
) -> Masks:
    """All minimal sets of elements that meet every edge, uint64[sets, words], in no particular order.

    With ``gone``, only those that miss at least one of these other edges. With ``mirrors`` (:func:`mirrored_elements`),
    where edges come with their mirrors, sets may be missing that are not canonical. With ``contradictory`` sets may be
    missing that contain a contradiction. The first level of the search is spread over ``threads`` (0: one per core).
    """
    if not universe.capacity.size or (gone is not None and not len(gone)):
        return np.zeros((0, universe.words), dtype=np.uint64)
    rows = np.ascontiguousarray(edges[np.argsort(counts(edges), kind="stable")])
    hits = vertical(rows, universe.group_of.size)
    gone = edges[:0] if gone is None else gone
    mirrors = np.empty((0, 3), dtype=np.int64) if mirrors is None else mirrors
    gone_hits = vertical(gone, universe.group_of.size)
    contradictory = none(universe.words) if contradictory is None else contradictory
    singles, candidates, branches = root(rows, hits, universe.all, universe.capacity, universe.limit, gone, mirrors)

    def subtree(b: int) -> Masks:
        return search(
            rows,
            hits,
            int(branches[b]),
            candidates[b],
            universe.group_of,
            universe.members,
            universe.capacity,
            universe.limit,
            gone,
            gone_hits,
            mirrors,
            contradictory,
        )

    # A later branch may use the elements of all earlier ones: it takes longest, and is begun first.
    order = range(len(branches) - 1, -1, -1)
    threads = threads or os.cpu_count() or 1
    if threads == 1 or rows.shape[0] * universe.group_of.size < _WORTH_THREADS:
        return np.concatenate([singles, *map(subtree, order)])
    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate([singles, *pool.map(subtree, order)])


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


def minimal_cover_masks(masks: Masks, space: PredicateSpace, *, max_predicates: int | None) -> Masks:
    """The set-minimal cover as masks of predicates, uint64[dcs, words], in no particular order."""
    return _nontrivial(_searched(masks, predicate_universe(space, max_predicates), space), space)


def maximal_cover_masks(masks: Masks, space: PredicateSpace, *, max_predicates: int | None) -> Masks:
    """The DCs of the set-minimal cover in which no operator can be weakened, uint64[dcs, words], unordered.

    In terms of values: the *maximal* regions without evidence. They are the minimal hitting sets of the weakest
    predicates, far fewer than all set-minimal DCs, and over same-column predicates just the reduced cover.
    """
    return _nontrivial(_joined(_searched(masks, weak_universe(space, max_predicates), space), space), space)


def _searched(masks: Masks, universe: Universe, space: PredicateSpace) -> Masks:
    """The minimal hitting sets, of which those may be missing whose DC is trivial or not canonical."""
    mirrors, apart = mirrored_elements(universe, space), contradictions(space)
    return minimal_hitting_sets(~masks & universe.all, universe, mirrors=mirrors, contradictory=apart)


def _nontrivial(found: Masks, space: PredicateSpace) -> Masks:
    """The canonical DCs of a search that are not trivial: the search does not tell of all that they are."""
    found = canonical(found, space)
    return found[satisfiable(found, space)] if can_contradict(space) else found


def _joined(masks: Masks, space: PredicateSpace) -> Masks:
    """The masks with ≤ and ≠ of a group written as <, ≥ and ≠ as >, ≤ and ≥ as =."""
    bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)
    start = 0
    for group in space.groups:
        if group.ordered:
            at = {op: bits[:, start + i] for i, op in enumerate(group.operators)}
            ne, le, ge = (at[op].copy() for op in _WEAK)
            at[Operator.LT][:] = le & ne
            at[Operator.GT][:] = ge & ne
            at[Operator.EQ][:] = le & ge
            at[Operator.NE][:] = ne & ~le & ~ge
            at[Operator.LE][:] = le & ~ne & ~ge
            at[Operator.GE][:] = ge & ~ne & ~le
        start += len(group.operators)
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


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
    violated = satisfied_by_some(family, vertical(new_masks, len(space.predicates)))
    edges = ~new_masks & universe.all
    found = berge(family, edges, universe.group_of, universe.members, universe.limit)
    # Those that stay come first, as they were; only what is new needs a look.
    fresh = _nontrivial(found[len(family) - np.count_nonzero(violated) :], space)
    return sorted([*compress(cover, (~violated[: len(cover)]).tolist()), *tuples_of(fresh)])


def updating_pays(came: Masks, gone: Masks, remaining: Masks) -> bool:
    """Whether :func:`update` is likely to be quicker than :func:`minimal_cover`."""
    return len(came) * _CAME_COSTS + len(gone) * _GONE_COSTS < len(remaining)


def update(
    cover: Sequence[tuple[int, ...]],
    came: Masks,
    gone: Masks,
    remaining: Masks,
    space: PredicateSpace,
    *,
    max_predicates: int | None,
) -> list[tuple[int, ...]]:
    """The set-minimal cover once evidences have come and gone, from the one before.

    Exactly :func:`minimal_cover` of ``remaining``, also under a bound on length, which must be the one that ``cover``
    was found with. What is violated by evidence that came is refined. Of the rest a DC stays while each of its
    predicates is still needed; a DC that is new has been violated by evidence that is gone, so that only sets that miss
    a gone edge are searched for.

    Args:
        cover: the cover before; ascending predicate positions, one of each mirror pair.
        came: predicates satisfied by each evidence of ordered pairs that is new, both directions; uint64[e, w].
        gone: those of the evidences that no pair has any more.
        remaining: those of all evidences now, ``came`` among them.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
    """
    refined = refine(cover, came, space, max_predicates=max_predicates) if len(came) else list(cover)
    if not len(gone):
        return refined
    universe = predicate_universe(space, max_predicates)
    known = masks_of(refined, universe.words)
    minimal = still_minimal(known, gone, vertical(remaining, len(space.predicates)))
    edges, lost = ~remaining & universe.all, ~gone & universe.all
    found = minimal_hitting_sets(edges, universe, gone=lost, mirrors=mirrored_elements(universe, space))
    # Both parts are in order, which makes this quicker than to sort all masks.
    return sorted([*compress(refined, minimal.tolist()), *tuples_of(canonical(found, space))])
