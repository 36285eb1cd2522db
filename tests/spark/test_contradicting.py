"""The rows that a break is owed to: without them nothing new violates, and they are shown beside older rows."""

import itertools
import random

import pytest
from helpers.stored import stored_rows
from oracle.predicates import holds

from profiling_core.algorithms.evidence import predicate_space
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    UniqueColumnCombination,
    as_denial_constraint,
)
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.spark import contradicting
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import Rows
from profiling_core.spark.witnesses import find_breaks

pytestmark = pytest.mark.spark
NAMES = ("a`b", "c", "d")
SCHEMA = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in NAMES))


def compared(column, op, other="s"):
    return Predicate(Operand("t", column), op, Operand(other, column))


CONSTRAINTS = (
    FunctionalDependency(ColumnList("r", ("a`b",)), ColumnList("r", ("c",))),
    FunctionalDependency(ColumnList("r", ()), ColumnList("r", ("d",))),
    UniqueColumnCombination(ColumnList("r", ("a`b", "d"))),
    DenialConstraint("r", (compared("c", Operator.LT), compared("d", Operator.GT))),
    DenialConstraint("r", (compared("a`b", Operator.EQ), compared("c", Operator.LT), compared("d", Operator.GE))),
    DenialConstraint("r", (Predicate(Operand("t", "c"), Operator.GT, Operand("t", "d")),)),
)


def delta_of(spark, folder, kept, came):
    before = stored_rows(spark, folder, SCHEMA, kept) if kept else None
    return RowDelta(before, stored_rows(spark, folder, SCHEMA, came), Rows(spark, SCHEMA, ()), len(came), 0)


def dictionary(row):
    return dict(zip(("_row_id", *NAMES), row, strict=True))


def violating(constraint, row, other, nulls):
    """Whether the two rows, which are one for a constraint within a row, violate it in some order."""
    pairs = [(row, other), (other, row)]
    return any(all(holds(p, t, s, nulls) for p in constraint.predicates) for t, s in pairs)


def in_violation(constraint, rows, others, nulls):
    """The ids of the rows that violate it with one of the others, by looking at each pair."""
    if constraint.is_single_row:
        return {row["_row_id"] for row in rows if violating(constraint, row, row, nulls)}
    pairs = itertools.product(rows, others)
    return {t["_row_id"] for t, s in pairs if t["_row_id"] != s["_row_id"] and violating(constraint, t, s, nulls)}


def tables(seed, constraint, nulls):
    """Kept rows that obey the constraint, and any that come."""
    rng = random.Random(seed)  # test data
    values = [0, 1, 2, 3, None]
    kept = []
    for i in range(14):
        row = (i, *(rng.choice(values) for _ in NAMES))
        rows = [dictionary(r) for r in (*kept, row)]
        if not in_violation(constraint, rows, rows, nulls):
            kept.append(row)
    came = [(100 + i, *(rng.choice(values) for _ in NAMES)) for i in range(12)]
    return (kept if seed % 3 else []), came


@pytest.mark.parametrize(("nulls", "streamed"), [(NullSemantics.SQL, False), (NullSemantics.EQUAL, True)])
def test_without_the_rows_that_stand_out_nothing_is_violated(spark, tmp_path, monkeypatch, nulls, streamed):
    if streamed:  # as those of a large table
        monkeypatch.setattr(contradicting, "FEW_ROWS", 0)
    space = predicate_space.build(SCHEMA, nulls, cross=True)
    fewer = 0
    for seed, constraint in enumerate(CONSTRAINTS):
        denied = as_denial_constraint(constraint)
        kept, came = tables(seed, denied, nulls)
        (found,) = find_breaks(delta_of(spark, tmp_path, kept, came), space, [constraint])
        old, new = [dictionary(row) for row in kept], [dictionary(row) for row in came]
        assert set(found.rows) == in_violation(denied, new, old + new, nulls)
        assert set(found.standing_out) <= set(found.rows)
        assert bool(found.standing_out) == bool(found.rows)
        left = [row for row in new if row["_row_id"] not in found.standing_out]
        assert not in_violation(denied, left, old + left, nulls)
        fewer += len(found.rows) - len(found.standing_out)
        shown = {str(row["_row_id"]): row for row in new}
        assert len(found.witnesses) == len(found.standing_out)
        for witness in found.witnesses:
            assert witness.contradicts or denied.is_single_row
            assert witness.broken_by in [
                {name: None if row[name] is None else str(row[name]) for name in NAMES} for row in shown.values()
            ]
    assert fewer > 0


def test_one_wrong_row_among_many_is_the_one_that_is_named(spark, tmp_path):
    kept = [(i, i % 2, 7 + 12 * (i % 2), i) for i in range(40)]
    came = [(100 + i, i % 2, 7 + 12 * (i % 2), 100 + i) for i in range(30)]
    came[4] = (104, 0, 16, 104)
    came += [(130, 5, 1, 130), (131, 5, 1, 131), (132, 5, 2, 132)]
    space = predicate_space.build(SCHEMA, NullSemantics.SQL, cross=False)
    (found,) = find_breaks(delta_of(spark, tmp_path, kept, came), space, CONSTRAINTS[:1])
    assert len(found.rows) == 18
    assert set(found.standing_out) == {104, 132}
    first, second = found.witnesses
    assert (first.broken_by["d"], first.both_new, {row["c"] for row in first.contradicts}) == ("104", False, {"7"})
    assert all(int(row["d"]) < 40 for row in first.contradicts)
    assert (second.broken_by["d"], second.both_new, {row["c"] for row in second.contradicts}) == ("132", True, {"1"})


def test_where_the_table_was_wrong_already_the_usual_value_counts(spark, tmp_path):
    kept = [(i, 0, 9 if i == 3 else 7, i) for i in range(10)]
    came = [(100, 0, 7, 100), (101, 0, 8, 101)]
    space = predicate_space.build(SCHEMA, NullSemantics.SQL, cross=False)
    (found,) = find_breaks(delta_of(spark, tmp_path, kept, came), space, CONSTRAINTS[:1])
    assert (set(found.rows), set(found.standing_out)) == ({100, 101}, {101})
    (right,) = find_breaks(delta_of(spark, tmp_path, kept, came[:1]), space, CONSTRAINTS[:1])
    assert set(right.standing_out) == {100}
