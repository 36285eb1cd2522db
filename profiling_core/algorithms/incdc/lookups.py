"""Looks up, by what few rows share, the pairs of given rows and a segment's rows that satisfy any of many conjunctions.

Almost every constraint of a large table has equalities that few pairs satisfy. So a *key*, the segment's rows sorted by
one to three columns, serves all constraints with these equalities at once: the few rows that agree with a given row are
compared with it once, and what the pair satisfies is held against each of the constraints. A given row that too many
rows agree with is left to the trees of bounds (:mod:`fetching`).
Source: IncDC (equality indexes, one for many constraints); the evidence of a pair in place of a join per constraint is
our own.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks
from profiling_core.algorithms.hydra.known_evidences import GroupTable, mask_of
from profiling_core.algorithms.incdc.fetching import BETWEEN, EQ, Form
from profiling_core.algorithms.incdc.segments import Flags, Order, Rows, Segment, sorted_by
from profiling_core.algorithms.kernel import kernel

# Keys serve constraints only where a row agrees with so few others on average; rows with more partners go by the trees.
_EXPECTED, _WIDE = 64, 1024
_MOST_KEYS = 24
_LONGEST_KEY = 3
_SAMPLED = 4096
# Finding the place in a key costs as much as comparing so many pairs.
_SEARCH = 4


def equalities(form: Form) -> dict[int, int]:
    """The columns of the other row that must equal a column of the given one, and that one."""
    return {int(other): int(own) for kind, own, op, other in form.tolist() if kind == BETWEEN and op == EQ}


def select_keys(forms: Sequence[Form], codes: Rows) -> list[Order]:
    """Few keys that serve many conjunctions, those that fewest rows share first (IncDC, SelectIndex).

    Args:
        forms: the conjunctions.
        codes: int64[m, n], the labels of the rows; how many agree is estimated from some of them.
    """
    served: dict[Order, set[int]] = defaultdict(set)
    for number, form in enumerate(forms):
        columns = sorted(equalities(form))
        for size in range(1, min(_LONGEST_KEY, len(columns)) + 1):
            for chosen in combinations(columns, size):
                served[chosen].add(number)
    expected = _Agreement.of(codes)
    cost = {order: expected.partners(order) for order in served}
    left = {order: members for order, members in served.items() if cost[order] <= _EXPECTED}
    keys: list[Order] = []
    while left and len(keys) < _MOST_KEYS:
        best = max(left, key=lambda o: (len(left[o]) / (_SEARCH + cost[o]), -len(o), o))
        done = left.pop(best)
        keys.append(best)
        left = {order: rest for order, members in left.items() if (rest := members - done)}
    return sorted(keys, key=lambda o: (cost[o], o))


@dataclass(frozen=True, slots=True, eq=False)
class _Agreement:
    """How many rows agree with a row on some columns, on average: as many as in a sample, relative to its pairs."""

    sample: Rows
    rows: int

    @classmethod
    def of(cls, codes: Rows) -> "_Agreement":
        rows = codes.shape[1]
        chosen = np.random.default_rng(0).choice(rows, min(rows, _SAMPLED), replace=False)
        ranks = [np.unique(column[chosen], return_inverse=True)[1] for column in codes]
        return cls(np.array(ranks, np.int64).reshape(codes.shape[0], len(chosen)), rows)

    def partners(self, columns: Order) -> float:
        size = self.sample.shape[1]
        together = np.zeros(size, np.int64)
        for column in columns:
            together = np.unique(together * size + self.sample[column], return_inverse=True)[1]
        sizes = np.bincount(together)
        agreeing = int((sizes * (sizes - 1)).sum())
        return float(agreeing * self.rows / max(1, size * (size - 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """What is looked up together: a key of the segment, the given row's columns that it is held against, constraints.

    ``as_t`` and ``as_s`` are the numbers of the constraints in which the given row is t, or s.
    """

    order: Order
    own: Order
    as_t: list[int]
    as_s: list[int]


def shared_lookups(
    forms: Mapping[str, Sequence[Form]], keys: Sequence[Order]
) -> tuple[list[Shared], dict[str, list[int]]]:
    """The conjunctions by the key that serves them, and by role the numbers of those that none serves.

    Args:
        forms: by role of the given row, ``t`` and ``s``, the conjunctions by number.
        keys: the keys, the best first.
    """
    found: dict[tuple[Order, Order], dict[str, list[int]]] = {}
    others: dict[str, list[int]] = {"t": [], "s": []}
    columns = [(order, set(order)) for order in keys]
    chosen: dict[tuple[tuple[int, int], ...], tuple[Order, Order] | None] = {}
    for role, of_role in forms.items():
        for number, form in enumerate(of_role):
            equal = equalities(form)
            same = tuple(equal.items())
            if same not in chosen:  # many constraints have the same equalities
                key = next((order for order, needed in columns if equal.keys() >= needed), None)
                chosen[same] = None if key is None else (key, tuple(equal[c] for c in key))
            place = chosen[same]
            if place is None:
                others[role].append(number)
            else:
                found.setdefault(place, {"t": [], "s": []})[role].append(number)
    return [Shared(order, own, roles["t"], roles["s"]) for (order, own), roles in found.items()], others


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """What a look-up found.

    ``counts``: int64[c], the pairs per constraint, those as t first; ``pairs``: int64[p, 3] (role: 0 for t, place in
    the given rows, place in the segment); ``crowded``: bool[d], the given rows that were left out.
    """

    counts: Rows
    pairs: Rows
    crowded: Flags


def look_up(
    given: Rows,
    given_ids: Rows,
    segment: Segment,
    shared: Shared,
    masks: Masks,
    groups: GroupTable,
    *,
    most: int,
    listed: bool,
) -> Met:
    """The pairs of given rows and the segment's rows that satisfy any of a key's constraints.

    Args:
        given: int64[m, d], labels of the given rows.
        given_ids: int64[d]; a row is never paired with itself.
        segment: the other rows; has the key.
        shared: what to look up.
        masks: uint64[constraints, words], by number.
        groups: the space's groups.
        most: how many pairs of each constraint are looked for at most.
        listed: whether to give the pairs, besides their counts.
    """
    constraints = len(shared.as_t) + len(shared.as_s)
    counts = np.zeros(constraints, np.int64)
    own = np.array(shared.own, np.int64)
    crowded = np.zeros(given.shape[1], np.bool_)
    # Neighbours in the key are looked up one after the other: they lie in the same cache lines.
    visited = sorted_by(given, shared.own)
    out = np.empty((min(most, 2 * given.shape[1] * _WIDE) * constraints if listed else 0, 3), np.int64)
    used = _meet(
        np.ascontiguousarray(given.T),
        given_ids,
        visited,
        own,
        segment.codes,
        segment.ids,
        segment.alive,
        segment.keys[shared.order],
        np.array(shared.order, np.int64),
        groups.sides,
        groups.ordered,
        groups.bits,
        groups.nulls_equal,
        masks[shared.as_t],
        masks[shared.as_s],
        most,
        counts,
        crowded,
        out,
    )
    return Met(counts, out[:used], crowded)


@kernel
def _bound_of(
    row: Rows,
    own: Rows,
    codes: Rows,
    order: NDArray[np.int32],
    columns: Rows,
    start: int,
    after: int,
) -> int:
    """Where the rows that agree with a row begin in a key, or (``after`` 1) end."""
    low = start
    high = order.size
    while low < high:
        middle = (low + high) // 2
        other = order[middle]
        before = after == 1
        for k in range(columns.size):
            a = codes[columns[k], other]
            b = row[own[k]]
            if a != b:
                before = a < b
                break
        if before:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _holds_any(mask: Masks, constraints: Masks, first: int, counts: Rows, most: int) -> bool:
    """Counts the pair for each constraint whose predicates it satisfies; whether there was one that had less."""
    wanted = False
    for c in range(constraints.shape[0]):
        if counts[first + c] >= most:
            continue
        holds = True
        for k in range(mask.size):
            if constraints[c, k] & ~mask[k]:
                holds = False
                break
        if holds:
            counts[first + c] += 1
            wanted = True
    return wanted


@kernel
def _meet(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    given: Rows,
    given_ids: Rows,
    visited: NDArray[np.int32],
    own: Rows,
    codes: Rows,
    ids: Rows,
    alive: Flags,
    order: NDArray[np.int32],
    columns: Rows,
    sides: Rows,
    ordered: Flags,
    bits: Masks,
    nulls_equal: int,
    as_t: Masks,
    as_s: Masks,
    most: int,
    counts: Rows,
    crowded: Flags,
    out: Rows,
) -> int:
    other = np.empty(codes.shape[0], np.int64)
    mask = np.empty(bits.shape[2], np.uint64)
    used = 0
    for i in visited:
        row = given[i]
        absent = False
        for k in range(own.size):
            absent |= row[own[k]] < 0 and nulls_equal == 0
        if absent:
            continue
        start = _bound_of(row, own, codes, order, columns, 0, 0)
        end = _bound_of(row, own, codes, order, columns, start, 1)
        if end - start > _WIDE:
            crowded[i] = True
            continue
        for place in range(start, end):
            j = order[place]
            if not alive[j] or ids[j] == given_ids[i]:
                continue
            for c in range(codes.shape[0]):
                other[c] = codes[c, j]
            for role in range(2):
                if role == 0:
                    if as_t.shape[0] == 0:
                        continue
                    mask_of(row, other, sides, ordered, bits, nulls_equal, mask)
                    wanted = _holds_any(mask, as_t, 0, counts, most)
                else:
                    if as_s.shape[0] == 0:
                        continue
                    mask_of(other, row, sides, ordered, bits, nulls_equal, mask)
                    wanted = _holds_any(mask, as_s, as_t.shape[0], counts, most)
                if wanted and used < out.shape[0]:
                    out[used, 0] = role
                    out[used, 1] = i
                    out[used, 2] = j
                    used += 1
    return used
