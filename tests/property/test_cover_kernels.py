"""The search kernels, each against the plainest program for the same question.

Sections of the papers: Hydra 5; IncDC 8.
"""

import itertools
from collections import Counter
from functools import cache

import numpy as np
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.ground.bit_words import (
    counts,
    masks_of,
    permuted,
    positions,
    precedes,
    tuples_of,
    vertical,
)
from profiling_core.algorithms.hitting_sets import dynamic, refinement
from profiling_core.algorithms.hitting_sets.dynamic import freed
from profiling_core.algorithms.hitting_sets.evidences import MaskedEvidences
from profiling_core.algorithms.hitting_sets.inversion import minimal_hitting_sets
from profiling_core.algorithms.hitting_sets.refinement import refined
from profiling_core.algorithms.hitting_sets.search_node import edges_of, finishing, keep_critical
from profiling_core.algorithms.hitting_sets.set_trie import (
    containing_some,
    has_subset,
    insert,
    new_trie,
    strike_completing,
    take_subsets,
)
from profiling_core.algorithms.hitting_sets.universe import Universe

# Two words, so that what holds within a word is tried across the border too.
ELEMENTS = (0, 1, 2, 61, 62, 63, 64, 65, 66, 100)
SETS = st.frozensets(st.sampled_from(ELEMENTS))
FAMILIES = st.lists(SETS, max_size=30)
QUICK = settings(deadline=None, max_examples=examples(200))


def masks(sets: list[frozenset[int]]) -> np.ndarray:
    return masks_of([sorted(s) for s in sets], 2)


def universe(capacity: int, limit: int) -> Universe:
    """The elements in groups of three neighbours."""
    groups = [ELEMENTS[i : i + 3] for i in range(0, len(ELEMENTS), 3)]
    group_of = np.zeros(128, dtype=np.int64)
    for g, members in enumerate(groups):
        group_of[list(members)] = g
    return Universe(group_of, masks_of(groups, 2), np.full(len(groups), capacity, dtype=np.int64), limit)


@cache
def admitted(capacity: int, limit: int) -> list[frozenset[int]]:
    """The sets of elements with at most ``capacity`` of a group, and of at most ``limit`` groups; small ones first."""
    found = []
    for size in range(1, len(ELEMENTS) + 1):
        for chosen in itertools.combinations(ELEMENTS, size):
            per_group = Counter(ELEMENTS.index(element) // 3 for element in chosen).values()
            if max(per_group) <= capacity and len(per_group) <= limit:
                found.append(frozenset(chosen))
    return found


def brute_force(edges: list[frozenset[int]], capacity: int, limit: int) -> list[tuple[int, ...]]:
    """All minimal hitting sets of the edges that are not empty, by looking at every set of elements."""
    found: list[frozenset[int]] = []
    for chosen in admitted(capacity, limit):
        if all(chosen & edge for edge in edges) and not any(smaller < chosen for smaller in found):
            found.append(chosen)
    return sorted(tuple(sorted(s)) for s in found)


@QUICK
@given(FAMILIES, st.integers(1, 3), st.integers(1, 4))
def test_minimal_hitting_sets(edges: list[frozenset[int]], capacity: int, limit: int):
    within = universe(capacity, limit)
    found = minimal_hitting_sets(masks(edges), within)
    assert tuples_of(found) == brute_force(edges, capacity, limit)


@QUICK
@given(FAMILIES, FAMILIES, st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_hitting_sets_when_edges_come(
    old: list[frozenset[int]], new: list[frozenset[int]], capacity: int, limit: int, at_once: bool
):
    """With a step for each edge, or only for those that the sets found so far do not meet."""
    within = universe(capacity, limit)
    before, after = (brute_force(edges, capacity, limit) for edges in (old, old + new))
    evidences = MaskedEvidences(masks([frozenset(ELEMENTS) - edge for edge in new]), 128)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refinement, "_ALL_AT_ONCE", len(new) if at_once else 0)
        stay, fresh = refined(masks_of(before, 2), evidences, within)
    assert stay.tolist() == [s in after for s in before]
    assert tuples_of(fresh) == [s for s in after if s not in before]


@QUICK
@given(FAMILIES, FAMILIES, st.integers(1, 3), st.integers(1, 4), st.sampled_from([1, 2]), st.sampled_from([1, 3]))
def test_hitting_sets_when_edges_go(
    remaining: list[frozenset[int]], gone: list[frozenset[int]], capacity: int, limit: int, threads: int, sample: int
):
    """Those that were in the way of none, without those that contain what is free now, and what is free now."""
    within = universe(capacity, limit)
    before, after = (brute_force(edges, capacity, limit) for edges in (remaining + gone, remaining))
    apart, left = (masks([frozenset(ELEMENTS) - edge for edge in edges]) for edges in (gone, remaining))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dynamic, "_WORTH_THREADS", 0)
        patch.setattr(dynamic, "_SAMPLE", sample)
        patch.setattr(refinement, "_ALL_AT_ONCE", 0)
        found = freed(apart, MaskedEvidences(left, 128), within, threads=threads)
    assert set(tuples_of(found)) == set(after) - set(before)
    contain = containing_some(masks_of(before, 2), found)
    assert contain.tolist() == [s not in after for s in before]


