"""Wide tables: masks of several words, and the ways of finding dependencies against each other."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.dependencies.covers import narrow_covers
from profiling_core.algorithms.dependencies.covers.approximate_covers import by_levels
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import self_evidence
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics


def agree_of(columns, rows, values, nulls, seed, share_of_nulls=0.1):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, values, (columns, rows))
    # Some columns follow from others, so that short left sides exist.
    cells[5::7] = cells[4::7][: len(cells[5::7])] // 2
    mask = rng.random((columns, rows)) < share_of_nulls
    names = [f"c{i}" for i in range(columns)]
    schema = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in names))
    table = pa.table({name: pa.array(cells[i], mask=mask[i]) for i, name in enumerate(names)})
    space = predicate_space.equality_only(schema, nulls)
    return from_agree_sets.agree_sets(self_evidence(encode(table, space), space), space), table


def sides_of(lhs, rhs):
    return sorted(zip(rhs.tolist(), lhs.tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("longest", [0, 1, 2, 3])
def test_hitting_sets_and_levels_agree_beyond_one_word(nulls, longest):
    agree, _ = agree_of(70, 40, 3, nulls, seed=1)
    rights = [*range(0, 70, 5), 69, NO_RHS]
    cover = from_agree_sets.cover_of(agree, CoverBounds(longest, longest), rights)
    exact = sides_of(cover.lhs, cover.rhs)
    assert exact == sides_of(*by_levels(agree, rights, longest, 0))
    assert longest < 3 or exact


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize(("limit", "longest"), [(0, None), (0, 3), (3, None), (40, None), (40, 2), (400, None)])
def test_all_ways_agree_on_narrow_tables(nulls, limit, longest, monkeypatch):
    agree, _ = agree_of(9, 60, 4, nulls, seed=3)
    bounds = CoverBounds(longest, longest, 2 * limit / agree.population, 2 * limit / agree.population)
    narrow = from_agree_sets.dependencies(agree, bounds)
    monkeypatch.setattr(narrow_covers, "WIDEST", 0)
    assert from_agree_sets.dependencies(agree, bounds) == narrow


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("max_error", [0.0, 0.02])
def test_dependencies_of_a_wide_table_by_the_values_themselves(nulls, max_error):
    agree, table = agree_of(66, 30, 2, nulls, seed=5)
    cells = [column.to_pylist() for column in table.columns]

    def same(column, t, s):
        a, b = cells[column][t], cells[column][s]
        return a == b and (nulls is NullSemantics.EQUAL or a is not None)

    def differ(column, t, s):
        a, b = cells[column][t], cells[column][s]
        return a != b and (nulls is NullSemantics.EQUAL or None not in (a, b))

    def violations(lhs, rhs):
        pairs = itertools.permutations(range(30), 2)
        return sum(all(same(c, t, s) for c in lhs) and differ(rhs, t, s) for t, s in pairs)

    found = from_agree_sets.dependencies(agree, CoverBounds(3, 0, max_error), range(66))
    assert found
    for measured in found[:: max(1, len(found) // 40)]:
        lhs = [int(c[1:]) for c in measured.constraint.lhs.columns]
        rhs = int(measured.constraint.rhs.columns[0][1:])
        assert violations(lhs, rhs) == measured.violations
        assert measured.error <= max_error
        for left_out in lhs:
            assert violations([c for c in lhs if c != left_out], rhs) / measured.population > max_error


def test_more_columns_than_any_word_without_rows():
    agree, _ = agree_of(130, 1, 3, NullSemantics.SQL, seed=0)
    found = from_agree_sets.dependencies(agree, CoverBounds(2, 0), range(130))
    assert [m.constraint.lhs.columns for m in found] == [()] * 130
    (unique,) = from_agree_sets.dependencies(agree, CoverBounds(0, 2, 0.0, 0.1), [NO_RHS])
    assert unique.constraint.lhs.columns == ()
