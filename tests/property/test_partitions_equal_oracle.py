"""FDs and UCCs of tall tables, maintained by counts of agreeing pairs, against the brute-force oracle and discovery."""

import itertools
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from helpers.dependencies import History, arrow, assert_the_oracles, schema_of
from helpers.examples import blocks
from oracle import dependencies as naive

from profiling_core.algorithms.dependencies import from_position_lists
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.position_lists import agreeing_pairs, pair_changes
from profiling_core.algorithms.dependencies.upkeep.partition_table import PartitionTable
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.errors import InputError, StateError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics


def check(table, history, bounds):
    found = table.functional_dependencies(), table.unique_column_combinations()
    assert_the_oracles(*found, list(history.rows.values()), history.schema, history.nulls, bounds)


def check_followed(table, history, followed):
    rows, names, nulls = list(history.rows.values()), history.columns, history.nulls
    for equal, different in followed:
        agreeing = tuple(c for i, c in enumerate(names) if equal >> i & 1)
        differing = [c for i, c in enumerate(names) if different >> i & 1]
        expected = sum(
            naive.agree(t, s, agreeing, nulls) and all(naive.fd_violations([t, s], (), c, nulls) for c in differing)
            for t, s in itertools.permutations(rows, 2)
        )
        assert table.count((equal, different)) == expected


def questions(history):
    sets = history.random.integers(0, 1 << len(history.columns), (4, 2)).tolist()
    return [(equal, different) for equal, different in sets]


def walk(seed, steps, most):
    history, followed = History(seed), []
    bounds = history.bounds()
    history.delta(most)
    begun = history.rows
    table = PartitionTable.bootstrap(arrow(begun.values(), history.columns), list(begun), history.space, bounds=bounds)
    check(table, history, bounds)
    for _ in range(steps):
        deleted, inserted = history.delta(most)
        table.apply(deleted, arrow(inserted.values(), history.columns), list(inserted))
        check(table, history, bounds)
        check_followed(table, history, followed)
        if history.random.random() < 0.4:
            followed = questions(history)
            table.follow(followed)
            check_followed(table, history, followed)
        if history.random.random() < 0.4:
            bounds = history.bounds() if history.random.random() < 0.5 else bounds
            table = PartitionTable.from_arrays(table.arrays(), history.space, bounds=bounds)
            check(table, history, bounds)


@pytest.mark.parametrize("block", blocks(5))
def test_maintained_dependencies_are_the_oracles(block):
    for seed in range(110 * block, 110 * (block + 1)):
        walk(seed, steps=3, most=6)


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_longer_histories_of_larger_tables(block):
    for seed in range(100_000 + 100 * block, 100_000 + 100 * (block + 1)):
        walk(seed, steps=8, most=14)