@QUICK
@given(FAMILIES, st.integers(1, 3), st.integers(1, 4))
def test_canonical_hitting_sets_are_found_where_edges_come_with_their_mirrors(
    edges: list[frozenset[int]], capacity: int, limit: int
):
    """Mirrors within a group and across groups; those that are found beside the canonical ones are hitting sets too."""
    within = universe(capacity, limit)
    pairs = [(0, 1), (61, 63), (62, 64)]
    mirror = {element: element for element in ELEMENTS} | dict(pairs) | {b: a for a, b in pairs}
    family = edges + [frozenset(mirror[element] for element in edge) for edge in edges]
    mirrors = np.array([(a, b, a == 0 and capacity == 1) for a, b in pairs], dtype=np.int64)
    found = tuples_of(minimal_hitting_sets(masks(family), within, mirrors=mirrors))
    expected = brute_force(family, capacity, limit)
    assert set(found) <= set(expected)
    assert {s for s in expected if s <= tuple(sorted(mirror[element] for element in s))} <= set(found)
    assert len(found) == len(set(found))


@QUICK
@given(
    st.lists(SETS, min_size=1, max_size=400), st.integers(0, 2**400 - 1), st.integers(0, 2**400 - 1), SETS.filter(bool)
)
def test_candidates_that_finish_or_take_the_last_critical_edge(
    edges: list[frozenset[int]], opened: int, hit: int, candidates: frozenset[int]
):
    """With more edges than are looked at as rows, so that the check by column takes part."""
    rows = masks(edges)
    hits = vertical(rows, 128)
    chosen, met = (as_words(bits, hits.shape[1], len(edges)) for bits in (opened, hit))
    still = [e for i, e in enumerate(edges) if opened >> i & 1 and not hit >> i & 1]
    out = np.zeros(2, dtype=np.uint64)
    mine = masks([candidates])[0]
    some = finishing(edges_of(rows, 128), chosen, met, mine, out)
    meeting_all = sorted(c for c in candidates if all(c in e for e in still))
    assert tuples_of(out[None]) == [tuple(meeting_all)] if some else not meeting_all

    everything = ~np.uint64(0)
    kept = keep_critical(edges_of(rows, 128), chosen, chosen, met, everything, mine, out)
    sparing_one = sorted(c for c in candidates if any(c not in e for e in still))
    assert kept == bool(sparing_one)
    assert not kept or tuples_of(mine[None]) == [tuple(sparing_one)]


def as_words(bits: int, width: int, length: int) -> np.ndarray:
    bits &= (1 << length) - 1
    return np.array([bits >> 64 * i & (2**64 - 1) for i in range(width)], dtype=np.uint64)


@QUICK
@given(FAMILIES, SETS, SETS)
def test_set_trie(family: list[frozenset[int]], first: frozenset[int], second: frozenset[int]):
    kept = {s: i for i, s in enumerate(family) if s}
    trie = new_trie(2)
    for s, number in kept.items():
        trie = insert(trie, masks([s])[0], number)
    stack = np.zeros(16, dtype=np.int32)
    taken = np.zeros(64, dtype=np.int64)
    for asked in (first, second):
        subsets = {s for s in kept if s <= asked}
        assert has_subset(trie, masks([asked])[0], stack) == bool(subsets)
        many = take_subsets(trie, masks([asked])[0], stack, taken)
        assert sorted(taken[:many].tolist()) == sorted(kept.pop(s) for s in subsets)
    candidates = masks([frozenset(ELEMENTS)])[0]
    strike_completing(trie, masks([second])[0], candidates, stack, np.zeros_like(stack))
    completing = {x for s in kept if len(s - second) == 1 for x in s - second}
    assert tuples_of(candidates[None]) == [tuple(x for x in ELEMENTS if x not in completing)]


@QUICK
@given(FAMILIES)
def test_conversions(family: list[frozenset[int]]):
    found = masks(family)
    assert tuples_of(found) == sorted(tuple(sorted(s)) for s in family)
    assert counts(found).tolist() == [len(s) for s in family]
    for s, row in zip(family, positions(found, 12).tolist(), strict=True):
        assert [p for p in row if p >= 0] == sorted(s)


@QUICK
@given(SETS, SETS)
def test_lexicographic_order(a: frozenset[int], b: frozenset[int]):
    assert precedes(masks([a])[0], masks([b])[0]) == (sorted(a) < sorted(b))


def test_a_permutation_moves_bits_and_drops_those_without_a_target():
    target = np.full(128, -1, dtype=np.int32)
    target[[0, 63, 64]] = [64, 0, 63]
    assert tuples_of(permuted(masks([frozenset({0, 63, 100}), frozenset({64})]), target, 2)) == [(0, 64), (63,)]
