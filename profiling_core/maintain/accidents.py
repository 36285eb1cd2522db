"""Breaks that are no news: nothing but chance has kept the rows so far (docs/semantics.md, "Changes").

All constraints that a dataset follows share one budget of false alarms, in equal parts. How likely each is to be broken
by accident follows from what has put it to the test: rows that came again, neighbours, the nearest numbers, values
that were computed.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.conditions.judging import condition_columns, meeting
from profiling_core.algorithms.conditions.row_orders import RowOrder, order_asked
from profiling_core.algorithms.conditions.row_rules import judge
from profiling_core.algorithms.rules.margins import LowsAndHighs, Numbers, goes_far, is_by_chance, is_kept
from profiling_core.algorithms.rules.neighbours import (
    Neighbours,
    PairOrder,
    margins,
    pair_orders,
    rows_contradicted,
    tried_by,
)
from profiling_core.algorithms.rules.orders import is_named_so
from profiling_core.algorithms.rules.reach import is_within_reach
from profiling_core.algorithms.values.encoding import shared_codes
from profiling_core.model.constraint import Constraint, Equation
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.constraint import Limits
from profiling_core.model.types import TypeClass
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import Rows

# One break by accident in so many deltas, of all constraints of all tables together.
ONE_IN = 100
# What so many rows have said of one thing is so of that.
_OFTEN = 5
# So many rows are looked at first, and at most: what a large table's do not tell by then is news.
_FIRST_ROWS, _MOST_ROWS = 20_000, 200_000


def one_in(followed: int, tables: int) -> float:
    """The deltas of which one may break one constraint by accident: its part of the dataset's budget.

    Args:
        followed: how many constraints of its table are followed.
        tables: how many tables the dataset has.
    """
    return float(ONE_IN * max(1, followed) * max(1, tables))


def breaks_by_chance(rows: RowDelta, constraint: Constraint, once_in: float) -> bool:
    """Whether a delta's break of a constraint is no news.

    Asked are how far numbers and lengths go, dependencies, equations, orders between rows, and orders of two numbers
    of a row. Moments and dates of a row follow each other for a reason, and so do columns that are named so, a least
    and a greatest one.

    Args:
        rows: the delta that broke it.
        constraint: what it broke, of any kind.
        once_in: the deltas of which one may break it by accident.
    """
    known, come = rows.staying, rows.coming
    if known is None:
        return False
    if limits := constraint.limits:
        return _is_hardly_further(known, come, limits, once_in)
    if constraint.determinant:
        return _is_hardly_tested(known, come, constraint, once_in)
    if equation := _equation(constraint):
        return _is_hardly_computed(known, constraint, equation, once_in)
    if between := pair_orders(constraint):
        return all(_is_kept_by_nothing(known, come, order, once_in) for order in between)
    order = order_asked(constraint)
    return order is not None and _is_no_order(known, come, constraint, order, once_in)


def _equation(constraint: Constraint) -> Equation | None:
    """The equation that it asks rows, perhaps those of a category; not that a column is one constant there."""
    found = constraint.equation if isinstance(constraint, Conditional) else constraint
    return found if isinstance(found, Equation) and found.value.columns else None


def _is_hardly_computed(known: Rows, constraint: Constraint, equation: Equation, once_in: float) -> bool:
    """Whether an equation may be an accident of few different values.

    The first combinations are those that its constants may have been fitted to. Of all others each would have another
    of the column's values but once in as many as it has.
    """
    columns = list(dict.fromkeys((*condition_columns(constraint), *equation.columns)))
    for most in (_FIRST_ROWS, _MOST_ROWS):
        some = known.first(most, columns)
        whole = meeting(some, constraint).select(list(equation.columns)).drop_null()
        obeying = whole.filter(pa.array(~judge(equation, whole).violating))
        different = obeying.group_by(list(equation.columns)).aggregate([])
        values = pc.count_distinct(different[equation.column]).as_py()
        tests = len(different) - len(equation.columns)
        if values > 1 and tests * np.log(values) >= np.log(once_in):
            return False
        if len(some) < most:
            break
    return True


def _is_no_order(known: Rows, come: Rows, constraint: Constraint, order: RowOrder, once_in: float) -> bool:
    """Whether an order of two numbers of a row has held because nothing was near it."""
    if is_named_so(order.low, order.high, come.schema.names):
        return False
    if not all(_is_number(kind) for kind in come.arrow(order[:2]).types):
        return False
    before, after = (pairs_of(_where(some, constraint, order[:2])) for some in (known, come))
    return is_by_chance(before, after, strict=order.strict, once_in=once_in)


def _is_hardly_further(known: Rows, come: Rows, limits: Limits, once_in: float) -> bool:
    """Whether numbers beyond all so far are no further away than these let one expect."""
    kind = known.schema.column(limits.column).type
    names = [column.name for column in known.schema.profiled]
    if kind.type_class is TypeClass.TEMPORAL:
        return False
    before, after = known.first(_FIRST_ROWS, names), come.read([limits.column])
    return is_within_reach(limits, kind, before, after, once_in)


def _is_hardly_tested(known: Rows, come: Rows, dependency: Constraint, once_in: float) -> bool:
    """Whether few rows came for a value of the left side that had come before, and few for those that break it now.

    Most firms are in a list once, and one that comes for the third time may be in another state. What is one value for
    all that came again maps nothing: then things are counted, and not their rows.
    """
    left, (right,) = dependency.determinant, dependency.telling
    columns = list(dict.fromkeys((*condition_columns(dependency), *left, right)))
    sides = [*left, right]
    new = meeting(come.read(columns), dependency).select(sides)
    for most in (_FIRST_ROWS, _MOST_ROWS):
        some = known.first(most, columns)
        so_far = meeting(some, dependency).select(sides)
        trials = tried_by(so_far, new, left, right)
        if trials.chance * once_in <= 1:
            return False
        if len(some) < most:
            break
    else:
        return False
    return not trials.maps or rows_contradicted(so_far, new, left, right) < _OFTEN


def _is_kept_by_nothing(known: Rows, come: Rows, order: PairOrder, once_in: float) -> bool:
    """Whether neighbours are as they would be, were there no order, and none of a delta's rows is far beyond it."""
    kinds = come.arrow((order.first, order.second)).types
    if not all(_is_number(kind) or pa.types.is_temporal(kind) for kind in kinds):
        return False
    of_numbers = _is_number(kinds[1])
    before, after = known.first(_MOST_ROWS, order.columns), come.read(order.columns)
    so_far = margins(_neighbours(before, order))
    so_far = so_far[so_far <= 0]  # of rows that broke it before nothing is learnt
    # what comes day by day is at the least step from the day before, whoever sees to it
    if (of_numbers or not order.strict) and is_kept(so_far, strict=order.strict, once_in=once_in):
        return False
    every = margins(_neighbours(pa.concat_tables([before, after]), order))
    return not (of_numbers and goes_far(so_far, np.sort(every)[-len(after) :], once_in))


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
