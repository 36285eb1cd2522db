"""Who breaks a rule: the rows that violate one of rows, and whether a delta obeys one of deltas."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import Figures, parsed, present, shapes_of
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.learning import day_of, lag, lags
from profiling_core.model.column_rule import ColumnRule, Rule
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

# A row count is unusual beyond this share of the median, and beyond so many times the median absolute deviation.
_SHARE_OF_MEDIAN = 0.5
_DEVIATIONS = 8.0
_LEAST_SAME_WEEKDAY = 4
_LATEST = 60
_BEYOND_SEEN = 0.25
# Nulls are unusual beyond their greatest share so far by half, a part of the rows, and a few.
_NULLS_BY_HALF = 1.5
_NULLS_SHARE = 0.02
_NULLS_FEW = 3
_LAG_DAYS = 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was measured of a delta, and what would have been usual, both in words; ``breaks``: it was not."""

    breaks: bool
    measured: str
    usual: str


def judged(rows: pa.Table, rule: ColumnRule, schema: TableSchema) -> pa.ChunkedArray:
    """bool[n]: which rows violate a rule of rows; nulls violate ``NOT_NULL`` alone."""
    column = schema.column(rule.column)
    values = present(rows[rule.column])
    if rule.rule is Rule.NOT_NULL:
        return pc.is_null(values)
    return pc.fill_null(_violates(values, rule, column), fill_value=False)


def _violates(values: pa.ChunkedArray, rule: ColumnRule, column: Column) -> pa.ChunkedArray:
    if rule.rule is Rule.VALUES:
        allowed = pa.array(rule.values, pa.string()).cast(values.type)
        return pc.and_(pc.is_valid(values), pc.invert(pc.is_in(values, value_set=allowed)))
    if rule.rule is Rule.PATTERN:
        shapes = pc.is_in(shapes_of(values), value_set=pa.array(rule.values, pa.string()))
        return pc.and_(pc.is_valid(values), pc.invert(shapes))
    kind = LogicalType.INTEGER if rule.rule is Rule.LENGTH else column.type
    measured = pc.utf8_length(values) if rule.rule is Rule.LENGTH else values
    below = pc.less(measured, parsed(rule.low, kind)) if rule.low is not None else None
    above = pc.greater(measured, parsed(rule.high, kind)) if rule.high is not None else None
    return above if below is None else below if above is None else pc.or_(below, above)


def below(rows: pa.Table, rule: ColumnRule, history: TableHistory) -> pa.ChunkedArray:
    """bool[n]: which rows of a delta lie before where the deltas of the history ended (rule ``RISING``)."""
    ended = [d.high for d in history.columns[rule.column].deltas if d.high is not None]
    values = rows[rule.column]
    if not ended:
        return pc.and_(pc.is_valid(values), pc.is_null(values))
    newest = pa.scalar(max(ended), values.type)
    return pc.fill_null(pc.less(values, newest), fill_value=False)


def verdict(rule: ColumnRule, delta_id: str, rows: int, found: Mapping[str, Figures], history: TableHistory) -> Verdict:
    """Whether a delta is unlike those of the history before it (rules ``ROW_COUNT``, ``NULL_SHARE``, ``FRESH``)."""
    if rule.rule is Rule.ROW_COUNT:
        low, high = usual_rows(history, delta_id)
        return Verdict(not low <= rows <= high, f"{rows:,} rows", f"{low:,} to {high:,} rows")
    figures = found[rule.column]
    if rule.rule is Rule.NULL_SHARE:
        most = usual_nulls(history.columns[rule.column].deltas, figures.rows + figures.nulls)
        return Verdict(figures.nulls > most, f"{figures.nulls:,} nulls", f"at most {most:,} nulls")
    day, known = day_of(delta_id), lags(history, rule.column)
    newest = figures.high
    if day is None or not known or newest is None:
        return Verdict(breaks=False, measured="", usual="")
    most = max(known) + _LAG_DAYS
    days = lag(day, newest)
    return Verdict(days > most, f"the newest value is {days} days old", f"at most {most} days old")


def usual_rows(history: TableHistory, delta_id: str) -> tuple[int, int]:
    """The least and the most rows that a delta usually has: on its weekday, where ids are days and enough are known."""
    known = list(zip(history.ids, history.rows, strict=True))
    day = day_of(delta_id)
    alike = [rows for name, rows in known if day and (other := day_of(name)) and other.weekday() == day.weekday()]
    counts = alike if len(alike) >= _LEAST_SAME_WEEKDAY else [rows for _, rows in known]
    middle = median(counts[-_LATEST:])
    deviation = median(abs(count - middle) for count in counts[-_LATEST:])
    room = max(_SHARE_OF_MEDIAN * middle, _DEVIATIONS * deviation, 1)
    # what has been seen before, and a little beyond, is not unusual however rare it is
    least, most = min(counts) * (1 - _BEYOND_SEEN), max(counts) * (1 + _BEYOND_SEEN)
    return max(0, int(min(middle - room, least))), int(max(middle + room, most) + 0.5)


def usual_nulls(deltas: Sequence[Figures], rows: int) -> int:
    """The most nulls that so many rows usually have."""
    share = max((d.nulls / (d.nulls + d.rows) for d in deltas if d.nulls + d.rows), default=0.0)
    return min(rows, int(rows * (share * _NULLS_BY_HALF + _NULLS_SHARE)) + _NULLS_FEW)


def regular_expression(shapes: Sequence[str]) -> str:
    """The regular expression that the strings of these shapes match as a whole."""
    runs = {"9": "[0-9]+", "a": "[a-z]+", "A": "[A-Z]+"}
    alternatives = ("".join(runs.get(sign, re.escape(sign)) for sign in shape) for shape in shapes)
    return f"^(?:{'|'.join(alternatives)})$"
