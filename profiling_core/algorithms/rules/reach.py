"""Whether a number beyond all so far is what those so far let one expect, or further away than chance would take it.

A bound that nothing has crossed for weeks may only never have been crossed: the emptiest battery is that of one meter,
day after day, and the dearest drug has one price however often it is sold. So what one thing is like counts once. Of
what is left the nearest values tell, as margins do of an order: a bound is kept where so many would lie beyond it, were
it none, and a number goes far where hardly one in a thousand deltas would have one as far.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import parsed, present
from profiling_core.algorithms.rules.margins import Numbers, goes_far, is_kept
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.kinds.constraint import Limits
from profiling_core.model.types import LogicalType

# A thing has one value, or another one now and then; and it comes again.
_VALUES_OF_ONE, _AGAIN = 2.0, 2.0
_VALUE = "\0"  # no column is called so


def is_within_reach(limits: Limits, kind: LogicalType, known: pa.Table, come: pa.Table, once_in: float) -> bool:
    """Whether those of a delta's numbers that are beyond what is usual are as those so far let one expect.

    Args:
        limits: the bounds that are broken, if there are bounds.
        kind: the type of its column.
        known: the rows so far, or many of them, with all columns that may tell which things they are of.
        come: the rows that come, with the rule's column at least.
        once_in: the deltas of which one may go so far by chance.
    """
    values, new = _once_per_thing(limits, known), _measured(limits, come).drop_null().to_numpy()
    step = float(limits.of_lengths or kind is LogicalType.INTEGER)
    return bool(len(values)) and not any(
        _is_kept(before := np.minimum(0.0, sign * values - end), bound, step, once_in)
        or goes_far(before, sign * new - end, once_in)
        for sign, end, bound in _ends(limits, kind, values)
        if (sign * new > end).any()
    )


def _is_kept(before: Numbers, bound: str | None, step: float, once_in: float) -> bool:
    """Whether something keeps a bound. Zero is kept by what amounts are.

    Args:
        before: by how much the numbers so far are beyond the bound, 0 or below.
        bound: the bound; None: there is none but the greatest number so far.
        step: what lies between two numbers that follow each other.
        once_in: of so many bounds one may be none.
    """
    return bound is not None and (float(bound) == 0 or is_kept(before - step, strict=False, once_in=once_in))


def _ends(limits: Limits, kind: LogicalType, values: Numbers) -> Iterator[tuple[float, float, str | None]]:
    """Per side its sign, its end with that sign, and the bound; usual extremes have none, and end where values do."""
    of = LogicalType.INTEGER if limits.of_lengths else kind
    for sign, bound in ((-1.0, limits.low), (1.0, limits.high)):
        if bound is not None:
            yield sign, sign * float(parsed(bound, of)), bound
        elif limits.are_usual:
            yield sign, float((sign * values).max()), None


def _once_per_thing(limits: Limits, known: pa.Table) -> Numbers:
    """The numbers of the rows so far, those of one thing once where a column names the things that they are of."""
    rows = known.append_column(_VALUE, _measured(limits, known))
    rows = rows.filter(rows[_VALUE].is_valid())
    things = [name for name in rows.column_names if name not in (limits.column, _VALUE) and _names(rows[name].type)]
    found = [pairs for name in things if (pairs := _pairs(rows, name)) is not None]
    least = min(found, key=len, default=rows)
    return np.asarray(least[_VALUE].to_numpy(), np.float64)


def _names(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind))


def _pairs(rows: pa.Table, name: str) -> pa.Table | None:
    """The different pairs of a thing and a number; None where a column does not name what the numbers are of."""
    count = pc.count_distinct(rows[name], mode="all").as_py()
    if count < 2 or _AGAIN * count > len(rows):
        return None
    pairs = rows.select([name, _VALUE]).group_by([name, _VALUE]).aggregate([])
    return pairs if len(pairs) <= _VALUES_OF_ONE * count else None


def _measured(limits: Limits, rows: pa.Table) -> pa.ChunkedArray:
    """float64[n]: a column's numbers, or how long its texts are."""
    values = present(rows[limits.column])
    return doubles(pc.utf8_length(values) if limits.of_lengths else values)
