"""The score: how many violations one would expect, and none is seen."""

import pytest
from helpers.constraints import denied, fd, key
from oracle import predicates as naive

from profiling_core.algorithms.denial.ranking.score import rank_rows
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

COLUMNS = ("route", "miles", "flight", "note")
SCHEMA = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=False) for name in COLUMNS))


def ranked(rows, constraints, names=()):
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    space = naive.predicate_space(SCHEMA, rows, NullSemantics.SQL, cross=False)
    masks, counts = naive.masks(naive.evidence(rows, space), space)
    return rank_rows(constraints, masks, counts, space, len(rows), names=names)


# Two routes flown often, each with its miles; flight is a key; note is the same but once.
ROWS = [(i % 2, 100 + i % 2, i, int(i == 0)) for i in range(12)]


def test_a_rule_that_many_pairs_test_comes_before_one_that_hardly_any_does():
    order = [r.measured.constraint.text for r in ranked(ROWS, [fd("flight", "miles", "r"), fd("route", "miles", "r")])]
    assert order == ["{route} → miles", "{flight} → miles"]


def test_the_score_is_the_expected_violations_and_the_figures_are_exact():
    first, unique, broken = ranked(ROWS, [fd("route", "miles", "r"), key("flight", "r"), fd("route", "note", "r")])
    pairs = 12 * 11
    assert (first.measured.violations, first.measured.population) == (0, pairs)
    # 60 of the pairs agree on route, the other 72 have other miles: the least expectation is the smaller product.
    expected = min(60 * 72 / pairs, 72 * 60 / pairs)
    assert abs(10**first.score - 1 - expected) < 1e-9
    texts = {r.measured.constraint.text: r.measured for r in (first, unique, broken)}
    assert texts["{route} → note"].violations == 10
    assert texts["unique {flight}"].holds


def test_what_supports_a_constraint_are_the_pairs_that_miss_one_predicate_alone():
    (only,) = ranked(ROWS, [fd("route", "miles", "r")])
    assert only.measured.support == 60


def test_violations_seen_count_against_those_expected():
    (broken,) = ranked(ROWS, [fd("route", "note", "r")])
    # 60 pairs agree on route, of all pairs 22 of 132 differ in note, as 10 of those 60 do.
    assert abs(10**broken.score - (1 + 10) / (1 + 10)) < 1e-9


def test_a_key_of_one_column_is_worth_as_many_violations_as_there_are_rows():
    flight, note = (key(name, "r") for name in ("flight", "note"))
    known = {r.measured.constraint: r.score for r in ranked(ROWS, [flight, note], names={"flight", "note"})}
    assert abs(10 ** known[flight] - 12) < 1e-9
    assert known[note] < 0
    assert [r.score for r in ranked(ROWS, [flight])] == [0.0]
    half = [(a, b, c if c % 2 else None, d) for a, b, c, d in ROWS]
    (sparse,) = ranked(half, [flight], names={"flight"})
    # Both have a flight in 30 of the pairs: as many violations as the root of that share of the rows.
    assert abs(10**sparse.score - 1 - 132 * (30 / 132) ** 0.5 / 12) < 1e-9


def ranked_by_rows(rows, *texts):
    """A constraint among columns of whole numbers, ranked by the rows that it takes."""
    schema = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in rows[0]))
    space = naive.predicate_space(schema, rows, NullSemantics.SQL, cross=True)
    masks, counts = naive.masks(naive.evidence(rows, space), space)
    (found,) = rank_rows([denied(*texts, table="r")], masks, counts, space, len(rows))
    return found


def test_an_order_within_rows_is_compared_with_other_rows():
    found = ranked_by_rows([{"a": i, "b": i + 1} for i in range(10)], "t.a > t.b")
    # a is greater than another row's b wherever it is at least two rows further: 8 + 7 + … + 1 of 90 pairs, so 4 rows.
    assert abs(10**found.score - 1 - 4**2) < 1e-9
    assert (found.measured.violations, found.measured.population, found.measured.support) == (0, 10, 10)


@pytest.mark.slow
def test_what_speaks_of_single_rows_is_expected_by_rows_and_not_by_pairs():
    # One row of 200 has a = b, and another one b = c: that none has both says nothing.
    rows = [{"a": max(i, 1), "b": i + 1, "c": max(i + 2, 4) - (i == 1) * 2} for i in range(200)]
    found = ranked_by_rows(rows, "t.a = t.b", "t.b = t.c")
    assert found.measured.holds
    assert found.score < 0.001


def test_one_row_with_many_partners_is_one_row():
    # One row of 200 has a = b; that its c, which half of the rows have, is never less than another's says little.
    rows = [{"a": max(i, 1), "b": i + 1, "c": int(i % 2 == 0 or i == 0)} for i in range(200)]
    found = ranked_by_rows(rows, "t.c < s.c", "t.a = t.b")
    assert found.measured.holds
    assert 10**found.score - 1 <= 1


def test_nothing_to_rank_ranks_nothing():
    assert ranked(ROWS, []) == []


def test_a_table_of_one_row_has_a_key_of_no_columns():
    (empty,) = ranked(ROWS[:1], [key("", "r")])
    assert (empty.score, empty.measured.violations, empty.measured.support) == (0.0, 0, 0)
