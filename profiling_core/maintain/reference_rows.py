"""The rows of a reference's tables that a rule along it is judged by, before the deltas and after them.

A rule judges rows by those of the other table that share the reference's values. So only rows with values of those that
came or went are joined and judged, as they were and as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.references.joining import Sides, keys, widened
from profiling_core.maintain.orphaned_rows import RowsAfter
from profiling_core.model.constraint import ColumnList
from profiling_core.model.delta import ROW_ID
from profiling_core.model.kinds.relation import ON_THE_WAY
from profiling_core.model.schema import TableSchema
from profiling_core.spark.rows import Rows

Reference = tuple[ColumnList, ...]
"""The sides of a reference; then those of the first reference of its children, if they have the row it leads to."""


@dataclass(frozen=True)
class RowsOfTables:
    """The rows on both sides of a step, and the next version's schemas."""

    rows: RowsAfter
    schemas: Mapping[str, TableSchema]


@dataclass(frozen=True)
class Touched:
    """The rows of a reference that what came or went has to do with, as they were and as they are."""

    earlier: Sides
    later: Sides


def whole_tables(step: RowsOfTables, reference: Reference) -> Sides:
    """All rows of a reference's tables after the deltas."""
    child, parent, *on_the_way = (all_rows(step, side.table) for side in reference)
    return Sides(_wide(reference, Sides(child, on_the_way[-1])) if on_the_way else child, parent)


def _wide(reference: Reference, sides: Sides) -> pa.Table:
    """Children with the columns of the rows that their first reference leads to."""
    return widened(sides, reference[2].columns, reference[3].columns)


def all_rows(step: RowsOfTables, table: str) -> pa.Table:
    """All rows of a table after the deltas."""
    rows = step.rows.all_rows(table)
    names = [column.name for column in step.schemas[table].profiled]
    return pa.table({}) if rows is None else rows.read(names)


def touched_by(step: RowsOfTables, reference: Reference) -> Touched | None:
    """The rows that share the reference's values with one that comes or goes; None: all have to be looked at."""
    version, deltas = step.rows.version, step.rows.deltas
    known = version is not None and all(side.table in version.tables for side in reference)
    if not known or any(side.table in deltas and deltas[side.table].rewritten for side in reference):
        return None
    child, parent, *first = reference
    values = _refers_by(step, reference) if first else _values(step, (child, parent))
    children = _on_the_way(step, reference, values) if first else _at_both_times(step, child, values)
    parents = _at_both_times(step, parent, values)
    return Touched(*(Sides(*both) for both in zip(children, parents, strict=True)))


def _refers_by(step: RowsOfTables, reference: Reference) -> pa.Table:
    """The values of a way of two references in all rows that come or go; a child changes with either of its rows."""
    child, parent, *first = reference
    changed = _children(step, reference, _values(step, first))
    return _distinct(
        [*(rows.select(list(child.columns)) for rows in changed), *_changed_values(step, parent)], child.columns
    )


def _on_the_way(step: RowsOfTables, reference: Reference, values: pa.Table) -> tuple[pa.Table, ...]:
    """Children that refer by some values and have the columns of the row on their way, before and after the deltas."""
    child, _, *first = reference
    taken = [name for name in child.columns if name.startswith(ON_THE_WAY)]
    by = tuple(name.removeprefix(ON_THE_WAY) for name in taken) or child.columns
    own, theirs = first
    side, leads = (theirs, theirs.columns) if taken else (child, own.columns)
    near = _with_values(step, ColumnList(side.table, by), values.select(taken or by))
    leading = _distinct([_values(step, first), near.select(list(leads))], own.columns)
    return tuple(_having(rows, child.columns, values) for rows in _children(step, reference, leading))


def _children(step: RowsOfTables, reference: Reference, leading: pa.Table) -> list[pa.Table]:
    """Children whose first reference has some of the values, before and after, with the columns of the rows there."""
    both = (_at_both_times(step, side, leading) for side in reference[2:])
    return [_wide(reference, Sides(*rows)) for rows in zip(*both, strict=True)]


def _having(rows: pa.Table, columns: Sequence[str], values: pa.Table) -> pa.Table:
    """The rows that have some of the values in some columns."""
    joined = keys(Sides(rows, values), columns, values.column_names)
    return rows.filter(pa.array((joined.child >= 0) & np.isin(joined.child, joined.parent)))


def _values(step: RowsOfTables, sides: Sequence[ColumnList]) -> pa.Table:
    """The values of a reference in all rows that come or go on either side, under the names of its first one."""
    changed = [rows for side in sides for rows in _changed_values(step, side)]
    return _distinct(changed, sides[0].columns)


def _changed_values(step: RowsOfTables, side: ColumnList) -> list[pa.Table]:
    return [rows.select(list(side.columns)) for rows in _delta_rows(step, side.table)]


def _distinct(parts: Sequence[pa.Table], names: Sequence[str]) -> pa.Table:
    """All different rows of some tables, under the same names."""
    named = [part.rename_columns(list(names)).combine_chunks() for part in parts]
    return pa.concat_tables(named, promote_options="permissive").group_by(list(names)).aggregate([])


def _at_both_times(step: RowsOfTables, side: ColumnList, values: pa.Table) -> tuple[pa.Table, pa.Table]:
    """A side's rows that have some of the values of the reference, before the deltas and after them.

    So are those that come or go without a value: a parent without one has no children, and may be judged by that.
    """
    come, go = _delta_rows(step, side.table)
    valueless = go.filter(reduce(pc.or_, (go[name].is_null(nan_is_null=True) for name in side.columns)))
    earlier = pa.concat_tables([_with_values(step, side, values), valueless])
    return earlier, pa.concat_tables([_without(earlier, go), come.select(earlier.column_names).cast(earlier.schema)])


def _delta_rows(step: RowsOfTables, table: str) -> tuple[pa.Table, pa.Table]:
    """The rows of a table that come, and those that go."""
    names = [ROW_ID, *(column.name for column in step.schemas[table].profiled)]
    coming, going = step.rows.coming(table), step.rows.going(table)
    if coming is None or going is None:
        nothing = _before(step, table).arrow(names).empty_table()
        return nothing, nothing
    return coming.read(names), going.read(names)


def _before(step: RowsOfTables, table: str) -> Rows:
    rows = step.rows.before(table)
    if rows is None:
        raise TypeError("there is no version before")
    return rows


def _with_values(step: RowsOfTables, side: ColumnList, values: pa.Table) -> pa.Table:
    """A side's rows in the base version that have some of the values of the reference."""
    names = [ROW_ID, *(column.name for column in step.schemas[side.table].profiled)]
    rows = _before(step, side.table)
    found = rows.agreeing(values.rename_columns(list(side.columns)).drop_null(), names)
    return pa.concat_tables([rows.arrow(names).empty_table(), *found])


def _without(rows: pa.Table, gone: pa.Table) -> pa.Table:
    return rows.filter(pc.invert(pc.is_in(rows[ROW_ID], value_set=gone[ROW_ID].combine_chunks())))
