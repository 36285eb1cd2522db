"""What is said to follow from conditional rules on values that are there holds in every row that obeys these rules."""

from itertools import chain, combinations, product

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.conditions.judging import judge
from profiling_core.algorithms.rules.known_conditions import KnownConditions
from profiling_core.model.consequent import Present
from profiling_core.model.kinds.conditional import Conditional

# All rows of a state and two columns that are there or not.
ROWS = pa.Table.from_pylist(
    [{"s": s, "a": a, "b": b} for s, a, b in product("xyz", (None, "1"), (None, "1"))],
    pa.schema([(name, pa.string()) for name in "sab"]),
)
STATES = chain(combinations("xyz", 1), combinations("xyz", 2))
CONDITIONS = [*(("s", values) for values in STATES), ("a", ()), ("b", ())]
RULES = [
    Conditional("t", column, values, Present(name, there=there), both_ways=both)
    for (column, values), name, there, both in product(CONDITIONS, "ab", (True, False), (True, False))
    if column != name
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(RULES), min_size=1, max_size=3), st.sampled_from(RULES))
def test_what_follows_holds_in_every_row_that_obeys_the_known_rules(given_rules, rule):
    known = KnownConditions()
    for one in given_rules:
        known.add(one)
    if known.imply(rule):
        broken = [judge(one, ROWS).violating for one in given_rules]
        obeying = ~np.logical_or.reduce(broken)
        assert not (judge(rule, ROWS).violating & obeying).any()
