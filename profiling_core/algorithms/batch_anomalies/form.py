"""Whether texts and numbers are whole: in the right encoding, not cut at a length, with all digits and signs."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import (
    Anomaly,
    Case,
    Mask,
    percent,
    room_of,
    values_of,
    with_a_value,
)
from profiling_core.algorithms.batch_anomalies.garbled import garbled, mended
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary
from profiling_core.algorithms.batch_anomalies.sketch import Counts
from profiling_core.algorithms.batch_anomalies.surprise import odds
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# The multiple of the usual share from which garbled or cut texts are reported.
_MORE_THAN_USUAL = 3
_OF_TIME = ("day", "hour", "minute", "second")


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges each column by the figures for its type."""
    for column in case.schema.profiled:
        case = case.of(column.name)
        before = [known for known in case.history.column(column.name) if known.rows]
        if column.type.type_class is TypeClass.STRING:
            yield from _encoding(case, column.name, before)
            yield from _cut(case, column.name)
        elif column.type.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL):
            yield from _coarse(case, column.name, before, of_time=column.type.type_class is TypeClass.TEMPORAL)


def _encoding(case: Case, name: str, before: Sequence[ColumnSummary]) -> Iterator[Anomaly]:
    now = case.found.columns[name]
    usual = max((column.garbled / column.rows for column in before), default=1.0)
    if now.garbled and now.garbled / now.rows > _MORE_THAN_USUAL * usual:
        yield Anomaly(
            "encoding",
            f"{values_of(now.garbled, now.rows, name)} read in a wrong encoding",
            (name,),
            mended=lambda row: {name: mended(row[name] or "")} if row.get(name) else {},
            cause="UTF-8 read as Latin-1, or letters that were lost?",
            suspect_rows=lambda rows: garbled(rows[name]),
            magnitude=2.0,
            size=now.garbled / now.rows,
            room=room_of(now.garbled / now.rows, now.rows),
        )


def _cut(case: Case, name: str) -> Iterator[Anomaly]:
    """Texts that end where longer ones, which came with each load, should go on: many of the greatest length."""
    before = [column.longest or 0 for column in case.history.column(name) if column.rows]
    now, known = case.found.columns[name], case.history.lengths.get(name, {})
    longest, total = max(now.lengths or {0: 0}), sum(known.values())
    if len(before) < LEAST_LOADS or not longest or not total or longest >= min(before):
        return
    longer = sum(count for length, count in known.items() if length > longest) / total
    chance = (1 - longer) ** case.summary.columns[name].distinct
    usually = (known.get(longest, 0) + 1) / total
    many = now.lengths[longest] / now.rows > max(2 / now.rows, _MORE_THAN_USUAL * usually)
    if many and chance < case.level / len(case.found.columns):
        others = "" if _begin_known_ones(case, name) else ", and most are new"
        limit = _characters(longest)
        yield Anomaly(
            "truncation",
            f"no value of {name} is longer than {limit}, usually {percent(longer)} are{others}",
            (name,),
            cause="other codes?" if others else f"texts cut at {limit}?",
            suspect_rows=lambda rows: _of_length(rows, name, longest),
            magnitude=odds(chance) / odds(case.level),
            size=longer,
            room=room_of(longer, now.rows),
        )


def _begin_known_ones(case: Case, name: str) -> bool:
    """Whether half of a column's texts are beginnings of earlier ones, as cut ones are; also if these are not kept."""
    known = {value for column in case.history.column(name) for value in column.values or ()}
    now = case.found.columns[name].values if known else None
    return now is None or 2 * sum(any(text.startswith(cut) for text in known) for cut in now) >= len(now)


def _characters(count: int) -> str:
    return f"{count} character{'' if count == 1 else 's'}"


def _of_length(rows: pa.Table, name: str, length: int) -> Mask:
    mask: Mask = pc.fill_null(pc.equal(pc.utf8_length(rows[name]), length), fill_value=False).to_numpy()
    return mask


def _coarse(case: Case, name: str, before: Sequence[ColumnSummary], *, of_time: bool) -> Iterator[Anomaly]:
    """Numbers with fewer digits than ever."""
    now = case.summary.columns[name]
    if len(before) < LEAST_LOADS or now.distinct < 2 or not now.grains:
        return
    level = case.level / len(case.found.columns)
    finest, least, most = max(now.grains), min(_finest(before)), max(_finest(before))
    chance = float(np.mean([(1 - _beyond(column.grains, finest)) ** now.distinct for column in before]))
    if finest < least and chance < level:
        yield Anomaly(
            "precision",
            f"{values_of(now.rows, now.rows, name)} are {digits_in_words(finest, of_time=of_time)}, "
            f"usually {digits_in_words(most, of_time=of_time)}",
            (name,),
            cause="rounded, or digits lost?",
            suspect_rows=with_a_value(name),
            magnitude=odds(chance) / odds(level),
            size=float(finest - least),
        )


def _finest(before: Sequence[ColumnSummary]) -> list[int]:
    return [max(column.grains) for column in before if column.grains]


def _beyond(grains: Counts, finest: int) -> float:
    return sum(count for grain, count in grains.items() if grain > finest) / max(1, sum(grains.values()))


def digits_in_words(grain: int, *, of_time: bool = False) -> str:
    """``of 2 decimals``, ``whole numbers``, ``to the minute``."""
    if of_time:
        return f"to the {_OF_TIME[grain]}" if grain < len(_OF_TIME) else "finer than a second"
    if grain < 0:
        return f"multiples of {10**-grain:,}"
    return "whole numbers" if grain == 0 else f"of {grain} decimal{'' if grain == 1 else 's'}"
