"""The least repair of a break, and what its rows share, from the rows: against counting by hand."""

import random
from collections import Counter, defaultdict

import pytest
from pyroaring import BitMap64

from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    UniqueColumnCombination,
)
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.readings import read_break

pytestmark = pytest.mark.spark
FD = FunctionalDependency(ColumnList("r", ("a b", "c`d")), ColumnList("r", ("e",)))
KEY = UniqueColumnCombination(ColumnList("r", ("a b", "c`d")))
SCHEMA = "_row_id long, `a b` string, `c``d` long, e string, f string"


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
def test_the_least_repair_equals_counting_by_hand(spark, nulls):
    kept, came = rows_of(3)
    inserted = spark.createDataFrame(came, SCHEMA)
    delta = RowDelta(spark.createDataFrame(kept, SCHEMA), inserted, inserted.limit(0), len(came), 0)
    violating = {row[0] for row in came}
    changes, removals = least_changes(kept + came, violating, nulls)
    read = read_break(delta, FD, BitMap64(violating), nulls)
    assert read.repair.rows == changes > 0
    assert read.repair.column == "e"
    first = read.repair.examples[0]
    assert set(first.where) == {"a b", "c`d"}
    assert (first.before, first.after) in {("q", "p"), ("r", "p"), ("r", "q"), ("q", "r"), ("p", "q")}
    assert read_break(delta, KEY, BitMap64(violating), nulls).repair.rows == removals > 0


def test_what_the_violating_rows_share_is_told_with_how_usual_it_is(spark):
    came = [(i, "x", i, "e", "vendor" if i < 5 else f"v{i}") for i in range(60)]
    inserted = spark.createDataFrame(came, SCHEMA)
    delta = RowDelta(None, inserted, inserted.limit(0), len(came), 0)
    rule = DenialConstraint("r", (Predicate(Operand("t", "c`d"), Operator.LT, Operand("t", "e")),))
    read = read_break(delta, rule, BitMap64(range(5)), NullSemantics.SQL)
    found = read.concentration
    assert (found.column, found.value, found.rows, found.violating) == ("f", "vendor", 5, 5)
    assert (found.usual, found.arrived) == (5, 60)
    assert (read.repair.rows, read.repair.exact) == (5, True)
