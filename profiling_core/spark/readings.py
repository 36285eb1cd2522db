"""The figures behind the reading of a break: what its rows have in common, and the least repair, from the rows.

What is collected is bounded: at most :data:`SAMPLE` violating rows, and of the repair its sum and a few examples.
"""

from typing import TYPE_CHECKING

from pyroaring import BitMap64

from profiling_core.algorithms.denial.ranking.concentration import least_likely, most_common
from profiling_core.model.constraint import RowConstraint
from profiling_core.model.reading import Concentration, Reading
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.kinds.registry import room_of
from profiling_core.spark.kinds.room import Violating
from profiling_core.spark.names import all_quoted, quoted
from profiling_core.spark.row_ids import with_ids

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SAMPLE = 10_000


def read_break(delta: RowDelta, constraint: RowConstraint, rows: BitMap64, nulls: NullSemantics) -> Reading:
    """The reading of one break.

    Args:
        delta: the delta that broke the constraint.
        constraint: the broken constraint.
        rows: the ids of the delta's rows that stand out; not empty.
        nulls: the table's null semantics.
    """
    room, familiar = room_of(constraint), constraint.familiar
    sample = with_ids(delta.inserted, rows[:SAMPLE])
    violating = Violating(delta, sample, len(rows), nulls)
    concentration = _concentration(delta, sample, constraint)
    return Reading(concentration, room.repair(violating, familiar), len(rows), room.alike(violating, familiar))


def _concentration(delta: RowDelta, violating: "DataFrame", constraint: RowConstraint) -> Concentration | None:
    from pyspark.sql import functions as f

    said = constraint.columns
    others = [name for name in delta.inserted.columns if not name.startswith("_") and name not in said]
    sample = violating.select(*all_quoted(others)).toArrow()
    common = most_common(sample, others)
    if not common:
        return None
    counts = [
        f.sum(_column(name).eqNullSafe(f.lit(value.as_py())).cast("long")).alias(str(i))
        for i, (name, (value, _)) in enumerate(common.items())
    ]
    usual = delta.inserted.agg(*counts).first()
    candidates = [
        Concentration(name, _text(value.as_py()), count, sample.num_rows, usual[i] or 0, delta.inserts)
        for i, (name, (value, count)) in enumerate(common.items())
    ]
    return least_likely(candidates)


def _column(name: str) -> "Column":
    from pyspark.sql import functions as f

    return f.col(quoted(name))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
