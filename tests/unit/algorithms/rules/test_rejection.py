"""What a person rejects keeps away what is like it and what follows from it, and nothing else."""

import pytest
from helpers.constraints import denied, fd, ind, key

from profiling_core.algorithms.rules.rejection import Rejections
from profiling_core.model.consequent import OneOf, Present
from profiling_core.model.constraint import (
    Constraint,
)
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation


def equation(column: str, *terms: str) -> Equation:
    return Equation("t", column, Linear(tuple(("1", name) for name in terms)))


STATE = Conditional("t", "state", ("sent",), Present("parcel", there=True))
BOUND = ColumnRule("t", "a", Rule.RANGE, low="0", high="9")


@pytest.mark.parametrize(
    ("rejected", "other"),
    [
        (denied("t.a > t.b"), denied("t.a ≥ t.b")),
        (denied("t.a > t.b"), denied("t.b > t.a")),
        (denied("t.a > t.b"), ColumnRule("t", "a", Rule.AT_MOST, others=("b",))),
        (BOUND, ColumnRule("t", "a", Rule.RANGE, low="0", high="11")),
        (fd("a", "b"), fd("a c", "b")),
        (key("a"), fd("a", "b")),
        (equation("a", "b", "c"), equation("b", "a", "c")),
        (STATE, Conditional("t", "state", ("back", "sent"), Present("parcel", there=True))),
        (STATE, Conditional("t", "state", ("open",), OneOf("parcel", ("P1",)))),
        (ind("t.a", "s.k"), ind("t.a", "s.k")),
    ],
)
def test_what_is_like_a_rejected_rule_or_follows_from_it_stays_away(rejected: Constraint, other: Constraint):
    assert Rejections([rejected]).reason(other) == rejected


@pytest.mark.parametrize(
    ("rejected", "other"),
    [
        (denied("t.a > t.b"), denied("t.a > t.c")),
        (denied("t.a > t.b"), fd("a", "b")),
        (fd("a", "b"), fd("b", "a")),
        (fd("a b", "c"), fd("a", "c")),
        (fd("a", "b"), key("a")),
        (BOUND, ColumnRule("t", "a", Rule.NOT_NULL)),
        (equation("a", "b", "c"), equation("a", "b", "d")),
        (STATE, Conditional("t", "state", ("sent",), Present("weight", there=True))),
        (ind("t.a", "s.k"), ind("t.b", "s.k")),
    ],
)
def test_what_says_something_else_may_be_told(rejected: Constraint, other: Constraint):
    assert Rejections([rejected]).reason(other) is None
