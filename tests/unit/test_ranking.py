"""The score: how many violations one would expect, and none is seen."""

from oracle import predicates as naive

from profiling_core.algorithms.denial.ranking import rank_rows
from profiling_core.model.constraint import (
    ColumnList,
    FunctionalDependency,
    UniqueColumnCombination,
)
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

COLUMNS = ("route", "miles", "flight", "note")
SCHEMA = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=False) for name in COLUMNS))


def fd(lhs, rhs):
    return FunctionalDependency(ColumnList("r", lhs), ColumnList("r", (rhs,)))


def ranked(rows, constraints):
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    space = naive.predicate_space(SCHEMA, rows, NullSemantics.SQL, cross=False)
    masks, counts = naive.masks(naive.evidence(rows, space), space)
    return rank_rows(constraints, masks, counts, space, len(rows))


# Two routes flown often, each with its miles; flight is a key; note is the same but once.
ROWS = [(i % 2, 100 + i % 2, i, int(i == 0)) for i in range(12)]


def test_a_rule_that_many_pairs_test_comes_before_one_that_hardly_any_does():
    order = [r.measured.constraint.text for r in ranked(ROWS, [fd(("flight",), "miles"), fd(("route",), "miles")])]
    assert order == ["{route} → miles", "{flight} → miles"]


def test_the_score_is_the_expected_violations_and_the_figures_are_exact():
    first, key, broken = ranked(
        ROWS,
        [fd(("route",), "miles"), UniqueColumnCombination(ColumnList("r", ("flight",))), fd(("route",), "note")],
    )
    pairs = 12 * 11
    assert (first.measured.violations, first.measured.population) == (0, pairs)
    # 60 of the pairs agree on route, the other 72 have other miles: the least expectation is the smaller product.
    expected = min(60 * 72 / pairs, 72 * 60 / pairs)
    assert abs(10**first.score - 1 - expected) < 1e-9
    texts = {r.measured.constraint.text: r.measured for r in (first, key, broken)}
    assert texts["{route} → note"].violations == 10
    assert texts["unique {flight}"].holds


def test_what_supports_a_constraint_are_the_pairs_that_miss_one_predicate_alone():
    (only,) = ranked(ROWS, [fd(("route",), "miles")])
    assert only.measured.support == 60


def test_nothing_to_rank_ranks_nothing():
    assert ranked(ROWS, []) == []


def test_a_table_of_one_row_has_a_key_of_no_columns():
    (empty,) = ranked(ROWS[:1], [UniqueColumnCombination(ColumnList("r", ()))])
    assert (empty.score, empty.measured.violations, empty.measured.support) == (0.0, 0, 0)