def random_table(generator, rows, width):
    """Skewed columns; some follow from others but for a few rows, some have nulls."""
    columns = []
    for _ in range(width):
        values = (generator.random(rows) ** 2 * generator.choice([1, 3, 20, rows])).astype(np.int64)
        if columns and generator.random() < 0.5:
            faulty = generator.random(rows) < generator.choice([0.0, 0.005])
            values = np.where(faulty, values, columns[generator.integers(len(columns))] // generator.integers(1, 4))
        columns.append(values)
    missing = [generator.random(rows) < generator.choice([0.0, 0.0, 0.1]) for _ in range(width)]
    return pa.table({f"c{i}": pa.array(v, pa.int64(), mask=missing[i]) for i, v in enumerate(columns)})


@pytest.mark.parametrize("width", [8, 30])
def test_larger_tables_are_those_of_discovery_from_scratch(width):
    schema = TableSchema("r", tuple(Column(f"c{i}", LogicalType.INTEGER, ordered=False) for i in range(width)))
    for seed, (nulls, error) in enumerate(itertools.product(NullSemantics, [0.0, 0.01, 0.05])):
        generator = np.random.default_rng(seed)
        whole = random_table(generator, 900, width)
        space = predicate_space.equality_only(schema, nulls)
        longest = 3 if width < 20 else 2
        bounds = CoverBounds(longest, longest, error, error)
        # Little memory, so that indexes are dropped and made again.
        with patch.multiple(agreeing_pairs, LEAST_MEMORY=0, MOST_MEMORY=100_000):
            table = PartitionTable.bootstrap(whole.slice(0, 600), range(600), space, bounds=bounds)
        ids = list(range(600))
        for start in range(600, 900, 100):
            gone = generator.permutation(ids)[: generator.integers(200)].tolist()
            with patch.multiple(agreeing_pairs, LEAST_MEMORY=0, MOST_MEMORY=100_000):
                table.apply(gone, whole.slice(start, 100), range(start, start + 100))
            ids = sorted({*ids, *range(start, start + 100)} - set(gone))
            codes = encode(whole.take(ids), space)
            expected = [
                from_position_lists.dependencies(codes, space, bounds, rights) for rights in (range(width), [NO_RHS])
            ]
            assert [table.functional_dependencies(), table.unique_column_combinations()] == expected
        assert table.rows == len(ids)


def test_a_table_that_empties_and_fills_again():
    history = History(1)
    history.columns = ["a", "e"]
    schema = schema_of(history.columns)
    space = predicate_space.equality_only(schema, NullSemantics.SQL)
    rows = pa.table({"a": pa.array([1, 1, None] * 40), "e": pa.array(range(120), pa.int64())})
    table = PartitionTable.bootstrap(rows, range(120), space)
    found = table.functional_dependencies(), table.unique_column_combinations()
    table.apply(range(120), None, [])
    assert table.rows == 0
    assert [m.constraint.lhs.columns for m in table.unique_column_combinations()] == [()]
    table.apply([], rows, range(200, 320))
    assert (table.functional_dependencies(), table.unique_column_combinations()) == found


def test_changes_of_pairs_are_the_same_on_any_number_of_threads(monkeypatch):
    generator = np.random.default_rng(3)
    codes = generator.integers(0, 4, (8, 300)).astype(np.int32)
    slots = generator.permutation(300).astype(np.int32)
    change = pair_changes.RowChange(codes, slots[:200], slots[200:260], slots[260:], comparable=False)
    sets = generator.integers(0, 1 << 16, (500, 1), np.uint64)
    found = []
    for each in (1_000, 100):
        monkeypatch.setattr(pair_changes, "_PER_THREAD", each)
        monkeypatch.setattr(pair_changes.os, "cpu_count", lambda: 4)
        found.append(pair_changes.pair_changes(change, sets).tolist())
    assert found[0] == found[1]


def test_what_does_not_follow_on_the_state_changes_nothing():
    schema = schema_of(["a", "c"])
    space = predicate_space.equality_only(schema, NullSemantics.SQL)
    rows = pa.table({"a": [1, 2], "c": ["x", "x"]})
    table = PartitionTable.bootstrap(rows, [1, 2], space)
    found = table.functional_dependencies()
    for deleted, inserted, ids, error, message in [
        ([3], None, [], StateError, "no row has the id 3"),
        ([1, 1], None, [], StateError, "twice among the deleted"),
        ([], rows, [2, 5], StateError, "row id 2 is taken"),
        ([], rows, [5, 5], StateError, "a row id comes twice"),
        ([], rows, [5], InputError, "2 rows are inserted, with 1 ids"),
        ([], rows.select(["a"]), [5, 6], InputError, "lack the columns c"),
    ]:
        with pytest.raises(error, match=message):
            table.apply(deleted, inserted, ids)
    assert (table.rows, table.functional_dependencies()) == (2, found)
    with pytest.raises(StateError, match="2 columns, the space has 1"):
        PartitionTable.from_arrays(table.arrays(), predicate_space.equality_only(schema_of(["a"]), NullSemantics.SQL))
