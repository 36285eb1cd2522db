"""Text columns whose values mostly look like another type: which value is in the way, and what to configure."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest import number_forms, written_days
from profiling_core.ingest.exact_numbers import codes
from profiling_core.ingest.infer import possible_in_column
from profiling_core.ingest.number_forms import commonest_form
from profiling_core.ingest.slashed_days import are_slashed
from profiling_core.ingest.text_values import cast_text, inferred, misread
from profiling_core.model.number_form import Sign
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType

Where = Callable[[str], str]

# Rows that are looked at; a page of a file shows no more.
LOOKED_AT = 2_000
_KINDS = tuple(
    Column("", kind, ordered=True)
    for kind in (LogicalType.INTEGER, LogicalType.FLOAT, LogicalType.DATE, LogicalType.TIMESTAMP, LogicalType.TIME)
)
_BEGINS_LIKE_ONE = f"^([-+.0-9]|{number_forms.BEGIN}|{written_days.BEGIN})"
_FINE = r"(:[0-9]{2}[.,][0-9]{6})[0-9]+"
_CENTURY = r"^[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{2}$"


def _nowhere(_: str) -> str:
    return ""


def said_of_all(name: str, chunks: Iterable[pa.Array], marks: Marks = PLAIN, where: Where = _nowhere) -> str:
    """The report on a text column whose first values may all be numbers, days or moments; else empty."""
    following = iter(chunks)
    whole = next(following, None)
    if whole is None:
        return ""
    first = whole[:LOOKED_AT]
    possible = possible_in_column(first, marks=marks)
    if inferred(possible).type is LogicalType.STRING:
        return said_of(name, first, marks, where)
    for chunk in chain([whole[LOOKED_AT:]], following):
        before, possible = possible, possible & possible_in_column(chunk, possible, marks=marks)
        if inferred(possible).type is LogicalType.STRING:
            column = inferred(before)
            values, bad = cast_text(chunk, column, marks)
            bad |= misread(chunk, values, column, marks)
            return said_of(name, _different([chunk.filter(pa.array(bad))[:1], first, chunk], following), marks, where)
    return ""


def _different(known: list[pa.Array], following: Iterable[pa.Array]) -> pa.Array:
    """The different texts of some chunks, in their order, and of those that follow while they are few."""
    found = pc.unique(pa.concat_arrays(known))
    for chunk in following:
        if len(found) >= LOOKED_AT:
            break
        found = pc.unique(pa.concat_arrays([found, chunk]))
    return found


def said_of(name: str, texts: pa.Array, marks: Marks = PLAIN, where: Where = _nowhere) -> str:
    """The report on a text column: that most texts are numbers, days or moments, and which one is not; else empty.

    Codes with a leading zero are rightly texts. ``where`` gives the place of a text, for instance its file and line.
    """
    distinct = pc.drop_null(pc.unique(texts[:LOOKED_AT]))
    begin = pc.sum(pc.match_substring_regex(distinct, _BEGINS_LIKE_ONE)).as_py() or 0
    if 2 * begin <= len(distinct):
        return ""
    form = commonest_form(distinct)
    coded = bool(codes(distinct).any())
    looks: list[tuple[int, Column, str]] = []
    for kind in (kind for kind in _KINDS if not (coded and kind.type in _OF_NUMBERS)):
        column = replace(kind, written=form) if kind.type in _OF_NUMBERS else kind
        values, bad = cast_text(distinct, column, marks)
        bad |= misread(distinct, values, column, marks)
        good = len(distinct) - int(bad.sum())
        if bad.any() and 2 * good > len(distinct):
            looks.append((good, column, distinct.filter(pa.array(bad))[0].as_py()))
    if not looks:
        return _said_of_doubt(name, distinct)
    good, column, odd = max(looks, key=lambda look: look[0])
    said = f"{good} of {len(distinct)} distinct values are {_noun(column)}, but {odd!r} is not"
    place = f": see {where(odd)}" if where(odd) else ""
    return f"{_shown(name)} is text, though {said} ({_remedy(name, odd, column, marks)}){place}"


def _said_of_doubt(name: str, texts: pa.Array) -> str:
    """The report on texts that are ambiguous in one way; else empty."""
    if pc.all(pc.match_substring_regex(texts, _CENTURY)).as_py():
        said = "its years have two digits (write years with four digits)"
    elif are_slashed(texts) and pc.all(pc.match_substring_regex(texts, "^[0-9]")).as_py():
        said = "the order of day and month is ambiguous (write days as 2024-05-31)"
    elif _are_fine_moments(texts):
        said = "its moments are finer than microseconds (write six digits of a second's fraction)"
    else:
        return ""
    return f"{_shown(name)} is text (for instance {texts[0].as_py()!r}): {said}"


def _are_fine_moments(texts: pa.Array) -> bool:
    """Whether texts would be moments if they had six digits of a second's fraction at most."""
    moment = Column("", LogicalType.TIMESTAMP, ordered=True)
    shorter = pc.replace_substring_regex(texts, _FINE, r"\1")
    return not shorter.equals(texts) and not cast_text(shorter, moment)[1].any()


def _remedy(name: str, odd: str, column: Column, marks: Marks) -> str:
    """What to configure so that a text that is in the way can be read."""
    null = f"null_values: [{odd!r}]"
    unit = f", unit: {column.written.unit!r}" if column.written.unit else ""
    is_bad = cast_text(pa.array([odd]), column, marks)[1].any()
    rejected = f"; to have its row rejected, type: {column.type.value}{unit}" if is_bad else ""
    otherwise = f"where it means no value, write under columns.{name} {null}{rejected}"
    if column.type not in _OF_NUMBERS:
        return otherwise
    given = replace(column, type=LogicalType.FLOAT, written=replace(column.written, is_optional=True))
    read = cast_text(pa.array([odd]), given, marks)
    value = read[0][0].as_py()
    if read[1].any() or value is None or not math.isfinite(value):
        return otherwise
    return f"to read it as {value:g} write under columns.{name} type: decimal{unit}; where it means no value, {null}"


def said_of_form(column: Column) -> str:
    """The report on a column of numbers in a form that programs do not write; else empty."""
    words = column.written.words
    is_marked = column.written.sign is not Sign.LEADING
    as_text = f" (where it means no minus, write under columns.{column.name} type: string)" if is_marked else ""
    return f"{_shown(column.name)} is read as numbers {words}{as_text}" if words else ""


def _noun(column: Column) -> str:
    words = column.written.words if column.type in _OF_NUMBERS else ""
    return f"{_NOUNS[column.type]} {words}".rstrip()


def _shown(name: str) -> str:
    return name if name.isprintable() else repr(name)


_OF_NUMBERS = (LogicalType.INTEGER, LogicalType.FLOAT)
_NOUNS = {
    LogicalType.INTEGER: "whole numbers",
    LogicalType.FLOAT: "numbers",
    LogicalType.DATE: "days",
    LogicalType.TIMESTAMP: "moments",
    LogicalType.TIME: "times of a day",
}
