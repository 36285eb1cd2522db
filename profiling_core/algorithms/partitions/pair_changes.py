"""How a delta changes the number of pairs that agree on each of many column sets, in one walk over their common prefixes.

Of the classes of rows that agree on a set, only those change that a row of the delta is in; so the walk keeps, at each
prefix, these classes alone. Prefixes begin with the columns on which the delta agrees with fewest rows: a few columns
on, hardly more than the delta is left. With all rows as the delta the changes are the counts themselves.
Compare: Huhtala et al., TANE (1999), section 5, stripped partitions; Pyro (VLDB 2018), section 5.2.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dynast.column_dictionary import NULL_CODE, Codes
from profiling_core.algorithms.kernel import kernel
from profiling_core.algorithms.pyro.agreeing_pairs import bits

Counts = NDArray[np.int64]
Slots = NDArray[np.int32]
# Fewer sets than this are not worth another thread.
_PER_THREAD = 64


@dataclass(frozen=True, slots=True, eq=False)
class RowChange:
    """Rows by their slots, int32 each: those that stay, those that go and those that come.

    ``codes``: int32[columns, slots], the rows that come and those that go included; ``comparable``: whether nulls agree
    with each other.
    """

    codes: Codes
    kept: Slots
    gone: Slots
    come: Slots
    comparable: bool


def pair_changes(change: RowChange, sets: Sequence[int], threads: int = 0) -> list[int]:
    """By how much the number of unordered pairs of rows that agree on each set grows.

    Args:
        change: the rows.
        sets: column sets, bit c for column c, and bit m + c, of m columns, for the presence of a value in column c.
        threads: threads to use; 0: one per processor.
    """
    if not sets or not len(change.gone) + len(change.come):
        return [0] * len(sets)
    delta = np.concatenate([change.gone, change.come])
    others = change.kept if len(change.kept) else delta
    meetings = _meetings(change.codes, others, delta, change.comparable)
    ranked = [*np.argsort(meetings, kind="stable").tolist(), *range(len(meetings), 2 * len(meetings))]
    places = _places(sets, ranked)
    order = np.lexsort(places.T[::-1])
    columns = np.array([*ranked, -1], np.int32)[places[order]]
    parts = min(threads or os.cpu_count() or 1, 1 + len(sets) // _PER_THREAD)
    with ThreadPoolExecutor(parts) as pool:
        changed = pool.map(
            lambda part: _walk(change.codes, change.kept, delta, len(change.gone), change.comparable, part),
            np.array_split(columns, parts),
        )
        found = np.empty(len(sets), np.int64)
        found[order] = np.concatenate(list(changed))
    counts: list[int] = found.tolist()
    return counts


def _places(sets: Sequence[int], ranked: Sequence[int]) -> Slots:
    """int32[sets, longest + 1]: each set's columns as places in the ranking, ascending, filled up with −1."""
    place = {column: at for at, column in enumerate(ranked)}
    longest = max(members.bit_count() for members in sets)
    found = np.full((len(sets), longest + 1), -1, np.int32)
    for row, members in zip(found, sets, strict=True):
        row[: members.bit_count()] = sorted(place[column] for column in bits(members))
    return found


@kernel
def _meetings(codes: Codes, others: Slots, delta: Slots, comparable: bool) -> Counts:  # noqa: FBT001 -- a kernel
    """Per column the pairs of a row of the delta and another one that agree on it."""
    columns = codes.shape[0]
    found = np.zeros(columns, np.int64)
    for column in range(columns):
        own = codes[column]
        most = np.int32(0)
        for i in range(delta.size):
            most = max(most, own[delta[i]])
        sizes = np.zeros(most + 1, np.int64)
        for i in range(delta.size):
            if comparable or own[delta[i]] != NULL_CODE:
                sizes[own[delta[i]]] += 1
        for i in range(others.size):
            if own[others[i]] <= most:
                found[column] += sizes[own[others[i]]]
    return found


