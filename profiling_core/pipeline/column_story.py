"""What a table's loads and their columns have looked like, delta by delta, and what was usual for each.

Usual is what the loads before one foretell, in the way in which the judges of loads foretell it: by chance one load in
200 lies outside. Only what a version keeps of its loads is read, never the rows.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from profiling_core.algorithms.batch_anomalies.anomaly import EVERYBODY, DeltaPart
from profiling_core.algorithms.batch_anomalies.history import LoadHistory, LoadSummary, series
from profiling_core.algorithms.batch_anomalies.surprise import Figures, student, surprise
from profiling_core.algorithms.columns.figures import Number, parsed, text_of
from profiling_core.algorithms.columns.history import ColumnHistory
from profiling_core.algorithms.columns.kept_rules import FORMAT, ColumnBook
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.stored import Stored, Values
from profiling_core.model.types import LogicalType
from profiling_core.model.version import LOADS, Version
from profiling_core.state.store import Store

SHOWN_LOADS = 28
"""Loads on a chart: four weeks of days."""
COLUMNS_ROLE = "columns"
_COMMONEST = 12
"""Values that a column's page lists: as many as a year has months, the longest cycle of names that is told whole."""
_FARTHEST, _HALVINGS = 1e6, 60
"""How far from the middle a bound is looked for, in spreads, and how often that is halved: to a float's precision."""
Scale = Callable[[Figures], Figures]


@dataclass(frozen=True, slots=True)
class Point:
    """A figure of one load, and from where to where it was usual; None: nothing is known."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def is_beyond(self) -> bool:
        """Whether it is outside of what was usual."""
        known = (self.low, self.value, self.high)
        return None not in known and sorted(known) != list(known)  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Reach:
    """The least and the greatest value of one delta, as numbers to draw and as texts to read."""

    label: str
    low: float
    high: float
    low_text: str
    high_text: str


@dataclass(frozen=True, slots=True)
class ColumnStory(Stored):
    """A column: its type, how many rows of the table have a value and how many have none, and its course.

    ``distinct`` is how many values ever came (None: they are not counted, or too many), ``least`` and ``greatest`` the
    extremes, ``shortest`` and ``longest`` the lengths of texts; ``commonest`` are values with their rows. ``empty`` is
    by load the share of rows without a value, ``different`` how many values there were in at most a thousand rows,
    ``reach`` by delta the extremes. What a redacted column's values are is left out.
    """

    name: str
    type: str
    valued: int
    nulls: int
    distinct: int | None
    least: str
    greatest: str
    shortest: int | None
    longest: int | None
    commonest: tuple[tuple[str, int], ...]
    empty: tuple[Point, ...]
    different: tuple[Point, ...]
    reach: tuple[Reach, ...]
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class TableStory(Stored):
    """A table: the rows of each load, and its columns."""

    rows: Annotated[tuple[Point, ...], Field(alias="loads")]
    columns: Values[str, ColumnStory]


def table_story(
    store: Store, version: Version, table: str, hidden: Collection[str] = (), courses: Collection[str] = ()
) -> TableStory:
    """What a version knows of a table's loads.

    Args:
        store: the dataset's files.
        version: the version.
        table: the table.
        hidden: columns whose values nobody may see.
        courses: the columns whose course over the loads is wanted.

    Raises:
        StateError: a file is damaged or missing.
    """
    history, changed = _loads(store, version, table)
    book = _book(store, version, table)
    schema = version.tables[table].schema
    names = [column.name for column in schema.profiled if column.name in courses]
    loads = history.loads
    brought = series([float(load.rows + changed.get(load.id, 0))] for load in loads)
    rows = _course(history, brought, _Scaled(np.log1p, np.expm1, 1 / (1 + brought), 0 * brought))
    empty = _of_columns(history, names, _share_of_nulls, _angles)
    different = _of_columns(history, names, lambda load, name: float(load.columns[name].distinct), _counts)
    return TableStory(
        next(iter(rows), ()),
        {
            column.name: _column(
                column.name,
                column.type.value,
                book,
                empty.get(column.name, ()),
                different.get(column.name, ()),
                redacted=column.name in hidden,
            )
            for column in schema.profiled
        },
    )


def _loads(store: Store, version: Version, table: str) -> tuple[LoadHistory, dict[str, int]]:
    """The table's loads, and by load how many rows it changed."""
    refs = version.files_of(LOADS, table)
    kept = store.read_json(refs[0]) if refs else {}
    if "loads" not in kept:
        return LoadHistory(), {}
    changed = LoadHistory.from_json(kept[DeltaPart.CHANGED]) if kept.get(DeltaPart.CHANGED) else LoadHistory()
    return LoadHistory.from_json(kept), {load.id: load.rows for load in changed.loads}


def _book(store: Store, version: Version, table: str) -> ColumnBook | None:
    refs = version.files_of(COLUMNS_ROLE, table)
    kept = store.read_json(refs[0]) if refs else {}
    return ColumnBook.from_json(kept) if kept.get("format") == FORMAT else None


@dataclass(frozen=True, slots=True)
class _Scaled:
    """The scale on which figures are foretold and back, their least step, and what chance makes of so few rows."""

    to: Scale
    back: Scale
    unit: Figures
    floor: Figures


def _share_of_nulls(load: LoadSummary, name: str) -> float | None:
    column = load.columns[name]
    return column.nulls / load.rows if load.rows else None


