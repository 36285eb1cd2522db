"""A sample of a table's rows that stays the same from run to run, except for rows that came or went."""

import math
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.columns.repeats import hashes_of
from profiling_core.algorithms.values.encoding import columns_of
from profiling_core.model.delta import ROW_ID
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import Rows

if TYPE_CHECKING:
    from profiling_core.model.predicate import PredicateSpace

LEAST_ROWS = 1_500
# In a large space the sample has as many rows as give this number of pairs times groups.
_MOST_COMPARED = 34_000_000


def sampled_rows(delta: RowDelta, space: "PredicateSpace", size: int, least: int | None = None) -> pa.Table:
    """About ``least`` to twice as many of the rows after a delta, all of a smaller table.

    A row is in the sample by a hash of its id against a share that is a power of two, so that the sample changes with
    the table and not with each run.

    Args:
        delta: the delta.
        space: the predicate space; its columns are read.
        size: the number of rows after the delta.
        least: the least number of rows, as far as chance keeps to it; None: :func:`least_rows`.

    Returns:
        ``_row_id``, ascending, and the space's columns.
    """
    return _among(delta.later, space, share_of(size, least or least_rows(space)))


def next_sample(before: pa.Table, share: int, delta: RowDelta, space: "PredicateSpace", size: int) -> pa.Table | None:
    """The sample of :func:`sampled_rows` from the one before the delta; None: it had too few of the rows.

    Args:
        before: the rows of the sample.
        share: one of how many rows it has.
        delta: the delta.
        space: the predicate space.
        size: the number of rows after the delta.
    """
    wanted = share_of(size, least_rows(space))
    if wanted < share:
        return None
    staying = before.filter(_chosen(before, wanted))
    gone = np.isin(staying[ROW_ID].to_numpy(), delta.going.read([ROW_ID])[ROW_ID].to_numpy())
    coming = _among(delta.coming, space, wanted)
    return pa.concat_tables([staying.filter(pa.array(~gone)), coming.select(staying.column_names)]).sort_by(ROW_ID)


def least_rows(space: "PredicateSpace") -> int:
    """How many rows a sample has at least, as far as chance keeps to it: fewer where comparing two costs more."""
    return min(LEAST_ROWS, math.isqrt(2 * _MOST_COMPARED // max(1, len(space.groups))))


def share_of(size: int, least: int) -> int:
    """Of how many rows one is in the sample."""
    share = 1
    while size // (2 * share) >= least:
        share *= 2
    return share


def _among(rows: Rows, space: "PredicateSpace", share: int) -> pa.Table:
    columns = [ROW_ID, *columns_of(space)]
    found = [portion.filter(_chosen(portion, share)) for portion in rows.portions(columns)]
    return pa.concat_tables([rows.arrow(columns).empty_table(), *found]).sort_by(ROW_ID)


def _chosen(rows: pa.Table, share: int) -> pa.Array:
    return pa.array(hashes_of(rows[ROW_ID]) % np.uint64(share) == 0)
