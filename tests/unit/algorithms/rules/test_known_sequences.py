"""What is said to follow from rules between a row and the one before it holds."""

from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import sequences as oracle
from oracle.predicates import violations

from profiling_core.algorithms.rules.known_sequences import KnownSequences
from profiling_core.model.constraint import (
    DenialConstraint,
    SequenceRule,
)
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.relation import Beside, ComputedBeside
from profiling_core.model.predicate import Operator, same_column
from profiling_core.model.types import NullSemantics

CELLS = st.one_of(st.none(), st.integers(0, 3))
STEPS = [
    *(Beside(a, op.value, b) for op in (Operator.GE, Operator.GT, Operator.EQ) for a, b in (("a", "b"), ("b", "a"))),
    ComputedBeside("a", Linear((("1", "↑b"),), "1"), 0),
    ComputedBeside("a", Linear((("1", "↑a"),), "1/2")),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), CELLS, CELLS, CELLS), max_size=6))
def test_what_follows_from_rules_that_hold_holds(cells):
    # Implication ignores nulls, as that of denial constraints does: it decides on display.
    rows = [dict(zip(("g", "o", "a", "b"), row, strict=True)) for row in cells if None not in row]
    rules = [SequenceRule("t", ("g",), "o", step) for step in STEPS]
    holding = [rule for rule in rules if not oracle.figures(rule, rows)[1]]
    known = KnownSequences()
    for rule in holding:
        known.add(rule)

    def at_most(low: str, high: str) -> bool:
        return all(row[low] <= row[high] for row in rows)

    assert all(rule in holding for rule in rules if known.imply(rule, at_most))
    for value in ("a", "b"):
        predicates = (same_column("g", Operator.EQ), same_column("o", Operator.LT), same_column(value, Operator.GT))
        rises = DenialConstraint("t", predicates)
        if known.imply(rises, at_most):
            assert not violations(rises, rows, NullSemantics.SQL)[0]
