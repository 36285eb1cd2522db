"""How a file writes numbers, if its texts leave no doubt."""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.marked_numbers import DIGITS_AND_MARKS, EVERY, plain_numbers
from profiling_core.ingest.number_forms import taken_apart
from profiling_core.ingest.text_values import inferred_type, possible_types
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.types import LogicalType

_AT_MOST_ONE_COMMA = r"^[+-]?[0-9][0-9.]*(,[0-9]+)?$"
_NUMBERS = frozenset({LogicalType.INTEGER, LogicalType.DECIMAL, LogicalType.FLOAT})


class _Column(NamedTuple):
    """A column's distinct texts, and the ways of writing in which all of them are numbers."""

    values: pa.Array
    ways: Sequence[Marks]


def number_marks(texts: pa.Table) -> Marks:
    """How a file writes numbers, from its texts: with marks where these are beyond doubt, else as programs do.

    There is doubt if two ways of writing read a text as different numbers (1,234), if columns disagree, or if blanks
    part
    texts that all have the same number of digits, as account and telephone numbers do.
    """
    columns = _judged(texts)
    fitting = [marks for marks in EVERY if all(marks in column.ways for column in columns)]
    if not fitting or all(PLAIN in column.ways for column in columns):
        return PLAIN
    found = fitting[0]
    sure = _read_alike(columns, fitting) and (not found.thousands or any(map(_says_that_thousands_are_parted, columns)))
    return found if sure else PLAIN


def _judged(texts: pa.Table) -> list[_Column]:
    """The columns that count: numbers with marks, and columns with commas that no way reads (1,5 beside 1.5)."""
    found = [bare_numbers(column) for column in texts.columns]
    columns = [_Column(values, ways(values)) for values in found if are_marked(values)]
    return [column for column in columns if column.ways or _is_read_in_no_way(column.values)]


def bare_numbers(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The distinct texts of a column; of numbers as people write them only digits and marks."""
    values = pc.drop_null(pc.unique(column))
    return pc.unique(taken_apart(values)[0])


def _is_read_in_no_way(values: pa.Array) -> bool:
    """Whether texts have commas, one at most; hours written as 0.30.00 have none and tell nothing about numbers."""
    some = pc.any(pc.match_substring(values, ",")).as_py()
    return bool(some and pc.all(pc.match_substring_regex(values, _AT_MOST_ONE_COMMA)).as_py())


def _read_alike(columns: Sequence[_Column], fitting: Sequence[Marks]) -> bool:
    first, *rest = ([plain_numbers(column.values, marks) for column in columns] for marks in fitting)
    return all(numbers == first for numbers in rest)


def _says_that_thousands_are_parted(column: _Column) -> bool:
    """False for a column that is also numbers without thousands marks, such as 12.345 and 7."""
    return all(way.thousands for way in column.ways)


def are_marked(values: pa.Array) -> bool:
    """Whether texts are digits, some with marks; days and moments are excluded."""
    if not len(values) or not pc.all(pc.match_substring_regex(values, DIGITS_AND_MARKS)).as_py():
        return False
    whole = pc.all(pc.ascii_is_decimal(values)).as_py()
    return not whole and inferred_type(possible_types(values)) not in (LogicalType.DATE, LogicalType.TIMESTAMP)


def ways(values: pa.Array) -> list[Marks]:
    """The ways of writing in which all texts are numbers; none if only blanks part texts of equally many digits."""
    found = [marks for marks in EVERY if _NUMBERS & possible_types(values, _NUMBERS, marks=marks)]
    digits = pc.utf8_length(pc.replace_substring_regex(values, "[^0-9]", ""))
    return [] if len(pc.unique(digits)) == 1 and all(marks.thousands == " " for marks in found) else found
