"""What the predicates of a denial constraint ask of a left row and a right row, in the terms that refiners work in.

Filters speak of one row; equalities, ≠ and inequalities of two. Nulls are settled here. Under ``nulls: sql`` a row with
a null in a predicate's column satisfies nothing. Under ``nulls: equal``, = and ≠ compare the code of null like any
other, < and > need two values, and ≤ and ≥ hold between rows that are both null or both not: one more equality.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.cluster_pairs import LESS, UNEQUAL
from profiling_core.algorithms.denial.checking.partition import Partition, Points, Rows
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.values.encoding import NULL
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.types import NullSemantics

_STRICT = (Operator.LT, Operator.GT)
_WEAK = (Operator.LE, Operator.GE)
Comparison = tuple[int, Operator, int]


def holds(left: Codes, op: Operator, right: Codes, nulls: NullSemantics) -> NDArray[np.bool_]:
    """Whether ``left op right``, code by code."""
    compare = {
        Operator.EQ: np.equal,
        Operator.NE: np.not_equal,
        Operator.LT: np.less,
        Operator.LE: np.less_equal,
        Operator.GT: np.greater,
        Operator.GE: np.greater_equal,
    }[op]
    found: NDArray[np.bool_] = np.asarray(compare(left, right))
    if nulls is NullSemantics.SQL or op in _STRICT:
        found &= (left != NULL) & (right != NULL)
        return found
    if op in _WEAK:
        found &= (left == NULL) == (right == NULL)
    return found


@dataclass(frozen=True, slots=True)
class PairForm:
    """A constraint's predicates as comparisons of column numbers.

    ``of_left`` and ``of_right`` compare two columns of one row; ``between`` one of the left row with
    one of the right row.
    """

    of_left: tuple[Comparison, ...]
    of_right: tuple[Comparison, ...]
    between: tuple[Comparison, ...]
    nulls: NullSemantics

    @classmethod
    def of(cls, predicates: Sequence[Predicate], columns: Sequence[str], nulls: NullSemantics) -> "PairForm":
        """The form in which the left row is t and the right row s."""
        number = {name: i for i, name in enumerate(columns)}
        parts: dict[str, list[Comparison]] = {"tt": [], "ss": [], "ts": []}
        for p in predicates:
            left, op, right = (
                (p.left, p.op, p.right) if p.left.tuple <= p.right.tuple else (p.right, p.op.flipped, p.left)
            )
            if (left.tuple, right.tuple) == ("s", "t"):
                left, op, right = right, op.flipped, left
            parts[left.tuple + right.tuple].append((number[left.column], op, number[right.column]))
        return cls(tuple(parts["tt"]), tuple(parts["ss"]), tuple(parts["ts"]), nulls)

    @property
    def swapped(self) -> "PairForm":
        """The form with the rows exchanged."""
        between = tuple((b, op.flipped, a) for a, op, b in self.between)
        return PairForm(self.of_right, self.of_left, between, self.nulls)

    @property
    def equal(self) -> tuple[tuple[int, int], ...]:
        """The columns that must be equal, left and right."""
        return tuple((a, b) for a, op, b in self.between if op is Operator.EQ)

    @property
    def unequal(self) -> tuple[tuple[int, int], ...]:
        """The columns that must differ, left and right."""
        return tuple((a, b) for a, op, b in self.between if op is Operator.NE)

    @property
    def ordered(self) -> tuple[Comparison, ...]:
        """The comparisons by order."""
        return tuple(c for c in self.between if c[1] in _STRICT or c[1] in _WEAK)

    def candidates(self, codes: Codes, rows: Rows, *, right: bool) -> NDArray[np.bool_]:
        """Which of the rows pass the filters of one side and have no null that satisfies nothing."""
        keep = np.ones(len(rows), np.bool_)
        for a, op, b in self.of_right if right else self.of_left:
            keep &= holds(codes[a][rows], op, codes[b][rows], self.nulls)
        for a, op, b in self.between:
            if self.nulls is NullSemantics.SQL or op in _STRICT:
                keep &= codes[b if right else a][rows] != NULL
        return keep

    def within(self, partition: Partition, left: Codes, right: Codes, *, same_rows: bool) -> Partition:
        """The pairs of a partition that pass the filters, and where nulls are told from values by ≤ and ≥."""
        found = partition.filtered(
            self.candidates(left, partition.left, right=False), self.candidates(right, partition.right, right=True)
        )
        if self.nulls is NullSemantics.SQL:
            return found
        for a, op, b in self.ordered:
            if op in _WEAK and ((left[a] == NULL).any() or (right[b] == NULL).any()):
                flags = (left[a] == NULL).astype(np.int32), (right[b] == NULL).astype(np.int32)
                found = found.equated(*flags, same_rows=same_rows)
        return found

    def with_itself(self, codes: Codes) -> NDArray[np.bool_]:
        """Per row, whether it satisfies everything together with itself."""
        found = np.ones(codes.shape[1], np.bool_)
        for a, op, b in (*self.of_left, *self.of_right, *self.between):
            found &= holds(codes[a], op, codes[b], self.nulls)
        return found

    def points(self, codes: Codes, rows: Rows, unequal: Sequence[tuple[int, int]], *, right: bool) -> Points:
        """One side's values per dimension (first the comparisons by order, then ``unequal``) and row positions.

        Every order becomes x < y: ≤ by adding one to y, > and ≥ by the sign.
        """
        points = np.empty((len(rows), len(self.ordered) + len(unequal) + 1), np.int32)
        for d, (a, op, b) in enumerate(self.ordered):
            values = codes[b if right else a][rows]
            points[:, d] = -values if op in {Operator.GT, Operator.GE} else values
            if right and op in _WEAK:
                points[:, d] += 1
        for d, pair in enumerate(unequal, len(self.ordered)):
            points[:, d] = codes[pair[right]][rows]
        points[:, -1] = rows
        return points

    def kinds(self, unequal: Sequence[tuple[int, int]]) -> NDArray[np.int8]:
        """The comparison of each dimension of :meth:`points`."""
        return np.array([LESS] * len(self.ordered) + [UNEQUAL] * len(unequal), np.int8)
