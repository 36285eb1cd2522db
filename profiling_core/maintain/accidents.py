"""Breaks of orders within a row that are no news: nothing but chance has kept the rows so far (docs/semantics.md)."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.conditions.row_orders import row_order
from profiling_core.algorithms.rules.margins import LowsAndHighs, is_by_chance
from profiling_core.algorithms.rules.orders import is_named_so
from profiling_core.model.constraint import Constraint
from profiling_core.spark.evidence import RowDelta


def breaks_by_chance(rows: RowDelta, constraint: Constraint) -> bool:
    """Whether a delta's break of a constraint is no news.

    Moments and dates follow each other for a reason, and so do columns that are named so, a least and a greatest one.
    Only of numbers the margins tell.

    Args:
        rows: the delta that broke it.
        constraint: what it broke, of any kind.
    """
    order = row_order(constraint)
    if order is None or rows.staying is None or is_named_so(order.low, order.high, rows.coming.schema.names):
        return False
    if not all(_is_number(kind) for kind in rows.coming.arrow(order[:2]).types):
        return False
    known, come = (pairs_of(some.read(order[:2])) for some in (rows.staying, rows.coming))
    return is_by_chance(known, come, strict=order.strict)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def pairs_of(rows: pa.Table) -> LowsAndHighs:
    """The two columns in rows that have both."""
    low, high = (np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(), np.float64) for values in rows)
    both = np.isfinite(low) & np.isfinite(high)
    return LowsAndHighs(low[both], high[both])
