"""What has tested constraints between rows: rows that came again, and neighbouring rows.

By chance a dependency or an order between rows would have broken in very many pairs, if its columns were
independent. They are not: most rows of a firm have its state, and rising values are above all of the days before. A
dependency is tested by rows that came for a left side that had come before. An order between rows is tested by
neighbours: rows next to each other in one column, by their distance in the other.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.margins import Numbers
from profiling_core.model.constraint import Constraint
from profiling_core.model.predicate import Operator, Predicate

_RISING = (Operator.LT, Operator.LE)
_FALLING = (Operator.GT, Operator.GE)


class Trials(NamedTuple):
    """How often a dependency was tested so far, how often now, and whether it has several values on the right."""

    before: int
    now: int
    maps: bool

    @property
    def chance(self) -> float:
        """The chance that a present test breaks it, if none did so far and any share of breaks is equally likely."""
        return self.now / ((self.before + 1) * (self.before + 2))


def tried_by(known: pa.Table, come: pa.Table, left: tuple[str, ...], right: str) -> Trials:
    """The tests of a dependency: rows that came for values of ``left`` that another row had before.

    If all of these have one value of ``right``, each value on the left counts as one test.
    """
    before, after = (_again(rows, left, right) for rows in (known, pa.concat_tables([known, come])))
    values = {value for listed in before[f"{right}_distinct"].to_pylist() for value in listed[:2]}
    if len(values) < 2:
        return Trials(len(before), 1, maps=False)
    counts = [int(pc.sum(pc.subtract(rows[f"{right}_count"], 1)).as_py() or 0) for rows in (before, after)]
    return Trials(counts[0], max(1, counts[1] - counts[0]), maps=True)


def _again(rows: pa.Table, left: tuple[str, ...], right: str) -> pa.Table:
    """The values of ``left`` that several rows have, with the number and the set of their values in ``right``."""
    counted = rows.drop_null().group_by(list(left)).aggregate([(right, "count"), (right, "distinct")])
    return counted.filter(pc.greater(counted[f"{right}_count"], 1))


def rows_contradicted(known: pa.Table, come: pa.Table, left: tuple[str, ...], right: str) -> int:
    """The most earlier rows of a value of ``left`` that, with the new rows, has several values in ``right``."""
    known, come = known.drop_null(), come.drop_null()
    keys = list(left)
    values = pa.concat_tables([known, come]).group_by(keys).aggregate([(right, "count_distinct")])
    several = values.filter(pc.greater(values[f"{right}_count_distinct"], 1)).select(keys)
    theirs = known.group_by(keys).aggregate([(right, "count")]).join(several, keys, join_type="left semi")
    most: int = pc.max(theirs[f"{right}_count"]).as_py() or 0
    return most


class PairOrder(NamedTuple):
    """An order between rows that agree on ``group``: a greater value in ``first`` means a greater one in ``second``.

    ``falls``: it means a smaller one. ``strict``: equal values in ``second`` violate it, too.
    """

    group: tuple[str, ...]
    first: str
    second: str
    falls: bool
    strict: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """All of its columns."""
        return (*self.group, self.first, self.second)


def pair_orders(constraint: Constraint) -> list[PairOrder]:
    """A constraint read as an order between rows, from either of its columns; empty for other constraints."""
    denied = constraint.denied
    if not all(p.is_same_column for p in denied):
        return []
    ordered = [p for p in denied if p.op in (*_RISING, *_FALLING)]
    group = tuple(p.left.column for p in denied if p.op is Operator.EQ)
    if len(ordered) != 2 or len(ordered) + len(group) != len(denied):
        return []
    falls = (ordered[0].op in _RISING) == (ordered[1].op in _RISING)
    return [_read(group, first, second, falls=falls) for first, second in (ordered, ordered[::-1])]


def _read(group: tuple[str, ...], first: Predicate, second: Predicate, *, falls: bool) -> PairOrder:
    strict = second.op in (Operator.LE, Operator.GE)
    return PairOrder(group, first.left.column, second.left.column, falls, strict)


class Neighbours(NamedTuple):
    """n rows: codes of the columns they have to agree on, int64[n], and two columns of numbers, float64[n]."""

    group: NDArray[np.int64]
    first: Numbers
    second: Numbers


def margins(rows: Neighbours) -> Numbers:
    """How far rows are above their next ones in the second column, negative if they are in order: float64[m].

    Neighbours are, among rows that agree on the group, all rows with a value of the first column and all rows with the
    next
    greater one. The greatest second value of the former counts, and the least of the latter.
    """
    order = np.lexsort((rows.second, rows.first, rows.group))
    group, first, second = (values[order] for values in rows)
    if not len(order):
        return np.empty(0, np.float64)
    new = np.flatnonzero(np.concatenate([[True], (group[1:] != group[:-1]) | (first[1:] != first[:-1])]))
    least, greatest = second[new], second[np.concatenate([new[1:], [len(order)]]) - 1]
    beside = group[new[1:]] == group[new[:-1]]
    return np.asarray((greatest[:-1] - least[1:])[beside], np.float64)
