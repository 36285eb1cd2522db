"""The figures behind the reading of a break: what its rows have in common, and the least repair, from the rows.

What is collected is bounded: at most :data:`SAMPLE` violating rows, and of the repair its sum and a few examples.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyroaring import BitMap64

from profiling_core.algorithms.denial.ranking.concentration import least_likely, most_common
from profiling_core.model.constraint import (
    FunctionalDependency,
    RowConstraint,
    UniqueColumnCombination,
    as_denial_constraint,
)
from profiling_core.model.reading import Concentration, Reading, Repair, Replacement
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.names import all_quoted, quoted
from profiling_core.spark.row_ids import all_of, with_ids

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SAMPLE = 10_000
EXAMPLES = 3
_AGREEING, _SHARED = "_agreeing", "_rows"


def read_break(delta: RowDelta, constraint: RowConstraint, rows: BitMap64, nulls: NullSemantics) -> Reading:
    """The reading of one break.

    Args:
        delta: the delta that broke the constraint.
        constraint: the broken constraint.
        rows: the ids of the delta's rows that stand out; not empty.
        nulls: the table's null semantics.
    """
    violating = with_ids(delta.inserted, rows[:SAMPLE])
    repair = _repair(delta, violating, constraint, nulls, len(rows))
    alike = _alike(delta, violating, constraint, nulls)
    return Reading(_concentration(delta, violating, constraint), repair, len(rows), alike)


def _alike(delta: RowDelta, violating: "DataFrame", constraint: RowConstraint, nulls: NullSemantics) -> int:
    """How many of the rows that came agree with a violating one on an FD's left side."""
    denied = as_denial_constraint(constraint).familiar
    if not isinstance(denied, FunctionalDependency):
        return 0
    return int(_groups(replace(delta, kept=None), violating, denied.lhs.columns, nulls).count())


def _concentration(delta: RowDelta, violating: "DataFrame", constraint: RowConstraint) -> Concentration | None:
    from pyspark.sql import functions as f

    said = as_denial_constraint(constraint).columns
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


def _repair(
    delta: RowDelta, violating: "DataFrame", constraint: RowConstraint, nulls: NullSemantics, rows: int
) -> Repair:
    denied = as_denial_constraint(constraint).familiar
    if isinstance(denied, FunctionalDependency):
        return _replacements(delta, violating, denied, nulls)
    if isinstance(denied, UniqueColumnCombination):
        groups = _groups(delta, violating, denied.lhs.columns, nulls).groupBy(*_keys(denied.lhs.columns)).count()
        return Repair(int(_total(groups, "count - 1")))
    # Without the rows that came, what held before holds again; fewer may do.
    return Repair(rows, exact=denied.is_single_row)


def _replacements(delta: RowDelta, violating: "DataFrame", fd: FunctionalDependency, nulls: NullSemantics) -> Repair:
    """In each group of rows that agree on the left side, the rows that do not have the value that most have."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    keys, (target,) = _keys(fd.lhs.columns), fd.rhs.columns
    same = _groups(delta, violating, fd.lhs.columns, nulls, also=(target,))
    if nulls is NullSemantics.SQL:
        same = same.where(_column(target).isNotNull())
    counts = same.groupBy(*keys, f.col(quoted(target)).alias(_AGREEING)).agg(f.count("*").alias(_SHARED))
    order = Window.partitionBy(*keys).orderBy(f.desc(_SHARED), f.asc(_AGREEING))
    ranked = counts.withColumn("_place", f.row_number().over(order)).withColumn(
        "_usual", f.first(_AGREEING).over(order)
    )
    wrong = ranked.where("_place > 1").persist()
    try:
        examples = wrong.orderBy(f.desc(_SHARED), *keys, f.asc(_AGREEING)).limit(EXAMPLES).collect()
        rows = _total(wrong, _SHARED)
    finally:
        wrong.unpersist()
    return Repair(
        int(rows),
        target,
        tuple(
            Replacement(
                {name: _text(row[f"_k{i}"]) for i, name in enumerate(fd.lhs.columns)},
                _text(row[_AGREEING]),
                _text(row["_usual"]),
                row[_SHARED],
            )
            for row in examples
        ),
    )


def _groups(
    delta: RowDelta, violating: "DataFrame", columns: Sequence[str], nulls: NullSemantics, also: Sequence[str] = ()
) -> "DataFrame":
    """All rows that agree with a violating row on the columns, these under the names ``_k0``, ``_k1`` and so on."""
    from pyspark.sql import functions as f

    names = [*columns, *also]
    everything = delta.inserted.select(*all_quoted(names))
    if delta.kept is not None:
        everything = delta.kept.select(*all_quoted(names)).unionAll(everything)
    keyed = everything.select(
        *(_column(name).alias(f"_k{i}") for i, name in enumerate(columns)), *(_column(name) for name in also)
    )
    keys = _keys(columns)
    wanted = violating.select(*(_column(name).alias(f"_k{i}") for i, name in enumerate(columns))).distinct()
    if not keys:
        return keyed
    wanted = wanted.select(*(f.col(key).alias(f"_w{key}") for key in keys))
    agree = [
        f.col(key).eqNullSafe(f.col(f"_w{key}")) if nulls is NullSemantics.EQUAL else f.col(key) == f.col(f"_w{key}")
        for key in keys
    ]
    return keyed.join(f.broadcast(wanted), all_of(agree), "left_semi")


def _keys(columns: Sequence[str]) -> list[str]:
    return [f"_k{i}" for i in range(len(columns))]


def _total(frame: "DataFrame", expression: str) -> int:
    from pyspark.sql import functions as f

    row = frame.agg(f.sum(f.expr(expression))).first()
    return int(row[0] or 0) if row else 0


def _column(name: str) -> "Column":
    from pyspark.sql import functions as f

    return f.col(quoted(name))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
