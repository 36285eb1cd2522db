"""Functional dependencies: rows that do not say what their group says are wrong, and mended by saying it."""

from dataclasses import replace

from pyroaring import BitMap64

from profiling_core.model.constraint import FunctionalDependency
from profiling_core.model.reading import Repair, Replacement
from profiling_core.model.types import NullSemantics
from profiling_core.spark.agreeing_groups import groups_around, key_names, not_as_usual, total
from profiling_core.spark.kinds.room import InViolation, NewRows, Room, Violating
from profiling_core.spark.names import quoted

EXAMPLES = 3
_AGREEING, _SHARED = "_agreeing", "_rows"


def standing_out(new: NewRows, fd: FunctionalDependency, found: InViolation) -> BitMap64:
    """The rows that do not have the value that their group on the left side has."""
    return not_as_usual(new.delta, fd.lhs.columns, fd.rhs.columns[0], found.all, new.space.nulls)


def repair(violating: Violating, fd: FunctionalDependency) -> Repair:
    """In each group of rows that agree on the left side, the rows that do not have the value that most have."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    keys, (target,) = key_names(fd.lhs.columns), fd.rhs.columns
    same = groups_around(violating.delta, violating.rows, fd.lhs.columns, violating.nulls, also=(target,))
    if violating.nulls is NullSemantics.SQL:
        same = same.where(f.col(quoted(target)).isNotNull())
    counts = same.groupBy(*keys, f.col(quoted(target)).alias(_AGREEING)).agg(f.count("*").alias(_SHARED))
    order = Window.partitionBy(*keys).orderBy(f.desc(_SHARED), f.asc(_AGREEING))
    ranked = counts.withColumn("_place", f.row_number().over(order)).withColumn(
        "_usual", f.first(_AGREEING).over(order)
    )
    wrong = ranked.where("_place > 1").persist()
    try:
        examples = wrong.orderBy(f.desc(_SHARED), *keys, f.asc(_AGREEING)).limit(EXAMPLES).collect()
        rows = total(wrong, _SHARED)
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


def alike(violating: Violating, fd: FunctionalDependency) -> int:
    """How many of the rows that came agree with one that stands out on the left side."""
    came = replace(violating.delta, staying=None)
    return int(groups_around(came, violating.rows, fd.lhs.columns, violating.nulls).count())


def _text(value: object) -> str | None:
    return None if value is None else str(value)


ROOM = Room(standing_out, repair, alike)
