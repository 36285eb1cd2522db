"""Which rows a conditional rule judges, and which of them violate it."""

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.equations.comparing import compared
from profiling_core.algorithms.equations.judging import Judged
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.values.arrow_buffers import present
from profiling_core.model.consequent import Bounded, Consequent, OneOf, Ordered, Present
from profiling_core.model.constraint import Conditional, Constraint
from profiling_core.model.predicate import Operator

Mask = NDArray[np.bool_]


def judge(rule: Conditional, rows: pa.Table) -> Judged:
    """Judges each of n rows."""
    inside = meets(rule, rows)
    known = np.ones(rows.num_rows, np.bool_) if rule.asks_for_any else there(rows[rule.column])
    obeyed = obeys(rule.then, rows)
    speaks = (inside | known) if rule.both_ways else inside
    judged = speaks & obeyed.judged
    wrong = obeyed.violating == inside if rule.both_ways else obeyed.violating
    return Judged(judged, judged & wrong)


def meets(rule: Conditional, rows: pa.Table) -> Mask:
    """bool[n]: where a rule's condition is met."""
    column = rows[rule.column]
    return there(column) if rule.asks_for_any else has_one_of(column, rule.values)


def condition_columns(constraint: Constraint) -> tuple[str, ...]:
    """The columns whose values decide which rows a constraint of any kind judges."""
    return (constraint.column,) if isinstance(constraint, Conditional) else ()


def meeting(rows: pa.Table, constraint: Constraint) -> pa.Table:
    """The rows that meet a constraint's condition; all rows for a constraint without one."""
    return rows.filter(pa.array(meets(constraint, rows))) if isinstance(constraint, Conditional) else rows


def obeys(then: Consequent, rows: pa.Table) -> Judged:
    """Which rows a consequent alone judges, and which of them do not obey it."""
    if isinstance(then, Present):
        return Judged(np.ones(rows.num_rows, np.bool_), there(rows[then.column]) != then.there)
    if isinstance(then, OneOf):
        known = there(rows[then.column])
        return Judged(known, known & ~has_one_of(rows[then.column], then.values))
    if isinstance(then, Bounded):
        numbers = numbers_of(rows[then.column])
        return Judged(numbers.there, numbers.there & ~within(then, numbers.values, numbers.scale))
    if isinstance(then, Ordered):
        found = compared(rows[then.left], Operator(then.op), rows[then.right])
        return Judged(found.judged, found.violating)
    raise TypeError(f"no row obeys it by itself: {then.text}")


def there(column: pa.ChunkedArray) -> Mask:
    """bool[n]: where the column has a value; NaN is none."""
    found = present(column.combine_chunks())
    if pa.types.is_floating(column.type):
        found = found & ~pc.fill_null(pc.is_nan(column), fill_value=True).to_numpy()
    return found


def has_one_of(column: pa.ChunkedArray, values: tuple[str, ...]) -> Mask:
    """bool[n]: where the column has one of these values, as texts."""
    wanted = pa.array(values, pa.string()).cast(column.type)
    if pa.types.is_floating(column.type):
        column = pc.add(column, 0.0)  # makes −0 equal to 0
    found: Mask = pc.is_in(column, value_set=wanted).to_numpy()
    return found


def within(bounds: Bounded, values: NDArray[Any], scale: int) -> Mask:
    """bool[n]: where numbers lie within bounds: whole numbers over a power of ten, or doubles."""
    found = np.ones(len(values), np.bool_)
    doubles = values.dtype == np.float64
    for text, lower in ((bounds.low, True), (bounds.high, False)):
        if text is None:
            continue
        bound = Fraction(text) * 10**scale
        nearest = float(bound) if doubles else ceil(bound) if lower != bounds.strict else floor(bound)
        if lower:
            found &= values > nearest if bounds.strict else values >= nearest
        else:
            found &= values < nearest if bounds.strict else values <= nearest
    return found
