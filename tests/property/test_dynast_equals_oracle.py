"""Maintained agree sets, FDs, UCCs and their errors against the brute-force oracle, over random delta sequences.

`make test` walks 600 random tables, each through three batches: 200 in each of three ways, six in ten with SQL nulls,
every one with its own bounds and a threshold out of 0, 0.001, 0.01, 0.05 and 0.2 for FDs, and another for UCCs.
`make test-long` walks 2,100.
Partitions (test_pyro_equals_oracle) add some 500 tables at the same thresholds.

Sections of the papers: DynASt 2, 3.
"""

import itertools
from collections import Counter
from unittest.mock import patch

import pytest
from helpers.dependencies import History, arrow, assert_the_oracles
from helpers.examples import blocks
from oracle import dependencies as naive

from profiling_core.algorithms.dependencies.agree_sets import pair_counting, partition_lattice
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.covers import approximate_covers, narrow_covers
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine


def check(engine, history, bounds):
    rows, names, nulls = list(history.rows.values()), history.columns, history.nulls
    agree = engine.state.agree_sets()
    found = {}
    for equal, different, count in zip(
        agree.equal.tolist(), agree.different.tolist(), agree.counts.tolist(), strict=True
    ):
        found[tuple(equal), tuple(different)] = count
    expected = Counter()
    for t, s in itertools.combinations(rows, 2):
        equal = sum(1 << i for i, c in enumerate(names) if naive.agree(t, s, (c,), nulls))
        unequal = sum(1 << i for i, c in enumerate(names) if naive.fd_violations([t, s], (), c, nulls))
        expected[(equal,), (unequal,)] += 1
    assert found == expected
    dependencies = engine.functional_dependencies(), engine.unique_column_combinations()
    assert_the_oracles(*dependencies, rows, history.schema, nulls, bounds)


def walk(seed, steps, most):
    """Every other table that counts as wide has its approximate covers kept by frontiers, the others level by level."""
    with patch.object(approximate_covers, "MOST_SECONDS", 1.0 if seed % 2 else -1.0):
        compared_walk(seed, steps, most)


def compared_walk(seed, steps, most):
    history = History(seed)
    bounds = history.bounds()
    history.delta(most)
    table = arrow(list(history.rows.values()), history.columns)
    engine = AgreeSetEngine(AgreeSetState.bootstrapped(table, list(history.rows), history.space), bounds)
    check(engine, history, bounds)
    for _ in range(steps):
        deleted, inserted = history.delta(most // 2)
        engine.apply(deleted, arrow(list(inserted.values()), history.columns), list(inserted))
        check(engine, history, bounds)
        if history.random.random() < 0.3:
            bounds = history.bounds()
            engine = AgreeSetEngine(AgreeSetState.from_arrays(engine.state.arrays(), history.space), bounds)
            check(engine, history, bounds)


@pytest.fixture(params=["narrow", "narrow, by lookup", "wide"])
def way(request):
    """The ways of wide tables, taken by force by others: agree sets are looked up, not counted directly."""
    narrow = request.param == "narrow"
    with (
        patch.object(narrow_covers, "WIDEST", 0 if request.param == "wide" else 20),
        patch.object(pair_counting, "DIRECT_COLUMNS", 20 if narrow else 0),
        patch.object(pair_counting, "ROWS_FOR_PATTERNS", 0 if request.param == "wide" else 10_000),
        patch.object(partition_lattice, "WIDEST", 20 if narrow else 0),
    ):
        yield


@pytest.mark.parametrize("block", blocks(7))
def test_maintained_dependencies_are_the_oracles(way, block):
    for seed in range(100 * block, 100 * (block + 1)):
        walk(seed, steps=3, most=8)


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_longer_sequences_of_larger_tables(way, block):
    for seed in range(100_000 + 100 * block, 100_000 + 100 * (block + 1)):
        walk(seed, steps=6, most=14)
