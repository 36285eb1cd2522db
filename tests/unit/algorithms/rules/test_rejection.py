"""What a person rejects keeps away what is like it and what follows from it, and nothing else."""

import pytest

from profiling_core.algorithms.rules.rejection import Rejections
from profiling_core.model.consequent import OneOf, Present
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
)
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operand, Operator, Predicate


def order(low: str, op: Operator, high: str) -> DenialConstraint:
    return DenialConstraint("r", (Predicate(Operand("t", low), op, Operand("t", high)),))


def fd(lhs: str, rhs: str) -> FunctionalDependency:
    return FunctionalDependency(ColumnList("r", tuple(lhs.split())), ColumnList("r", (rhs,)))


def key(columns: str) -> UniqueColumnCombination:
    return UniqueColumnCombination(ColumnList("r", tuple(columns.split())))


def ind(left: str, right: str) -> InclusionDependency:
    return InclusionDependency(ColumnList("r", (left,)), ColumnList("s", (right,)))


def equation(column: str, *terms: str) -> Equation:
    return Equation("r", column, Linear(tuple(("1", name) for name in terms)))


STATE = Conditional("r", "state", ("sent",), Present("parcel", there=True))
BOUND = ColumnRule("r", "a", Rule.RANGE, low="0", high="9")


@pytest.mark.parametrize(
    ("rejected", "other"),
    [
        (order("a", Operator.GT, "b"), order("a", Operator.GE, "b")),
        (order("a", Operator.GT, "b"), order("b", Operator.GT, "a")),
        (order("a", Operator.GT, "b"), ColumnRule("r", "a", Rule.AT_MOST, others=("b",))),
        (BOUND, ColumnRule("r", "a", Rule.RANGE, low="0", high="11")),
        (fd("a", "b"), fd("a c", "b")),
        (key("a"), fd("a", "b")),
        (equation("a", "b", "c"), equation("b", "a", "c")),
        (STATE, Conditional("r", "state", ("back", "sent"), Present("parcel", there=True))),
        (STATE, Conditional("r", "state", ("open",), OneOf("parcel", ("P1",)))),
        (ind("a", "k"), ind("a", "k")),
    ],
)
def test_what_is_like_a_rejected_rule_or_follows_from_it_stays_away(rejected: Constraint, other: Constraint):
    assert Rejections([rejected]).reason(other) == rejected


@pytest.mark.parametrize(
    ("rejected", "other"),
    [
        (order("a", Operator.GT, "b"), order("a", Operator.GT, "c")),
        (order("a", Operator.GT, "b"), fd("a", "b")),
        (fd("a", "b"), fd("b", "a")),
        (fd("a b", "c"), fd("a", "c")),
        (fd("a", "b"), key("a")),
        (BOUND, ColumnRule("r", "a", Rule.NOT_NULL)),
        (equation("a", "b", "c"), equation("a", "b", "d")),
        (STATE, Conditional("r", "state", ("sent",), Present("weight", there=True))),
        (ind("a", "k"), ind("b", "k")),
    ],
)
def test_what_says_something_else_may_be_told(rejected: Constraint, other: Constraint):
    assert Rejections([rejected]).reason(other) is None
