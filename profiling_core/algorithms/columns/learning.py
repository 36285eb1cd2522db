"""Learns rules from a history: rules that nothing has contradicted for long enough, with bounds that leave room.

``bounds`` decides the bounds of a number; a column that drifts (a date, a counter) has none. A number that is the same
throughout a delta (the month) describes the delta and not its rows, and has no bounds.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate, pairwise
from statistics import median

import pyarrow as pa

from profiling_core.algorithms.columns.absences import companions
from profiling_core.algorithms.columns.bounds import LEAST_DELTAS, bounds
from profiling_core.algorithms.columns.extremes import days_from, limits
from profiling_core.algorithms.columns.figures import Number, has_one_value, shapes_of, text_of
from profiling_core.algorithms.columns.history import ColumnHistory, Seen, TableHistory, Trait
from profiling_core.algorithms.columns.orders import never_above
from profiling_core.algorithms.roles.names import identifies, words
from profiling_core.model.delta_ids import moment_of
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.types import LogicalType, TypeClass

# A value that has not come in 200 rows comes in less than 1.5 % of them (the rule of three, at 95 %).
LEAST_ROWS = 200
# Rules about whole deltas have one observation per delta.
LEAST_DELTAS_OF_DELTAS = 14
# Rows that rules about whole deltas need.
LEAST_ROWS_OF_DELTAS = 50
# A value that has not come for half the history may have been temporary; these values may make up this share of rows.
_PASSING = 0.01
# Rows per distinct value or shape that a closed set of them needs at least.
_ROWS_PER_VALUE = 20
# Rows per distinct value that are needed before a new value is an event.
_ROWS_PER_NAME = 5
# An event is rare if at most one delta in this many has it.
_RARE_DELTAS = 50
# If some value has less than this share of rows, others may be rarer still, and the history needs more deltas.
_RARE = 0.005
_LEAST_DELTAS_WITH_RARE = 28
# A value expected in 10 rows would have appeared by now.
_SURELY_SEEN = 10
# Shapes in which letters and digits alternate in this many ways are codes, and any number of codes may come.
_MANY_FORMS = 3
# A gap of this many times the usual one is a pause: a month for weekly deltas, a long weekend for daily ones.
_PAUSE = 4


def learnt(table: str, history: TableHistory, *, keyed: bool = False) -> Iterator[ColumnRule]:
    """The rules that a history supports; rules of rows hold for every row that has come.

    With a key (``keyed``) no row can be repeated, so that no rule on repeats is learnt.
    """
    if history.count < LEAST_DELTAS:
        return
    old = history.count >= LEAST_DELTAS_OF_DELTAS
    if old and not keyed and sum(history.rows) >= LEAST_ROWS_OF_DELTAS:
        yield ColumnRule(table, "", Rule.REPEATED)
    for name, column in history.columns.items():
        for rule, low, high, values in _of_rows(column, history.count):
            yield ColumnRule(table, name, rule, low, high, values)
        asked = [*(_of_many_deltas(column) if old else ()), *_of_each_delta(name, column)]
        yield from (ColumnRule(table, name, rule) for rule in asked)
        if others := tuple(sorted(companions(history, name))):
            yield ColumnRule(table, name, Rule.NULL_WITH, others=others)
        for other in never_above(history.orders, name) if old else ():
            yield ColumnRule(table, name, Rule.AT_MOST, others=(other,))
        yield from (ColumnRule(table, name, rule) for rule in _of_time(history, name, old=old))


def _of_many_deltas(column: ColumnHistory) -> Iterator[Rule]:
    """The rules of deltas that need many deltas."""
    if has_settled_names(column):
        yield Rule.NEW_VALUES
    elif has_settled_words(column):
        yield Rule.NEW_WORDS


def _of_each_delta(name: str, column: ColumnHistory) -> Iterator[Rule]:
    """The rules of deltas that compare with the deltas just before; numbers of identifiers are no sizes."""
    if _is_of_rows(column) and not identifies(words(name)) and limits(column.deltas) != (None, None):
        yield Rule.EXTREMES
    if is_same_within(column):
        yield Rule.ONE_VALUE


def _of_time(history: TableHistory, name: str, *, old: bool) -> Iterator[Rule]:
    """The rules of a rising column; ``old``: many deltas have come."""
    column = history.columns[name]
    if old and spans(history, name):
        yield Rule.EXTREMES
    if rises(column):
        yield Rule.RISING


def has_settled_names(column: ColumnHistory) -> bool:
    """Whether it is a text whose values repeat often, so that a new one is an event."""
    names = column.values or {}
    return column.type is LogicalType.STRING and len(names) > 1 and column.rows >= _ROWS_PER_NAME * len(names)


def has_settled_words(column: ColumnHistory) -> bool:
    """Whether it is a text whose words repeat often, even if the texts do not."""
    words = column.words or {}
    return len(words) > 2 and sum(seen.rows for seen in words.values()) >= _ROWS_PER_NAME * len(words)


def is_same_within(column: ColumnHistory) -> bool:
    """Whether all rows of a delta had the same value, in all deltas with rare exceptions."""
    several = [d for d in column.deltas if d.rows > 1]
    various = sum(not has_one_value(d) for d in several)
    return (
        len(several) >= LEAST_DELTAS_OF_DELTAS
        and column.rows >= LEAST_ROWS_OF_DELTAS
        and is_rare(various, len(several))
    )


def is_rare(events: int, deltas: int) -> bool:
    """Whether an event that ``events`` deltas had is unusual when it comes: never so far, or rarely."""
    return not events or (events + 1) * _RARE_DELTAS <= deltas


Found = tuple[Rule, str | None, str | None, tuple[str, ...]]


def _of_rows(column: ColumnHistory, count: int) -> Iterator[Found]:
    if column.rows < LEAST_ROWS:
        return
    if not column.nulls:
        yield Rule.NOT_NULL, None, None, ()
    if _tells_of_deltas(column):
        return
    values = _settled(column.values, column.rows, count)
    if values and not _is_dense(values, column.type):
        yield Rule.VALUES, None, None, values
        return
    if column.type.type_class is TypeClass.NUMERIC and not _drifts(column):
        low, high = bounds([(d.low, d.high) for d in column.deltas if d.rows], thinning=_thins_out(column))
        if low is not None or high is not None:
            yield Rule.RANGE, _text(low), _text(high), ()
    if column.type is LogicalType.STRING:
        yield from _of_texts(column, count)


def _of_texts(column: ColumnHistory, count: int) -> Iterator[Found]:
    shapes = _settled(column.shapes, column.rows, count)
    if shapes and not _has_codes(shapes) and _has_shapes_of_many(column):
        yield Rule.PATTERN, None, None, shapes


def _text(bound: Number | None) -> str | None:
    return None if bound is None else text_of(bound).removesuffix(".0")


def _settled(trait: Trait, rows: int, count: int) -> tuple[str, ...]:
    """All values (or shapes), if they are few, none is recent, and values that have ended are rare; else none."""
    if not trait or rows < _ROWS_PER_VALUE * len(trait):
        return ()
    half = count // 2
    passing = sum(seen.rows for seen in trait.values() if seen.last <= half)
    recent = any(seen.first > half for seen in trait.values())
    rare = min(seen.rows for seen in trait.values()) < _RARE * rows
    recent = recent or (rare and count < _LEAST_DELTAS_WITH_RARE)
    return () if recent or passing > _PASSING * rows or not _is_closed(trait) else tuple(sorted(trait))


def _is_closed(trait: Mapping[str, Seen]) -> bool:
    """Whether one more value would have come by now, if the values' frequencies fall at a constant ratio.

    For states of the US, kinds of birds or reasons, each value comes a constant fraction as often as the one before it
    in
    rank, and the next one may not have come yet. Hours and weekdays come equally often.
    """
    counts = sorted((seen.rows for seen in trait.values()), reverse=True)
    if len(counts) == 1:
        return True
    ratio = float((counts[-1] / counts[0]) ** (1 / (len(counts) - 1)))
    return counts[-1] * ratio >= _SURELY_SEEN


def _thins_out(column: ColumnHistory) -> bool:
    """Whether the next whole number would be too rare to have come by now: guests, children, places to park.

    Towards the greatest, frequencies fall at a ratio, measured from the second greatest and from the commonest one. The
    next number falls by that ratio and a little more, as in a Poisson distribution: of people with a place to park one
    in
    forty has two. Families have two children almost as often as one, and rarely three.
    """
    if column.type is not LogicalType.INTEGER or len(column.values or ()) < 2:
        return False
    known = sorted((int(value), seen.rows) for value, seen in (column.values or {}).items())
    (_, before), (greatest, last) = known[-2:]
    thinner = greatest / (greatest + 1) if greatest > 0 else 1.0
    commonest = max(range(len(known)), key=lambda place: known[place][1])
    steps = len(known) - 1 - commonest
    on_the_whole = (last / known[commonest][1]) ** (1 / steps) if steps else 1.0
    return bool(last * thinner * min(1.0, last / before, on_the_whole) < _SURELY_SEEN)


def _has_shapes_of_many(column: ColumnHistory) -> bool:
    """Whether the distinct values, not only the rows, have settled on these shapes: a new state may be ``A.A.``, too.

    If values repeat, rows are no more evidence about the next new value than the distinct values are.
    """
    if not column.values:
        return True
    shapes = shapes_of(pa.array(list(column.values), pa.string())).value_counts().to_pylist()
    return _is_closed({found["values"]: Seen(found["counts"], 0, 0) for found in shapes})


def _has_codes(shapes: Sequence[str]) -> bool:
    """Whether letters and digits alternate at one place in many ways."""
    alike: dict[str, set[str]] = {}
    for shape in shapes:
        alike.setdefault(re.sub("[9aA]+", "9", shape), set()).add(re.sub("[aA]+", "a", shape))
    return any(len(forms) >= _MANY_FORMS for forms in alike.values())


def _is_dense(values: Sequence[str], kind: LogicalType) -> bool:
    """Whether whole numbers lie so close together that they are a range."""
    if kind is not LogicalType.INTEGER:
        return False
    numbers = [int(value) for value in values]
    return max(numbers) - min(numbers) < 2 * len(numbers)


def _drifts(column: ColumnHistory) -> bool:
    """Whether most deltas go further than all before them, as a counter does, so that past bounds mean nothing."""
    extremes: list[tuple[Number, Number]] = [(d.low, d.high) for d in column.deltas if d.rows]
    lows, highs = accumulate((low for low, _ in extremes), min), accumulate((high for _, high in extremes), max)
    return any(2 * sum(a != b for a, b in pairwise(side)) > len(extremes) for side in (lows, highs))


def _is_of_rows(column: ColumnHistory) -> bool:
    """Whether it is a number that differs between the rows of a delta."""
    return column.type.type_class is TypeClass.NUMERIC and not _tells_of_deltas(column)


def _tells_of_deltas(column: ColumnHistory) -> bool:
    """Whether it is a number that is the same in all rows of most deltas."""
    extremes = [(d.low, d.high) for d in column.deltas if d.rows > 1]
    same = sum(low == high for low, high in extremes)
    return column.type.type_class is TypeClass.NUMERIC and same > len(extremes) / 2


def rises(column: ColumnHistory) -> bool:
    """Whether deltas begin where those before ended or later, with rare exceptions, and most go further."""
    if column.type not in (LogicalType.INTEGER, LogicalType.DATE, LogicalType.TIMESTAMP):
        return False
    extremes: list[tuple[Number, Number]] = [(d.low, d.high) for d in column.deltas if d.rows]
    of_deltas = column.type is LogicalType.INTEGER and _tells_of_deltas(column)  # the day of the month
    if len(extremes) < LEAST_DELTAS or of_deltas:
        return False
    steps = list(pairwise(extremes))
    further = sum(high > before for (_, before), (_, high) in steps)
    return is_rare(sum(low < before for (_, before), (low, _) in steps), len(steps)) and further > len(steps) / 2


def spans(history: TableHistory, name: str) -> list[tuple[float, float]]:
    """Per delta its first and last time, in days from the day of its id; empty if ids or values are no days."""
    column = history.columns[name]
    if column.type not in (LogicalType.DATE, LogicalType.TIMESTAMP):
        return []
    found = []
    for delta_id, figures in zip(history.ids, column.deltas, strict=True):
        day = day_of(delta_id)
        if day is None:
            return []
        if figures.low is not None and figures.high is not None:
            found.append((days_from(day, figures.low), days_from(day, figures.high)))
    return found if len(found) >= LEAST_DELTAS_OF_DELTAS else []


def comes_after_pause(delta_id: str, ids: Sequence[str]) -> bool:
    """Whether a delta comes after a far longer gap than usual: the first one of a season or a term.

    Args:
        delta_id: the delta's id.
        ids: the ids of the deltas before it; without days in the ids there are no pauses.
    """
    days = [day_of(name) for name in (*ids[-LEAST_DELTAS_OF_DELTAS:], delta_id)]
    numbers = [day.toordinal() for day in days if day is not None]
    if len(numbers) < len(days) or len(numbers) <= LEAST_DELTAS:
        return False
    *usual, latest = [after - before for before, after in pairwise(numbers)]
    return latest >= _PAUSE * median(usual) > 0


def day_of(delta_id: str) -> date | None:
    """The day that a delta id names, as in ``2024-05-01`` or ``orders_20240501``; None if it names none."""
    moment = moment_of(delta_id)
    return moment.date() if moment else None
