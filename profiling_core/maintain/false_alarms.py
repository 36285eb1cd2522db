"""Breaks that are no news: nothing but chance has kept the rows so far (docs/breaks.md).

All constraints that a dataset follows share one budget of false alarms, in equal parts. How likely each is to be broken
by accident follows from what has put it to the test: rows that came again, neighbours, the nearest numbers, values
that were computed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.conditions.judging import condition_columns, meeting
from profiling_core.algorithms.conditions.row_orders import order_asked
from profiling_core.algorithms.row_rules import judge
from profiling_core.algorithms.rules.draws import may_be_drawn
from profiling_core.algorithms.rules.neighbours import (
    Neighbours,
    PairOrder,
    margins,
    pair_orders,
    rows_contradicted,
    tried_by,
)
from profiling_core.algorithms.rules.order_names import is_named_so
from profiling_core.algorithms.rules.reach import is_within_reach
from profiling_core.algorithms.values.encoding import shared_codes
from profiling_core.algorithms.values.margins import LowsAndHighs, Numbers, goes_far, is_by_chance, is_kept
from profiling_core.model.alert_budget import AlertBudget
from profiling_core.model.constraint import Constraint
from profiling_core.model.kinds.equation import equation_of
from profiling_core.model.predicate import Operator
from profiling_core.model.types import TypeClass
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import Rows

# Rows about one thing from which on they settle what it is like.
_OFTEN = 5
# The share of the other columns in which rows of one thing agree; a row that came twice agrees in all.
_ALIKE = 0.5
# Rows that are looked at first, and at most. A break that these do not explain is news.
FIRST_ROWS, _MOST_ROWS = 20_000, 200_000


def one_in(followed: Iterable[Constraint], budget: AlertBudget) -> float:
    """In how many deltas one may break a constraint by accident: its part of the dataset's budget.

    Args:
        followed: what is followed of its table; those that are asked share the table's part.
        budget: how many false alarms there may be.
    """
    return budget.rules_once_in * max(1, sum(_judge_of(constraint) is not None for constraint in followed))


class Tested(NamedTuple):
    """The rows so far and the new ones that break a constraint; one delta in ``once_in`` may do so by accident."""

    known: Rows
    come: Rows
    once_in: float


def breaks_by_chance(rows: RowDelta, constraint: Constraint, once_in: float) -> bool:
    """Whether a delta's break of a constraint is no news.

    Asked are how far numbers and lengths go, dependencies, equations, keys of one column, orders between rows, and
    orders of two numbers of a row. Moments and dates of a row follow each other for a reason, and so do columns that
    are named so, a least and a greatest one.

    Args:
        rows: the delta that broke it.
        constraint: what it broke, of any kind.
        once_in: one delta in this number may break it by accident.
    """
    if rows.staying is None:
        return False
    judge = _judge_of(constraint)
    return judge is not None and judge(Tested(rows.staying, rows.coming, once_in), constraint)


def _is_hardly_further(tested: Tested, constraint: Constraint) -> bool:
    """Whether numbers beyond all so far are no further away than these let one expect."""
    limits, schema = constraint.limits, tested.known.schema
    if limits is None:
        return False
    kind = schema.column(limits.column).type
    if kind.type_class is TypeClass.TEMPORAL:
        return False
    before = tested.known.first(FIRST_ROWS, [column.name for column in schema.profiled])
    return is_within_reach(limits, kind, before, tested.come.read([limits.column]), tested.once_in)


def _is_hardly_tested(tested: Tested, dependency: Constraint) -> bool:
    """Whether few rows came for a value of the left side that had come before, and few for those that break it now.

    Most firms are in a list once, and one that comes for the third time may be in another state. What is one value for
    all that came again maps nothing: then things are counted, and not their rows.
    """
    left, (right,) = dependency.determinant, dependency.telling
    sides = [*left, right]
    new = tested.come.read(sides)
    for so_far, whole in _more_and_more(tested.known, sides):
        trials = tried_by(so_far, new, left, right)
        if trials.chance * tested.once_in <= 1:
            return False
        if whole:
            return not trials.maps or rows_contradicted(so_far, new, left, right) < _OFTEN
    return False


def _is_hardly_computed(tested: Tested, constraint: Constraint) -> bool:
    """Whether an equation may be an accident of few different values.

    The first combinations are those that its constants may have been fitted to. Of all others each would have another
    of the column's values but once in as many as it has.
    """
    asked = equation_of(constraint)
    if asked is None:
        return False
    own = list(asked.columns)
    for some, whole in _more_and_more(tested.known, own):
        rows = some.drop_null()
        obeying = rows.filter(pa.array(~judge(asked, rows).violating)).group_by(own).aggregate([])
        values = pc.count_distinct(obeying[asked.column]).as_py()
        if values > 1 and (len(obeying) - len(own)) * log(values) >= log(tested.once_in):
            return False
        if whole:
            return True
    return False


def _more_and_more(known: Rows, columns: Sequence[str]) -> Iterator[tuple[pa.Table, bool]]:
    """Some of the rows so far, and whether they are all; first those that a small table has."""
    for most in (FIRST_ROWS, _MOST_ROWS):
        some = known.first(most, columns)
        whole = len(some) < most
        yield some, whole
        if whole:
            return


def _happens_to_differ(tested: Tested, key: Constraint) -> bool:
    """Whether the values of a key are as if drawn, and the rows that have one together are not the same otherwise."""
    (name,), names = key.columns, tested.known.schema.names
    column, new = tested.known.first(_MOST_ROWS, [name])[name], tested.come.read(names)
    if len(column) == _MOST_ROWS or not may_be_drawn(column, new[name], tested.once_in):
        return False
    rows = pa.concat_tables([*tested.known.agreeing(new.select([name]), names), new.select(names)])
    others = [other for other in names if other != name]
    told = rows.group_by([name]).aggregate([([], "count_all"), *((other, "count_distinct") for other in others)])
    told = told.filter(pc.greater(told["count_all"], 1))
    alike = sum(pc.mean(pc.equal(told[f"{other}_count_distinct"], 1)).as_py() or 0.0 for other in others)
    return bool(alike <= _ALIKE * len(others))


def _are_kept_by_nothing(tested: Tested, constraint: Constraint) -> bool:
    """Whether an order between rows, read from either of its columns, has held because nothing was near it."""
    return all(_is_kept_by_nothing(tested, order) for order in pair_orders(constraint))


def _is_kept_by_nothing(tested: Tested, order: PairOrder) -> bool:
    """Whether neighbours are as they would be, were there no order, and none of a delta's rows is far beyond it.

    That two rows have the same measured number is an accident, and so is an order among those that do.
    """
    if any(pa.types.is_floating(kind) for kind in tested.come.arrow(order.group).types):
        return True
    kinds = tested.come.arrow((order.first, order.second)).types
    if not all(_is_number(kind) or pa.types.is_temporal(kind) for kind in kinds):
        return False
    of_numbers = _is_number(kinds[1])
    before, after = tested.known.first(_MOST_ROWS, order.columns), tested.come.read(order.columns)
    so_far = margins(_neighbours(before, order))
    so_far = so_far[so_far <= 0]  # of rows that broke it before nothing is learnt
    # what comes day by day is at the least step from the day before, whoever sees to it
    if (of_numbers or not order.strict) and is_kept(so_far, strict=order.strict, once_in=tested.once_in):
        return False
    every = margins(_neighbours(pa.concat_tables([before, after]), order))
    return not (of_numbers and goes_far(so_far, np.sort(every)[-len(after) :], tested.once_in))


def _is_no_order(tested: Tested, constraint: Constraint) -> bool:
    """Whether an order of two numbers of a row has held because nothing was near it."""
    order, come = order_asked(constraint), tested.come
    if order is None or is_named_so(order.low, order.high, come.schema.names):
        return False
    if not all(_is_number(kind) for kind in come.arrow(order[:2]).types):
        return False
    before, after = (pairs_of(_where(some, constraint, order[:2])) for some in (tested.known, come))
    return is_by_chance(before, after, strict=order.strict, once_in=tested.once_in)


def _is_computed(constraint: Constraint) -> bool:
    """Whether it has a column computed from others."""
    asked = equation_of(constraint)
    return asked is not None and bool(asked.value.columns)


def _is_key_of_one(constraint: Constraint) -> bool:
    """Whether it is that no two rows have the same value of one column."""
    return [(p.op, p.is_same_column) for p in constraint.denied] == [(Operator.EQ, True)]


# Which judge asks about which form of constraint. No judge asks about the others, and their breaks are news.
_JUDGES: tuple[tuple[Callable[[Constraint], object], Callable[[Tested, Constraint], bool]], ...] = (
    (lambda constraint: constraint.limits, _is_hardly_further),
    (lambda constraint: constraint.determinant, _is_hardly_tested),
    (_is_computed, _is_hardly_computed),
    (_is_key_of_one, _happens_to_differ),
    (pair_orders, _are_kept_by_nothing),
    (order_asked, _is_no_order),
)


def _judge_of(constraint: Constraint) -> Callable[[Tested, Constraint], bool] | None:
    return next((judge for asks, judge in _JUDGES if asks(constraint)), None)


def _neighbours(rows: pa.Table, order: PairOrder) -> Neighbours:
    """Rows that have all of an order's columns, the second one rising with the first."""
    rows = rows.drop_null()
    group = np.zeros(len(rows), np.int64)
    for name in order.group:
        (codes,) = shared_codes([rows[name]], ordered=False)
        _, group = np.unique(group * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    first, second = (_doubles(rows[name]) for name in (order.first, order.second))
    there = np.isfinite(first) & np.isfinite(second)
    return Neighbours(group[there], first[there], (-second if order.falls else second)[there])


def _where(rows: Rows, constraint: Constraint, columns: tuple[str, ...]) -> pa.Table:
    """Some columns of the rows that a constraint speaks of."""
    wanted = list(dict.fromkeys((*condition_columns(constraint), *columns)))
    return meeting(rows.read(wanted), constraint).select(list(columns))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def pairs_of(rows: pa.Table) -> LowsAndHighs:
    """The two columns in rows that have both."""
    low, high = (_doubles(values) for values in rows)
    both = np.isfinite(low) & np.isfinite(high)
    return LowsAndHighs(low[both], high[both])


def _doubles(column: pa.ChunkedArray) -> Numbers:
    """Numbers, or moments by when they are, as doubles; NaN where there is none."""
    if pa.types.is_temporal(column.type):
        whole = pa.int32() if pa.types.is_date32(column.type) else pa.int64()
        column = column.cast(whole)
    return np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(), np.float64)
