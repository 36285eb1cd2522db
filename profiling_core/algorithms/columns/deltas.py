"""Whether a delta is like those before it: the rules of deltas, and the rows of a delta that are unusual."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from math import inf, sqrt

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.bounds import LEAST_DELTAS
from profiling_core.algorithms.columns.extremes import beyond, days_from, limits, limits_of_days
from profiling_core.algorithms.columns.figures import ColumnFigures, Number, has_one_value, present
from profiling_core.algorithms.columns.history import Seen, TableHistory, Whole
from profiling_core.algorithms.columns.learning import (
    LEAST_DELTAS_OF_DELTAS,
    comes_after_pause,
    day_of,
    is_rare,
    is_same_within,
    spans,
)
from profiling_core.algorithms.columns.new_values import misplaced, unusual
from profiling_core.algorithms.columns.repeats import repeats, row_hashes
from profiling_core.algorithms.columns.spelling import form
from profiling_core.algorithms.columns.words import having_any, is_composed
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass

_EPOCH = date(1970, 1, 1)
_MICROS_OF_A_DAY = 86_400e6
# The share of rows of a sort is unusual beyond _BEYOND_SHARE times its greatest share so far, plus _CHANCE standard
# deviations.
_BEYOND_SHARE = 1.5
_CHANCE = 3.0
# A sort of rows has ended if chance would make so long a run without it once in this many times.
_ENDED_ONCE_IN = 1000
# Columns describe the same things if they share more than this fraction of the values of the larger one.
_KIN = 0.5


@dataclass(frozen=True, slots=True)
class Delta:
    """One delta: its new rows as a whole, ``figures`` of all rows or of new ones, and ``read`` to get these rows."""

    id: str
    whole: Whole
    figures: Mapping[str, ColumnFigures]
    read: Callable[[], pa.Table]


def judged_rows(rule: ColumnRule, every: Delta, new: Delta, history: TableHistory) -> Delta:
    """The rows of a delta that a rule judges: all, or the ``new`` ones alone, which tell how deltas follow in time.

    Rows that are updated may be old, but none is of the future.
    """
    if not every.whole.rows:
        return every
    if rule.rule is Rule.EXTREMES and history.columns[rule.column].type.type_class is TypeClass.TEMPORAL:
        figures = replace(every.figures[rule.column], low=new.figures[rule.column].low)
        return replace(every, figures={**every.figures, rule.column: figures})
    return new if rule.rule in (Rule.RISING, Rule.REPEATED, Rule.ONE_VALUE) else every


def broken_by(rule: ColumnRule, delta: Delta, history: TableHistory, schema: TableSchema) -> pa.Table | None:
    """The rows that break a rule of deltas, given the deltas before; None: it is as usual."""
    judge = _JUDGES.get(rule.rule)  # earlier releases learnt rules that none judges any more
    suspect_rows = judge(rule, delta, history) if judge else None
    return None if suspect_rows is None else _chosen(delta.read(), suspect_rows, schema)


SuspectRows = Callable[[pa.Table, TableSchema], pa.Array | pa.ChunkedArray]


def _chosen(rows: pa.Table, suspect_rows: SuspectRows, schema: TableSchema) -> pa.Table:
    return rows.filter(pc.fill_null(suspect_rows(rows, schema), fill_value=False))


def _rising(rule: ColumnRule, delta: Delta, history: TableHistory) -> SuspectRows | None:
    """The rows below the greatest value of earlier deltas.

    Deltas beyond the limits of their predecessors do not count: they were reported, and later rows are not at fault.
    """
    deltas, began = history.columns[rule.column].deltas, delta.figures[rule.column].low
    ended: Iterator[tuple[int, Number]] = ((place, d.high) for place, d in enumerate(deltas) if d.high is not None)
    later = sorted(((high, place) for place, high in ended if began is not None and high > began), reverse=True)
    reached = next((high for high, place in later if not _went_far(rule.column, place, history)), None)
    if reached is None:
        return None
    return lambda rows, _: pc.less(rows[rule.column], pa.scalar(reached, rows[rule.column].type))


def _went_far(name: str, place: int, history: TableHistory) -> bool:
    """Whether the greatest value of an earlier delta was beyond the limits that follow from its predecessors."""
    column = history.columns[name]
    days = spans(history, name) if column.type.type_class is TypeClass.TEMPORAL else []
    if len(days) == len(column.deltas) and place >= LEAST_DELTAS_OF_DELTAS:
        return days[place][1] > limits_of_days(days[:place])[1]
    known = [
        replace(d, low=days_from(_EPOCH, d.low), high=days_from(_EPOCH, d.high))
        for d in column.deltas[: place + 1]
        if d.rows
    ]
    return beyond(known[-1], limits(known[:-1]))[1] is not None


def _one_value(rule: ColumnRule, delta: Delta, history: TableHistory) -> SuspectRows | None:
    """The rows without the value that most rows have."""
    known = history.columns[rule.column]
    if not delta.figures[rule.column].rows or has_one_value(delta.figures[rule.column]) or not is_same_within(known):
        return None
    return lambda rows, _: pc.not_equal(present(rows[rule.column]), _commonest(present(rows[rule.column])))


def _commonest(values: pa.ChunkedArray) -> pa.Scalar:
    counted = pc.value_counts(values.drop_null().combine_chunks())
    return counted.field("values")[pc.index(counted.field("counts"), pc.max(counted.field("counts"))).as_py()]


def _new_values(rule: ColumnRule, delta: Delta, history: TableHistory) -> SuspectRows | None:
    found, column = delta.figures[rule.column].values, history.columns[rule.column]
    if not found or not column.values:
        return None
    others = _of_other_texts(rule.column, history)
    kin = _known_to_kin(column.values, others)
    found = {value: rows for value, rows in found.items() if value in column.values or value not in kin}
    paused = comes_after_pause(delta.id, history.ids)
    strange = unusual(found, column.values, history.count, after_pause=paused)
    forms = {form(value) for value in column.values}
    strange = {value for value in strange if form(value) in forms or not is_composed(value, column.words or ())}
    strange |= misplaced(found, column.values, others)
    if not strange:
        return None
    return lambda rows, _: pc.is_in(rows[rule.column], value_set=pa.array(sorted(strange), rows[rule.column].type))


def _of_other_texts(column: str, history: TableHistory) -> list[Mapping[str, Seen]]:
    """The values of the other columns of its type, if they have few."""
    own = history.columns[column].type
    others = (known for name, known in history.columns.items() if name != column and known.type is own)
    return [known.values for known in others if known.values]


def _known_to_kin(own: Mapping[str, Seen], others: Sequence[Mapping[str, Seen]]) -> set[str]:
    """The values of columns that share most values with it: last week's host team is today's guest."""
    alike = (values for values in others if len(own.keys() & values.keys()) > _KIN * max(len(own), len(values)))
    return {value for values in alike for value in values}


def _new_words(rule: ColumnRule, delta: Delta, history: TableHistory) -> SuspectRows | None:
    found, known = delta.figures[rule.column].words, history.columns[rule.column].words
    paused = comes_after_pause(delta.id, history.ids)
    strange = unusual(found, known, history.count, after_pause=paused) if found and known else set()
    return (lambda rows, _: having_any(rows[rule.column], strange)) if strange else None


def _far_days(rule: ColumnRule, delta: Delta, history: TableHistory) -> SuspectRows | None:
    """The rows whose dates or times lie further from the delta's day than those of the deltas before let expect."""
    day, known, found = day_of(delta.id), spans(history, rule.column), delta.figures[rule.column]
    if day is None or not known:
        return None
    low, high = limits_of_days(known)
    low = low if found.low is not None and days_from(day, found.low) < low else -inf
    high = high if found.high is not None and days_from(day, found.high) > high else inf
    if (low, high) == (-inf, inf):
        return None
    first = (day - _EPOCH).days

    def suspect_rows(rows: pa.Table, _: TableSchema) -> pa.ChunkedArray:
        micros = doubles(rows[rule.column].cast(pa.timestamp("us")).cast(pa.int64()))
        days = pc.subtract(pc.divide(micros, _MICROS_OF_A_DAY), float(first))
        return pc.or_(pc.less(days, low), pc.greater(days, high))

    return suspect_rows


