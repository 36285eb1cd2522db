"""Fetches, by index, the pairs of given rows and a segment's rows that satisfy all predicates of a conjunction.

A conjunction is int64[k, 4]: what it compares (:data:`BETWEEN` the given row and the other one, or two columns of
:data:`GIVEN` or :data:`OTHER` alone), column, operator (index in :class:`Operator`), column.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.incdc.segments import LEAF, Flags, Index, Order, Rows, Segment
from profiling_core.algorithms.kernel import kernel
from profiling_core.model.predicate import Operator, Predicate

GIVEN, OTHER, BETWEEN = 0, 1, 2
EQ, NE, LT, LE, GT, GE = range(6)
_CODE = {op: code for code, op in enumerate(Operator)}
_MOST_INDEXES = 24
_SORTED_COLUMNS = 3
_ALL = 1 << 62
Form = NDArray[np.int64]


def form_of(predicates: Sequence[Predicate], position: dict[str, int], *, given: str) -> Form:
    """A conjunction where the given row is ``t`` or ``s``; equalities first, since they fail soonest."""
    rows = []
    for p in predicates:
        left, right = position[p.left.column], position[p.right.column]
        if p.is_single_row:
            rows.append((GIVEN if p.left.tuple == given else OTHER, left, _CODE[p.op], right))
        elif p.left.tuple == given:
            rows.append((BETWEEN, left, _CODE[p.op], right))
        else:
            rows.append((BETWEEN, right, _CODE[p.op.flipped], left))
    rows.sort(key=lambda row: (row[0], row[2] != EQ))
    return np.array(rows, np.int64).reshape(-1, 4)


def wanted_order(form: Form, distinct: NDArray[np.int64], rows: int) -> Order:
    """The order that suits a conjunction: its equalities, then its inequalities, until few rows remain."""
    between = form[form[:, 0] == BETWEEN]
    equal = sorted({int(c) for c in between[between[:, 2] == EQ, 3]}, key=lambda c: (-distinct[c], c))
    others = sorted({int(c) for c in between[between[:, 2] > NE, 3]} - set(equal), key=lambda c: (-distinct[c], c))
    chosen: list[int] = []
    classes = 1
    for column in (*equal, *others):
        if len(chosen) == _SORTED_COLUMNS or classes >= rows:
            break
        chosen.append(column)
        classes *= max(1, int(distinct[column]))
    return tuple(chosen)


def select_orders(forms: Sequence[Form], distinct: NDArray[np.int64], rows: int) -> list[Order]:
    """The orders that most conjunctions want (IncDC, SelectIndex: few indexes that serve many constraints)."""
    votes: dict[Order, int] = {}
    for form in forms:
        order = wanted_order(form, distinct, rows)
        votes[order] = votes.get(order, 0) + 1
    ranked = sorted(votes, key=lambda o: (-votes[o], o))
    return ranked[:_MOST_INDEXES] or [()]


def nearest_order(wanted: Order, orders: Sequence[Order]) -> Order:
    """Of the orders that there are the one that shares most leading columns, then most columns."""

    def shared(order: Order) -> tuple[int, int]:
        prefix = next((i for i, (a, b) in enumerate(zip(wanted, order, strict=False)) if a != b), len(wanted))
        return prefix, len(set(wanted) & set(order))

    return max(orders, key=shared)


def fetch(
    given: Rows,
    given_ids: Rows,
    segment: Segment,
    index: Index,
    forms: Sequence[Form],
    *,
    nulls_equal: bool,
    per_row: int,
    most: int,
) -> Rows:
    """Pairs that satisfy a conjunction.

    Args:
        given: int64[m, d], labels of the given rows.
        given_ids: int64[d]; a row is never paired with itself.
        segment: the other rows.
        index: one of its indexes.
        forms: the conjunctions.
        nulls_equal: the null semantics.
        per_row: at most so many pairs per conjunction and given row.
        most: at most so many per conjunction.

    Returns:
        int64[p, 3] (conjunction, place in ``given``, place in ``segment``).
    """
    out = np.empty((len(forms) * min(most, per_row * given.shape[1]), 3), np.int64)
    used = _search(
        given, given_ids, segment, index, forms, nulls_equal=nulls_equal, per_row=per_row, most=most, out=out
    )
    return out[:used]


def count(given: Rows, given_ids: Rows, segment: Segment, index: Index, form: Form, *, nulls_equal: bool) -> int:
    """How many pairs of the given rows and the segment's satisfy the conjunction."""
    nowhere = np.empty((0, 3), np.int64)
    return _search(
        given, given_ids, segment, index, [form], nulls_equal=nulls_equal, per_row=_ALL, most=_ALL, out=nowhere
    )


