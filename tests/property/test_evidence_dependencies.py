"""FDs and UCCs, exact and approximate, narrow and wide ways alike, against the brute-force oracle."""

from unittest.mock import patch

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from helpers.dependencies import assert_the_oracles
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings

from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.dependencies.agree_sets import partition_lattice
from profiling_core.algorithms.dependencies.covers import figures, narrow_covers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds, violations_limit
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import self_evidence
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

SCHEMA = TableSchema(
    "r",
    (
        Column("a", LogicalType.INTEGER, ordered=True),
        Column("b", LogicalType.FLOAT, ordered=True),
        Column("c", LogicalType.STRING, ordered=False),
        Column("d", LogicalType.STRING, ordered=False),
        Column("e", LogicalType.INTEGER, ordered=False),
    ),
)
ARROW = pa.schema([("a", pa.int64()), ("b", pa.float64()), ("c", pa.string()), ("d", pa.string()), ("e", pa.int64())])
ROW = st.fixed_dictionaries(
    {
        "a": st.sampled_from([None, 0, 1, 2]),
        "b": st.sampled_from([None, 0.0, -0.0, 1.5, float("nan")]),
        "c": st.sampled_from(["x", "y"]),
        "d": st.sampled_from([None, "x", "y"]),
        "e": st.sampled_from([0, 1, 2, 3]),
    }
)
BOUNDS = [None, 0, 1, 2, 3]
ERRORS = [0.0, 0.03, 1 / 6, 0.5, 1.0]


@pytest.fixture(params=["narrow", "wide"])
def width(request):
    """The wide way taken by force where the table is narrow."""
    with patch.object(narrow_covers, "WIDEST", 20 if request.param == "narrow" else 0):
        yield


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("equality_only", [False, True])
@settings(max_examples=examples(250), deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=st.lists(ROW, max_size=8), bound=st.sampled_from(BOUNDS), max_error=st.sampled_from(ERRORS))
def test_dependencies_are_the_oracles(width, nulls, equality_only, rows, bound, max_error):
    build = predicate_space.build(SCHEMA, nulls, cross=False)
    space = predicate_space.equality_only(SCHEMA, nulls) if equality_only else build
    agree = from_agree_sets.agree_sets(self_evidence(encode(pa.Table.from_pylist(rows, ARROW), space), space), space)
    assert agree.population == len(rows) * (len(rows) - 1)

    fds = from_agree_sets.dependencies(agree, CoverBounds(bound, 0, max_error), range(len(agree.columns)))
    uccs = from_agree_sets.dependencies(agree, CoverBounds(0, bound, 0.0, max_error), [NO_RHS])
    both = CoverBounds(bound, bound, max_error, max_error)
    assert_the_oracles(fds, uccs, rows, SCHEMA, nulls, both)
    assert from_agree_sets.dependencies(agree, both) == fds + uccs
    cover = from_agree_sets.cover_of(agree, both, range(NO_RHS, len(agree.columns)))
    again = figures.by_agree_sets(agree, cover.lhs, cover.rhs)
    assert again.violations.tolist() == cover.violations.tolist()
    assert again.support.tolist() == cover.support.tolist()


def as_counts(agree):
    masks = zip(agree.equal.tolist(), agree.different.tolist(), strict=True)
    pairs = [(tuple(equal), tuple(different)) for equal, different in masks]
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, agree.counts.tolist(), strict=True))


@pytest.mark.parametrize("nulls", NullSemantics)
@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=st.lists(ROW, max_size=30))
def test_partitions_give_the_agree_sets_of_all_pairs(nulls, rows):
    space = predicate_space.equality_only(SCHEMA, nulls)
    encoded = encode(pa.Table.from_pylist(rows, ARROW), space)
    by_pairs = from_agree_sets.agree_sets(self_evidence(encoded, space), space)
    by_partitions = partition_lattice.agree_sets_of(encoded, space)
    assert by_partitions.columns == by_pairs.columns
    assert as_counts(by_partitions) == as_counts(by_pairs)


@pytest.mark.parametrize("nulls", NullSemantics)
def test_the_lattice_gives_up_where_pairs_are_cheaper_or_columns_too_many(nulls):
    names = [f"c{i}" for i in range(15)]
    schema = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in names))
    space = predicate_space.equality_only(schema, nulls)
    cells = np.random.default_rng(0).integers(0, 2, (15, 300))
    for mask in (np.zeros(300, bool), np.arange(300) == 7):
        table = pa.table({name: pa.array(cells[i], mask=mask) for i, name in enumerate(names)})
        encoded = encode(table, space)
        assert partition_lattice.agree_sets_of(encoded, space) is None
        expected = from_agree_sets.agree_sets(self_evidence(encoded, space), space)
        assert as_counts(from_agree_sets.agree_sets_of_rows(encoded, space)) == as_counts(expected)


@settings(max_examples=examples(500), deadline=None)
@given(st.floats(0, 1), st.integers(0, 10**6))
def test_limit_agrees_with_the_division_that_errors_are_told_by(max_error, rows):
    population = rows * (rows - 1)
    limit = violations_limit(max_error, population)
    if population:
        assert 2 * limit / population <= max_error
        assert 2 * (limit + 1) / population > max_error
