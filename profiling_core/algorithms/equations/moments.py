"""Dates at a fixed distance, the time between them, and their parts, proposed from a sample."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.equations.numbers import DAY_MICROSECONDS, UNIT_MICROSECONDS, Array, Numbers, numbers_of
from profiling_core.algorithms.equations.other_values import date_part, is_text
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.model.expression import DatePart, Elapsed, Late, Linear, OnDay, Part, Shifted

_TEXTS = (
    DatePart.YEAR_MONTH,
    DatePart.WEEKDAY_NAME,
    DatePart.MONTH_NAME,
    DatePart.WEEKDAY_SHORT,
    DatePart.MONTH_SHORT,
)
_CLOCK = (DatePart.HOUR, DatePart.MINUTE)
_NUMBERS = tuple(part for part in DatePart if part not in (*_TEXTS, DatePart.DATE))
# Nights; days that count both ends; and days that count neither.
_PLUS = (0, 1, -1)
# Units by which a number may differ from the time between two dates.
_NEARLY = 0.01


def moment_columns(rows: pa.Table, names: Sequence[str]) -> list[str]:
    """The columns that hold dates or moments."""
    return [name for name in names if pa.types.is_temporal(rows[name].type)]


def distances(rows: pa.Table, names: Sequence[str], budget: Budget = ENDLESS) -> Iterator[Proposal]:
    """Dates at a constant distance from another: ``due = issued + 14 days``."""
    moments = moment_columns(rows, names)
    for later, earlier in budget.steps((later, other) for i, later in enumerate(moments) for other in moments[:i]):
        if rows[later].type == rows[earlier].type:
            yield from _distance(rows, later, earlier)
        else:
            day, moment = (later, earlier) if pa.types.is_date32(rows[later].type) else (earlier, later)
            yield from _days_after(rows, day, moment)


def _distance(rows: pa.Table, later: str, earlier: str) -> Iterator[Proposal]:
    spans = _spans(rows, later, earlier)
    if not len(spans) or (spans != spans[0]).any():
        return
    if spans[0] == 0:
        yield Proposal(later, Linear((("1", earlier),)))
        return
    for unit, size in UNIT_MICROSECONDS.items():
        if spans[0] % size == 0:
            yield Proposal(later, Shifted(earlier, int(spans[0]) // size, unit))
            return


def _days_after(rows: pa.Table, day: str, moment: str) -> Iterator[Proposal]:
    """A day a constant number of days from a moment's day; with 0 days it is a part of the moment."""
    days = pa.table({day: rows[day], moment: rows[moment].cast(pa.date32())}) if _has_clock(rows[moment]) else rows
    spans = _spans(days, day, moment)
    if len(spans) and spans[0] and (spans == spans[0]).all():
        yield Proposal(day, OnDay(moment, int(spans[0]) // DAY_MICROSECONDS))


def _spans(rows: pa.Table, later: str, earlier: str) -> Array:
    ends = numbers_of(rows[later]), numbers_of(rows[earlier])
    there = ends[0].there & ends[1].there
    return ends[0].values[there] - ends[1].values[there]


def between(
    rows: pa.Table,
    names: Sequence[str],
    numeric: Sequence[str],
    budget: Budget = ENDLESS,
    asked: Callable[[str, Sequence[str]], bool] = lambda _, __: True,
) -> Iterator[Proposal]:
    """Numbers that are the time from one date to another: ``nights = days(left − came)``.

    ``asked``: whether a number is looked for that two dates give.
    """
    moments = moment_columns(rows, names)
    numbers = {name: numbers_of(rows[name]) for name in (*moments, *numeric)}
    for pair in budget.steps(permutations(moments, 2)):
        targets = (name for name in numeric if asked(name, pair))
        looks = (1 + len(_PLUS)) * rows.num_rows  # the time between, and its distance with each number of days more
        yield from _between(rows, pair, budget.steps(targets, looks), numbers)


def _between(
    rows: pa.Table, pair: tuple[str, str], numeric: Iterable[str], known: Mapping[str, Numbers]
) -> Iterator[Proposal]:
    later, earlier = pair
    dates = all(pa.types.is_date32(rows[name].type) for name in (later, earlier))
    units = ("days",) if dates else tuple(UNIT_MICROSECONDS)
    ends = known[later], known[earlier]
    for target in numeric:
        numbers = known[target]
        there = ends[0].there & ends[1].there & numbers.there
        if there.sum() < 2:
            continue
        spans = (ends[0].values[there] - ends[1].values[there]).astype(np.float64)
        if (spans < 0).any() and (spans > 0).any():
            yield from _late(target, (later, earlier), spans, numbers.doubles[there])
        for unit in units:
            apart = numbers.doubles[there] - spans / UNIT_MICROSECONDS[unit]
            for plus in _PLUS:
                if (np.abs(apart - plus) < _NEARLY).all():
                    yield Proposal(target, Elapsed(later, earlier, unit, plus))


def _late(target: str, ends: tuple[str, str], spans: Array, numbers: Array) -> Iterator[Proposal]:
    """The days by which one date is after another; 0 where it is not."""
    late = np.maximum(spans / DAY_MICROSECONDS, 0.0)
    if (late > 0).any() and (np.abs(numbers - late) < _NEARLY).all():
        yield Proposal(target, Late(*ends))


def parts(rows: pa.Table, given: Sequence[str], names: Sequence[str], budget: Budget = ENDLESS) -> Iterator[Proposal]:
    """Columns that hold a part of a date, one of ``given``: ``year = year(ordered)``."""
    for moment in budget.steps(moment_columns(rows, given)):
        whole = not _has_clock(rows[moment])
        known: dict[DatePart, pa.Array] = {}
        for target in names:
            if target == moment:
                continue
            fitting = (part for part in _fitting(rows[target].type) if not (whole and part in _CLOCK))
            part = next((part for part in fitting if _is_part(rows, target, moment, part, known)), None)
            if part is not None:
                yield Proposal(target, Part(part.value, moment))


def _has_clock(column: pa.ChunkedArray) -> bool:
    if pa.types.is_date32(column.type):
        return False
    values = numbers_of(column).values
    return bool((values % DAY_MICROSECONDS != 0).any())


def _fitting(type_: pa.DataType) -> Sequence[DatePart]:
    if is_text(type_):
        return _TEXTS
    if pa.types.is_date32(type_):
        return (DatePart.DATE,)
    return _NUMBERS if pa.types.is_integer(type_) else ()


def _is_part(rows: pa.Table, target: str, moment: str, part: DatePart, known: dict[DatePart, pa.Array]) -> bool:
    if part not in known:
        known[part] = date_part(part, rows[moment].combine_chunks())
    column = rows[target].combine_chunks()
    same = pc.equal(known[part].cast(column.type), column)
    return bool(pc.all(same).as_py()) and same.null_count < len(same)
