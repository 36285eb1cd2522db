"""Checks of given constraints, counted without listing pairs, equal counts over all pairs.

Sections of the papers: Hydra 6.2, 6.3.
"""

import hypothesis.strategies as st
import numpy as np
import pytest
from helpers.constraints import arrow
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import predicates as naive
from oracle.strategies import Sample, tables

from profiling_core.algorithms.denial.checking import violations
from profiling_core.algorithms.denial.checking.check import check, check_between
from profiling_core.algorithms.denial.checking.partition import Partition
from profiling_core.algorithms.values.encoding import Encoded, encode, encode_together
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.types import NullSemantics


def swapped(constraint: DenialConstraint) -> DenialConstraint:
    """The mirror, with predicates that may speak of row s alone, or of s before t."""
    return DenialConstraint("r", tuple(Predicate(p.left.swapped, p.op, p.right.swapped) for p in constraint.predicates))


def drawn(data, sample: Sample, nulls: NullSemantics):
    space = naive.predicate_space(sample.schema, sample.rows, nulls, cross=True)
    chosen = data.draw(st.lists(st.sampled_from(space.predicates), min_size=1, max_size=4, unique=True))
    constraint = DenialConstraint("r", tuple(sorted(chosen, key=space.predicates.index)))
    return space, swapped(constraint) if data.draw(st.booleans()) else constraint


def assert_equal(found, left, right, constraint, nulls, *, same_rows):
    def violated(i, j):
        return all(naive.holds(p, left[i], right[j], nulls) for p in constraint.predicates)

    pairs = {
        (i, j) for i in range(len(left)) for j in range(len(right)) if violated(i, j) and not (same_rows and i == j)
    }
    assert found.pairs == len(pairs)
    assert set(np.flatnonzero(found.left_rows).tolist()) == {i for i, _ in pairs}
    assert set(np.flatnonzero(found.right_rows).tolist()) == {j for _, j in pairs}
    assert {tuple(p) for p in found.sample.tolist()} <= pairs
    assert bool(len(found.sample)) == bool(pairs)


def compare(sample: Sample, nulls: NullSemantics, data) -> None:
    space, constraint = drawn(data, sample, nulls)
    if constraint.is_single_row:
        found = check(encode(arrow(sample.rows, sample.schema), space), constraint, nulls, sample=3)
        rows = [i for i, t in enumerate(sample.rows) if all(naive.holds(p, t, t, nulls) for p in constraint.predicates)]
        assert (found.pairs, np.flatnonzero(found.left_rows).tolist()) == (len(rows), rows)
        assert [i for i, _ in found.sample.tolist()] == rows[:3]
        return
    whole = check(encode(arrow(sample.rows, sample.schema), space), constraint, nulls, sample=3)
    assert_equal(whole, sample.rows, sample.rows, constraint, nulls, same_rows=True)
    cut = data.draw(st.integers(0, len(sample.rows)))
    come, stay = sample.rows[:cut], sample.rows[cut:]
    left, right = encode_together([arrow(come, sample.schema), arrow(stay, sample.schema)], space)
    across = check_between(left, right, constraint, nulls, sample=3)
    assert_equal(across, come, stay, constraint, nulls, same_rows=False)


@settings(max_examples=examples(500), deadline=None, suppress_health_check=list(HealthCheck))
@given(sample=tables(columns=3, rows=9), nulls=st.sampled_from(NullSemantics), data=st.data())
def test_counts_rows_and_samples(sample, nulls, data):
    compare(sample, nulls, data)


