"""Inversion: from the evidences of all pairs to the set-minimal cover of denial constraints.

A set of predicates is a valid DC exactly when it meets the complement of every evidence, so the set-minimal cover is
the family of minimal hitting sets with at most one predicate per group. Trivial DCs and one of each mirror pair are
left out; the search itself is in :mod:`profiling_core.algorithms.hitting_sets.enumeration`.
Sources: Bleifuß et al., Hydra, section 5 (inversion); Murakami and Uno (MMCS); Pena et al., FastADC.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, counts, tuples_of
from profiling_core.algorithms.ground.effort import Effort, seconds_of_visit
from profiling_core.algorithms.hitting_sets.enumeration import root, search
from profiling_core.algorithms.hitting_sets.mirror import canonical, with_mirrors
from profiling_core.algorithms.hitting_sets.satisfiability import satisfiable
from profiling_core.algorithms.hitting_sets.search_node import edges_of
from profiling_core.algorithms.hitting_sets.universe import (
    NO_END,
    Universe,
    joined,
    mirrored_elements,
    predicate_universe,
    weak_universe,
)
from profiling_core.model.predicate import PredicateSpace

# With fewer edges times elements, starting threads costs more than it saves.
_WORTH_THREADS = 20_000
# Seconds that each found constraint costs later, as an object that is reduced, ranked and written.
SECONDS_OF_ONE = 50e-6


def minimal_hitting_sets(
    edges: Masks,
    universe: Universe,
    *,
    gone: Masks | None = None,
    mirrors: NDArray[np.int64] | None = None,
    threads: int = 0,
    effort: Effort | None = None,
) -> Masks:
    """All minimal sets of elements that meet every edge, uint64[sets, words], in no particular order.

    With ``gone``, only those that miss at least one of these other edges. With ``mirrors``
    (:func:`universe.mirrored_elements`), where edges come with their mirrors, sets may be missing that are not
    canonical. The first level of the search is spread over ``threads`` (0: one per core).

    Raises:
        EffortError: the search takes more than the ``effort`` that there is for it.
    """
    if not universe.capacity.size or (gone is not None and not len(gone)):
        return np.zeros((0, universe.words), dtype=np.uint64)
    if effort:
        effort.hold(2 * edges.nbytes)
    rows = np.ascontiguousarray(edges[np.argsort(counts(edges), kind="stable")])
    own = edges_of(rows, universe.group_of.size)
    avoided = edges_of(edges[:0] if gone is None else np.ascontiguousarray(gone), universe.group_of.size)
    mirrors = np.empty((0, 3), dtype=np.int64) if mirrors is None else mirrors
    singles, candidates, branches = root(own, universe, universe.all, avoided, mirrors)

    each = seconds_of_visit(universe.words, len(rows))
    allowed = effort.visits(each) if effort else NO_END
    bounded = universe._replace(left=np.array([allowed, 0]))

    def subtree(b: int) -> Masks:
        return search(own, int(branches[b]), candidates[b], bounded, avoided, mirrors)

    # A later branch may use the elements of all earlier ones: it takes longest, and is begun first.
    order = range(len(branches) - 1, -1, -1)
    threads = threads or os.cpu_count() or 1
    if threads == 1 or rows.shape[0] * universe.group_of.size < _WORTH_THREADS:
        found = np.concatenate([singles, *map(subtree, order)])
    else:
        with ThreadPoolExecutor(threads) as pool:
            found = np.concatenate([singles, *pool.map(subtree, order)])
    if effort:
        effort.spend(effort.left + each if bounded.left[1] else (allowed - int(bounded.left[0])) * each)
    return found


def minimal_cover_masks(
    masks: Masks, space: PredicateSpace, *, max_predicates: int | None, effort: Effort | None = None
) -> Masks:
    """The set-minimal cover as masks of predicates, uint64[dcs, words], in no particular order."""
    return nontrivial(_searched(masks, predicate_universe(space, max_predicates), space, effort), space)


def maximal_cover_masks(
    masks: Masks, space: PredicateSpace, *, max_predicates: int | None, effort: Effort | None = None
) -> Masks:
    """The DCs of the set-minimal cover in which no operator can be weakened, uint64[dcs, words], unordered.

    In terms of values: the *maximal* regions without evidence. They are the minimal hitting sets of the weakest
    predicates, far fewer than all set-minimal DCs. The reduced cover is a part of them.
    """
    return nontrivial(of_weak(_searched(masks, weak_universe(space, max_predicates), space, effort), space), space)


def of_weak(found: Masks, space: PredicateSpace) -> Masks:
    """The canonical DCs of sets of weak predicates; each set stands beside its mirror, or is the smaller of both.

    The smaller one of a set and its mirror need not be the smaller DC where ``t.A < s.B`` becomes ``t.B > s.A``.
    """
    return canonical(with_mirrors(joined(canonical(found, space), space), space), space)


def _searched(masks: Masks, universe: Universe, space: PredicateSpace, effort: Effort | None) -> Masks:
    """The minimal hitting sets; sets whose DC is not canonical may be missing."""
    edges = ~masks & universe.all
    return minimal_hitting_sets(edges, universe, mirrors=mirrored_elements(universe, space), effort=effort)


def nontrivial(found: Masks, space: PredicateSpace) -> Masks:
    """The canonical DCs of a search that are not trivial."""
    found = canonical(found, space)
    return found[satisfiable(found, space)] if _can_contradict(space) else found


def _can_contradict(space: PredicateSpace) -> bool:
    """Whether an operand is in two groups: predicates of one group exclude each other anyhow."""
    operands = [operand for group in space.groups for operand in (group.left, group.right)]
    return len(set(operands)) < len(operands)


def minimal_cover(
    masks: Masks, space: PredicateSpace, *, max_predicates: int | None, effort: Effort | None = None
) -> list[tuple[int, ...]]:
    """The set-minimal cover: all non-trivial, operator-canonical, set-minimal DCs, one of each mirror pair.

    ``masks`` (uint64[e, w]) are the predicates satisfied by each distinct evidence of *ordered* pairs, both directions.
    ``max_predicates`` bounds the length (None or 0: unbounded). Returns ascending predicate positions, sorted.

    Raises:
        EffortError: they take more than the ``effort`` that there is for them.
    """
    return _told(minimal_cover_masks(masks, space, max_predicates=max_predicates, effort=effort), effort)


def maximal_cover(
    masks: Masks, space: PredicateSpace, *, max_predicates: int | None, effort: Effort | None = None
) -> list[tuple[int, ...]]:
    """:func:`maximal_cover_masks` as ascending predicate positions, sorted."""
    return _told(maximal_cover_masks(masks, space, max_predicates=max_predicates, effort=effort), effort)


def _told(cover: Masks, effort: Effort | None) -> list[tuple[int, ...]]:
    if effort:
        effort.spend(len(cover) * SECONDS_OF_ONE)
    return tuples_of(cover)
