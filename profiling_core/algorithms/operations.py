"""What a batch of operations comes to: pure decisions on arrays of ids, made by Spark tasks for a bucket of rows each.

Rows are known here by two numbers alone: which key they have and which values. Rows of equal key, or without a key of
equal values, are in one bucket, so that buckets are independent. See docs/semantics.md, "Deltas", for the rules.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

INSERT, DELETE, UPDATE, REJECTED, UPSERT, REMOVE = range(6)
_GONE = (DELETE, REMOVE)
KEY_EXISTS, KEY_MISSING, DUPLICATE_KEY, ROW_MISSING = range(4)
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PendingOperations:
    """The operations of all pending deltas, in the order in which they apply, beside the stored rows they may concern.

    ``key`` and ``value`` are dense ids over both sides (equal id: equal key, equal values in all columns), without a
    declared key ``key`` repeats ``value``. ``step`` is the delta's number (0 …), never falling; ``op`` is INSERT,
    DELETE, UPDATE, UPSERT, REMOVE, or REJECTED for rows that were rejected before. Stored rows have distinct keys
    if there is one. ``version`` and ``stored_version`` order the rows of a key (−1: not known), where versions decide.
    """

    key: Ints
    value: Ints
    step: Ints
    op: Ints
    stored_key: Ints
    stored_value: Ints
    steps: int
    version: Ints | None = None
    stored_version: Ints | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a batch comes to.

    ``insert`` and ``reject`` are positions in the batch (``reasons`` beside the latter), ``delete`` positions among the
    stored rows, all ascending. The counts are of what each delta comes to, also where several deltas cancel out;
    ``superseded`` counts operations on a row that a later one of the same delta is about, ``unchanged`` rows that say
    what was there before. Every operation is a change, superseded, unchanged or rejected; rows that a snapshot lacks
    are changes without one.
    ``arrived`` are the positions of rows that were other than before once their own delta was applied, whatever later
    ones did to them, and ``replaced`` says of each which row of its key was there before: a position among the stored
    rows and then the batch, or −1.
    """

    insert: Ints
    delete: Ints
    reject: Ints
    reasons: Ints
    inserts: int
    deletes: int
    updates: int
    superseded: int
    unchanged: int
    arrived: Ints
    replaced: Ints


def keyed_changes(batch: PendingOperations) -> Outcome:
    """Operations by key, one after the other; where versions decide, of each delta the newest one on a key alone.

    An insert repeated within a delta (with nothing but updates between) replaces the one before.
    """
    rows, overtaken = _by_key(batch)
    wrong = _wrong(batch, rows)
    good = rows[~wrong]
    last = np.append(_differ(batch.key[good]) | _differ(batch.step[good]), values=True)[: len(good)]
    done = good[last]  # what each delta's operations on each key come to
    key, stored = batch.key[done], _stored_row(batch)[batch.key[done]]
    value = np.where(np.isin(batch.op[done], _GONE), -1, batch.value[done])
    first = np.arange(len(done)) == _starts(key)
    before = np.where(first, np.append(batch.stored_value, -1)[stored], np.roll(value, 1))
    place = np.where(first, stored, np.roll(done + len(batch.stored_key), 1))
    came = (value >= 0) & (value != before)
    final, stored = done[_ends(key)], stored[_ends(key)]
    present = ~np.isin(batch.op[final], _GONE)
    same = present & _unchanged(batch, final, stored)
    return _outcome(
        final[present & ~same],
        stored[(stored >= 0) & ~same],
        (rows[wrong], np.where(batch.op[rows[wrong]] == INSERT, KEY_EXISTS, KEY_MISSING)),
        (
            int(((before < 0) & (value >= 0)).sum()),
            int(((before >= 0) & (value < 0)).sum()),
            int(((before >= 0) & (value >= 0) & (before != value)).sum()),
        ),
        (done[came], np.where(before >= 0, place, -1)[came]),
        superseded=overtaken + len(good) - len(done),
        unchanged=int(((before == value) | ((before < 0) & (value < 0))).sum()),
    )


