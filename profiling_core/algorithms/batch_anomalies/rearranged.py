"""Columns whose values are in each other's place, or a row too high or too low: put back, they are usual.

The change is undone in the rows, and all judges are asked again. Rows of one source may be exchanged alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import ceil, log2

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, DeltaPart, Mask, SuspectRows, Values
from profiling_core.algorithms.batch_anomalies.history import summarised
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.batch_anomalies.surprise import ERROR_RATE
from profiling_core.algorithms.columns import concentration
from profiling_core.model.types import LogicalType, TypeClass

EXCHANGED, MOVED = "exchanged", "moved"
# As many figures as the sizes by which the numbers of a column are judged: the first decile, the middle, the last.
_FIGURES = 3
# A bound of work: changes that are undone, those of the most unusual columns first.
_MOST = 24
# Fewer rows may be usual by accident after one of these changes: each by a chance of a half, at the usual error rate.
_LEAST_ROWS = ceil(log2(_MOST / ERROR_RATE))


def told_as_one(odd: Sequence[Anomaly], case: Case, judges: Callable[[Case], Sequence[Anomaly]]) -> list[Anomaly]:
    """The anomalies, those of columns that were rearranged as one.

    Args:
        odd: the load's anomalies.
        case: the load.
        judges: finds all anomalies of a case.
    """
    for change in islice(_changes(odd, case), _MOST):
        columns = {*change.told.columns}
        if all(columns.isdisjoint(one.columns) for one in judges(_undone(case, change))):
            return [change.told, *(one for one in odd if columns.isdisjoint(one.columns))]
    return list(odd)


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of columns: how it is told, and how it is undone in a load's sample."""

    told: Anomaly
    undone: Callable[[pa.Table], pa.Table]


def _changes(odd: Sequence[Anomaly], case: Case) -> Iterator[_Change]:
    """The changes that may be behind unusual columns, for the worst first."""
    news = [one for one in odd if len(one.columns) == 1 and not one.again and case.part is DeltaPart.NEW]
    worst: dict[str, Anomaly] = {}
    for one in sorted(news, key=lambda one: -one.magnitude):
        worst.setdefault(one.columns[0], one)
    tried: set[frozenset[str]] = set()
    for name, one in worst.items():
        places = list(_places(one, case))
        pairs = [(name, other) for other in _partners(one, [*worst], case) if {name, other} not in tried]
        tried.update(map(frozenset, pairs))
        yield from (_exchanged(pair, there, one, case) for pair in pairs for there in places)
        if _is_numeric(case, name) and places[:1] == [_everywhere] and len(case.found.sample) == case.found.rows:
            yield from (_moved(name, by, one, case) for by in (1, -1))


def _partners(one: Anomaly, unusual: Sequence[str], case: Case) -> list[str]:
    """The columns of the same type that an unusual one may be exchanged with, other unusual ones first.

    With usual ones only numbers, by three figures at least: a few other texts, or the number of one source, pass by
    accident for those of a column.
    """
    types, name = {column.name: column.type for column in case.schema.profiled}, one.columns[0]
    told = _is_numeric(case, name) and (one.whole_load or len(one.values) >= _FIGURES)
    others = [*unusual, *(other for other in types if told and other not in unusual)]
    return [other for other in others if other != name and types[other] is types[name]]


def _is_numeric(case: Case, name: str) -> bool:
    return case.schema.column(name).type.type_class is TypeClass.NUMERIC


def _everywhere(rows: pa.Table) -> Mask:
    return np.ones(len(rows), np.bool_)


def _places(one: Anomaly, case: Case) -> Iterator[SuspectRows]:
    """The rows that may have changed: all, or those of the source of unusual ones; at least half of them are unusual.

    A change of all of them makes most values unusual.
    """
    rows = case.found.sample
    if one.suspect_rows is None:
        return
    suspect = one.suspect_rows(rows)
    if 2 * suspect.sum() >= len(rows) >= _LEAST_ROWS:
        yield _everywhere
    group = concentration.of_some(rows, suspect, case.may_name_sources(one.columns))
    if group is not None and group.value is not None:
        there = partial(_with_value, group.column, group.value)
        if 2 * (suspect & there(rows)).sum() >= there(rows).sum() >= _LEAST_ROWS:
            yield there


def _with_value(name: str, value: str, rows: pa.Table) -> Mask:
    mask: Mask = pc.fill_null(pc.equal(rows[name].cast(pa.string()), value), fill_value=False).to_numpy()
    return mask


def _undone(case: Case, change: _Change) -> Case:
    """The case of the columns alone with the change undone, beside the texts that name sources."""
    names = {*change.told.columns, *case.schema.key}
    kept = tuple(c for c in case.schema.columns if c.name in names or c.type is LogicalType.STRING)
    schema = replace(case.schema, columns=kept)
    found = profile(change.undone(case.found.sample), schema)
    return replace(case, found=found, schema=schema, summary=summarised(case.id, found, schema))


def _exchanged(pair: tuple[str, str], there: SuspectRows, worst: Anomaly, case: Case) -> _Change:
    """Two columns have each other's values in some rows."""
    one, other = pair

    def undone(rows: pa.Table) -> pa.Table:
        ours, theirs = (rows[name].combine_chunks() for name in pair)
        mask = pa.array(there(rows))
        rows = _with(rows, one, pc.if_else(mask, theirs, ours))
        return _with(rows, other, pc.if_else(mask, ours, theirs))

    def suspect_rows(rows: pa.Table) -> Mask:
        differ = pc.fill_null(pc.not_equal(rows[one], rows[other]), fill_value=True).to_numpy()
        mask: Mask = there(rows) & differ
        return mask

    def mended(row: Values) -> Values:
        return {one: row.get(other), other: row.get(one)}

    count = int(there(case.found.sample).sum())
    rows = f"all {count:,} rows" if count == case.found.rows else f"{count:,} of {case.found.rows:,} rows"
    said, cause = f"{one} and {other} are exchanged in {rows}", "columns in another order?"
    told = Anomaly(EXCHANGED, said, pair, cause, (), suspect_rows, worst.magnitude, mended=mended, size=1.0)
    return _Change(told, undone)


def _moved(name: str, by: int, worst: Anomaly, case: Case) -> _Change:
    """A column has the values of the rows above, or below; the row at the end that lost its own is left out."""

    def undone(rows: pa.Table) -> pa.Table:
        rows = rows.take(pa.array(np.argsort(case.found.places)))
        values, last = rows[name].combine_chunks(), len(rows) - 1
        own, right = (rows.slice(0, last), values[1:]) if by > 0 else (rows.slice(1), values[:last])
        return _with(own, name, right)

    said = f"all values of {name} are a row too {'low' if by > 0 else 'high'}"
    cause, there = "a column that was shifted?", lambda rows: rows[name].is_valid().to_numpy()
    return _Change(Anomaly(MOVED, said, (name,), cause, (), there, worst.magnitude, size=1.0), undone)


def _with(rows: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return rows.set_column(rows.schema.get_field_index(name), name, values)
