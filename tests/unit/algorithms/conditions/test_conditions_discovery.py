"""Conditional rules are found where the condition matters, and not found where it does not."""

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import conditions_in as found_in
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.conditions.discovery import find_conditionals
from profiling_core.algorithms.conditions.facts import COMPARED
from profiling_core.algorithms.conditions.together import one_way, together
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.ingest.infer import schema_of


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_found_where_columns_have_nothing_to_do_with_each_other(seed: int):
    random = np.random.default_rng(seed)
    size = int(random.choice([20, 90, 1200]))
    categories = {f"kind{i}": random.choice(list("abcdefgh"[: 2 + i]), size) for i in range(5)}
    rare = {"rare": random.choice(["x", "y", "z"], size, p=[0.96, 0.03, 0.01])}
    money = {f"money{i}": np.round(random.gamma(2, 30, size), 2) for i in range(4)}
    few = {f"few{i}": random.integers(0, 4 + i, size) for i in range(3)}
    gaps = {f"gap{i}": [None if gap else "v" for gap in random.random(size) < 0.5**i] for i in range(4)}
    codes = {"code": [f"c{n}" for n in random.integers(0, max(2, size // 4), size)]}
    assert found_in(pa.table(categories | rare | money | few | gaps | codes)) == set()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=2, max_size=12))
def test_what_is_told_of_values_that_are_there_implies_all_that_holds_of_them(filled):
    names = "abcd"
    rows = pa.table({name: ["x" if row[i] else None for row in filled] for i, name in enumerate(names)})
    has = {name: {n for n, row in enumerate(filled) if row[i]} for i, name in enumerate(names)}
    varied = [name for name in names if 0 < len(has[name]) < len(filled)]
    told = [*together(rows, varied), *one_way(rows, varied)]
    # The facts that are told, and those that follow: A within B, A within the rows without B, and the reverse.
    within, apart = {(a, a) for a in varied}, set()
    for one in told:
        pair = (one.column, one.then.column)
        if one.then.there:
            within |= {pair, pair[::-1]} if one.both_ways else {pair}
        else:
            apart |= {pair, pair[::-1]}
    for middle in varied:
        within |= {(a, b) for a in varied for b in varied if {(a, middle), (middle, b)} <= within}
    follows = {(a, b) for c, d in apart for a in varied for b in varied if {(a, c), (b, d)} <= within}
    assert within == {(a, b) for a in varied for b in varied if has[a] <= has[b]}
    assert apart | follows == {(a, b) for a in varied for b in varied if not has[a] & has[b]}


def test_comparing_columns_counts_the_cells_that_are_looked_at():
    rows, random = 300, np.random.default_rng(1)
    numbers = {f"n{i}": random.normal(0, 1, rows) for i in range(40)}
    table = pa.table({"flag": random.choice(["a", "b"], rows), **numbers})
    schema = schema_of("wide", table.schema, "here")
    roles = infer_roles(table, schema)
    budget = Budget(1e12)
    find_conditionals(table, schema, roles, budget=budget)
    pairs, comparisons = 40 * 39 / 2, len(COMPARED)
    assert budget.used >= rows * pairs * (comparisons + 1)  # once each, and once with the flag's categories
    spent = Budget(budget.used / 2)
    find_conditionals(table, schema, roles, budget=spent)
    assert spent.is_cut
    assert spent.used <= spent.cells + rows * pairs