def _wrong(batch: PendingOperations, rows: Ints) -> Bools:
    """Which operations (by key, in their order) find no row of their key, or one where none may be.

    Whether there is one follows from the latest operation before that is no update, applied or not.
    """
    key, op, step = batch.key[rows], batch.op[rows], batch.step[rows]
    start = _starts(key)
    setter = _latest_before(op != UPDATE, start)
    exists = np.where(setter >= 0, np.isin(op[setter], (INSERT, UPSERT)), _stored_row(batch)[key] >= 0)
    again = (op == INSERT) & (setter >= 0) & (op[setter] == INSERT) & (step[setter] == step)
    wrong = np.where(op == INSERT, exists, ~exists & ~np.isin(op, (UPSERT, REMOVE)))
    wrong[again] = wrong[_latest((op == INSERT) & ~again, start)[again]]
    return wrong


def _by_key(batch: PendingOperations) -> tuple[Ints, int]:
    """The operations that count, by key and then as they come; and how many others newer versions have superseded."""
    live = np.flatnonzero(batch.op != REJECTED)
    if batch.version is None:
        return live[np.argsort(batch.key[live], kind="stable")], 0
    order = live[np.lexsort((batch.version[live], batch.step[live], batch.key[live]))]  # stable: later rows stay later
    last = np.append(_differ(batch.key[order]) | _differ(batch.step[order]), values=True)[: len(order)]
    rows = _not_overtaken(batch, order[last])
    return rows, len(order) - len(rows)


def _not_overtaken(batch: PendingOperations, rows: Ints) -> Ints:
    """Rows (by key, then delta) without those whose key has a newer version already; a delete leaves none behind."""
    if batch.version is None or batch.stored_version is None:
        return rows
    newest = np.full(int(max(batch.key.max(initial=-1), batch.stored_key.max(initial=-1))) + 1, -1, np.int64)
    newest[batch.stored_key] = batch.stored_version
    stays = np.ones(len(rows), bool)
    for step in range(batch.steps):
        at = np.flatnonzero(batch.step[rows] == step)
        key, version = batch.key[rows[at]], batch.version[rows[at]]
        stays[at] = (version < 0) | (version >= newest[key])
        at = at[stays[at]]
        newest[batch.key[rows[at]]] = np.where(np.isin(batch.op[rows[at]], _GONE), -1, batch.version[rows[at]])
    return rows[stays]


def bag_changes(batch: PendingOperations) -> Outcome:
    """Inserts and deletes without a key: each delete takes one equal row away, and is rejected where there is none."""
    live = np.flatnonzero(batch.op != REJECTED)
    rows = live[np.argsort(batch.value[live], kind="stable")]
    value, op = batch.value[rows], batch.op[rows]
    stored = np.bincount(batch.stored_value, minlength=_ids(batch))
    start = _starts(value)
    change = np.where(op == INSERT, 1, -1)
    # Per value, the walk of its number of rows if deletes could go below zero; those that reach a new low are wrong.
    total = np.cumsum(change)
    walk = total - (total[start] - change[start]) + stored[value]
    low = np.minimum(_running_minimum(walk, start), 0)
    low_before = np.where(np.arange(len(rows)) == start, 0, np.roll(low, 1))
    wrong = walk < low_before
    came = np.bincount(value[op == INSERT], minlength=len(stored))
    gone = np.bincount(value[(op != INSERT) & ~wrong], minlength=len(stored))
    net = came - gone
    inserted = rows[op == INSERT]
    cells = value * batch.steps + batch.step[rows]  # a value in a delta
    cells, cell = np.unique(cells, return_inverse=True)
    more = np.bincount(cell[op == INSERT], minlength=len(cells)) - np.bincount(
        cell[(op != INSERT) & ~wrong], minlength=len(cells)
    )
    arrived = inserted[_last_of_each(cell[op == INSERT], np.maximum(more, 0))]
    return _outcome(
        inserted[_last_of_each(batch.value[inserted], np.maximum(net, 0))],
        _first_of_each(batch.stored_value, np.maximum(-net, 0)),
        (rows[wrong], np.full(int(wrong.sum()), ROW_MISSING)),
        (int(came.sum()), int(gone.sum()), 0),
        (arrived, np.full(len(arrived), -1)),
    )


