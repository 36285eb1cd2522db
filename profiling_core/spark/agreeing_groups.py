"""Groups of rows that agree on some columns, around the rows of a break: what FDs and UCCs are read by."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.names import all_quoted, quoted
from profiling_core.spark.row_ids import all_of, with_ids

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def not_as_usual(delta: RowDelta, columns: Sequence[str], said: str, rows: BitMap64, nulls: NullSemantics) -> BitMap64:
    """Of some inserted rows, those that do not say in a group what stays there.

    In each group of rows that agree on the columns, what stays is the value that the table has already (where it has
    several, most often), or else the one that most of the new rows have; of equally many, what came first.

    Args:
        delta: the delta.
        columns: what the rows of a group agree on.
        said: the column that should be the same in a group; with the row identity, one row stays.
        rows: the ids of the inserted rows in question.
        nulls: the table's null semantics.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    mine = with_ids(_keyed(delta.inserted, columns, said), rows)
    everything = _keyed(delta.inserted, columns, said).withColumn("_new", f.lit(1))
    if delta.kept is not None:
        everything = everything.unionAll(_keyed(delta.kept, columns, said).withColumn("_new", f.lit(0)))
    if nulls is NullSemantics.SQL:
        everything = everything.dropna(subset=[f"_key{i}" for i in range(len(columns))] + ["_said"])
    keys = [f"_key{i}" for i in range(len(columns))]
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


def groups_around(
    delta: RowDelta, violating: "DataFrame", columns: Sequence[str], nulls: NullSemantics, also: Sequence[str] = ()
) -> "DataFrame":
    """All rows that agree with a violating row on the columns, these under the names ``_k0``, ``_k1`` and so on."""
    from pyspark.sql import functions as f

    names = [*columns, *also]
    everything = delta.inserted.select(*all_quoted(names))
    if delta.kept is not None:
        everything = delta.kept.select(*all_quoted(names)).unionAll(everything)
    keyed = everything.select(
        *(f.col(quoted(name)).alias(f"_k{i}") for i, name in enumerate(columns)),
        *(f.col(quoted(name)) for name in also),
    )
    keys = key_names(columns)
    wanted = violating.select(*(f.col(quoted(name)).alias(f"_k{i}") for i, name in enumerate(columns))).distinct()
    if not keys:
        return keyed
    wanted = wanted.select(*(f.col(key).alias(f"_w{key}") for key in keys))
    agree = [
        f.col(key).eqNullSafe(f.col(f"_w{key}")) if nulls is NullSemantics.EQUAL else f.col(key) == f.col(f"_w{key}")
        for key in keys
    ]
    return keyed.join(f.broadcast(wanted), all_of(agree), "left_semi")


def key_names(columns: Sequence[str]) -> list[str]:
    """The names under which :func:`groups_around` gives the columns."""
    return [f"_k{i}" for i in range(len(columns))]


def total(frame: "DataFrame", expression: str) -> int:
    """The sum of an expression over all rows; 0 where there is none."""
    from pyspark.sql import functions as f

    row = frame.agg(f.sum(f.expr(expression))).first()
    return int(row[0] or 0) if row else 0
