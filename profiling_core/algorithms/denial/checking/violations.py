"""The violating pairs of a given denial constraint between two sets of rows.

Used to name the rows that broke a constraint. Where one side has few rows, a scan is fastest: it leaves a pair at the
first predicate that fails, and equality predicates, which fail soonest, are tried first. Else :mod:`checking` finds the
rows without listing pairs, and only the rows that get an example are scanned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.check import check_between
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.types import NullSemantics

# For each operator, in order, whether it holds on less, equal, greater.
_SATISFIED_BY = np.array([[0, 1, 0], [1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]], np.bool_)
_OPS = {op: code for code, op in enumerate(Operator)}
# A pair costs a nanosecond or two in the scan, a row half a microsecond in the check.
SCANNED_ROWS = 256


@dataclass(frozen=True, slots=True)
class Violations:
    """``left_rows``: bool[n], the left rows in a violating pair. ``pairs``: int64[k, 2], one example per such row."""

    left_rows: NDArray[np.bool_]
    pairs: NDArray[np.int64]


def violations(
    left: Encoded,
    right: Encoded,
    constraint: DenialConstraint,
    nulls: NullSemantics,
    *,
    same_rows: bool = False,
    examples: int = 20,
) -> Violations:
    """The left rows that violate the constraint with some right row, in either role (t or s).

    Args:
        left: the rows to name, encoded together with ``right``.
        right: the rows to compare with; the same object as ``left`` when ``same_rows``.
        constraint: the constraint; its columns must be encoded.
        nulls: the null semantics of the predicates.
        same_rows: whether both sides are the same rows, so that a row is not compared with itself.
        examples: how many left rows get an example pair at most.
    """
    forms = [constraint]
    if constraint.is_single_row:
        right, same_rows = left, False
    else:
        forms.append(swapped(constraint))
    found = np.full(left.rows, -1, np.int64)
    if min(left.rows, right.rows) > SCANNED_ROWS:
        checks = [check_between(left, right, form, nulls, same_rows=same_rows) for form in forms]
        involved = np.logical_or.reduce([check.left_rows for check in checks])
        wanted = np.flatnonzero(involved)[:examples]
    else:
        wanted = np.arange(left.rows)
    for form in forms:
        codes = compiled(form.predicates, left.columns)
        _scan(left.codes, right.codes, wanted, codes, nulls is NullSemantics.EQUAL, same_rows, found)
    rows = np.flatnonzero(found >= 0)[:examples]
    if len(wanted) == left.rows:
        involved = found >= 0
    return Violations(involved, np.column_stack([rows, found[rows]]))


def swapped(constraint: DenialConstraint) -> DenialConstraint:
    """The same constraint with its two rows in each other's role."""
    turned = (Predicate(p.left.swapped, p.op, p.right.swapped) for p in constraint.predicates)
    return DenialConstraint(constraint.table, tuple(turned))


def compiled(predicates: Sequence[Predicate], columns: Sequence[str]) -> NDArray[np.int64]:
    """int64[k, 5]: left side (0: left row, 1: right row), left column, operator, right side, right column."""
    position = {name: i for i, name in enumerate(columns)}
    rows = [
        (
            int(p.left.tuple == "s"),
            position[p.left.column],
            _OPS[p.op],
            int(p.right.tuple == "s"),
            position[p.right.column],
        )
        for p in sorted(predicates, key=lambda p: p.op is not Operator.EQ)
    ]
    return np.array(rows, np.int64).reshape(len(rows), 5)


@kernel
def _holds(a: int, op: int, b: int, nulls_equal: bool) -> bool:  # noqa: FBT001  # numba takes no keyword-only arguments
    if a < 0 or b < 0:
        if not nulls_equal:
            return False
        if a < 0 and b < 0:
            return op in (0, 3, 5)
        return op == 1
    sign = 0 if a == b else (-1 if a < b else 1)
    return bool(_SATISFIED_BY[op, sign + 1])


@kernel
def violates(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    i: int,
    j: int,
    form: NDArray[np.int64],
    nulls_equal: bool,  # noqa: FBT001  # numba takes no keyword-only arguments
) -> bool:
    """Whether left row i and right row j satisfy all predicates of a compiled form."""
    for k in range(form.shape[0]):
        a = right[form[k, 1], j] if form[k, 0] else left[form[k, 1], i]
        b = right[form[k, 4], j] if form[k, 3] else left[form[k, 4], i]
        if not _holds(a, form[k, 2], b, nulls_equal):
            return False
    return True


@kernel
def _scan(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    rows: NDArray[np.int64],
    form: NDArray[np.int64],
    nulls_equal: bool,  # noqa: FBT001  # numba takes no keyword-only arguments
    same_rows: bool,  # noqa: FBT001  # numba takes no keyword-only arguments
    found: NDArray[np.int64],
) -> None:
    """Sets ``found[i]`` to the first right row that violates the form with left row i of ``rows``, where still −1."""
    for i in rows:
        if found[i] >= 0:
            continue
        for j in range(right.shape[1]):
            if same_rows and i == j:
                continue
            if violates(left, right, i, j, form, nulls_equal):
                found[i] = j
                break
