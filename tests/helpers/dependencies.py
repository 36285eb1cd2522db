"""Random tables and deltas of them, and the FDs and UCCs that hold on them compared with the brute-force oracle's."""

import numpy as np
import pyarrow as pa
from oracle import dependencies as naive

from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.evidence import predicate_space
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


def assert_the_oracles(fds, uccs, rows, schema, nulls, bounds):
    """These are the minimal FDs and UCCs of the rows, with the oracle's figures."""
    expected = naive.functional_dependencies(rows, schema, nulls, max_lhs=bounds.max_lhs, max_error=bounds.fd_error)
    assert {(m.constraint.lhs.columns, m.constraint.rhs.columns[0]): m.violations for m in fds} == expected
    assert len(fds) == len(expected)
    for m in fds:
        assert m.support == naive.ucc_violations(rows, m.constraint.lhs.columns, nulls)
        assert m.population == len(rows) * (len(rows) - 1)
    unique = naive.unique_column_combinations(
        rows, schema, nulls, max_columns=bounds.max_columns, max_error=bounds.ucc_error
    )
    assert {m.constraint.lhs.columns: m.violations for m in uccs} == unique
    assert len(uccs) == len(unique)
    for m in uccs:
        x = m.constraint.lhs.columns
        near = [naive.ucc_violations(rows, x[:i] + x[i + 1 :], nulls) for i in range(len(x))]
        assert m.support == min(near, default=0)