@pytest.mark.long
@settings(max_examples=examples(15_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(sample=tables(columns=4, rows=14), nulls=st.sampled_from(NullSemantics), data=st.data())
def test_counts_rows_and_samples_at_length(sample, nulls, data):
    compare(sample, nulls, data)


COLUMNS = ("A", "B", "C", "D")


def predicate(rng) -> Predicate:
    left, right = rng.choice(COLUMNS, 2)
    row = "t" if rng.random() < 0.1 else "s"
    return Predicate(Operand("t", str(left)), list(Operator)[rng.integers(6)], Operand(row, str(right)))


def brute(codes, predicates, nulls):
    """bool[n, n]: whether (t, s) satisfies all, compared value by value with the oracle's rule."""
    columns = {name: [None if v < 0 else v for v in row.tolist()] for name, row in zip(COLUMNS, codes, strict=True)}
    n = codes.shape[1]
    found = np.ones((n, n), bool)
    for p in predicates:
        t, other = columns[p.left.column], columns[p.right.column]
        known = {(a, b): naive.satisfied(a, p.op, b, nulls) for a in set(t) for b in set(other)}
        if p.is_single_row:
            found &= np.array([known[a, b] for a, b in zip(t, other, strict=True)])[:, None]
        else:
            found &= np.array([[known[a, b] for b in other] for a in t])
    return found


@pytest.mark.parametrize("seed", range(60))
def test_larger_tables_of_codes(seed):
    """Enough rows that cluster pairs are parted, and many values, few values and one value beside each other."""
    rng = np.random.default_rng(seed)
    nulls = NullSemantics.SQL if seed % 2 else NullSemantics.EQUAL
    n = int(rng.integers(30, 90))
    codes = np.array([rng.integers(-1 if seed % 3 else 0, high, n) for high in (2, 5, 30, 200)], np.int32)
    constraint = DenialConstraint("r", tuple(predicate(rng) for _ in range(rng.integers(1, 6))))
    if constraint.is_single_row:
        constraint = DenialConstraint(
            "r", (*constraint.predicates, Predicate(Operand("t", "C"), Operator.LE, Operand("s", "D")))
        )
    found = check(Encoded(COLUMNS, codes), constraint, nulls, sample=50)
    expected = brute(codes, constraint.predicates, nulls)
    np.fill_diagonal(expected, val=False)
    assert found.pairs == expected.sum()
    assert (found.left_rows == expected.any(axis=1)).all()
    assert (found.right_rows == expected.any(axis=0)).all()
    assert all(expected[t, s] for t, s in found.sample.tolist())
    assert bool(len(found.sample)) == expected.any()


def test_more_unequal_columns_than_are_excluded():
    rng = np.random.default_rng(5)
    names = tuple("ABCDEF")
    codes = rng.integers(0, 3, (6, 50)).astype(np.int32)
    constraint = DenialConstraint("r", tuple(Predicate(Operand("t", c), Operator.NE, Operand("s", c)) for c in names))
    differ = np.logical_and.reduce([column[:, None] != column[None, :] for column in codes])
    found = check(Encoded(names, codes), constraint, NullSemantics.SQL, sample=5)
    assert found.pairs == differ.sum() > 0
    assert (found.left_rows == differ.any(axis=1)).all()


def test_a_search_grows_its_stack():
    """Many dimensions of many values: more open cluster pairs than the stack first holds."""
    rng = np.random.default_rng(6)
    names = tuple("ABCDE")
    codes = rng.integers(0, 5000, (5, 300)).astype(np.int32)
    constraint = DenialConstraint("r", tuple(Predicate(Operand("t", c), Operator.LT, Operand("s", c)) for c in names))
    less = np.logical_and.reduce([column[:, None] < column[None, :] for column in codes])
    found = check(Encoded(names, codes), constraint, NullSemantics.SQL)
    assert found.pairs == less.sum() > 0


@pytest.mark.parametrize("same_rows", [True, False])
def test_rows_named_by_the_check_are_those_that_the_scan_names(monkeypatch, same_rows):
    rng = np.random.default_rng(8)
    codes = rng.integers(-1, 40, (4, 120)).astype(np.int32)
    left, right = Encoded(COLUMNS, codes), Encoded(COLUMNS, codes if same_rows else codes[:, ::-1][:, :90].copy())
    right = left if same_rows else right
    for _ in range(40):
        constraint = DenialConstraint("r", tuple(predicate(rng) for _ in range(rng.integers(1, 4))))
        scanned = violations.violations(left, right, constraint, NullSemantics.SQL, same_rows=same_rows)
        with monkeypatch.context() as patch:
            patch.setattr(violations, "SCANNED_ROWS", 0)
            checked = violations.violations(left, right, constraint, NullSemantics.SQL, same_rows=same_rows)
        assert (checked.left_rows == scanned.left_rows).all()
        assert (checked.pairs == scanned.pairs).all()


def test_partitions_are_bounded_by_their_rows():
    """Refining by equalities never makes a partition larger than the rows."""
    rng = np.random.default_rng(9)
    partition = Partition.whole(500, 500)
    for _ in range(4):
        codes = rng.integers(0, 4, 500).astype(np.int32)
        partition = partition.equated(codes, codes, same_rows=True)
        assert len(partition.left) <= 500 >= len(partition.right)
        sizes = partition.groups[:, 1] - partition.groups[:, 0]
        assert sizes.sum() == len(partition.left)