@kernel
def _walk(codes: Codes, kept: Slots, delta: Slots, gone: int, comparable: bool, sets: Slots) -> Counts:  # noqa: FBT001
    """``delta``: first the slots of ``gone`` rows, then of those that come; ``sets``: columns, common prefixes together.

    Level k of the stacks has the classes of the first k columns: rows that stay in ``members``, places in ``delta``
    in ``changes``.
    """
    depths = sets.shape[1]
    members, changes = np.empty((depths, kept.size), np.int32), np.empty((depths, delta.size), np.int32)
    bounds, change_bounds = np.zeros((depths, delta.size + 2), np.int32), np.zeros((depths, delta.size + 2), np.int32)
    classes, grown = np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    members[0] = kept
    changes[0] = np.arange(delta.size)
    bounds[0, 1], change_bounds[0, 1], classes[0] = kept.size, delta.size, 1
    grown[0] = _pairs(kept.size + delta.size - gone) - _pairs(kept.size + gone)
    class_of = np.zeros(_codes_of(codes, delta), np.int32)
    labels, own_labels = np.empty(kept.size, np.int32), np.empty(delta.size, np.int32)
    touched = np.empty(delta.size, np.int32)
    tally = np.zeros((3, delta.size), np.int32)
    found = np.zeros(sets.shape[0], np.int64)
    for x in range(sets.shape[0]):
        depth = 0
        while x and sets[x, depth] >= 0 and sets[x, depth] == sets[x - 1, depth]:
            depth += 1
        shared = 0
        while x + 1 < sets.shape[0] and sets[x, shared] >= 0 and sets[x, shared] == sets[x + 1, shared]:
            shared += 1
        while sets[x, depth] >= 0:
            # Who is in which class matters only to longer sets.
            fills = sets[x, depth + 1] >= 0 or depth < shared
            column = sets[x, depth]
            presence = column >= codes.shape[0]
            own = codes[column - codes.shape[0] if presence else column]
            skips = presence or not comparable
            filled, own_filled, many, growth = 0, 0, 0, np.int64(0)
            for k in range(classes[depth]):
                some = 0
                start, end = change_bounds[depth, k], change_bounds[depth, k + 1]
                for i in range(start, end):
                    code = own[delta[changes[depth, i]]]
                    own_labels[i] = -1
                    if skips and code == NULL_CODE:
                        continue
                    if presence:
                        code = np.int32(1)
                    if class_of[code] == 0:
                        tally[:, some] = 0
                        touched[some] = code
                        some += 1
                        class_of[code] = some
                    own_labels[i] = class_of[code] - 1
                    tally[1 if changes[depth, i] < gone else 2, own_labels[i]] += 1
                if some == 0:
                    continue
                first, last = bounds[depth, k], bounds[depth, k + 1]
                for i in range(first, last):
                    code = own[members[depth, i]]
                    if presence and code != NULL_CODE:
                        code = np.int32(1)
                    label = np.int32(-1)
                    if code < class_of.size and not (presence and code == NULL_CODE):
                        label = class_of[code] - 1
                    labels[i] = label
                    if label >= 0:
                        tally[0, label] += 1
                for c in range(some):
                    class_of[touched[c]] = 0
                    stay, go, arrive = tally[0, c], tally[1, c], tally[2, c]
                    growth += _pairs(stay + arrive) - _pairs(stay + go)
                    if stay + go + arrive == 1:
                        touched[c] = -1
                        continue
                    # From here on the tallies are where the class's next rows go.
                    touched[c] = many
                    tally[0, c], tally[1, c] = filled, own_filled
                    filled += stay
                    own_filled += go + arrive
                    many += 1
                    bounds[depth + 1, many], change_bounds[depth + 1, many] = filled, own_filled
                if not fills:
                    continue
                for i in range(first, last):
                    label = labels[i]
                    if label >= 0 and touched[label] >= 0:
                        members[depth + 1, tally[0, label]] = members[depth, i]
                        tally[0, label] += 1
                for i in range(start, end):
                    label = own_labels[i]
                    if label >= 0 and touched[label] >= 0:
                        changes[depth + 1, tally[1, label]] = changes[depth, i]
                        tally[1, label] += 1
            classes[depth + 1], grown[depth + 1] = many, growth
            depth += 1
        found[x] = grown[depth]
    return found


@kernel
def _pairs(rows: int) -> np.int64:
    return np.int64(rows) * (np.int64(rows) - 1) // 2


@kernel
def _codes_of(codes: Codes, rows: Slots) -> np.int64:
    """One more than the greatest code of the rows, and at least two."""
    most = np.int64(2)
    for column in range(codes.shape[0]):
        for i in range(rows.size):
            most = max(most, np.int64(codes[column, rows[i]]) + 1)
    return most
