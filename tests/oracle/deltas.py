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


def fold_keyed_changes(
    stored: dict[Any, Any], deltas: Sequence[Sequence[Row]], version: Callable[[Any], int | None] = lambda _: None
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
        for key, (place, op, value) in last.items():
            known, newest = version(value), version(state[key]) if key in state else None
            if known is not None and newest is not None and known < newest:
                folded.counts["superseded"] += 1
            else:
                _fold_one(state, folded, place, (op, key, value))
    folded.rows = Counter(state.values())
    return folded


def _fold_one(state: dict[Any, Any], folded: Folded, place: int, row: Row) -> None:
    op, key, value = row
    if op == "insert" and key in state:
        folded.rejects[place] = RejectReason.KEY_EXISTS
    elif op in ("delete", "update") and key not in state:
        folded.rejects[place] = RejectReason.KEY_MISSING
    elif op in ("delete", "remove"):
        folded.counts["delete"] += key in state
        state.pop(key, None)
    else:
        done = op if op != "upsert" else "update" if key in state else "insert"
        folded.counts[done] += op != "upsert" or state.get(key) != value
        state[key] = value


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
    state, folded, position = dict(stored), Folded(Counter()), 0
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
        state = new
    folded.rows = Counter(state.values())
    return folded


def fold_bag_snapshots(stored: Sequence[Hashable], deltas: Sequence[Sequence[Row]]) -> Folded:
    folded = Folded(Counter(stored))
    for delta in deltas:
        new = Counter(value for op, _, value in delta if op != "rejected")
        folded.counts["insert"] += (new - folded.rows).total()
        folded.counts["delete"] += (folded.rows - new).total()
        folded.rows = new
    return folded
