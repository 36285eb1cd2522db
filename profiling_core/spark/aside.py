"""Rows of a delta that are set aside before they count, and their release into the table.

A row that is set aside keeps its row id. Where it was to update another one, that one stays; where it comes back, the
row that has its key by then goes, unless that is a newer one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID
from profiling_core.spark.names import all_quoted, quoted
from profiling_core.spark.row_ids import all_of, with_ids

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Split:
    """A delta's rows without those set aside: what comes and goes still, and what does not come for now."""

    inserted: "DataFrame"
    deleted: "DataFrame"
    aside: "DataFrame"


def split(inserted: "DataFrame", deleted: "DataFrame", rows: BitMap64, key: Sequence[str]) -> Split:
    """Takes rows out of a delta.

    Args:
        inserted: the rows that come, with ``_row_id``.
        deleted: the rows that go, with the table's columns.
        rows: the ids of the inserted rows to set aside.
        key: the table's key; without one every row is set aside by itself.
    """
    from pyspark.sql import functions as f

    aside = with_ids(inserted, rows)
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

    return all_of([rows[quoted(name)] == f.col(f"_key{i}") for i, name in enumerate(key)])
