"""A sample of a table's rows that is the same from run to run but for the rows that came and went."""

from typing import TYPE_CHECKING

import pyarrow as pa

from profiling_core.spark.bucket import ROW_ID
from profiling_core.spark.evidence import RowDelta, columns_of
from profiling_core.spark.names import all_quoted

if TYPE_CHECKING:
    from profiling_core.model.predicate import PredicateSpace

LEAST_ROWS = 1_500


def sampled_rows(delta: RowDelta, space: "PredicateSpace", size: int) -> pa.Table:
    """About :data:`LEAST_ROWS` to twice as many of the rows after a delta, all of a smaller table.

    A row is in the sample by a hash of its id against a share that is a power of two, so that the sample changes with
    the table and not with each run.

    Args:
        delta: the delta.
        space: the predicate space; its columns are read.
        size: the number of rows after the delta.
    """
    from pyspark.sql import functions as f

    columns = list(all_quoted(columns_of(space)))
    share = 1
    while size // (2 * share) >= LEAST_ROWS:
        share *= 2
    rows = delta.inserted.select(ROW_ID, *columns)
    if delta.kept is not None:
        rows = delta.kept.select(ROW_ID, *columns).unionAll(rows)
    return rows.where(f.pmod(f.xxhash64(ROW_ID), f.lit(share)) == 0).drop(ROW_ID).toArrow()
