"""Rows picked by their ids, and conditions on several columns at once."""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def with_ids(rows: "DataFrame", ids: BitMap64) -> "DataFrame":
    """The rows that have one of the ids."""
    from pyspark.sql import functions as f

    wanted = rows.sparkSession.createDataFrame(pa.table({ROW_ID: pa.array(list(ids), pa.int64())}))
    return rows.join(f.broadcast(wanted), ROW_ID, "left_semi")


def all_of(terms: Sequence["Column"]) -> "Column":
    """Whether all terms hold; at least one is given."""
    return reduce(lambda one, other: one & other, terms)
