"""Which rows are to blame for the violations of a constraint among them: the fewest that account for all.

One wrong row among many right ones contradicts all of them, so that all are in a violation. The fewest rows that every
violating pair has one of (a vertex cover) are found greedily, the row that contradicts most first (Chvátal, A greedy
heuristic for the set-covering problem, Mathematics of Operations Research 1979): by what a minimal repair of a table
deletes (Chomicki and Marcinkowski, Minimal-change integrity maintenance, Information and Computation 2005).
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.violations import compiled, swapped, violates
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.types import NullSemantics

# Every pair is looked at. Of more rows all are to blame: a few rows rarely explain that many contradictions.
MOST_ROWS = 4_096


def to_blame(rows: Encoded, constraint: DenialConstraint, nulls: NullSemantics) -> NDArray[np.bool_]:
    """bool[n]: of rows that contradict each other, those without which none does.

    All of them where one is as likely as the other: two that contradict only each other, and where half would have to
    go. Of rows that contradict each other and are the same in all columns, one was meant to come: the first.

    Args:
        rows: the rows, with the columns that the constraint speaks of, or more.
        constraint: between two rows.
        nulls: the null semantics of its predicates.
    """
    if not 0 < rows.rows <= MOST_ROWS:
        return np.ones(rows.rows, np.bool_)
    forms = [compiled(form.predicates, rows.columns) for form in (constraint, swapped(constraint))]
    alike = nulls is NullSemantics.EQUAL
    copies = _copies(rows.codes, forms[0], nulls_equal=alike)
    codes = np.ascontiguousarray(rows.codes[:, ~copies])
    degrees = np.zeros(codes.shape[1], np.int64)
    _count(codes, forms[0], forms[1], alike, degrees)
    involved = degrees > 0
    blamed = np.zeros(len(degrees), np.bool_)
    _cover(codes, forms[0], forms[1], alike, degrees, blamed)
    copies[~copies] = blamed if 2 * blamed.sum() < involved.sum() else involved
    return copies


def _copies(codes: NDArray[np.int32], form: NDArray[np.int64], *, nulls_equal: bool) -> NDArray[np.bool_]:
    """bool[n]: the rows that are the same as one before them, and contradict it."""
    _, first, group = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    earlier = first[group.reshape(-1)]
    later = np.flatnonzero(earlier != np.arange(codes.shape[1]))
    found = np.zeros(codes.shape[1], np.bool_)
    for row in later.tolist():  # of the same rows each contradicts the other, or none does
        found[row] = violates(codes, codes, row, int(earlier[row]), form, nulls_equal)
    return found


@kernel
def _contradict(
    codes: NDArray[np.int32],
    i: int,
    j: int,
    form: NDArray[np.int64],
    turned: NDArray[np.int64],
    nulls_equal: bool,  # noqa: FBT001  # numba takes no keyword-only arguments
) -> bool:
    return violates(codes, codes, i, j, form, nulls_equal) or violates(codes, codes, i, j, turned, nulls_equal)


@kernel
def _count(
    codes: NDArray[np.int32],
    form: NDArray[np.int64],
    turned: NDArray[np.int64],
    nulls_equal: bool,  # noqa: FBT001  # numba takes no keyword-only arguments
    degrees: NDArray[np.int64],
) -> None:
    """Adds to ``degrees[i]`` how many other rows row i contradicts."""
    for i in range(len(degrees)):
        for j in range(i):
            if _contradict(codes, i, j, form, turned, nulls_equal):
                degrees[i] += 1
                degrees[j] += 1


@kernel
def _cover(
    codes: NDArray[np.int32],
    form: NDArray[np.int64],
    turned: NDArray[np.int64],
    nulls_equal: bool,  # noqa: FBT001  # numba takes no keyword-only arguments
    degrees: NDArray[np.int64],
    blamed: NDArray[np.bool_],
) -> None:
    """Sets ``blamed`` for the row that contradicts most, and so on without it; for both of pairs that are left."""
    while True:
        worst = int(np.argmax(degrees))
        if degrees[worst] == 0:
            return
        pairs_only = degrees[worst] == 1
        blamed[worst] = True
        degrees[worst] = 0
        for j in range(len(degrees)):
            if degrees[j] and _contradict(codes, worst, j, form, turned, nulls_equal):
                degrees[j] -= 1
                if pairs_only:
                    blamed[j] = True
