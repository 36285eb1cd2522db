import pytest
from oracle import dependencies as naive

from profiling_core.algorithms.evidence import predicate_space
from profiling_core.maintain.covers import bounds_of, most_predicates
from profiling_core.model.dataset import Source, TableConfig
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics


def space_of(columns):
    schema = TableSchema("t", tuple(Column(f"c{i}", LogicalType.STRING, ordered=False) for i in range(columns)))
    return predicate_space.equality_only(schema, NullSemantics.SQL)


@pytest.mark.parametrize("columns", [1, 2, 40, 71, 72, 196, 197, 1200, 1826, 1827])
def test_length_follows_from_the_number_of_columns_alone(columns):
    options = TableConfig(source=Source(path="t"))
    length = naive.usual_bound(columns)
    assert most_predicates(options, space_of(columns)) == length
    bounds = bounds_of(options, space_of(columns))
    assert (bounds.max_lhs, bounds.max_columns) == (length - 1, length)


@pytest.mark.parametrize(("configured", "kept"), [(0, None), (1, 1), (4, 4), (7, 7)])
def test_configured_length_is_kept_however_wide_a_table_is(configured, kept):
    options = TableConfig(source=Source(path="t"), max_predicates=configured)
    assert most_predicates(options, space_of(1200)) == kept
