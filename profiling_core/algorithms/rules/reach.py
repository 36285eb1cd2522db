"""Whether a number beyond all so far is to be expected from them, or lies further away than chance takes it.

A bound that nothing has crossed for weeks may only never have been crossed: the emptiest battery is that of one meter,
day after day, and the dearest drug has one price however often it is sold. So the numbers of one thing count once. The
nearest of the remaining values are the evidence, as margins are for an order: a bound is kept if several values should
lie beyond it otherwise, and a number goes far if fewer than one delta in ``once_in`` would have one as far.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import parsed, present
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.algorithms.values.margins import Numbers, goes_far, is_kept
from profiling_core.model.kinds.constraint import Limits
from profiling_core.model.types import LogicalType

# A thing has at most this many distinct values on average, and comes at least this often.
_VALUES_OF_ONE, _AGAIN = 2.0, 2.0
_VALUE = "\0"  # no column has this name


def is_within_reach(limits: Limits, kind: LogicalType, known: pa.Table, come: pa.Table, once_in: float) -> bool:
    """Whether a delta's numbers beyond the usual are to be expected from those so far.

    Args:
        limits: the bounds that are broken, if there are bounds.
        kind: the type of its column.
        known: the rows so far, or many of them, with all columns that may identify the things they are of.
        come: the rows that come, with the rule's column at least.
        once_in: in one of this many deltas such a number by chance is accepted.
    """
    values, new = _once_per_thing(limits, known), _measured(limits, come).drop_null().to_numpy()
    return bool(len(values)) and not any(
        _is_kept(before := np.minimum(0.0, sign * values - end), bound, once_in)
        or goes_far(before, sign * new - end, once_in)
        for sign, end, bound in _ends(limits, kind, values)
        if (sign * new > end).any()
    )


def _is_kept(before: Numbers, bound: str | None, once_in: float) -> bool:
    """Whether a bound is kept on purpose. Amounts keep zero as a bound.

    Args:
        before: how far the numbers so far are beyond the bound, 0 or below.
        bound: the bound; None: there is none but the greatest number so far.
        once_in: the inverse of the accepted error rate.
    """
    return bound is not None and (float(bound) == 0 or is_kept(before, strict=False, once_in=once_in))


def _ends(limits: Limits, kind: LogicalType, values: Numbers) -> Iterator[tuple[float, float, str | None]]:
    """Per side its sign, its end with that sign, and the bound; usual extremes have none, and end at the last value."""
    of = LogicalType.INTEGER if limits.of_lengths else kind
    for sign, bound in ((-1.0, limits.low), (1.0, limits.high)):
        if bound is not None:
            yield sign, sign * float(parsed(bound, of)), bound
        elif limits.are_usual:
            yield sign, float((sign * values).max()), None


def _once_per_thing(limits: Limits, known: pa.Table) -> Numbers:
    """The numbers of the rows so far; those of one thing count once if a column identifies the things."""
    rows = known.append_column(_VALUE, _measured(limits, known))
    rows = rows.filter(rows[_VALUE].is_valid())
    things = [name for name in rows.column_names if name not in (limits.column, _VALUE) and _names(rows[name].type)]
    found = [pairs for name in things if (pairs := _pairs(rows, name)) is not None]
    least = min(found, key=len, default=rows)
    return np.asarray(least[_VALUE].to_numpy(), np.float64)


def _names(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind))


def _pairs(rows: pa.Table, name: str) -> pa.Table | None:
    """The distinct pairs of a thing and a number; None if the column does not identify what the numbers describe."""
    count = pc.count_distinct(rows[name], mode="all").as_py()
    if count < 2 or _AGAIN * count > len(rows):
        return None
    pairs = rows.select([name, _VALUE]).group_by([name, _VALUE]).aggregate([])
    return pairs if len(pairs) <= _VALUES_OF_ONE * count else None


def _measured(limits: Limits, rows: pa.Table) -> pa.ChunkedArray:
    """float64[n]: a column's numbers, or how long its texts are."""
    values = present(rows[limits.column])
    return doubles(pc.utf8_length(values) if limits.of_lengths else values)
