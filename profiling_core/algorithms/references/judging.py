"""Rules along references: the rows that they judge, and the rows that violate them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.conditions import judging as conditions
from profiling_core.algorithms.conditions.judging import has_one_of, there
from profiling_core.algorithms.equations import judging as equations
from profiling_core.algorithms.equations.comparing import compared, compared_numbers
from profiling_core.algorithms.equations.judging import Judged, judge_numbers
from profiling_core.algorithms.equations.numbers import MOST_INT64, Numbers, numbers_of
from profiling_core.algorithms.references.joining import Keys, Positions, Sides, keys, pairs
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import OF_PARENT, Aggregate, Beside, BesideRow, ConditionalBeside, Summary
from profiling_core.model.predicate import Operator


def judge(rule: ReferenceRule, sides: Sides, joined: Keys | None = None) -> Judged:
    """Judges the pairs of children and parents (for a rule beside the parent), or the parents."""
    joined = joined or keys(sides, rule.child.columns, rule.parent.columns)
    if isinstance(rule.relation, Summary):
        return judge_parents(rule.relation, sides, joined)
    return judge_pairs(rule.relation, sides, pairs(joined))


def judge_pairs(relation: BesideRow, sides: Sides, joined: tuple[Positions, Positions]) -> Judged:
    """Judges pairs of rows, given by their positions."""
    if not isinstance(relation, Beside):
        rows = side_by_side(sides, joined, (relation.columns, relation.others))
        if isinstance(relation, ConditionalBeside):
            return conditions.judge(relation.rule, rows)
        return equations.judge(Equation("", relation.column, relation.value, relation.precision), rows)
    child, parent = (pa.array(positions) for positions in joined)
    left, right = sides.child[relation.column].take(child), sides.parent[relation.other].take(parent)
    left, right = (c.cast(pa.date32()) if day else c for c, day in zip((left, right), relation.by_day, strict=True))
    return compared(left, Operator(relation.op), right)


def side_by_side(
    sides: Sides, joined: tuple[Positions, Positions], columns: tuple[Sequence[str], Sequence[str]]
) -> pa.Table:
    """Pairs of rows as one row each, with columns of both sides; the parent's have the names that expressions use."""
    (child, parent), (own, others) = joined, columns
    left = sides.child.select(list(own)).take(pa.array(child))
    right = sides.parent.select(list(others)).take(pa.array(parent))
    return pa.table([*right.columns, *left.columns], names=[*(OF_PARENT + name for name in others), *own])


def judge_parents(relation: Summary, sides: Sides, joined: Keys) -> Judged:
    """Judges parents by a figure of their children; a date by the day of their first or last moment."""
    target, child = sides.parent[relation.column], sides.child
    if pa.types.is_date32(target.type) and relation.other and pa.types.is_timestamp(child[relation.other].type):
        place = child.column_names.index(relation.other)
        child = child.set_column(place, relation.other, child[relation.other].cast(pa.date32()))
    target, found = numbers_of(target), summarised(relation, child, joined)
    if relation.aggregate in (Aggregate.SUM, Aggregate.COUNT):
        return judge_numbers(Linear((("1", ""),)), target, {"": found}, relation.precision)
    return compared_numbers(target, Operator.EQ, found)


def summarised(relation: Summary, child: pa.Table, joined: Keys) -> Numbers:
    """A figure of the children of each parent: a count, a sum, the least, the greatest or the last value."""
    known = joined.child >= 0
    if relation.other:
        known = known & there(child[relation.other])
    if relation.among:
        known = known & has_one_of(child[relation.among], relation.values)
    size = int(max(joined.child.max(initial=-1), joined.parent.max(initial=-1))) + 2  # one for no value
    group = joined.child[known]
    counts = np.bincount(group, minlength=size)
    has = (joined.parent >= 0) & (counts[joined.parent] > 0)
    if relation.aggregate == Aggregate.COUNT:
        return Numbers(np.where(has, counts[joined.parent], 0), 0, np.ones(len(has), np.bool_))
    numbers = numbers_of(child[relation.other]).at(known)
    make = (
        _sums if relation.aggregate == Aggregate.SUM else _greatest if relation.aggregate == Aggregate.LAST else _least
    )
    made = make(numbers, group, size)[joined.parent]
    made[~has] = 0
    return Numbers(made, numbers.scale, has)


def _sums(numbers: Numbers, group: Positions, size: int) -> NDArray[Any]:
    if not numbers.exact:
        return np.bincount(group, weights=numbers.values, minlength=size)
    wide = numbers.values.dtype == object or numbers.largest * max(1, len(group)) >= MOST_INT64
    found = np.zeros(size, object if wide else np.int64)
    np.add.at(found, group, numbers.values.astype(found.dtype))
    return found


def _greatest(numbers: Numbers, group: Positions, size: int) -> NDArray[Any]:
    return _last(numbers, group, size, range(len(group)))


def _least(numbers: Numbers, group: Positions, size: int) -> NDArray[Any]:
    return _last(numbers, group, size, range(len(group) - 1, -1, -1))


def _last(numbers: Numbers, group: Positions, size: int, ranks: range) -> NDArray[Any]:
    """Each group's value that comes last where ranks are by rising values; 0 where it has none."""
    order = np.argsort(numbers.values, kind="stable")[np.array(ranks, np.int64)]
    found = np.zeros(size, numbers.values.dtype)
    found[group[order]] = numbers.values[order]  # several rows of a group assign to one place: the last stays
    return found
