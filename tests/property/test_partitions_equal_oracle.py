"""FDs and UCCs of tall tables, maintained by counts of agreeing pairs, against the brute-force oracle and discovery."""

import itertools
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
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

ERRORS = [0.0, 0.001, 0.01, 0.05, 0.2]
# Per column its values; null and NaN are left out of some histories.
DOMAINS = {
    "a": [None, 0, 1, 2],
    "b": [None, 0.0, -0.0, 1.5, float("nan")],
    "c": ["x", "y"],
    "d": [None, "x", "y", "é"],
    "e": [0, 1, 2, 3, 4, 5],
}
TYPES = {"a": pa.int64(), "b": pa.float64(), "c": pa.string(), "d": pa.string(), "e": pa.int64()}
LOGICAL = {pa.int64(): LogicalType.INTEGER, pa.float64(): LogicalType.FLOAT, pa.string(): LogicalType.STRING}


def schema_of(columns):
    return TableSchema("r", tuple(Column(name, LOGICAL[TYPES[name]], ordered=False) for name in columns))


def arrow(rows, columns):
    return pa.table({c: pa.array([row[c] for row in rows], TYPES[c]) for c in columns})


class History:
    """A random table and random deltas of it: inserts, deletes, and updates as both with one new id each."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        many = int(self.random.integers(1, len(DOMAINS) + 1))
        self.columns = sorted(self.random.choice(list(DOMAINS), many, replace=False).tolist())
        self.schema = schema_of(self.columns)
        self.nulls = NullSemantics.SQL if self.random.random() < 0.6 else NullSemantics.EQUAL
        self.space = predicate_space.equality_only(self.schema, self.nulls)
        self.nullable = self.random.random() < 0.6
        self.rows, self.next_id = {}, 0

    def pick(self, values):
        return values[int(self.random.integers(len(values)))]

    def row(self):
        return {
            c: self.pick([v for v in DOMAINS[c] if self.nullable or str(v) not in {"None", "nan"}])
            for c in self.columns
        }

    def delta(self, most):
        """Ids to delete and rows to insert, by id; this table has them afterwards."""
        if self.random.random() < 0.2:
            self.nullable = not self.nullable
        ids = self.random.permutation(list(self.rows)).tolist()
        deleted = ids[: int(self.random.integers(most + 1))]
        updated = [int(i) for i in deleted[: int(self.random.integers(len(deleted) + 1))]]
        inserted = {}
        for old in [*updated, *[None] * int(self.random.integers(most + 1))]:
            inserted[self.next_id] = (
                self.row() if old is None else self.rows[old] | {self.columns[0]: self.row()[self.columns[0]]}
            )
            self.next_id += 1
        self.rows = {i: row for i, row in self.rows.items() if i not in set(deleted)} | inserted
        return deleted, inserted

    def bounds(self):
        return CoverBounds(self.pick([None, 0, 1, 2]), self.pick([None, 1, 2]), self.pick(ERRORS), self.pick(ERRORS))


def check(table, history, bounds):
    rows, nulls = list(history.rows.values()), history.nulls
    fds = table.functional_dependencies()
    expected = naive.functional_dependencies(
        rows, history.schema, nulls, max_lhs=bounds.max_lhs, max_error=bounds.fd_error
    )
    assert {(m.constraint.lhs.columns, m.constraint.rhs.columns[0]): m.violations for m in fds} == expected
    assert len(fds) == len(expected)
    for m in fds:
        assert m.support == naive.ucc_violations(rows, m.constraint.lhs.columns, nulls)
        assert m.population == len(rows) * (len(rows) - 1)
    uccs = table.unique_column_combinations()
    unique = naive.unique_column_combinations(
        rows, history.schema, nulls, max_columns=bounds.max_columns, max_error=bounds.ucc_error
    )
    assert {m.constraint.lhs.columns: m.violations for m in uccs} == unique
    assert len(uccs) == len(unique)
    for m in uccs:
        x = m.constraint.lhs.columns
        near = [naive.ucc_violations(rows, x[:i] + x[i + 1 :], nulls) for i in range(len(x))]
        assert m.support == min(near, default=0)


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


@pytest.mark.parametrize("block", range(5))
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
