"""Maintained agree sets, FDs, UCCs and their errors against the brute-force oracle, over random delta sequences.

`make test` walks 2,100 random tables, each through three batches: 700 in each of three ways, half with SQL nulls, every
one with its own bounds and a threshold out of 0, 0.001, 0.01, 0.05 and 0.2 for FDs, and another for UCCs.
Partitions (test_pyro_equals_oracle) add some 500 tables at the same thresholds.

Sections of the papers: DynASt 2, 3.
"""

import itertools
from collections import Counter
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from oracle import dependencies as naive

from profiling_core.algorithms.dependencies.agree_sets import pair_counting, partition_lattice
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.covers import approximate_covers, narrow_covers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

SCHEMA = TableSchema(
    "r",
    (
        Column("a", LogicalType.INTEGER, ordered=True),
        Column("b", LogicalType.FLOAT, ordered=True),
        Column("c", LogicalType.STRING, ordered=False),
        Column("d", LogicalType.STRING, ordered=False),
        Column("e", LogicalType.INTEGER, ordered=False),
    ),
)
TYPES = {"a": pa.int64(), "b": pa.float64(), "c": pa.string(), "d": pa.string(), "e": pa.int64()}
DOMAINS = {
    "a": [None, 0, 1, 2],
    "b": [None, 0.0, -0.0, 1.5, float("nan")],
    "c": ["x", "y"],
    "d": [None, "x", "y", "é"],
    "e": [0, 1, 2, 3],
}
ERRORS = [0.0, 0.001, 0.01, 0.05, 0.2]


def arrow(rows, columns):
    return pa.table({c: pa.array([row[c] for row in rows], TYPES[c]) for c in columns})


class Sequence:
    """A random table of some columns, and random batches of deletes and inserts on it."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        count = int(self.random.integers(1, len(SCHEMA.columns) + 1))
        self.columns = sorted(self.random.choice(list(DOMAINS), count, replace=False).tolist())
        self.schema = TableSchema("r", tuple(SCHEMA.column(c) for c in self.columns))
        # A table without nulls is compared in another way than one that has some, or gets some.
        self.nullable = self.random.random() < 0.6
        self.nulls = NullSemantics.SQL if self.random.random() < 0.5 else NullSemantics.EQUAL
        self.next_id = 0
        self.rows = {}

    def pick(self, values):
        return values[int(self.random.integers(len(values)))]

    def new_rows(self, most):
        found = {}
        for _ in range(int(self.random.integers(most + 1))):
            domains = {c: [v for v in DOMAINS[c] if self.nullable or str(v) not in {"None", "nan"}] for c in DOMAINS}
            found[self.next_id] = {c: self.pick(domains[c]) for c in self.columns}
            self.next_id += 1
        return found

    def delta(self, most):
        ids = list(self.rows)
        many = min(len(ids), int(self.random.integers(most + 1)))
        deleted = [int(i) for i in self.random.permutation(ids)[:many]] if ids else []
        if self.random.random() < 0.2:
            self.nullable = not self.nullable
        return deleted, self.new_rows(most)

    def bounds(self):
        return CoverBounds(self.pick([None, 0, 1, 2]), self.pick([None, 1, 2]), self.pick(ERRORS), self.pick(ERRORS))


def check(engine, sequence, bounds):
    rows, names, nulls = list(sequence.rows.values()), sequence.columns, sequence.nulls
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

    fds = engine.functional_dependencies()
    oracle = naive.functional_dependencies(
        rows, sequence.schema, nulls, max_lhs=bounds.max_lhs, max_error=bounds.fd_error
    )
    assert {(m.constraint.lhs.columns, m.constraint.rhs.columns[0]): m.violations for m in fds} == oracle
    assert len(fds) == len(oracle)
    for m in fds:
        assert m.support == naive.ucc_violations(rows, m.constraint.lhs.columns, nulls)
    uccs = engine.unique_column_combinations()
    unique = naive.unique_column_combinations(
        rows, sequence.schema, nulls, max_columns=bounds.max_columns, max_error=bounds.ucc_error
    )
    assert {m.constraint.lhs.columns: m.violations for m in uccs} == unique
    assert len(uccs) == len(unique)
    for m in uccs:
        x = m.constraint.lhs.columns
        near = [naive.ucc_violations(rows, x[:i] + x[i + 1 :], nulls) for i in range(len(x))]
        assert m.support == min(near, default=0)


def walk(seed, steps, most):
    """Every other table that counts as wide has its approximate covers kept by frontiers, the others level by level."""
    with patch.object(approximate_covers, "MOST_SECONDS", 1.0 if seed % 2 else -1.0):
        compared_walk(seed, steps, most)


def compared_walk(seed, steps, most):
    sequence = Sequence(seed)
    bounds = sequence.bounds()
    space = predicate_space.equality_only(sequence.schema, sequence.nulls)
    sequence.rows = sequence.new_rows(most)
    table = arrow(list(sequence.rows.values()), sequence.columns)
    engine = AgreeSetEngine(AgreeSetState.bootstrapped(table, list(sequence.rows), space), bounds)
    check(engine, sequence, bounds)
    for _ in range(steps):
        deleted, inserted = sequence.delta(most // 2)
        engine.apply(deleted, arrow(list(inserted.values()), sequence.columns), list(inserted))
        for row_id in deleted:
            del sequence.rows[row_id]
        sequence.rows |= inserted
        check(engine, sequence, bounds)
        if sequence.random.random() < 0.3:
            bounds = sequence.bounds()
            engine = AgreeSetEngine(AgreeSetState.from_arrays(engine.state.arrays(), space), bounds)
            check(engine, sequence, bounds)


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


@pytest.mark.parametrize("block", range(7))
def test_maintained_dependencies_are_the_oracles(way, block):
    for seed in range(100 * block, 100 * (block + 1)):
        walk(seed, steps=3, most=8)


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_longer_sequences_of_larger_tables(way, block):
    for seed in range(100_000 + 100 * block, 100_000 + 100 * (block + 1)):
        walk(seed, steps=6, most=14)