def _angles(history: LoadHistory, _: Figures) -> _Scaled:
    rows = np.array([[max(1, load.rows)] for load in history.loads], np.float64)
    step = np.sqrt(0.25 / rows)  # the standard deviation of a share's angle
    return _Scaled(lambda share: np.arcsin(np.sqrt(share)), lambda y: np.sin(np.clip(y, 0, np.pi / 2)) ** 2, step, step)


def _counts(_: LoadHistory, found: Figures) -> _Scaled:
    step = 1 / (1 + np.nan_to_num(found))
    return _Scaled(np.log1p, np.expm1, step, np.zeros_like(found))


def _of_columns(
    history: LoadHistory,
    names: Sequence[str],
    said: Callable[[LoadSummary, str], float | None],
    scaled: Callable[[LoadHistory, Figures], _Scaled],
) -> dict[str, tuple[Point, ...]]:
    """By column the course of a figure."""
    found = series([said(load, name) if name in load.columns else None for name in names] for load in history.loads)
    return dict(zip(names, _course(history, found, scaled(history, found)), strict=False)) if found.size else {}


def _course(history: LoadHistory, found: Figures, on: _Scaled) -> Iterator[tuple[Point, ...]]:
    """Per figure its latest points.

    Args:
        history: the loads.
        found: float64[loads, figures], NaN where a load has none.
        on: the scale.
    """
    if not found.size:
        return
    first = max(0, len(history.loads) - SHOWN_LOADS)
    unit, floor = (np.broadcast_to(some, found.shape) for some in (on.unit, on.floor))
    bands = [_usual(history, on.to(found), place, unit[place], floor[place]) for place in range(first, len(found))]
    for figure in range(found.shape[1]):
        yield tuple(
            Point(
                history.loads[first + place].id,
                _number(found[first + place, figure]),
                _number(np.maximum(0.0, on.back(low[figure]))),
                _number(on.back(high[figure])),
            )
            for place, (low, high) in enumerate(bands)
        )


def _usual(history: LoadHistory, scaled: Figures, place: int, unit: Figures, floor: Figures) -> tuple[Figures, Figures]:
    """From where to where the figures of a load were usual, on their scale; NaN where nothing is foretold."""
    nothing = np.full(scaled.shape[1], np.nan)
    now = history.loads[place].id
    before = replace(history, loads=history.loads[:place]).settled()
    if len(before.loads) < LEAST_LOADS:
        return nothing, nothing
    places = {load.id: number for number, load in enumerate(history.loads)}
    known = scaled[[places[load.id] for load in before.loads]]
    with np.errstate(invalid="ignore"):
        found = surprise(known, scaled[place], before.seasons(now), unit, floor)
    width = _farthest(len(before.loads) - 1) * found.spread
    return found.expected - width, found.expected + width


@cache
def _farthest(freedom: int) -> float:
    """How many spreads one load in 200 is off by chance: Student's quantile, by halving."""
    low, high = 0.0, _FARTHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        chance = float(student(np.array([middle]), np.array([float(freedom)]))[0])
        low, high = (middle, high) if chance > EVERYBODY.budget.of_a_load() else (low, middle)
    return high


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _column(
    name: str,
    kind: str,
    book: ColumnBook | None,
    empty: tuple[Point, ...],
    different: tuple[Point, ...],
    *,
    redacted: bool,
) -> ColumnStory:
    known = book.history.columns.get(name) if book else None
    if book is None or known is None:
        return ColumnStory(name, kind, 0, 0, None, "", "", None, None, (), empty, different, (), redacted)
    valued = book.valued.get(name, 0)
    shown = _NO_VALUES if redacted else _values(known, book.history.ids)
    return ColumnStory(
        name,
        kind,
        valued,
        book.rows - valued,
        len(known.values) if known.values is not None else None,
        shown.least,
        shown.greatest,
        min(_there(day.shortest for day in known.deltas), default=None),
        max(_there(day.longest for day in known.deltas), default=None),
        shown.commonest,
        empty,
        different,
        shown.reach,
        redacted,
    )


@dataclass(frozen=True, slots=True)
class _Values:
    """What a column's values are, as far as people may see them."""

    least: str = ""
    greatest: str = ""
    commonest: tuple[tuple[str, int], ...] = ()
    reach: tuple[Reach, ...] = ()


_NO_VALUES = _Values()


def _values(known: ColumnHistory, ids: Sequence[str]) -> _Values:
    lows, highs = _there(day.low for day in known.deltas), _there(day.high for day in known.deltas)
    least, greatest = (text_of(min(lows)), text_of(max(highs))) if lows else ("", "")
    return _Values(least, greatest, _commonest(known), tuple(_reach(known, ids)))


def _there(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _commonest(known: ColumnHistory) -> tuple[tuple[str, int], ...]:
    rows = {text: seen.rows for text, seen in (known.values or {}).items()}
    return tuple(sorted(rows.items(), key=lambda item: (-item[1], item[0]))[:_COMMONEST])


def _reach(known: ColumnHistory, ids: Sequence[str]) -> Iterator[Reach]:
    for label, day in list(zip(ids, known.deltas, strict=False))[-SHOWN_LOADS:]:
        if day.low is not None and day.high is not None:
            yield Reach(label, _drawn(day.low), _drawn(day.high), text_of(day.low), text_of(day.high))


def place_of(text: str, kind: str) -> float:
    """Where a value, as text of a column's type, stands on the axis of :class:`Reach`."""
    return _drawn(parsed(text, LogicalType(kind)))


def _drawn(value: Number) -> float:
    """Where a value stands on an axis: days of dates, seconds of moments."""
    if isinstance(value, datetime):
        return value.timestamp()
    return float(value.toordinal()) if isinstance(value, date) else float(value)
