"""Which of the rows in a violation it is owed to.

One wrong row among many right ones contradicts all of them, so that all of them are in a violation. The rows that stand
out are those without which the constraint would hold as it did: what a person wants to see, and what a policy sets
aside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.algorithms.denial.checking.violations import violations
from profiling_core.algorithms.values.encoding import encode_together
from profiling_core.model.constraint import (
    DenialConstraint,
    FunctionalDependency,
    RowConstraint,
    UniqueColumnCombination,
    as_denial_constraint,
)
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.spark.bucket import ROW_ID
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.names import quoted
from profiling_core.spark.row_ids import all_of, with_ids

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class InViolation:
    """Ids of inserted rows in a violation: with another inserted row, and with a row that was there already."""

    among_new: BitMap64
    with_older: BitMap64

    @property
    def all(self) -> BitMap64:
        """All of them."""
        return self.among_new | self.with_older


def standing_out(
    delta: RowDelta, inserted: pa.Table, constraint: RowConstraint, found: InViolation, space: PredicateSpace
) -> BitMap64:
    """Of the inserted rows in a violation, those without which the constraint holds as it did before.

    In each group of rows that agree on the left side of an FD these are the rows that have not the value that the table
    has already (where it has several, most often), or else the one that most of the new rows have; of rows that share
    the values of a key, all but the one that is there already, or came first. Of other constraints they are the rows
    that contradict older ones, and of those left all that still contradict each other.

    Args:
        delta: the delta.
        inserted: its inserted rows.
        constraint: a constraint that held before, or within its error.
        found: the ids of the inserted rows in a violation; not empty.
        space: the table's predicate space.
    """
    denied = as_denial_constraint(constraint)
    if denied.is_single_row:
        return found.all
    if isinstance(denied.familiar, FunctionalDependency | UniqueColumnCombination):
        apart = _not_as_usual(delta, denied.familiar, found.all, space.nulls)
    else:
        apart = found.with_older | _among_themselves(inserted, denied, found.among_new - found.with_older, space)
    # Where rows were wrong before, it may be these that contradict all the new ones.
    return apart or found.all


def _among_themselves(
    inserted: pa.Table, constraint: DenialConstraint, ids: BitMap64, space: PredicateSpace
) -> BitMap64:
    rows = inserted.filter(pa.array(np.isin(inserted[ROW_ID].to_numpy(), np.array(list(ids), np.int64))))
    left, right = encode_together([rows, rows], space)
    found = violations(left, right, constraint, space.nulls, same_rows=True, examples=0)
    return BitMap64(rows[ROW_ID].to_numpy()[found.left_rows].tolist())


def _not_as_usual(
    delta: RowDelta, constraint: FunctionalDependency | UniqueColumnCombination, rows: BitMap64, nulls: NullSemantics
) -> BitMap64:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    names = constraint.lhs.columns
    said = constraint.rhs.columns[0] if isinstance(constraint, FunctionalDependency) else ROW_ID
    mine = with_ids(_keyed(delta.inserted, names, said), rows)
    everything = _keyed(delta.inserted, names, said).withColumn("_new", f.lit(1))
    if delta.kept is not None:
        everything = everything.unionAll(_keyed(delta.kept, names, said).withColumn("_new", f.lit(0)))
    if nulls is NullSemantics.SQL:
        everything = everything.dropna(subset=[f"_key{i}" for i in range(len(names))] + ["_said"])
    keys = [f"_key{i}" for i in range(len(names))]
    groups = f.broadcast(mine.select(*(f.col(key).alias(f"_of{key}") for key in keys)).distinct())
    group = [f.col(key).eqNullSafe(f.col(f"_of{key}")) for key in keys]
    related = everything.join(groups, all_of(group), "left_semi") if group else everything
    values = related.groupBy(*keys, "_said").agg(
        f.min("_new").alias("_new"), f.count("*").alias("_rows"), f.min(ROW_ID).alias("_first")
    )
    order = Window.partitionBy(*keys).orderBy("_new", f.desc("_rows"), "_first")
    stay = values.withColumn("_place", f.row_number().over(order)).where("_place = 1")
    stay = stay.select(*(f.col(name).alias(f"_of{name}") for name in (*keys, "_said")))
    same = [f.col(name).eqNullSafe(f.col(f"_of{name}")) for name in (*keys, "_said")]
    gone = mine.join(f.broadcast(stay), all_of(same), "left_anti").select(ROW_ID).toArrow()
    return BitMap64(gone[ROW_ID].to_pylist())


def _keyed(rows: "DataFrame", names: Sequence[str], said: str) -> "DataFrame":
    from pyspark.sql import functions as f

    keys = [f.col(quoted(name)).alias(f"_key{i}") for i, name in enumerate(names)]
    return rows.select(ROW_ID, *keys, f.col(quoted(said)).alias("_said"))
