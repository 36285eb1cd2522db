"""Checking a given denial constraint: how many pairs violate it, which rows are involved, and some of the pairs.

No list of all pairs is ever made: equalities group the rows, ≠ counts as all pairs less the equal ones (inclusion and
exclusion), and orders are counted by divide and conquer (:mod:`cluster_pairs`). So n rows take about n · log n steps,
and one more logarithm per further order. The two sides may be two sets of rows, as when a delta meets a table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.cluster_pairs import ComparedSides, counting, sampling, satisfying_pairs
from profiling_core.algorithms.denial.checking.pair_forms import PairForm
from profiling_core.algorithms.denial.checking.partition import Partition, Rows
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.types import NullSemantics

# Each further ≠ predicate is a dimension of the search, since inclusion and exclusion doubles with every one.
_EXCLUDED = 4
# Sampled pairs of one cluster pair, so that a sample does not come from one alone.
_EACH = 2


@dataclass(frozen=True, slots=True, eq=False)
class PairCheck:
    """The violations of a constraint between two sets of rows, t of the left and s of the right one.

    ``pairs`` counts violating ordered pairs (for a single-row constraint, violating left rows); ``left_rows`` bool[n]
    and ``right_rows`` bool[m] are the rows in at least one; ``sample`` int64[k, 2] holds some as (t, s) positions.
    """

    pairs: int
    left_rows: NDArray[np.bool_]
    right_rows: NDArray[np.bool_]
    sample: Rows


def check(rows: Encoded, constraint: DenialConstraint, nulls: NullSemantics, *, sample: int = 0) -> PairCheck:
    """Check a constraint among the rows of one table; ``sample`` bounds the number of pairs given."""
    return check_between(rows, rows, constraint, nulls, same_rows=True, sample=sample)


def check_between(
    left: Encoded,
    right: Encoded,
    constraint: DenialConstraint,
    nulls: NullSemantics,
    *,
    same_rows: bool = False,
    sample: int = 0,
) -> PairCheck:
    """Check the pairs of row t from the left and row s from the right.

    Args:
        left: rows encoded together with ``right``.
        right: the rows to compare with.
        constraint: the constraint; its columns must be encoded.
        nulls: the null semantics of its predicates.
        same_rows: whether both sides are the same rows, so that a row is not compared with itself.
        sample: the number of pairs to give at most.
    """
    form = PairForm.of(constraint.predicates, left.columns, nulls)
    if constraint.is_single_row:
        found = form.with_itself(left.codes)
        rows = np.flatnonzero(found)
        return PairCheck(len(rows), found, np.zeros(right.rows, np.bool_), np.column_stack([rows, rows])[:sample])
    of_left, of_right = np.zeros(left.rows + 1, np.int64), np.zeros(right.rows + 1, np.int64)
    for excluded, sign in _inclusions(len(form.unequal)):
        equal = [form.unequal[i] for i in excluded]
        _count(form, left, right, equal, sign, of_left, of_right)
    of_left, of_right = of_left[:-1], of_right[:-1]
    if same_rows:
        itself = form.with_itself(left.codes)
        of_left -= itself
        of_right -= itself
    pairs = sampled(form, left, right, same_rows=same_rows, limit=sample) if sample and of_left.any() else _NO_PAIRS
    return PairCheck(int(of_left.sum()), of_left > 0, of_right > 0, pairs)


_NO_PAIRS = np.empty((0, 2), np.int64)


def _inclusions(unequal: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Which ≠ predicates to turn into equalities, and the sign of what is then counted."""
    for size in range(min(unequal, _EXCLUDED) + 1):
        for chosen in combinations(range(min(unequal, _EXCLUDED)), size):
            yield chosen, (-1) ** size


def partition_of(
    form: PairForm, left: Encoded, right: Encoded, equal: Sequence[tuple[int, int]], *, same_rows: bool
) -> Partition:
    """The pairs that agree on the form's equalities and on ``equal``, and pass its filters."""
    whole = Partition.whole(left.rows, right.rows)
    partition = form.within(whole, left.codes, right.codes, same_rows=same_rows)
    for a, b in (*form.equal, *equal):
        own = left.codes[a]
        other = own if left is right and a == b else right.codes[b]
        partition = partition.equated(own, other, same_rows=same_rows)
    return partition


def _count(
    form: PairForm,
    left: Encoded,
    right: Encoded,
    equal: Sequence[tuple[int, int]],
    sign: int,
    of_left: Rows,
    of_right: Rows,
) -> None:
    partition = partition_of(form, left, right, equal, same_rows=False)
    searched = form.unequal[_EXCLUDED:]
    sides = _sides(form, partition, left, right, searched)
    satisfying_pairs(sides, partition.groups, counting(of_left, of_right, sign))


def _sides(
    form: PairForm,
    partition: Partition,
    left: Encoded,
    right: Encoded,
    unequal: Sequence[tuple[int, int]],
    *,
    same_rows: bool = False,
) -> ComparedSides:
    return ComparedSides(
        form.points(left.codes, partition.left, unequal, right=False),
        form.points(right.codes, partition.right, unequal, right=True),
        form.kinds(unequal),
        same_rows,
    )


def sampled(form: PairForm, left: Encoded, right: Encoded, *, same_rows: bool, limit: int) -> Rows:
    """Up to ``limit`` pairs that satisfy the form, at least one if there is any; int64[k, 2]."""
    return sampled_from(
        partition_of(form, left, right, [], same_rows=same_rows), form, left, right, same_rows=same_rows, limit=limit
    )


def sampled_from(
    partition: Partition, form: PairForm, left: Encoded, right: Encoded, *, same_rows: bool, limit: int
) -> Rows:
    """The same within a partition by the form's equalities."""
    found = sampling(limit, _EACH)
    sides = _sides(form, partition, left, right, form.unequal, same_rows=same_rows)
    satisfying_pairs(sides, partition.groups, found)
    return found.out[: int(found.written[0])]
