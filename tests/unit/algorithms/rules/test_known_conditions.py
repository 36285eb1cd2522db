"""What is said to follow from conditional rules holds in every row that obeys these rules."""

from itertools import chain, combinations, product

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.conditions.judging import judge
from profiling_core.algorithms.rules.known_conditions import KnownConditions
from profiling_core.model.consequent import OneOf, Present
from profiling_core.model.kinds.conditional import Conditional

# All rows of a state, another one, and two columns that are there or not.
ROWS = pa.Table.from_pylist(
    [{"s": s, "q": q, "a": a, "b": b} for s, q, a, b in product("xyz", "uvw", (None, "1"), (None, "1"))],
    pa.schema([(name, pa.string()) for name in "sqab"]),
)
STATES = chain(combinations("xyz", 1), combinations("xyz", 2))
CONDITIONS = [*(("s", values) for values in STATES), ("q", ("u",)), ("q", ("v", "w")), ("a", ()), ("b", ())]
ASKED = [
    *(Present(name, there=there) for name, there in product("ab", (True, False))),
    *(OneOf("q", values) for values in (("u",), ("v", "w"))),
    OneOf("s", ("x",)),
]
RULES = [
    Conditional("t", column, values, then, both_ways=both)
    for (column, values), then, both in product(CONDITIONS, ASKED, (True, False))
    if column != then.column
]


@settings(max_examples=4000, deadline=None)
@given(st.lists(st.sampled_from(RULES), min_size=1, max_size=3), st.sampled_from(RULES))
def test_what_follows_holds_in_every_row_that_obeys_the_known_rules(given_rules, rule):
    known = KnownConditions()
    for one in given_rules:
        known.add(one)
    if known.imply(rule):
        broken = [judge(one, ROWS).violating for one in given_rules]
        obeying = ~np.logical_or.reduce(broken)
        assert not (judge(rule, ROWS).violating & obeying).any()
