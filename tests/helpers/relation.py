"""A small relation of integers, floats and texts with its rows and constraints, for hypothesis to draw from."""

import itertools
import math

import hypothesis.strategies as st
from oracle import predicates as naive

from helpers.constraints import table_schema
from profiling_core.model.constraint import ColumnList, DenialConstraint, FunctionalDependency, UniqueColumnCombination
from profiling_core.model.predicate import ORDERED, UNORDERED, Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

BIG = 2**53
SCHEMA = table_schema("r", "a integer, b integer, f float, s string", key="s")
OTHER = TableSchema("o", (Column("x", LogicalType.FLOAT, ordered=True), Column("y", LogicalType.STRING, ordered=False)))
SCHEMAS = {"r": SCHEMA, "o": OTHER}
INTEGERS = st.sampled_from([None, 0, 1, 2, BIG, BIG + 1, 2**63 - 1])
FLOATS = st.sampled_from([None, -0.0, 0.0, 1.0, 1.5, float(BIG), 2.0**63, -(2.0**63), 1e300, float("nan"), math.inf])
TEXTS = st.sampled_from([None, "x", "X", "{batch}"])
ROWS = st.lists(st.fixed_dictionaries({"a": INTEGERS, "b": INTEGERS, "f": FLOATS, "s": TEXTS}), max_size=7)
OTHERS = st.lists(st.fixed_dictionaries({"x": FLOATS, "y": TEXTS}), max_size=5)
NULLS = st.sampled_from(NullSemantics)


def predicates():
    same = [Predicate(Operand("t", c), op, Operand("s", c)) for c in "abf" for op in ORDERED]
    texts = [Predicate(Operand("t", "s"), op, Operand("s", "s")) for op in UNORDERED]
    pairs = [("a", "b"), ("b", "a"), ("a", "f"), ("f", "a")]
    cross = [Predicate(Operand("t", x), op, Operand("s", y)) for x, y in pairs for op in ORDERED]
    single = [Predicate(Operand("t", x), op, Operand("t", y)) for x, y in pairs[::2] for op in ORDERED]
    return st.sampled_from([*same, *texts, *cross, *single])


DCS = st.lists(predicates(), min_size=1, max_size=3, unique_by=lambda p: (p.left, p.right)).map(
    lambda chosen: DenialConstraint("r", tuple(chosen))
)
ORDER_OPERATORS = st.sampled_from([Operator.LT, Operator.LE, Operator.GT, Operator.GE])
ORDER_DEPENDENCIES = st.tuples(st.booleans(), st.permutations("abf"), ORDER_OPERATORS, ORDER_OPERATORS).map(
    lambda p: _order_dependency(*p)
)
SETS = st.lists(st.sampled_from("abfs"), max_size=3, unique=True).map(tuple)
FDS = st.tuples(SETS, st.sampled_from("abfs")).map(
    lambda p: FunctionalDependency(ColumnList("r", p[0]), ColumnList("r", (p[1],)))
)
UCCS = SETS.map(lambda columns: UniqueColumnCombination(ColumnList("r", columns)))


def _order_dependency(grouped, columns, first, second):
    same = [Predicate(Operand("t", "s"), Operator.EQ, Operand("s", "s"))] if grouped else []
    pair = zip(columns[:2], (first, second), strict=True)
    return DenialConstraint("r", (*same, *(Predicate(Operand("t", c), op, Operand("s", c)) for c, op in pair)))


def involved(dc, rows, nulls):
    def violates(t, s):
        return all(naive.holds(p, rows[t], rows[s], nulls) for p in dc.predicates)

    if dc.is_single_row:
        return [i for i in range(len(rows)) if violates(i, i)]
    pairs = [(t, s) for t, s in itertools.permutations(range(len(rows)), 2) if violates(t, s)]
    return sorted({row for pair in pairs for row in pair})