def keyed_snapshots(batch: PendingOperations) -> Outcome:
    """Full snapshots by key: what differs from the one before is inserted, deleted or updated.

    A key's second row in one snapshot is a reject. Where a key's only row was rejected before (but its key could be
    read), the snapshot says nothing about it: its row stays as it was.
    """
    # One entry per key and snapshot, and one for the stored row (step −1). Good rows come before rejected ones.
    key = np.concatenate([batch.stored_key, batch.key])
    step = np.concatenate([np.full(len(batch.stored_key), -1), batch.step])
    value = np.concatenate([batch.stored_value, np.where(batch.op == REJECTED, -1, batch.value)])
    order = np.lexsort((value < 0, step, key))
    key, step, value = key[order], step[order], value[order]
    entry = np.ones(len(order), bool)
    entry[1:] = (key[1:] != key[:-1]) | (step[1:] != step[:-1])
    twice = order[~entry & (value >= 0)] - len(batch.stored_key)
    order, key, step, value = order[entry], key[entry], step[entry], value[entry]
    follows = np.zeros(len(order), bool)  # the snapshot right after the entry before it, of the same key
    follows[1:] = (key[1:] == key[:-1]) & (step[1:] == step[:-1] + 1)
    said = value >= 0
    source = np.maximum.accumulate(np.where(follows & (value < 0), 0, np.arange(len(order))))
    value = value[source]
    before = np.where(follows, np.roll(value, 1), -1)
    new = step >= 0
    leaves = np.append(~follows[1:], values=True) & (step < batch.steps - 1) & (value >= 0)
    final = step == batch.steps - 1
    comes = new & (value >= 0) & (value != before)
    counts = int((comes & (before < 0)).sum()), int(leaves.sum()), int((comes & (before >= 0)).sum())
    replaced = np.where(before >= 0, np.roll(order[source], 1), -1)
    arrived = order[comes & said] - len(batch.stored_key), replaced[comes & said]
    net = _net_of_snapshots(batch, order[source][final & (value >= 0)], twice, counts, arrived)
    return replace(net, unchanged=int((new & said & (value == before)).sum()))


def _net_of_snapshots(
    batch: PendingOperations, kept: Ints, twice: Ints, counts: tuple[int, int, int], arrived: tuple[Ints, Ints]
) -> Outcome:
    """The outcome where the rows ``kept`` (positions among stored rows, then batch) are the final ones."""
    stored = len(batch.stored_key)
    rows = kept[kept >= stored] - stored
    before = _stored_row(batch)[batch.key[rows]]
    same = _unchanged(batch, rows, before)
    stays = np.zeros(stored, bool)
    stays[kept[kept < stored]] = True
    stays[before[same]] = True
    reasons = np.full(len(twice), DUPLICATE_KEY)
    return _outcome(rows[~same], np.flatnonzero(~stays), (twice, reasons), counts, arrived)


def bag_snapshots(batch: PendingOperations) -> Outcome:
    """Full snapshots without a key: per distinct row, how many more or fewer of it there are than before."""
    rows = np.flatnonzero(batch.op != REJECTED)
    wide = batch.steps + 1
    cells, counts = np.unique(
        np.concatenate([batch.stored_value * wide, batch.value[rows] * wide + batch.step[rows] + 1]), return_counts=True
    )
    value, step = cells // wide, cells % wide - 1
    follows = np.zeros(len(cells), bool)
    follows[1:] = (value[1:] == value[:-1]) & (step[1:] == step[:-1] + 1)
    before = np.where(follows, np.roll(counts, 1), 0)
    new = step >= 0
    vanish = np.append(~follows[1:], values=True) & (step < batch.steps - 1)
    came = int(np.maximum(counts - before, 0)[new].sum())
    gone = int(np.maximum(before - counts, 0)[new].sum() + counts[vanish].sum())
    cell = np.searchsorted(cells, batch.value[rows] * wide + batch.step[rows] + 1)
    arrived = rows[_last_of_each(cell, np.where(new, np.maximum(counts - before, 0), 0))]
    final = rows[batch.step[rows] == batch.steps - 1]
    size = _ids(batch)
    net = np.bincount(batch.value[final], minlength=size) - np.bincount(batch.stored_value, minlength=size)
    nothing = np.empty(0, np.int64)
    return _outcome(
        final[_last_of_each(batch.value[final], np.maximum(net, 0))],
        _first_of_each(batch.stored_value, np.maximum(-net, 0)),
        (nothing, nothing),
        (came, gone, 0),
        (arrived, np.full(len(arrived), -1)),
        unchanged=int(np.minimum(counts, before)[new].sum()),
    )


