"""What single columns of a table determine, and how many kinds of rows follow from it."""

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow.compute as pc

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.model.role import Role

Determined = Mapping[str, Collection[str]]
"""By column with repeating values, all columns that it determines, also by chance."""


def kinds(table: CodedTable, columns: Collection[str], single: Determined, said: Collection[str] = ()) -> int:
    """The number of kinds of rows. Each kind is one piece of evidence on how some columns relate.

    Where a column determines all of them (a hospital its name, its town and its owner), its values are the kinds: all
    rows of one kind must agree, and add nothing. Columns in ``said`` are no kinds: a left side determines them itself.
    Measured columns are no kinds either: few different amounts determine the price that they are computed from. Rows
    with a null in the column are each their own.
    """
    finer = (
        table.distinct(name) + table.rows[name].null_count
        for name, told in single.items()
        if (name in columns or table.roles[name].role is not Role.QUANTITY)
        and set(columns) - {name} <= set(told)
        and name not in said
    )
    return min(finer, default=table.size)


def independent(table: CodedTable, columns: Collection[str], single: Determined) -> float:
    """The share of rows that each say something of their own about some columns (:func:`kinds`)."""
    told = [name for name in columns if _determines(table, name, next(c for c in columns if c != name))]
    own = {name: set(columns) - {name} for name in told if len(columns) == 2}
    return kinds(table, columns, {**single, **own}) / max(1, table.size)


def _determines(table: CodedTable, left: str, right: str) -> bool:
    return table.grouped((left,)).determine(table.codes[right])


def is_in_runs(table: CodedTable, name: str, kind: str) -> bool:
    """Whether each value of a column covers an interval of an ordered column, without another value inside: a band."""
    both = table.rows.select([name, kind]).drop_null()
    codes = both[kind].combine_chunks().dictionary_encode().indices.take(pc.sort_indices(both[name]))
    in_turn = codes.to_numpy()
    return bool((np.diff(in_turn) != 0).sum() < len(np.unique(in_turn)))
