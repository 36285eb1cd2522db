"""Figures of a batch of rows, column by column: nulls, extremes, lengths, distinct values and shapes if these are few.

Figures of two batches merge into those of both, so that a delta of any size is read in batches.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.words import MOST_WORDS, counted
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# int, float, Decimal, date or datetime, the same within a column, so that its numbers compare and subtract
Number = Any
# Distinct values, and shapes, of a column that are counted, at most.
MOST_VALUES = 500
MOST_SHAPES = 12
_COUNTED = (LogicalType.STRING, LogicalType.INTEGER, LogicalType.BOOLEAN)
# A shape is a string with its runs of digits and of ASCII letters replaced, in this order.
_SHAPING = (("[0-9]+", "9"), ("[a-z]+", "a"), ("[A-Z]+", "A"))


@dataclass(frozen=True, slots=True)
class ColumnFigures:
    """One column in one batch.

    ``rows`` have a value, ``nulls`` have none (NaN counts as null). ``low`` and ``high`` are the extremes of ordered
    types, ``shortest`` and ``longest`` the lengths of strings in characters. ``values``, ``shapes`` and ``words``
    count rows; None: there are too many, or they are not counted for the type.
    """

    rows: int = 0
    nulls: int = 0
    low: Number | None = None
    high: Number | None = None
    shortest: int | None = None
    longest: int | None = None
    values: Mapping[str, int] | None = field(default_factory=dict)
    shapes: Mapping[str, int] | None = field(default_factory=dict)
    words: Mapping[str, int] | None = field(default_factory=dict)

    def merged(self, other: Self) -> "ColumnFigures":
        """The figures of both batches together."""
        return ColumnFigures(
            self.rows + other.rows,
            self.nulls + other.nulls,
            _extreme(min, self.low, other.low),
            _extreme(max, self.high, other.high),
            _extreme(min, self.shortest, other.shortest),
            _extreme(max, self.longest, other.longest),
            _together(self.values, other.values, MOST_VALUES),
            _together(self.shapes, other.shapes, MOST_SHAPES),
            _together(self.words, other.words, MOST_WORDS),
        )


def has_one_value(found: ColumnFigures) -> bool:
    """Whether all rows with a value have the same one, as far as figures can tell."""
    if found.low is not None:
        return bool(found.low == found.high)
    return found.values is not None and len(found.values) == 1


def figures(rows: pa.Table, schema: TableSchema) -> dict[str, ColumnFigures]:
    """The figures of each profiled column over a batch of rows."""
    return {column.name: _figures(rows[column.name], column) for column in schema.profiled}


def present(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with NaN as null."""
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)


def shapes_of(values: pa.Array) -> pa.Array:
    """Strings with every run of digits as ``9``, of small letters as ``a``, of capital letters as ``A``."""
    for pattern, sign in _SHAPING:
        values = pc.replace_substring_regex(values, pattern, sign)
    return values


def text_of(value: Number) -> str:
    """A value as text that :func:`parsed` reads again without loss."""
    if isinstance(value, float):
        return repr(value)
    return value.isoformat() if isinstance(value, date) else str(value)


def parsed(text: str, kind: LogicalType) -> Number:
    """The value that :func:`text_of` wrote."""
    read: dict[LogicalType, Any] = {
        LogicalType.INTEGER: int,
        LogicalType.FLOAT: float,
        LogicalType.DECIMAL: Decimal,
        LogicalType.DATE: date.fromisoformat,
        LogicalType.TIMESTAMP: datetime.fromisoformat,
    }
    value: Number = read[kind](text)
    return value


def _figures(values: pa.ChunkedArray, column: Column) -> ColumnFigures:
    values = present(values)
    there = len(values) - values.null_count
    low, high = _extremes(values) if column.type.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL) else (None, None)
    shortest = longest = None
    shapes: Mapping[str, int] | None = None
    words: Mapping[str, int] | None = None
    if column.type is LogicalType.STRING:
        shortest, longest = pc.min_max(pc.utf8_length(values)).as_py().values()
        distinct = pc.value_counts(values.drop_null().combine_chunks())
        shapes = _counts(values, MOST_SHAPES, shaped=True)
        words = counted(distinct.field("values"), distinct.field("counts"))
    few = _counts(values, MOST_VALUES) if column.type in _COUNTED else None
    return ColumnFigures(there, values.null_count, low, high, shortest, longest, few, shapes, words)


def _extremes(values: pa.ChunkedArray) -> tuple[Number | None, Number | None]:
    low, high = pc.min_max(values).as_py().values()
    return _in_utc(low), _in_utc(high)


def _in_utc(value: Number | None) -> Number | None:
    if not isinstance(value, datetime):
        return value
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _counts(values: pa.ChunkedArray, most: int, *, shaped: bool = False) -> dict[str, int] | None:
    counted = pc.value_counts(values.drop_null().combine_chunks())
    distinct, rows = counted.field("values"), counted.field("counts").to_pylist()
    if not shaped and len(distinct) > most:
        return None
    texts = (shapes_of(distinct) if shaped else distinct.cast(pa.string())).to_pylist()
    found: Counter[str] = Counter()
    for text, count in zip(texts, rows, strict=True):
        found[text] += count
    return dict(found) if len(found) <= most else None


def _extreme(choose: Any, one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else choose(one, other)


def _together(one: Mapping[str, int] | None, other: Mapping[str, int] | None, most: int) -> dict[str, int] | None:
    if one is None or other is None:
        return None
    both = dict(Counter(one) + Counter(other))
    return both if len(both) <= most else None
