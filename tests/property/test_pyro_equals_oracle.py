"""Pyro's FDs and UCCs, exact and approximate, against the brute-force oracle and, on larger tables, all pairs.

Sections of the papers: Pyro 3, 4, 5.1, 5.2, 5.3, 6.
"""

from unittest.mock import patch

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from helpers.dependencies import assert_the_oracles
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings

from profiling_core.algorithms.dependencies import from_agree_sets, from_position_lists
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.position_lists import agreeing_pairs
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.constraint import Kind
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

NAMES = ("a", "b", "c", "d", "e")
ROW = st.fixed_dictionaries(
    {
        "a": st.sampled_from([None, 0, 1, 2]),
        "b": st.sampled_from([0, 1, 2, 3]),
        "c": st.sampled_from([0, 1]),
        "d": st.sampled_from([None, 0, 1]),
        "e": st.sampled_from([0, 1, 2, 3, 4, 5]),
    }
)
BOUNDS = [None, 0, 1, 2, 3]
ERRORS = [0.0, 0.001, 0.01, 0.05, 0.2]


def schema_of(names):
    return TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=False) for name in names))


def encoded(rows, names, nulls):
    schema = schema_of(names)
    space = predicate_space.equality_only(schema, nulls)
    table = pa.Table.from_pylist(rows, pa.schema([(name, pa.int64()) for name in names]))
    return schema, space, encode(table, space)


@pytest.mark.parametrize("nulls", NullSemantics)
@settings(max_examples=examples(250), deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=st.lists(ROW, max_size=11), bound=st.sampled_from(BOUNDS), max_error=st.sampled_from(ERRORS))
def test_dependencies_are_the_oracles(nulls, rows, bound, max_error):
    schema, space, codes = encoded(rows, NAMES, nulls)

    fds = from_position_lists.dependencies(codes, space, CoverBounds(bound, 0, max_error), range(len(NAMES)))
    uccs = from_position_lists.dependencies(codes, space, CoverBounds(0, bound, 0.0, max_error), [NO_RHS])
    both = CoverBounds(bound, bound, max_error, max_error)
    assert_the_oracles(fds, uccs, rows, schema, nulls, both)


def random_rows(generator, names, rows):
    """Skewed columns of various sizes; some copied from others with faults, some with nulls."""
    columns = []
    for _ in names:
        if columns and generator.random() < 0.4:
            source = columns[generator.integers(len(columns))]
            faulty = generator.random(rows) < generator.choice([0.0, 0.005, 0.05])
            values = np.where(faulty, generator.integers(0, 5, rows), source // generator.integers(1, 4))
        else:
            values = (generator.random(rows) ** 2 * generator.choice([1, 2, 5, 30, rows])).astype(np.int64)
        columns.append(values)
    missing = [generator.random(rows) < generator.choice([0.0, 0.0, 0.1, 0.9]) for _ in names]
    return [
        {name: None if missing[i][row] else int(columns[i][row]) for i, name in enumerate(names)} for row in range(rows)
    ]


def compare(seed, rows, width):
    generator = np.random.default_rng(seed)
    names = tuple(f"c{i}" for i in range(width))
    table = random_rows(generator, names, rows)
    bound = [None, None, 2, 3][seed % 4]
    for nulls in NullSemantics:
        _, space, codes = encoded(table, names, nulls)
        agree = from_agree_sets.agree_sets_of_rows(codes, space)
        for max_error in ERRORS:
            bounds, rights = CoverBounds(bound, bound, max_error, max_error), [NO_RHS, *range(width)]
            # Every other time little memory, so that indexes are dropped and made again.
            with patch.multiple(agreeing_pairs, LEAST_MEMORY=0, MOST_MEMORY=[1 << 30, 20_000][seed % 2]):
                found = from_position_lists.dependencies(codes, space, bounds, rights)
            unique = sum(m.constraint.kind is Kind.UCC for m in found)
            assert [*found[unique:], *found[:unique]] == from_agree_sets.dependencies(agree, bounds, rights)


@pytest.mark.parametrize("seed", range(8))
def test_dependencies_are_those_of_all_pairs(seed):
    compare(seed, rows=400, width=9)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 200))
def test_dependencies_of_more_tables_are_those_of_all_pairs(seed):
    compare(seed, rows=[50, 300, 2000][seed % 3], width=11)


def test_tables_of_more_columns_than_a_word_has_bits():
    generator = np.random.default_rng(5)
    names = tuple(f"c{i}" for i in range(70))
    # Every third column says something: the others follow from nothing, and cost next to nothing.
    table = [dict.fromkeys(names, 0) | row for row in random_rows(generator, names[1::3], 60)]
    _, space, codes = encoded(table, names, NullSemantics.SQL)
    agree = from_agree_sets.agree_sets_of_rows(codes, space)
    expected = from_agree_sets.dependencies(agree, CoverBounds(2, 0), range(len(agree.columns)))
    assert max(len(fd.constraint.lhs.columns) for fd in expected) == 2
    assert any({"c64", "c67"} & set(fd.constraint.lhs.columns) for fd in expected)
    assert from_position_lists.dependencies(codes, space, CoverBounds(2, 0), range(len(names))) == expected
