"""The walk that counts pairs: over the common prefixes of column sets, with the classes that a delta's rows are in.

Level k of its stacks has the classes of the first k columns; :mod:`pair_changes` says what it is for.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Codes, Counts
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.column_dictionary import NULL_CODE

Slots = NDArray[np.int32]


@kernel
def meetings(codes: Codes, others: Slots, delta: Slots, comparable: bool) -> Counts:  # noqa: FBT001 -- a kernel
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
def walk(
    codes: Codes,
    kept: Slots,
    delta: Slots,
    gone: int,
    comparable: bool,  # noqa: FBT001 -- a kernel
    sets: Slots,
) -> Counts:
    """``delta``: first the slots of ``gone`` rows, then of those that come; ``sets``: common prefixes together.

    Level k of the stacks has the classes of the first k columns: slots that stay in ``members`` (after them a place for
    what is dropped), places in ``delta`` in ``changes``.
    """
    depths = sets.shape[1]
    members, bounds = np.empty((depths, kept.size + 1), np.int32), np.zeros((depths, delta.size + 2), np.int32)
    changes, change_bounds = np.empty((depths, delta.size), np.int32), np.zeros((depths, delta.size + 2), np.int32)
    classes, grown = np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    members[0, : kept.size] = kept
    changes[0] = np.arange(delta.size)
    bounds[0, 1], change_bounds[0, 1], classes[0] = kept.size, delta.size, 1
    grown[0] = _pairs(kept.size + delta.size - gone) - _pairs(kept.size + gone)
    class_of = np.zeros(_codes_of(codes), np.int32)
    labels, own_codes = np.empty(kept.size, np.int32), np.empty(delta.size, np.int32)
    tally, places = np.zeros((3, delta.size + 1), np.int32), np.zeros((3, delta.size + 1), np.int32)
    found = np.zeros(sets.shape[0], np.int64)
    for x in range(sets.shape[0]):
        depth = _shared(sets, x - 1, x) if x else 0
        shared = _shared(sets, x, x + 1) if x + 1 < sets.shape[0] else 0
        while sets[x, depth] >= 0:
            column = sets[x, depth]
            presence = column >= codes.shape[0]
            own = codes[column - codes.shape[0] if presence else column]
            # A presence is a column with one value beside null.
            greatest = np.int32(1) if presence else np.int32(class_of.size)
            _gather(own, delta, changes[depth, : change_bounds[depth, classes[depth]]], greatest, own_codes)
            # Who is in which class matters only to longer sets.
            fills = sets[x, depth + 1] >= 0 or depth < shared
            many, growth = 0, np.int64(0)
            for k in range(classes[depth]):
                rows = members[depth, bounds[depth, k] : bounds[depth, k + 1]]
                changed = changes[depth, change_bounds[depth, k] : change_bounds[depth, k + 1]]
                changed_codes = own_codes[change_bounds[depth, k] : change_bounds[depth, k + 1]]
                some = _open_classes(changed, changed_codes, comparable, gone, class_of, tally)
                if some:
                    _count_members(own, greatest, rows, class_of, tally[0], labels, fills)
                    growth += _growth(tally, some)
                if some and fills:
                    many = _place(tally, places, some, many, bounds[depth + 1], change_bounds[depth + 1], kept.size)
                    _move_members(rows, labels, places, members[depth + 1])
                    _move_changes(changed, changed_codes, class_of, places[1], changes[depth + 1])
                for code in changed_codes:
                    class_of[code] = 0
            classes[depth + 1], grown[depth + 1] = many, growth
            depth += 1
        found[x] = grown[depth]
    return found


@kernel
def _shared(sets: Slots, one: int, other: int) -> int:
    """How many columns two sets have in common from the first on."""
    depth = 0
    while sets[one, depth] >= 0 and sets[one, depth] == sets[other, depth]:
        depth += 1
    return depth


@kernel
def _gather(own: Codes, delta: Slots, changed: Slots, greatest: np.int32, codes: Codes) -> None:
    """The codes of a delta's rows, in their order, none above the greatest one."""
    for k in range(changed.size):
        codes[k] = min(own[delta[changed[k]]], greatest)


@kernel
def _open_classes(
    changed: Slots,
    codes: Codes,
    comparable: bool,  # noqa: FBT001 -- a kernel
    gone: int,
    class_of: Slots,
    tally: Slots,
) -> int:
    """Numbers the classes of a delta's rows from 1 on; counts in row 1 of the tally who goes, in row 2 who comes."""
    some = 0
    tally[0, 0] = 0
    for k in range(changed.size):
        code = codes[k]
        if code == NULL_CODE and not comparable:
            continue
        if class_of[code] == 0:
            some += 1
            class_of[code] = some
            tally[:, some] = 0
        tally[1 if changed[k] < gone else 2, class_of[code]] += 1
    return some


@kernel
def _count_members(
    own: Codes,
    greatest: np.int32,
    rows: Slots,
    class_of: Slots,
    staying: Slots,
    labels: Slots,
    fills: bool,  # noqa: FBT001 -- a kernel
) -> None:
    """Counts who stays, by class; those of no class of the delta's rows in class 0. Free of branches within."""
    if fills:
        for i in range(rows.size):
            label = class_of[min(own[rows[i]], greatest)]
            labels[i] = label
            staying[label] += 1
    else:
        for i in range(rows.size):
            staying[class_of[min(own[rows[i]], greatest)]] += 1


@kernel
def _growth(tally: Slots, some: int) -> np.int64:
    growth = np.int64(0)
    for c in range(1, some + 1):
        growth += _pairs(tally[0, c] + tally[2, c]) - _pairs(tally[0, c] + tally[1, c])
    return growth


@kernel
def _place(tally: Slots, places: Slots, some: int, many: int, bounds: Slots, change_bounds: Slots, nowhere: int) -> int:
    """Gives the classes of two rows and more their places on the next level; returns how many it has then.

    Row 0 of ``places`` is where the next row that stays goes, row 2 by how much that place moves on, row 1 where the
    delta's next row goes, negative for nowhere.
    """
    places[0, 0], places[2, 0] = nowhere, 0
    for c in range(1, some + 1):
        own = tally[1, c] + tally[2, c]
        places[0, c], places[1, c], places[2, c] = nowhere, -1, 0
        if tally[0, c] + own > 1:
            places[0, c], places[1, c], places[2, c] = bounds[many], change_bounds[many], 1
            many += 1
            bounds[many] = bounds[many - 1] + tally[0, c]
            change_bounds[many] = change_bounds[many - 1] + own
    return many


@kernel
def _move_members(rows: Slots, labels: Slots, places: Slots, target: Slots) -> None:
    for i in range(rows.size):
        label = labels[i]
        target[places[0, label]] = rows[i]
        places[0, label] += places[2, label]


@kernel
def _move_changes(changed: Slots, codes: Codes, class_of: Slots, places: Slots, target: Slots) -> None:
    for k in range(changed.size):
        label = class_of[codes[k]]
        if label and places[label] >= 0:
            target[places[label]] = changed[k]
            places[label] += 1


@kernel
def _pairs(rows: int) -> np.int64:
    return np.int64(rows) * (np.int64(rows) - 1) // 2


@kernel
def _codes_of(codes: Codes) -> np.int64:
    """One more than the greatest code, and at least two."""
    most = np.int64(1)
    for column in range(codes.shape[0]):
        for code in codes[column]:
            most = max(most, np.int64(code))
    return most + 1