def _extremes(rule: ColumnRule, delta: Delta, history: TableHistory) -> SuspectRows | None:
    if history.columns[rule.column].type.type_class is TypeClass.TEMPORAL:
        return _far_days(rule, delta, history)
    low, high = beyond(delta.figures[rule.column], limits(history.columns[rule.column].deltas))
    if low is None and high is None:
        return None

    def suspect_rows(rows: pa.Table, _: TableSchema) -> pa.ChunkedArray:
        values = doubles(present(rows[rule.column]))
        below, above = pc.less(values, -inf if low is None else low), pc.greater(values, inf if high is None else high)
        return pc.or_(below, above)

    return suspect_rows


def _repeated(_: ColumnRule, delta: Delta, history: TableHistory) -> SuspectRows | None:
    most = most_usual(list(zip(history.repeats, history.rows, strict=True)), delta.whole.rows)
    return (lambda rows, schema: pa.array(repeats(row_hashes(rows, schema)))) if delta.whole.repeats > most else None


_JUDGES: Mapping[Rule, Callable[[ColumnRule, Delta, TableHistory], SuspectRows | None]] = {
    Rule.RISING: _rising,
    Rule.ONE_VALUE: _one_value,
    Rule.NEW_VALUES: _new_values,
    Rule.NEW_WORDS: _new_words,
    Rule.EXTREMES: _extremes,
    Rule.REPEATED: _repeated,
}


def most_usual(before: Sequence[tuple[int, int]], rows: int) -> int:
    """The most rows of a sort that are usual among ``rows`` rows.

    Args:
        before: per earlier delta how many rows were of the sort, and how many there were.
        rows: how many rows there are now.
    """
    shares = [some / many for some, many in before if many]
    if is_rare(sum(share > 0 for share in shares), len(shares)) or _has_ended(shares):
        return 0
    share = min(1.0, max(shares) * _BEYOND_SHARE)
    return min(rows, int(share * rows + _CHANCE * sqrt(rows * share * (1 - share))) + 1)


def _has_ended(shares: Sequence[float]) -> bool:
    """Whether the latest deltas had none: a run longer than twice any before, and too long for chance."""
    lengths = [len([*run]) for none, run in groupby(shares, key=bool) if not none]
    if not lengths or shares[-1]:
        return False
    latest, longest = lengths[-1], max(lengths[:-1], default=0)
    had_some = sum(map(bool, shares)) / (1 + len(shares) - latest)
    return latest >= LEAST_DELTAS and latest > 2 * longest and (1 - had_some) ** latest * _ENDED_ONCE_IN < 1
