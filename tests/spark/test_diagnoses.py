"""The least repair of a break, and what its rows share, from the rows: against counting by hand."""

import random
from collections import Counter, defaultdict

import pytest
from helpers.stored import stored_rows
from pyroaring import BitMap64

from profiling_core.model.constraint import ColumnList, DenialConstraint, FunctionalDependency, UniqueColumnCombination
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.spark.diagnoses import diagnose
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import Rows

pytestmark = pytest.mark.spark
FD = FunctionalDependency(ColumnList("r", ("a b", "c`d")), ColumnList("r", ("e",)))
KEY = UniqueColumnCombination(ColumnList("r", ("a b", "c`d")))
COLUMNS = {"a b": LogicalType.STRING, "c`d": LogicalType.INTEGER, "e": LogicalType.STRING, "f": LogicalType.STRING}
SCHEMA = TableSchema("r", tuple(Column(name, kind, kind.is_ordered) for name, kind in COLUMNS.items()))


def rows_of(seed):
    rng = random.Random(seed)  # test data
    kept = [(i, rng.choice("xy"), rng.choice([1, 2, None]), rng.choice(["p", "p", "q"]), "old") for i in range(30)]
    came = [(100 + i, rng.choice("xyz"), rng.choice([1, None]), rng.choice("qr"), "new") for i in range(12)]
    return kept, came


def least_changes(rows, violating, nulls):
    """Per group that a violating row is in, the rows that have not the group's most frequent value."""
    groups = defaultdict(Counter)
    for _, a, c, e, _ in rows:
        groups[a, c][e] += 1
    wanted = {(a, c) for i, a, c, _, _ in rows if i in violating}
    if nulls is NullSemantics.SQL:
        wanted = {key for key in wanted if None not in key}
    changes = sum(sum(groups[key].values()) - max(groups[key].values()) for key in wanted)
    removals = sum(sum(groups[key].values()) - 1 for key in wanted)
    return changes, removals


@pytest.mark.parametrize("nulls", list(NullSemantics))
def test_the_least_repair_equals_counting_by_hand(spark, tmp_path, nulls):
    kept, came = rows_of(3)
    before, after = (stored_rows(spark, tmp_path, SCHEMA, rows) for rows in (kept, came))
    delta = RowDelta(before, after, Rows(spark, SCHEMA, ()), len(came), 0)
    violating = {row[0] for row in came}
    changes, removals = least_changes(kept + came, violating, nulls)
    read = diagnose(delta, FD, BitMap64(violating), nulls)
    assert read.repair.rows == changes > 0
    assert read.repair.column == "e"
    first = read.repair.examples[0]
    assert set(first.where) == {"a b", "c`d"}
    assert (first.before, first.after) in {("q", "p"), ("r", "p"), ("r", "q"), ("q", "r"), ("p", "q")}
    assert diagnose(delta, KEY, BitMap64(violating), nulls).repair.rows == removals > 0


def test_what_the_violating_rows_share_is_told_with_how_usual_it_is(spark, tmp_path):
    came = [(i, "x", i, "e", "vendor" if i < 5 else f"v{i}") for i in range(60)]
    delta = RowDelta(None, stored_rows(spark, tmp_path, SCHEMA, came), Rows(spark, SCHEMA, ()), len(came), 0)
    rule = DenialConstraint("r", (Predicate(Operand("t", "c`d"), Operator.LT, Operand("t", "e")),))
    read = diagnose(delta, rule, BitMap64(range(5)), NullSemantics.SQL)
    found = read.concentration
    assert (found.column, found.value, found.rows, found.violating) == ("f", "vendor", 5, 5)
    assert (found.usual, found.arrived) == (5, 60)
    assert (read.repair.rows, read.repair.exact) == (5, True)


def test_rows_that_share_nothing_else_share_a_value_that_the_rule_speaks_of(spark, tmp_path):
    came = [(i, "Ferritin" if i < 26 else "INR", i, "e", f"v{i}") for i in range(60)]
    delta = RowDelta(None, stored_rows(spark, tmp_path, SCHEMA, came), Rows(spark, SCHEMA, ()), len(came), 0)
    rule = DenialConstraint(
        "r",
        (
            Predicate(Operand("t", "c`d"), Operator.LT, Operand("t", "e")),
            Predicate(Operand("t", "a b"), Operator.EQ, Operand("t", "a b")),
        ),
    )
    found = diagnose(delta, rule, BitMap64(range(26)), NullSemantics.SQL).concentration
    assert (found.column, found.value, found.rows, found.usual) == ("a b", "Ferritin", 26, 26)
