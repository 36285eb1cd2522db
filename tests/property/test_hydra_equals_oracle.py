"""Hydra's cover, from a few pairs and from none, equals that of all pairs; its witnesses have their evidences.

Sections of the papers: Hydra 3, 4.2, 4.3, 6.1, 6.4.
"""

import hypothesis.strategies as st
import numpy as np
import pytest
from helpers.constraints import arrow
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import denial
from oracle import predicates as naive
from oracle.strategies import Sample, tables

from profiling_core.algorithms.denial import cover
from profiling_core.algorithms.denial.sampled import completion, discovery, parts, sampling
from profiling_core.algorithms.denial.sampled.completion import violations_of
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.ground.bit_words import mask_of, word_count
from profiling_core.algorithms.hitting_sets.inversion import minimal_cover
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.model.predicate import Operand, PredicateGroup, PredicateSpace
from profiling_core.model.types import NullSemantics

NULLS = st.sampled_from(NullSemantics)


def assert_witnessed(known: discovery.PinnedCover, sample: Sample, space: PredicateSpace) -> None:
    """Each evidence is that of its witness, and stands once."""
    words = word_count(len(space.predicates))
    for mask, (t, s) in zip(known.masks, known.witnesses.tolist(), strict=True):
        rows = sample.rows[t], sample.rows[s]
        held = [i for i, p in enumerate(space.predicates) if naive.holds(p, *rows, space.nulls)]
        assert t != s
        assert (mask == mask_of(held, words)).all()
    assert len(np.unique(known.masks, axis=0)) == len(known.masks)