def _outcome(
    insert: Ints,
    delete: Ints,
    rejected: tuple[Ints, Ints],
    counts: tuple[int, int, int],
    arrived: tuple[Ints, Ints],
    superseded: int = 0,
    unchanged: int = 0,
) -> Outcome:
    order, came = np.argsort(rejected[0], kind="stable"), np.argsort(arrived[0], kind="stable")
    reject, reasons = rejected[0][order], rejected[1][order]
    return Outcome(
        np.sort(insert),
        np.sort(delete),
        reject,
        reasons,
        *counts,
        superseded,
        unchanged,
        arrived[0][came],
        arrived[1][came],
    )


def _ids(batch: PendingOperations) -> int:
    return int(max(batch.value.max(initial=-1), batch.stored_value.max(initial=-1))) + 1


def _stored_row(batch: PendingOperations) -> Ints:
    """For each key id, the position of its stored row, or −1."""
    size = int(max(batch.key.max(initial=-1), batch.stored_key.max(initial=-1))) + 1
    row = np.full(size, -1, np.int64)
    row[batch.stored_key] = np.arange(len(batch.stored_key))
    return row


def _unchanged(batch: PendingOperations, rows: Ints, before: Ints) -> Bools:
    """Whether each row has the values of the stored one beside it (−1: there is none)."""
    same = before >= 0
    same[same] = batch.value[rows[same]] == batch.stored_value[before[same]]
    return same


def _differ(group: Ints) -> Bools:
    """bool[n − 1]: whether each element and the next one differ."""
    return np.asarray(group[1:] != group[:-1])


def _starts(group: Ints) -> Ints:
    """For each element of an array whose equal elements are adjacent, where its group begins."""
    first = np.ones(len(group), bool)
    first[1:] = group[1:] != group[:-1]
    return np.maximum.accumulate(np.where(first, np.arange(len(group)), 0))


def _ends(group: Ints) -> Bools:
    """Whether each element is the last of its group."""
    end = np.ones(len(group), bool)
    end[:-1] = group[1:] != group[:-1]
    return end


def _latest(chosen: Bools, start: Ints) -> Ints:
    """For each element, the position of the latest chosen one of its group up to and with itself, or −1."""
    latest = np.maximum.accumulate(np.where(chosen, np.arange(len(chosen)), -1))
    return np.where(latest >= start, latest, -1)


def _latest_before(chosen: Bools, start: Ints) -> Ints:
    """As :func:`_latest`, but without the element itself."""
    latest = np.full(len(chosen), -1, np.int64)
    latest[1:] = np.maximum.accumulate(np.where(chosen, np.arange(len(chosen)), -1))[:-1]
    return np.where(latest >= start, latest, -1)


def _running_minimum(walk: Ints, start: Ints) -> Ints:
    """The least value of each group so far: groups are moved apart downwards, so that one accumulation serves all."""
    if len(walk) == 0:
        return walk
    apart = np.int64(walk.max() - walk.min() + 1)
    group = np.cumsum(np.arange(len(walk)) == start) * apart
    return np.asarray(np.minimum.accumulate(walk - group) + group)


def _rank_in_value(value: Ints) -> tuple[Ints, Ints]:
    """Positions sorted by value, and the rank of each of them among those of equal value."""
    order = np.argsort(value, kind="stable")
    return order, np.arange(len(value)) - _starts(value[order])


def _first_of_each(value: Ints, wanted: Ints) -> Ints:
    """The first ``wanted[v]`` positions of each value v."""
    order, rank = _rank_in_value(value)
    return order[rank < wanted[value[order]]]


def _last_of_each(value: Ints, wanted: Ints) -> Ints:
    """The last ``wanted[v]`` positions of each value v."""
    return len(value) - 1 - _first_of_each(value[::-1], wanted)
