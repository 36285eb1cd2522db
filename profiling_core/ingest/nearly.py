"""Columns that are text though most of their values look like something else: what is in the way, and what to write."""

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.exact_numbers import codes
from profiling_core.ingest.text_values import cast_text, misread
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType

# As many rows tell; a page of a file shows no more.
_LOOKED_AT = 2_000
_KINDS = tuple(
    Column("", kind, ordered=True)
    for kind in (LogicalType.INTEGER, LogicalType.FLOAT, LogicalType.DATE, LogicalType.TIMESTAMP)
)
_BEGINS_LIKE_ONE = "^[-+.0-9]"


def said_of(name: str, texts: pa.Array, marks: Marks = PLAIN) -> str:
    """What to tell of a column of texts: that most are numbers, days or moments, and which one is not; else nothing.

    Codes with a zero before other digits are texts by right.
    """
    distinct = pc.drop_null(pc.unique(texts[:_LOOKED_AT]))
    begin = pc.sum(pc.match_substring_regex(distinct, _BEGINS_LIKE_ONE)).as_py() or 0
    if 2 * begin <= len(distinct) or codes(distinct).any():
        return ""
    for column in _KINDS:
        values, bad = cast_text(distinct, column, marks)
        bad |= misread(distinct, values, column, marks)
        good = len(distinct) - int(bad.sum())
        if bad.any() and 2 * good > len(distinct):
            shown = name if name.isprintable() else repr(name)
            odd = distinct.filter(pa.array(bad))[0].as_py()
            return (
                f"{shown} is text, though {good} of {len(distinct)} different values are {_NOUNS[column.type]}: "
                f"{odd!r} is none (where it means no value: null_values)"
            )
    return ""


_NOUNS = {
    LogicalType.INTEGER: "whole numbers",
    LogicalType.FLOAT: "numbers",
    LogicalType.DATE: "days",
    LogicalType.TIMESTAMP: "moments",
}
