"""The rows that a constraint names as violating, and the examples beside them, against the oracle."""

import hypothesis.strategies as st
from helpers.constraints import arrow
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import predicates as naive
from oracle.strategies import tables

from profiling_core.algorithms.denial.checking.violations import violations
from profiling_core.algorithms.values.encoding import encode_together
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.types import NullSemantics


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(sample=tables(columns=3, rows=7), nulls=st.sampled_from(NullSemantics), data=st.data())
def test_violating_rows_are_those_of_the_oracle(sample, nulls, data):
    space = naive.predicate_space(sample.schema, sample.rows, nulls, cross=True)
    chosen = data.draw(st.lists(st.sampled_from(space.predicates), min_size=1, max_size=3, unique=True))
    constraint = DenialConstraint("r", tuple(sorted(chosen, key=space.predicates.index)))
    cut = data.draw(st.integers(0, len(sample.rows)))
    come, stay = sample.rows[:cut], sample.rows[cut:]

    def violated(t, s):
        return all(naive.holds(p, t, s, nulls) for p in constraint.predicates)

    def partners(row, others):
        if constraint.is_single_row:
            return [row] if violated(row, row) else []
        return [other for other in others if violated(row, other) or violated(other, row)]

    left, right = encode_together([arrow(come, sample.schema), arrow(stay, sample.schema)], space)
    across = violations(left, right, constraint, nulls)
    assert across.left_rows.tolist() == [bool(partners(row, stay)) for row in come]
    for i, j in across.pairs.tolist():
        assert constraint.is_single_row or stay[j] in partners(come[i], stay)

    within = violations(left, left, constraint, nulls, same_rows=True)
    rest = [[*come[:i], *come[i + 1 :]] for i in range(len(come))]
    assert within.left_rows.tolist() == [bool(partners(row, others)) for row, others in zip(come, rest, strict=True)]
