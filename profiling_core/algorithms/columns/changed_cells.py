"""The cells that differ from those of the row that was there before."""

from collections.abc import Callable
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.model.delta import BEFORE

Mask = npt.NDArray[np.bool_]


class CellChange(IntEnum):
    """What happened to a cell: another value, a greater or a lesser one, a value where none was, or none any more."""

    OTHER = 0
    RISEN = 1
    FALLEN = 2
    FILLED = 3
    EMPTIED = 4


def rows_at(rows: pa.Table, places: npt.NDArray[np.int64]) -> pa.StructArray:
    """The rows at these places as one column; null for −1."""
    none = pa.array(places < 0)
    taken = rows.take(pa.array(places, mask=places < 0)).combine_chunks()
    columns = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in taken.columns]
    return pa.StructArray.from_arrays(columns, names=rows.column_names, mask=none)


def values_before(rows: pa.Table, name: str) -> pa.ChunkedArray:
    """What a column had in the rows before; null in a column that came later."""
    before = rows[BEFORE].combine_chunks()
    if before.type.get_field_index(name) < 0:
        return pa.chunked_array([pa.nulls(len(rows), rows[name].type)])
    return pa.chunked_array([pc.struct_field(before, name)]).cast(rows[name].type)


def changes(rows: pa.Table, name: str) -> dict[CellChange, Mask]:
    """bool[n] for each kind of change that happened: which cells of a column had it; NaN is null."""
    now, old = rows[name], values_before(rows, name)
    there, was = (~pc.is_null(values, nan_is_null=True).to_numpy() for values in (now, old))
    other = _holds(pc.not_equal, now, old)
    ordered = not pa.types.is_string(now.type) and not pa.types.is_boolean(now.type)
    more = other & (_holds(pc.greater, now, old) if ordered else False)
    masks = {
        CellChange.OTHER: other,
        CellChange.RISEN: more,
        CellChange.FALLEN: other & ~more & ordered,
        CellChange.FILLED: there & ~was,
        CellChange.EMPTIED: was & ~there,
    }
    return {kind: mask for kind, mask in masks.items() if mask.any()}


def _holds(compare: Callable[..., pa.ChunkedArray], now: pa.ChunkedArray, old: pa.ChunkedArray) -> Mask:
    """bool[n]: which cells compare so; of those without a value, or NaN, none does."""
    known = pc.and_(*(pc.invert(pc.is_null(values, nan_is_null=True)) for values in (now, old)))
    mask: Mask = pc.and_(pc.fill_null(compare(now, old), fill_value=False), known).to_numpy()
    return mask
