"""What single columns of a table determine, and how many kinds of rows there are because of it."""

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow.compute as pc

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.model.role import Role

Determined = Mapping[str, Collection[str]]
"""By column whose values repeat all columns that it determines, by chance or not."""


def kinds(table: CodedTable, columns: Collection[str], single: Determined, lefts: Collection[str] = ()) -> int:
    """How many kinds of rows there are, each of which says once what some columns have to do with each other.

    Where a column determines all of them (a hospital its name, its town and its owner), its values are the kinds: that
    rows of one kind agree is known, and adds nothing. A left side that determines the kind alone says it itself.
    What is measured is no kind: few different amounts tell the price that they are computed of. Rows in which the
    column is null are each their own.
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
    """The share of rows that each say something of their own about some columns (:func:`kinds`)."""
    told = [name for name in columns if _determine(table, (name,), next(c for c in columns if c != name))]
    own = {name: set(columns) - {name} for name in told if len(columns) == 2}
    return kinds(table, columns, {**single, **own}) / max(1, table.size)


def is_in_runs(table: CodedTable, name: str, kind: str) -> bool:
    """Whether each value of a column has values of an ordered one to itself, without another's between: bands of it."""
    both = table.rows.select([name, kind]).drop_null()
    codes = both[kind].combine_chunks().dictionary_encode().indices.take(pc.sort_indices(both[name]))
    in_turn = codes.to_numpy()
    return bool((np.diff(in_turn) != 0).sum() < len(np.unique(in_turn)))
