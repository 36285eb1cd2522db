"""Schemas of sources that declare none: from the texts of a CSV file, or the Arrow types of a Parquet file.

A column has a set of possible readings. The sets of its chunks intersect, in any order and grouping, so that inference
can be spread over partitions (see :func:`profiling_core.ingest.text_values.possible_types`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.values.arrow_types import MAX_DIGITS
from profiling_core.ingest import number_forms, written_days
from profiling_core.ingest.plain_types import plain_type, source_type
from profiling_core.ingest.slashed_days import Reading, orders_of
from profiling_core.ingest.text_values import ANYTHING, inferred, possible_types
from profiling_core.model.errors import InputError
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

# Values of other types never begin so; this shows most text columns without a look at each distinct value.
_PLAINLY_TEXT = "^[^-+.,0-9tTfFiInN]"
_YET_PERHAPS = f"^({number_forms.BEGIN}|{written_days.BEGIN})"
_FIRST = 2_000
_TIMES = ("time32", "time64")
TEXT: frozenset[Reading] = frozenset({LogicalType.STRING})
# Fewer bytes of text are read within 0.1 s by one thread.
_WORTH_THREADS = 16 << 20
T = TypeVar("T")
R = TypeVar("R")


def infer_schema(table: str, texts: pa.Table, *, marks: Marks = PLAIN) -> TableSchema:
    """The schema of a table of strings, decided by all non-null values of each column.

    Args:
        table: its name.
        texts: the strings.
        marks: how numbers are written.
    """
    names = texts.column_names
    possible = side_by_side(lambda name: _possible(texts[name].chunks, marks), names, texts.nbytes)
    return TableSchema(table, tuple(inferred_columns(dict(zip(names, possible, strict=True)))))


def inferred_columns(possible: Mapping[str, frozenset[Reading]]) -> list[Column]:
    """The columns of a table from the possible readings of each; the order of days may follow from other columns."""
    orders = [orders_of(readings) for readings in possible.values()]
    others = frozenset(order for found in orders if len(found) == 1 for order in found)
    return [replace(inferred(readings, others), name=name) for name, readings in possible.items()]


def side_by_side(work: Callable[[T], R], among: Sequence[T], size: int) -> list[R]:
    """Applies ``work`` to each item; several at a time if they have enough bytes.

    Arrow computes without Python's lock, so that two threads use two cores.
    """
    if size < _WORTH_THREADS:
        return [work(one) for one in among]
    with ThreadPoolExecutor(pa.cpu_count()) as pool:
        return list(pool.map(work, among))


def _possible(chunks: Iterable[pa.Array], marks: Marks) -> frozenset[Reading]:
    """The readings that all chunks of a column's texts allow."""
    possible = ANYTHING
    for chunk in chunks:
        possible &= possible_in_column(chunk, possible, marks=marks)
        if possible == TEXT:
            break
    return possible


def possible_in_column(
    chunk: pa.Array, among: frozenset[Reading] | None = None, *, marks: Marks = PLAIN
) -> frozenset[Reading]:
    """The types that some texts of a column allow: as ``possible_types``, but often without a look at each text."""
    first = chunk[:_FIRST]
    plainly = first.filter(pc.match_substring_regex(first, _PLAINLY_TEXT))
    if len(plainly) and pc.all(pc.match_substring_regex(plainly, _YET_PERHAPS)).as_py() is False:
        return TEXT
    return possible_types(chunk, among, marks=marks)


def column_of(name: str, type_: LogicalType) -> Column:
    """A column of that type, ordered if the type is; decimals hold whole numbers of up to 38 digits."""
    if type_ is LogicalType.DECIMAL:
        return Column(name, type_, type_.is_ordered, precision=MAX_DIGITS, scale=0)
    return Column(name, type_, type_.is_ordered)


def schema_of(table: str, fields: pa.Schema, where: str) -> TableSchema:
    """The schema of a table with Arrow types; values without a logical type become texts.

    Raises:
        InputError: a column has an unsupported type.
    """
    return TableSchema(table, tuple(arrow_column(field, where) for field in fields))


def arrow_column(field: pa.Field, where: str) -> Column:
    """The column for an Arrow field; raises ``InputError`` where no logical type holds its values."""
    type_ = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if pa.types.is_time(type_) or source_type(field).startswith(_TIMES):
        return column_of(field.name, LogicalType.TIME)
    type_ = plain_type(type_)
    if pa.types.is_decimal(type_) and 0 <= type_.scale <= type_.precision <= MAX_DIGITS:
        return Column(field.name, LogicalType.DECIMAL, ordered=True, precision=type_.precision, scale=type_.scale)
    if pa.types.is_uint64(type_):
        return Column(field.name, LogicalType.DECIMAL, ordered=True, precision=20, scale=0)
    for logical, tests in _TESTS.items():
        if any(test(type_) for test in tests):
            return column_of(field.name, logical)
    raise InputError(
        f"column {field.name!r} has type {field.type}, whose values cannot be compared",
        where=where,
        remedy="leave the column out of the file, or write it as text, numbers, dates or timestamps",
    )


_TESTS = {
    LogicalType.BOOLEAN: (pa.types.is_boolean,),
    LogicalType.INTEGER: (pa.types.is_integer,),
    LogicalType.FLOAT: (pa.types.is_floating,),
    LogicalType.DATE: (pa.types.is_date32,),
    LogicalType.TIMESTAMP: (pa.types.is_timestamp, pa.types.is_date64),
    LogicalType.STRING: (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null),
    LogicalType.BINARY: (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    ),
}
