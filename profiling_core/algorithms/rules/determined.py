"""What single columns of a table determine, and how many kinds of rows follow from it."""

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow.compute as pc

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.model.role import Role

Determined = Mapping[str, Collection[str]]
"""By column with repeating values, all columns that it determines, also by chance."""


def kinds(table: CodedTable, columns: Collection[str], single: Determined, lefts: Collection[str] = ()) -> int:
    """How many kinds of rows there are; each kind is one piece of evidence about some columns.

    If a column determines all of them (a hospital its name, town and owner), its values are the kinds: rows of one kind
    must agree, which adds no evidence. A left side that determines the kind alone is its own evidence. A measured
    column
    is no kind: a few amounts may determine the price that they are computed from. Rows with a null in the column are
    each
    their own kind.
    """
    finer = (
        table.distinct(name) + table.rows[name].null_count
        for name, told in single.items()
        if (name in columns or table.roles[name].role is not Role.QUANTITY)
        and set(columns) - {name} <= set(told)
        and not (len(lefts) == 1 and _determine(table, lefts, name))
    )
    return min(finer, default=table.size)


def _determine(table: CodedTable, lefts: Collection[str], name: str) -> bool:
    return name in lefts or table.grouped(tuple(lefts)).determine(table.codes[name])


def independent(table: CodedTable, columns: Collection[str], single: Determined) -> float:
    """The share of rows that are independent evidence about some columns (:func:`kinds`)."""
    told = [name for name in columns if _determine(table, (name,), next(c for c in columns if c != name))]
    own = {name: set(columns) - {name} for name in told if len(columns) == 2}
    return kinds(table, columns, {**single, **own}) / max(1, table.size)


def is_in_runs(table: CodedTable, name: str, kind: str) -> bool:
    """Whether each value of a column covers an interval of an ordered column, without another value inside: a band."""
    both = table.rows.select([name, kind]).drop_null()
    codes = both[kind].combine_chunks().dictionary_encode().indices.take(pc.sort_indices(both[name]))
    in_turn = codes.to_numpy()
    return bool((np.diff(in_turn) != 0).sum() < len(np.unique(in_turn)))
