"""A sample of a table's rows that is the same from run to run but for the rows that came and went."""

from typing import TYPE_CHECKING

import pyarrow as pa

from profiling_core.model.delta import ROW_ID
from profiling_core.spark.evidence import RowDelta, columns_of

if TYPE_CHECKING:
    from profiling_core.model.predicate import PredicateSpace

LEAST_ROWS = 1_500


def sampled_rows(delta: RowDelta, space: "PredicateSpace", size: int, least: int = LEAST_ROWS) -> pa.Table:
    """About ``least`` to twice as many of the rows after a delta, all of a smaller table.

    A row is in the sample by a hash of its id against a share that is a power of two, so that the sample changes with
    the table and not with each run.

    Args:
        delta: the delta.
        space: the predicate space; its columns are read.
        size: the number of rows after the delta.
        least: the least number of rows, as far as chance keeps to it.
    """
    from pyspark.sql import functions as f

    share = 1
    while size // (2 * share) >= least:
        share *= 2
    rows = delta.after(ROW_ID, *columns_of(space))
    return rows.where(f.pmod(f.xxhash64(ROW_ID), f.lit(share)) == 0).drop(ROW_ID).toArrow()
