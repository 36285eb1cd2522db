"""Deltas applied one operation after the other, from docs/semantics.md: "Deltas". Slow and obvious."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from profiling_core.model.delta import RejectReason

# An operation: "insert", "delete", "update", "upsert", "remove", or "rejected": a row that was found wrong by itself.
Row = tuple[str, Hashable, Hashable]
"""Operation, key, value (all columns, the key's among them)."""


@dataclass
class Folded:
    """The rows after all deltas, what was done on the way, and which rows were rejected why, by position."""

    rows: Counter[Hashable]
    counts: Counter[str] = field(default_factory=Counter)
    rejects: dict[int, RejectReason] = field(default_factory=dict)
    snapshots: bool = False


def fold_keyed_changes(stored: dict[Any, Any], deltas: Sequence[Sequence[Row]]) -> Folded:
    state, folded, position = dict(stored), Folded(Counter()), 0
    for delta in deltas:
        before, applied = dict(state), Counter[Hashable]()
        inserted: set[Hashable] = set()  # keys that an insert of this delta has put there
        for op, key, value in delta:
            reason = None if key in inserted else _reason(op, key in state)
            if reason:
                folded.rejects[position] = reason
            elif op != "rejected":
                applied[key] += 1
                _apply(state, op, key, value)
                if op != "update":
                    (inserted.add if op == "insert" else inserted.discard)(key)
            position += 1
        _count(folded, before, state, applied)
    folded.rows = Counter(state.values())
    return folded


def fold_versioned_changes(
    stored: dict[Any, Any], deltas: Sequence[Sequence[Row]], version: Callable[[Any], int | None]
) -> Folded:
    state, folded, position = dict(stored), Folded(Counter()), 0
    for delta in deltas:
        last: dict[Hashable, tuple[int, str, Hashable]] = {}
        for op, key, value in delta:
            if op != "rejected":
                folded.counts["superseded"] += key in last
                if key not in last or not (version(value) or -1) < (version(last[key][2]) or -1):
                    last[key] = (position, op, value)
            position += 1
        before, applied = dict(state), Counter[Hashable]()
        for key, (place, op, value) in last.items():
            known, newest = version(value), version(state[key]) if key in state else None
            if known is not None and newest is not None and known < newest:
                folded.counts["superseded"] += 1
            elif reason := _reason(op, key in state):
                folded.rejects[place] = reason
            else:
                applied[key] += 1
                _apply(state, op, key, value)
        _count(folded, before, state, applied)
    folded.rows = Counter(state.values())
    return folded


def _reason(op: str, exists: bool) -> RejectReason | None:
    if op == "insert" and exists:
        return RejectReason.KEY_EXISTS
    return RejectReason.KEY_MISSING if op in ("delete", "update") and not exists else None


def _apply(state: dict[Any, Any], op: str, key: Hashable, value: Hashable) -> None:
    if op in ("delete", "remove"):
        state.pop(key, None)
    else:
        state[key] = value


def _count(folded: Folded, before: dict[Any, Any], after: dict[Any, Any], applied: Counter[Hashable]) -> None:
    """Counts what a delta comes to, and the operations that a later one of the same delta and key has overtaken."""
    folded.counts["insert"] += len(after.keys() - before.keys())
    folded.counts["delete"] += len(before.keys() - after.keys())
    folded.counts["update"] += sum(before[key] != after[key] for key in before.keys() & after.keys())
    folded.counts["superseded"] += sum(times - 1 for times in applied.values())
    folded.counts["unchanged"] += sum(before.get(key) == after.get(key) for key in applied)


def fold_bag_changes(stored: Sequence[Hashable], deltas: Sequence[Sequence[Row]]) -> Folded:
    folded, position = Folded(Counter(stored)), 0
    for delta in deltas:
        for op, _, value in delta:
            if op == "insert":
                folded.rows[value] += 1
                folded.counts[op] += 1
            elif op == "delete" and folded.rows[value]:
                folded.rows[value] -= 1
                folded.counts[op] += 1
            elif op == "delete":
                folded.rejects[position] = RejectReason.ROW_MISSING
            position += 1
    folded.rows = +folded.rows
    return folded


def fold_keyed_snapshots(stored: dict[Any, Any], deltas: Sequence[Sequence[Row]]) -> Folded:
    state, folded, position = dict(stored), Folded(Counter(), snapshots=True), 0
    for delta in deltas:
        new: dict[Any, Any] = {}
        unknown = set()
        for op, key, value in delta:
            if op == "rejected":
                unknown.add(key)
            elif key in new:
                folded.rejects[position] = RejectReason.DUPLICATE_KEY
            else:
                new[key] = value
            position += 1
        new |= {key: state[key] for key in unknown if key in state and key not in new}
        folded.counts["insert"] += len(new.keys() - state.keys())
        folded.counts["delete"] += len(state.keys() - new.keys())
        folded.counts["update"] += sum(state[key] != new[key] for key in state.keys() & new.keys())
        read = {key for op, key, _ in delta if op != "rejected"}
        folded.counts["unchanged"] += sum(state[key] == new[key] for key in read & state.keys())
        state = new
    folded.rows = Counter(state.values())
    return folded


def fold_bag_snapshots(stored: Sequence[Hashable], deltas: Sequence[Sequence[Row]]) -> Folded:
    folded = Folded(Counter(stored), snapshots=True)
    for delta in deltas:
        new = Counter(value for op, _, value in delta if op != "rejected")
        folded.counts["insert"] += (new - folded.rows).total()
        folded.counts["delete"] += (folded.rows - new).total()
        folded.counts["unchanged"] += (folded.rows & new).total()
        folded.rows = new
    return folded
