"""Covers computed by search equal those that the oracle enumerates, on random small tables.

Sections of the papers: Hydra 5.
"""

from itertools import pairwise

import numpy as np
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import denial
from oracle.predicates import Evidence, evidence, masks, predicate_space
from oracle.strategies import COLUMNS, Sample, tables

from profiling_core.algorithms.denial import approximate, cover
from profiling_core.algorithms.hitting_sets import inversion, updating
from profiling_core.algorithms.hitting_sets.evidences import MaskedEvidences
from profiling_core.algorithms.hitting_sets.universe import predicate_universe
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

NULLS = st.sampled_from(NullSemantics)
# The oracle enumerates: spaces of many groups get a bound on length.
BOUNDS = st.sampled_from([1, 2, 3])


def space_of(table: Sample, nulls: NullSemantics, *, cross: bool) -> PredicateSpace:
    return predicate_space(table.schema, table.rows, nulls, cross=cross)


def bounded(space: PredicateSpace, bound: int | None) -> int | None:
    return bound or (2 if len(space.groups) > 5 else None)


def assert_covers(table: Sample, space: PredicateSpace, bound: int | None) -> None:
    found = evidence(table.rows, space)
    got = inversion.minimal_cover(masks(found, space)[0], space, max_predicates=bound)
    assert got == denial.set_minimal_cover(found, space, bound)
    assert_reduced(got, found, space, bound)


def assert_reduced(dcs: list[denial.DC], found: Evidence, space: PredicateSpace, bound: int | None) -> None:
    """The reduced cover of a right set-minimal one, and the one found straight from the evidences."""
    expected = denial.reduced_cover(dcs, space)
    assert cover.reduced_cover(dcs, space) == expected
    assert cover.reduced_cover_of(masks(found, space)[0], space, max_predicates=bound) == expected


@settings(deadline=None, max_examples=examples(600))
@given(tables(columns=3), NULLS, BOUNDS)
def test_cross_column_covers(table: Sample, nulls: NullSemantics, bound: int):
    assert_covers(table, space_of(table, nulls, cross=True), bound)


@settings(deadline=None, max_examples=examples(600))
@given(tables(columns=4, rows=8), NULLS, st.none() | BOUNDS)
def test_same_column_covers(table: Sample, nulls: NullSemantics, bound: int | None):
    assert_covers(table, space_of(table, nulls, cross=False), bound)


@settings(deadline=None, max_examples=examples(150))
@given(tables(columns=2, rows=5), NULLS)
def test_unbounded_covers_across_two_columns(table: Sample, nulls: NullSemantics):
    assert_covers(table, space_of(table, nulls, cross=True), None)


@settings(deadline=None, max_examples=examples(500))
@given(tables(columns=3), NULLS, st.booleans(), st.none() | BOUNDS, st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.5, 1.0]))
def test_approximate_covers(table: Sample, nulls: NullSemantics, cross: bool, bound: int | None, error: float):
    space = space_of(table, nulls, cross=cross)
    bound = bounded(space, bound)
    found = evidence(table.rows, space)
    expected = denial.approximate_cover(found, space, bound, error)
    pairs = len(table.rows) * (len(table.rows) - 1)
    got = approximate.minimal_approximate_cover(
        *masks(found, space), space, max_predicates=bound, max_error=error, pairs=pairs
    )
    assert got == expected


@settings(deadline=None, max_examples=examples(500))
@given(tables(columns=4, rows=12), NULLS, st.booleans(), st.none() | st.integers(1, 4), st.integers(0, 12))
def test_refined_covers(table: Sample, nulls: NullSemantics, cross: bool, bound: int | None, first: int):
    """Refining the cover of the first rows by all evidences, old ones among them, gives the cover of all rows."""
    space = space_of(table, nulls, cross=cross)
    bound = bound or (3 if len(space.groups) > 8 else None)
    before, _ = masks(evidence(table.rows[:first], space), space)
    after, _ = masks(evidence(table.rows, space), space)
    known = inversion.minimal_cover(before, space, max_predicates=bound)
    expected = inversion.minimal_cover(after, space, max_predicates=bound)
    assert updating.refine(known, after, space, max_predicates=bound) == expected


@settings(deadline=None, max_examples=examples(600))
@given(
    tables(columns=4, rows=10),
    NULLS,
    st.booleans(),
    st.none() | st.integers(1, 4),
    st.lists(st.sets(st.integers(0, 9)), min_size=2, max_size=5),
)
def test_covers_updated_while_rows_come_and_go(
    table: Sample, nulls: NullSemantics, cross: bool, bound: int | None, states: list[set[int]]
):
    """A cover carried over a sequence of states is at each of them that of the rows that are there."""
    space = space_of(table, nulls, cross=cross)
    bound = bound or (3 if len(space.groups) > 8 else None)
    there = [[row for i, row in enumerate(table.rows) if i in state] for state in states]
    found = [masks(evidence(rows, space), space)[0] for rows in there]
    known = inversion.minimal_cover(found[0], space, max_predicates=bound)
    maximal = inversion.maximal_cover(found[0], space, max_predicates=bound)
    for before, after in pairwise(found):
        changed = only_in(after, before), only_in(before, after), MaskedEvidences(after, len(space.predicates))
        known = updating.update(known, *changed, space, max_predicates=bound)
        assert known == inversion.minimal_cover(after, space, max_predicates=bound)
        maximal = updating.update(maximal, *changed, space, max_predicates=bound, maximal=True)
        assert maximal == inversion.maximal_cover(after, space, max_predicates=bound)
    if len(space.groups) <= 4:
        expected = denial.set_minimal_cover(evidence(there[-1], space), space, bound)
        assert known == expected
        assert maximal == denial.weakest(expected, space)


def only_in(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    known = {bytes(mask) for mask in others}
    return some[[bytes(mask) not in known for mask in some]]


@settings(deadline=None, max_examples=examples(100))
@given(tables(columns=3, rows=1), NULLS, st.booleans())
def test_a_table_without_pairs_has_every_nontrivial_single_predicate(table: Sample, nulls: NullSemantics, cross: bool):
    space = space_of(table, nulls, cross=cross)
    got = inversion.minimal_cover(masks(evidence(table.rows, space), space)[0], space, max_predicates=None)
    singles = range(len(space.predicates))
    assert got == sorted({min((p,), denial.mirror((p,), space) or (p,)) for p in singles})


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_the_result(threads: int):
    """Enough edges that the first level is spread over threads."""
    columns = tuple(c for c in COLUMNS if c.name in "ABCDEJ")
    values = np.random.default_rng(7).integers(0, 9, (40, len(columns))).tolist()
    rows = [dict(zip((c.name for c in columns), row, strict=True)) for row in values]
    table = Sample(TableSchema("r", columns), rows)
    space = space_of(table, NullSemantics.SQL, cross=False)
    found, _ = masks(evidence(table.rows, space), space)
    universe = predicate_universe(space, None)
    edges = ~found & universe.all
    sets = inversion.minimal_hitting_sets(edges, universe, threads=threads)
    assert {bytes(s) for s in sets} == {bytes(s) for s in inversion.minimal_hitting_sets(edges, universe, threads=1)}
    assert len(sets) == len({bytes(s) for s in sets}) > 100
