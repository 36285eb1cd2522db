"""Reducing a batch of operations equals applying them one by one, whatever comes in whatever order."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.deltas import (
    Folded,
    Row,
    fold_bag_changes,
    fold_bag_snapshots,
    fold_keyed_changes,
    fold_keyed_snapshots,
    fold_versioned_changes,
)

from profiling_core.algorithms import operations
from profiling_core.algorithms.operations import Outcome, PendingOperations
from profiling_core.model.delta import RejectReason

OPERATIONS = {
    "insert": operations.INSERT,
    "delete": operations.DELETE,
    "update": operations.UPDATE,
    "upsert": operations.UPSERT,
    "remove": operations.REMOVE,
    "rejected": operations.REJECTED,
}
REASONS = {
    operations.KEY_EXISTS: RejectReason.KEY_EXISTS,
    operations.KEY_MISSING: RejectReason.KEY_MISSING,
    operations.DUPLICATE_KEY: RejectReason.DUPLICATE_KEY,
    operations.ROW_MISSING: RejectReason.ROW_MISSING,
}
Case = tuple[list[tuple[int, int]], list[list[Row]]]


def cases(operations: Sequence[str], *, distinct_keys: bool) -> st.SearchStrategy[Case]:
    """Stored rows as (key, value), and up to five deltas. A value says its key, as a row does."""
    row = st.tuples(st.integers(0, 4), st.integers(0, 2)).map(lambda kv: (kv[0], kv[0] * 10 + kv[1]))
    stored = st.lists(row, max_size=6, unique_by=(lambda kv: kv[0]) if distinct_keys else None)
    op = st.tuples(st.sampled_from(operations), row).map(lambda o: (o[0], *o[1]))
    return st.tuples(stored, st.lists(st.lists(op, max_size=10), min_size=1, max_size=5))


def batch_of(case: Case) -> PendingOperations:
    stored, deltas = case
    rows = [(step, *row) for step, delta in enumerate(deltas) for row in delta]
    step, op, key, value = zip(*rows, strict=True) if rows else ((), (), (), ())
    keys, values = zip(*stored, strict=True) if stored else ((), ())
    return PendingOperations(
        key=np.array(key, np.int64),
        value=np.array(value, np.int64),
        step=np.array(step, np.int64),
        op=np.array([OPERATIONS[o] for o in op], np.int64),
        stored_key=np.array(keys, np.int64),
        stored_value=np.array(values, np.int64),
        steps=len(deltas),
    )


def check(batch: PendingOperations, outcome: Outcome, folded: Folded) -> None:
    rows = Counter(batch.stored_value.tolist())
    gone = Counter(batch.stored_value[outcome.delete].tolist())
    come = Counter(batch.value[outcome.insert].tolist())
    assert gone <= rows
    assert rows - gone + come == folded.rows
    assert not gone & come, "a row that goes and comes back the same is no change"
    assert len(set(outcome.insert.tolist())) == len(outcome.insert)
    assert len(set(outcome.delete.tolist())) == len(outcome.delete)
    assert not (batch.op[outcome.insert] == operations.REJECTED).any()
    found = dict(zip(outcome.reject.tolist(), (REASONS[r] for r in outcome.reasons.tolist()), strict=True))
    assert found == folded.rejects
    counts = (outcome.inserts, outcome.deletes, outcome.updates, outcome.superseded, outcome.unchanged)
    assert counts == tuple(folded.counts[name] for name in ("insert", "delete", "update", "superseded", "unchanged"))
    from_rows = sum(counts) - (outcome.deletes if folded.snapshots else 0)
    assert from_rows + len(outcome.reject) == np.count_nonzero(batch.op != operations.REJECTED)


def check_what_arrived(
    batch: PendingOperations, outcome: Outcome, after: Callable[[int], Folded], *, keyed: bool
) -> None:
    """Each delta brings the rows that are there after it and were not before it, whatever comes of them later."""
    came = Counter(zip(batch.step[outcome.arrived].tolist(), batch.value[outcome.arrived].tolist(), strict=True))
    states = [after(step).rows for step in range(batch.steps + 1)]
    steps = [states[step + 1] - states[step] for step in range(batch.steps)]
    assert came == Counter({(step, value): n for step, rows in enumerate(steps) for value, n in rows.items()})
    for place, replaced in zip(outcome.arrived.tolist(), outcome.replaced.tolist(), strict=True):
        key = batch.key[place]
        known = {value // 10: value for value in states[batch.step[place]]}
        assert not keyed or (replaced >= 0) == (key in known)
        every = np.concatenate([batch.stored_value, batch.value])
        assert replaced < 0 or every[replaced] == known[key]


@pytest.mark.parametrize(
    ("delta", "row"),
    [
        ([("delete", 1, 10), ("insert", 1, 11)], 11),
        ([("delete", 1, 10), ("insert", 1, 10)], 10),
        ([("insert", 2, 20), ("update", 2, 21)], 21),
        ([("insert", 2, 20), ("delete", 2, 20)], None),
        ([("insert", 2, 20), ("insert", 2, 21)], 21),
        ([("update", 1, 11), ("delete", 1, 11), ("insert", 1, 12)], 12),
    ],
)
def test_operations_of_one_delta_apply_in_their_order(delta: list[Row], row: int | None) -> None:
    batch = batch_of(([(1, 10)], [delta]))
    outcome = operations.keyed_changes(batch)
    assert outcome.reject.tolist() == []
    rows = Counter(batch.stored_value.tolist()) - Counter(batch.stored_value[outcome.delete].tolist())
    of_key = [value for value in (rows + Counter(batch.value[outcome.insert].tolist())) if value // 10 == delta[0][1]]
    assert of_key == ([] if row is None else [row])


def version_of(value: int) -> int | None:
    return value % 10 or None


@settings(deadline=None, max_examples=examples(400))
@given(cases(["delete", "remove", "upsert", "upsert", "rejected"], distinct_keys=True))
def test_the_newest_version_of_a_key_wins(case: Case) -> None:
    batch = batch_of(case)
    version, stored = (
        np.array([version_of(v) or -1 for v in values.tolist()], np.int64)
        for values in (batch.value, batch.stored_value)
    )
    versioned = replace(batch, version=version, stored_version=stored)
    check(versioned, operations.keyed_changes(versioned), fold_versioned_changes(dict(case[0]), case[1], version_of))


@pytest.mark.parametrize(
    ("reduce", "fold", "words", "keyed"),
    [
        (operations.keyed_changes, fold_keyed_changes, "insert delete update upsert remove rejected", True),
        (operations.bag_changes, fold_bag_changes, "insert delete rejected", False),
        (operations.keyed_snapshots, fold_keyed_snapshots, "insert insert rejected", True),
        (operations.bag_snapshots, fold_bag_snapshots, "insert insert rejected", False),
    ],
)
@settings(deadline=None, max_examples=examples(400))
@given(data=st.data())
def test_the_reduction_is_the_fold_of_the_deltas(
    data: st.DataObject, reduce: Callable[..., Outcome], fold: Callable[..., Folded], words: str, keyed: bool
) -> None:
    """Each delta brings what the fold has after it and had not before."""
    case = data.draw(cases(words.split(), distinct_keys=keyed))
    batch, begun = batch_of(case), dict(case[0]) if keyed else [value for _, value in case[0]]
    outcome = reduce(batch)
    check(batch, outcome, fold(type(begun)(begun), case[1]))
    check_what_arrived(batch, outcome, lambda step: fold(type(begun)(begun), case[1][:step]), keyed=keyed)


@pytest.mark.parametrize("reduce", [operations.keyed_changes, operations.bag_changes, operations.keyed_snapshots])
def test_many_rows_take_no_time(reduce: Callable[[PendingOperations], Outcome]) -> None:
    # Vectorised: a loop over a million operations would take minutes, and this would time the suite out.
    size = 1_000_000
    generator = np.random.default_rng(7)
    value = generator.integers(0, size, size)
    batch = PendingOperations(
        value, value, np.sort(generator.integers(0, 57, size)), generator.integers(0, 2, size), value[:0], value[:0], 57
    )
    assert reduce(batch).inserts > 0