def assert_hydra(sample: Sample, nulls: NullSemantics, *, cross: bool, bound: int | None, seed: int) -> None:
    space = naive.predicate_space(sample.schema, sample.rows, nulls, cross=cross)
    bound = bound or (2 if len(space.groups) > 5 else None)
    rows = encode(arrow(sample.rows, sample.schema), space)
    expected = denial.set_minimal_cover(naive.evidence(sample.rows, space), space, bound)
    found = discovery.discover(rows, space, max_predicates=bound, seed=seed)
    assert found.cover == expected
    assert minimal_cover(found.masks, space, max_predicates=bound) == expected
    assert_witnessed(found, sample, space)
    known, selectivity = discovery.sampled_evidences(rows, space, seed=seed)
    maximal = discovery.finish(known, selectivity, max_predicates=bound, maximal=True)
    assert maximal.cover == denial.weakest(expected, space)
    assert cover.strongest(maximal.cover, space) == denial.reduced_cover(expected, space)
    # From no evidence at all, everything must come from completion; from half of them, the rest must.
    for some in (0, len(found.masks) // 2):
        again = discovery.complete(rows, space, found.witnesses[:some], max_predicates=bound)
        assert again.cover == expected
        assert minimal_cover(again.masks, space, max_predicates=bound) == expected
        assert_witnessed(again, sample, space)


@settings(max_examples=examples(500), deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(columns=3, rows=8), NULLS, st.booleans(), st.sampled_from([None, 1, 2, 3]), st.integers(0, 9))
def test_small_tables(sample: Sample, nulls: NullSemantics, cross: bool, bound: int | None, seed: int):
    assert_hydra(sample, nulls, cross=cross, bound=bound, seed=seed)


@pytest.mark.long
@settings(max_examples=examples(10_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(columns=4, rows=12), NULLS, st.booleans(), st.sampled_from([None, 1, 2, 3]), st.integers(0, 9))
def test_small_tables_at_length(sample: Sample, nulls: NullSemantics, cross: bool, bound: int | None, seed: int):
    assert_hydra(sample, nulls, cross=cross, bound=bound, seed=seed)


def random_table(seed: int) -> tuple[Encoded, PredicateSpace]:
    """A few hundred rows with dependencies, keys and noise, cross-column and single-row groups."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 400))
    base = rng.integers(0, 30, n)
    columns = [base, base // 3, n - base * 2, rng.integers(0, 4, n), rng.permutation(n), rng.integers(0, 12, n)]
    codes = np.array(columns, np.int32)
    codes[rng.random(codes.shape) < 0.02] = -1
    names = tuple("ABCDEF")
    groups = [PredicateGroup(Operand("t", c), Operand("s", c), ordered=c != "D") for c in names]
    if seed % 3 == 0:
        groups += [PredicateGroup(Operand("t", a), Operand("s", b), ordered=True) for a, b in (("A", "F"), ("F", "A"))]
        groups.append(PredicateGroup(Operand("t", "A"), Operand("t", "F"), ordered=True))
    nulls = NullSemantics.SQL if seed % 2 else NullSemantics.EQUAL
    return Encoded(names, codes), PredicateSpace("r", nulls, tuple(groups))


@pytest.mark.parametrize("seed", range(24))
def test_larger_tables_equal_the_cover_of_all_pairs(seed: int, monkeypatch: pytest.MonkeyPatch):
    rows, space = random_table(seed)
    # The cover over cross-column predicates is large without a bound.
    bound = (None, 2, 3, 4)[seed % 4] if seed % 3 else 3
    masks, _ = ordered_masks(self_evidence(rows, space), space)
    expected = minimal_cover(masks, space, max_predicates=bound)
    # A sample of a hundred pairs and of a few rows per focus leaves much to completion.
    few = sampling.Sampling(most_random=100, most_rows=8)
    published = sampling.Sampling(most_random=None, most_rows=None, enough=1 << 62)  # no bound but the yield
    if seed % 2:  # as of large tables, some rows are checked first
        monkeypatch.setattr(parts, "_SOME", 15)
    if seed % 4 > 1:  # as where equalities leave few pairs
        monkeypatch.setattr(completion, "PAIR_AND_GROUP", 0.0)
    assert discovery.discover(rows, space, max_predicates=bound, sampling=published).cover == expected
    found = discovery.discover(rows, space, max_predicates=bound, seed=seed, sampling=few)
    assert found.cover == expected
    assert minimal_cover(found.masks, space, max_predicates=bound) == expected
    every = {bytes(mask) for mask in masks}
    assert {bytes(mask) for mask in found.masks} <= every
    assert len(found.masks) < len(masks)


@pytest.mark.parametrize("seed", range(12))
def test_many_constraints_are_checked_at_once(seed: int, monkeypatch: pytest.MonkeyPatch):
    """Constraints of two predicates, most of them violated, in one tree: each gets pairs if and only if it has some."""
    rows, space = random_table(3 * seed)
    if seed % 3:  # as where equalities leave few pairs, all of them are compared
        monkeypatch.setattr(completion, "PAIR_AND_GROUP", 0.0)
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(space.predicates), (60, 2)).tolist()
    dcs = sorted({tuple(sorted({a, b})) for a, b in chosen if space.group_of[a] != space.group_of[b]})
    masks, _ = ordered_masks(self_evidence(rows, space), space)
    complete = 0
    for dc, (pairs, every) in zip(dcs, violations_of(rows, dcs, space, limit=5), strict=True):
        wanted = mask_of(dc, masks.shape[1])
        violating = masks[((masks & wanted) == wanted).all(axis=1)]
        assert bool(len(pairs)) == bool(len(violating))
        known = discovery.KnownEvidences(rows, space)
        if every:
            complete += bool(len(pairs))
            assert len(pairs) <= len(violating)  # one pair of each evidence, however many rows have it
            known.observe(pairs)
            assert {bytes(mask) for mask in violating} <= {bytes(mask) for mask in known.masks}
        else:
            assert len(pairs) <= 5
        known = discovery.KnownEvidences(rows, space)
        known.observe(pairs)
        held = ((known.masks & wanted) == wanted).all(axis=1)
        assert all(held[((known.witnesses == pair).all(axis=1))].all() for pair in pairs)
    assert complete or not seed % 3


def test_every_strategy_pairs_rows_as_it_says():
    codes = np.array([-1, 3, 3, 0, 5, 3, -1, 0], np.int32)
    clustering = sampling.Clustering.of(codes)
    rng = np.random.default_rng(0)
    said = {
        sampling.Strategy.WITHIN: lambda a, b: a == b,
        sampling.Strategy.OTHER: lambda a, b: a != b,
        sampling.Strategy.FORTH: lambda a, b: 0 <= a < b,
        sampling.Strategy.BACK: lambda a, b: 0 <= b < a,
    }
    every = np.repeat(np.arange(8), 200)
    for strategy, holds in said.items():
        pairs = {tuple(p) for p in clustering.pairs(every, strategy, rng).tolist()}
        assert pairs == {(t, s) for t in range(8) for s in range(8) if t != s and holds(codes[t], codes[s])}


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_without_pairs(rows: int):
    space = PredicateSpace(
        "r", NullSemantics.SQL, (PredicateGroup(Operand("t", "A"), Operand("s", "A"), ordered=True),)
    )
    found = discovery.discover(Encoded(("A",), np.zeros((1, rows), np.int32)), space, max_predicates=None)
    assert len(found.masks) == 0
    assert found.cover == minimal_cover(found.masks, space, max_predicates=None)


class Recorded:
    """A look that keeps what it was asked."""

    def __init__(self, look: discovery.Look):
        self.look, self.asked = look, set[tuple[int, ...]]()

    @property
    def rows(self) -> int:
        return self.look.rows

    def __call__(self, dcs):
        self.asked.update(dcs)
        return self.look(dcs)


@settings(max_examples=examples(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(columns=3, rows=8), NULLS, st.booleans())
def test_what_others_imply_is_not_checked(sample: Sample, nulls: NullSemantics, cross: bool):
    """Section 6.4: all that is asked last is the reduced cover, and the set-minimal cover is right all the same."""
    space = naive.predicate_space(sample.schema, sample.rows, nulls, cross=cross)
    rows = encode(arrow(sample.rows, sample.schema), space)
    known, selectivity = discovery.sampled_evidences(rows, space)
    checks = discovery.Completion(known, space, 2)
    look = Recorded(discovery.Among(known, rows, space, selectivity, None))
    found = checks.completed(checks.inverted(), look)
    assert found == denial.set_minimal_cover(naive.evidence(sample.rows, space), space, 2)
    assert look.asked.issuperset(checks.strongest(found))
    implied = set(found) - set(checks.strongest(found))
    # With all evidences known from the start, an implied constraint is never asked.
    again = Recorded(discovery.Among(known, rows, space, selectivity, None))
    checks.completed(found, again)
    assert again.asked == set(checks.strongest(found))
    assert implied.isdisjoint(again.asked)
