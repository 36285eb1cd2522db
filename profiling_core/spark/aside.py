"""Rows of a delta that are set aside before they count, and their way back into the table.

A row that is set aside keeps its row id. Where it was to update another one, that one stays; where it comes back, the
row that has its key by then goes, unless that is a newer one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.model.constraint import DenialConstraint, FunctionalDependency, RowConstraint, as_denial_constraint
from profiling_core.model.types import NullSemantics
from profiling_core.spark.bucket import ROW_ID
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.names import all_quoted, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Split:
    """A delta's rows without those set aside: what comes and goes still, and what does not come for now."""

    inserted: "DataFrame"
    deleted: "DataFrame"
    aside: "DataFrame"


def fewest(delta: RowDelta, constraint: RowConstraint, rows: BitMap64, nulls: NullSemantics) -> BitMap64:
    """Of the inserted rows in a violation, those to set aside so that the constraint holds.

    In each group of rows that agree on the left side of an FD stay those with the value that the table has already, or
    else with the one that most of the new rows have; of rows that share the values of a key, the one that is there
    already, or the first to come. Of other constraints no row in a violation stays.

    Args:
        delta: the delta.
        constraint: a constraint that held before.
        rows: the ids of the inserted rows in a violation.
        nulls: the table's null semantics.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    denied = as_denial_constraint(constraint).familiar
    if isinstance(denied, DenialConstraint):
        return rows
    names = denied.lhs.columns
    said = denied.rhs.columns[0] if isinstance(denied, FunctionalDependency) else ROW_ID
    mine = _with_ids(_keyed(delta.inserted, names, said), rows)
    everything = _keyed(delta.inserted, names, said).withColumn("_new", f.lit(1))
    if delta.kept is not None:
        everything = everything.unionAll(_keyed(delta.kept, names, said).withColumn("_new", f.lit(0)))
    if nulls is NullSemantics.SQL:
        everything = everything.dropna(subset=[f"_key{i}" for i in range(len(names))] + ["_said"])
    keys = [f"_key{i}" for i in range(len(names))]
    groups = f.broadcast(mine.select(*(f.col(key).alias(f"_of{key}") for key in keys)).distinct())
    group = [f.col(key).eqNullSafe(f.col(f"_of{key}")) for key in keys]
    related = everything.join(groups, _all(group), "left_semi") if group else everything
    values = related.groupBy(*keys, "_said").agg(
        f.min("_new").alias("_new"), f.count("*").alias("_rows"), f.min(ROW_ID).alias("_first")
    )
    order = Window.partitionBy(*keys).orderBy("_new", f.desc("_rows"), "_first")
    stay = values.withColumn("_place", f.row_number().over(order)).where("_place = 1")
    stay = stay.select(*(f.col(name).alias(f"_of{name}") for name in (*keys, "_said")))
    same = [f.col(name).eqNullSafe(f.col(f"_of{name}")) for name in (*keys, "_said")]
    gone = mine.join(f.broadcast(stay), _all(same), "left_anti").select(ROW_ID).toArrow()
    return BitMap64(gone[ROW_ID].to_pylist())


def _keyed(rows: "DataFrame", names: Sequence[str], said: str) -> "DataFrame":
    from pyspark.sql import functions as f

    keys = [f.col(quoted(name)).alias(f"_key{i}") for i, name in enumerate(names)]
    return rows.select(ROW_ID, *keys, f.col(quoted(said)).alias("_said"))


def _with_ids(rows: "DataFrame", ids: BitMap64) -> "DataFrame":
    from pyspark.sql import functions as f

    wanted = rows.sparkSession.createDataFrame(pa.table({ROW_ID: pa.array(list(ids), pa.int64())}))
    return rows.join(f.broadcast(wanted), ROW_ID, "left_semi")


def _all(terms: Sequence["Column"]) -> "Column":
    return reduce(lambda one, other: one & other, terms)


def split(inserted: "DataFrame", deleted: "DataFrame", rows: BitMap64, key: Sequence[str]) -> Split:
    """Takes rows out of a delta.

    Args:
        inserted: the rows that come, with ``_row_id``.
        deleted: the rows that go, with the table's columns.
        rows: the ids of the inserted rows to set aside.
        key: the table's key; without one every row is set aside by itself.
    """
    from pyspark.sql import functions as f

    aside = _with_ids(inserted, rows)
    left = inserted.join(f.broadcast(aside.select(ROW_ID)), ROW_ID, "left_anti")
    if not key:
        return Split(left, deleted, aside)
    return Split(left, _without_keys(deleted, aside, key), aside)


def returning(aside: "DataFrame", current: "DataFrame | None", key: Sequence[str]) -> Split:
    """The delta that brings rows back which had been set aside.

    Args:
        aside: those rows; of several with one key, the newest comes.
        current: the table's rows now.
        key: the table's key.

    Returns:
        ``aside`` are the rows that stay away for good: a newer row has their key.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    if not key or current is None:
        gone = aside.limit(0)
        return Split(aside, gone, gone)
    order = Window.partitionBy(*all_quoted(key)).orderBy(f.desc(ROW_ID))
    placed = aside.withColumn("_place", f.row_number().over(order))
    newest, older = (placed.where(which).drop("_place") for which in ("_place = 1", "_place > 1"))
    present = current.join(f.broadcast(_keys(newest, key)), _same(current, key), "left_semi")
    ahead = _keys(newest, key, row_id=True)
    overtaken = present.join(f.broadcast(ahead), _same(present, key) & (f.col("_newest") < f.col(ROW_ID)), "left_semi")
    comes = _without_keys(newest, overtaken, key)
    stays = newest.join(f.broadcast(_keys(overtaken, key)), _same(newest, key), "left_semi")
    return Split(comes, _without_keys(present, overtaken, key), older.unionByName(stays))


def _without_keys(rows: "DataFrame", others: "DataFrame", key: Sequence[str]) -> "DataFrame":
    from pyspark.sql import functions as f

    return rows.join(f.broadcast(_keys(others, key)), _same(rows, key), "left_anti")


def _keys(rows: "DataFrame", key: Sequence[str], *, row_id: bool = False) -> "DataFrame":
    from pyspark.sql import functions as f

    extra = [f.col(ROW_ID).alias("_newest")] if row_id else []
    return rows.select(*(f.col(quoted(name)).alias(f"_key{i}") for i, name in enumerate(key)), *extra)


def _same(rows: "DataFrame", key: Sequence[str]) -> "Column":
    from pyspark.sql import functions as f

    return _all([rows[quoted(name)] == f.col(f"_key{i}") for i, name in enumerate(key)])
