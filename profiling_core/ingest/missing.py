"""The texts that stand for a missing value in a file: ``NA`` among numbers, ``?`` among dates."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.text_values import inferred_type, possible_types
from profiling_core.model.types import LogicalType

_USUAL = ("NA", "N/A", "NULL", "null", "None", "nan", "-", "\\N", "?")


def null_texts(texts: pa.Table) -> list[str]:
    """The texts that mean null: the empty one, and usual ones that stand where other values are numbers or dates."""
    found = [""]
    for column in texts.columns:
        values = pc.drop_null(pc.unique(column))
        usual = pc.filter(values, pc.is_in(values, pa.array(_USUAL)))
        others = pc.filter(values, pc.invert(pc.is_in(values, pa.array(_USUAL))))
        if len(usual) and len(others) and inferred_type(possible_types(others)) is not LogicalType.STRING:
            found += [text for text in usual.to_pylist() if text not in found]
    return found


def without(texts: pa.Table, nulls: Sequence[str]) -> pa.Table:
    """The texts of a file, null where one of some stands."""
    wanted = pa.array(list(nulls), pa.string())
    columns = [pc.if_else(pc.is_in(column, wanted), pa.scalar(None, pa.string()), column) for column in texts.columns]
    return pa.table(columns, names=texts.column_names)