def _search(
    given: Rows,
    given_ids: Rows,
    segment: Segment,
    index: Index,
    forms: Sequence[Form],
    *,
    nulls_equal: bool,
    per_row: int,
    most: int,
    out: Rows,
) -> int:
    """How many pairs there are; as many as ``out`` holds are written there."""
    return _fetch(
        np.ascontiguousarray(given),
        given_ids,
        segment.codes,
        segment.ids,
        segment.alive,
        index.order,
        index.low,
        index.high,
        index.null,
        np.concatenate(forms),
        np.cumsum([0, *(len(form) for form in forms)], dtype=np.int64),
        nulls_equal,
        per_row,
        most,
        out,
    )


@kernel
def _compare(a: int, op: int, b: int, nulls_equal: bool) -> bool:  # noqa: FBT001, PLR0911 -- one line per operator
    if a < 0 or b < 0:
        if not nulls_equal:
            return False
        if a < 0 and b < 0:
            return op in (EQ, LE, GE)
        return op == NE
    if op == EQ:
        return a == b
    if op == NE:
        return a != b
    if op == LT:
        return a < b
    if op == LE:
        return a <= b
    if op == GT:
        return a > b
    return a >= b


@kernel
def _possible(a: int, op: int, low: int, high: int, null: bool, nulls_equal: bool) -> bool:  # noqa: FBT001, PLR0911 -- one line per operator
    """Whether ``a op b`` may hold for some b within the bounds (``high`` −1: no value but null)."""
    if a < 0:
        if not nulls_equal:
            return False
        if op == NE:
            return high >= 0
        return null and op in (EQ, LE, GE)
    if op == EQ:
        return low <= a <= high
    if op == NE:
        return (null and nulls_equal) or (high >= 0 and not (low == a and high == a))
    if op == LT:
        return high > a
    if op == LE:
        return high >= a
    if op == GT:
        return low < a
    return low <= a


@kernel
def _enters(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    given: Rows,
    i: int,
    node: int,
    low: Rows,
    high: Rows,
    null: Flags,
    form: Form,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
) -> bool:
    for k in range(form.shape[0]):
        if form[k, 0] == BETWEEN:
            c = form[k, 3]
            a = given[form[k, 1], i]
            if not _possible(a, form[k, 2], low[node, c], high[node, c], null[node, c], nulls_equal):
                return False
    return True


@kernel
def _admits(given: Rows, i: int, form: Form, nulls_equal: bool) -> bool:  # noqa: FBT001 -- kernels take no keyword arguments
    for k in range(form.shape[0]):
        if form[k, 0] == GIVEN and not _compare(given[form[k, 1], i], form[k, 2], given[form[k, 3], i], nulls_equal):
            return False
    return True


@kernel
def _matches(given: Rows, i: int, codes: Rows, row: int, form: Form, nulls_equal: bool) -> bool:  # noqa: FBT001 -- kernels take no keyword arguments
    for k in range(form.shape[0]):
        if form[k, 0] != GIVEN:
            a = given[form[k, 1], i] if form[k, 0] == BETWEEN else codes[form[k, 1], row]
            if not _compare(a, form[k, 2], codes[form[k, 3], row], nulls_equal):
                return False
    return True


@kernel
def _fetch(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    given: Rows,
    given_ids: Rows,
    codes: Rows,
    ids: Rows,
    alive: Flags,
    order: NDArray[np.int32],
    low: Rows,
    high: Rows,
    null: Flags,
    flat: Form,
    bounds: NDArray[np.int64],
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    per_row: int,
    most: int,
    out: Rows,
) -> int:
    leaves = low.shape[0] // 2
    stack = np.empty(128, np.int64)
    used = 0
    for f in range(bounds.size - 1):
        form = flat[bounds[f] : bounds[f + 1]]
        start = used
        for i in range(given.shape[1]):
            if used - start >= most:
                break
            if not _admits(given, i, form, nulls_equal):
                continue
            stop = min(used + per_row, start + most)
            stack[0] = 1
            depth = 1
            while depth and used < stop:
                depth -= 1
                node = stack[depth]
                if not _enters(given, i, node, low, high, null, form, nulls_equal):
                    continue
                if node < leaves:
                    stack[depth] = 2 * node + 1
                    stack[depth + 1] = 2 * node
                    depth += 2
                    continue
                first = (node - leaves) * LEAF
                for place in range(first, min(first + LEAF, order.size)):
                    row = order[place]
                    if used == stop or not alive[row] or ids[row] == given_ids[i]:
                        continue
                    if _matches(given, i, codes, row, form, nulls_equal):
                        if used < out.shape[0]:
                            out[used, 0] = f
                            out[used, 1] = i
                            out[used, 2] = row
                        used += 1
    return used
