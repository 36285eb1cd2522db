"""The texts that stand for a missing value in a column: ``NA`` among numbers, ``?`` among dates.

Among texts they may be values: NA is the code of Namibia. So each column has its own.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.number_forms import trimmed
from profiling_core.ingest.text_values import inferred_type, possible_types
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.texts import listed
from profiling_core.model.types import LogicalType

# As databases, spreadsheets, R, Python and Julia write them, in small letters.
_USUAL = pa.array(["", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "none", "missing", "-", "\\n", "?"])

ColumnNulls = Mapping[str, Sequence[str]]
"""Texts that are null, by column."""


def null_texts(texts: pa.Table, marks: Marks = PLAIN) -> dict[str, list[str]]:
    """By column the usual texts for null, if all other texts are numbers, dates, moments or truth values."""
    found = {}
    for name, column in zip(texts.column_names, texts.columns, strict=True):
        values = pc.drop_null(pc.unique(column))
        usual = _are_usual(values)
        others = values.filter(pc.invert(usual))
        if len(others) < len(values) and len(others) and _is_no_text(others, marks):
            found[name] = sorted(values.filter(usual).to_pylist())
    return found


def said_of_nulls(nulls: ColumnNulls) -> str:
    """The texts that are null in some column, in words."""
    return listed(sorted({text for found in nulls.values() for text in found}))


def _are_usual(values: pa.Array) -> pa.Array:
    """bool[n]: which texts usually mean null; blanks alone are among them."""
    return pc.is_in(trimmed(pc.utf8_lower(values)), _USUAL)


def _is_no_text(values: pa.Array, marks: Marks) -> bool:
    return inferred_type(possible_types(values, marks=marks)) is not LogicalType.STRING


def without(texts: pa.Table, nulls: ColumnNulls) -> pa.Table:
    """The texts of a file, with the null values of each column replaced by null."""
    for name in nulls.keys() & set(texts.column_names):
        column = texts[name]
        kept = pa.chunked_array([without_those(chunk, nulls[name]) for chunk in column.chunks], column.type)
        texts = texts.set_column(texts.column_names.index(name), name, kept)
    return texts


def without_usual(texts: pa.Table) -> pa.Table:
    """The texts of a file, with all usual texts for null replaced by null."""
    nulls = {}
    for name, column in zip(texts.column_names, texts.columns, strict=True):
        values = pc.unique(column)
        nulls[name] = values.filter(_are_usual(values)).to_pylist()
    return without(texts, nulls)


def without_those(cells: pa.Array, nulls: Sequence[str]) -> pa.Array:
    """Cells of texts, null where they equal one of ``nulls``."""
    if not pa.types.is_string(cells.type):
        return cells
    return pc.if_else(pc.is_in(cells, pa.array(nulls, pa.string())), pa.nulls(1, cells.type)[0], cells)
