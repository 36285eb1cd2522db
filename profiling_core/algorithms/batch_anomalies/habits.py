"""The usual rank of each value's rows among the rows of a load, compared with the present ones.

Counts by region, readings by sensor, sales by article: each value comes once or a few times per load, so that a load
alone does not show what it goes with. The loads before do: the mean rank of its rows by a number, which neither a
common trend nor a common season changes.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from profiling_core.algorithms.batch_anomalies.joint import BESIDE, LEAST_ROWS, MOST_COLUMNS, codes_of, ranks_of
from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.surprise import LATEST
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# Per naming column and value: the number of loads with it, and by number the mean rank of its rows, from −½ to ½.
Habits = Mapping[str, Mapping[str, tuple[int, Mapping[str, float]]]]
# Naming columns, and values of each, that are kept, at most.
_MOST_NAMING, _MOST_KEPT = 3, 300
# A value has a habit from this many loads on.
_LEAST_LOADS = 3
_DIGITS = 4
HABIT = ""  # the third part of such a pair's name
_NAMING = (LogicalType.STRING, LogicalType.BOOLEAN, LogicalType.INTEGER)
Floats = npt.NDArray[np.float64]


def as_usual(found: Profile, schema: TableSchema, habits: Habits) -> dict[str, float]:
    """Per pair of columns the correlation of the rows' ranks with the usual ranks of rows of their value."""
    figures = {}
    numbers = _places(found, schema)
    for by, values, codes in _naming(found, schema) if habits else ():
        known = [habits.get(by, {}).get(value, (0, {})) for value in values]
        for name, places in numbers.items():
            usual = [means.get(name, np.nan) if loads >= _LEAST_LOADS else np.nan for loads, means in known]
            expected = np.where(codes >= 0, np.array([*usual, np.nan])[codes], np.nan)
            both = np.isfinite(expected) & np.isfinite(places)
            if by != name and both.sum() >= LEAST_ROWS and np.ptp(expected[both]) and np.ptp(places[both]):
                bond = np.corrcoef(expected[both], places[both])[0, 1]
                figures[BESIDE.join((by, name, HABIT))] = round(float(bond), _DIGITS)
    return figures


def followed(habits: Habits, found: Profile, schema: TableSchema) -> Habits:
    """The habits with one more load."""
    after, numbers = dict(habits), _places(found, schema)
    for by, values, codes in _naming(found, schema):
        means = {name: _means(codes, places, len(values)) for name, places in numbers.items()}
        known = dict(habits.get(by, {}))
        for code, value in enumerate(values):
            loads, before = known.get(value, (0, {}))
            loads = min(LATEST, loads + 1)
            now = {name: float(mean[code]) for name, mean in means.items() if not np.isnan(mean[code])}
            moved = {name: _moved(before.get(name, mean), mean, loads) for name, mean in now.items()}
            known[value] = (loads, {**before, **moved})
        after[by] = dict(sorted(known.items(), key=lambda one: (-one[1][0], one[0]))[:_MOST_KEPT])
    return after


def _moved(before: float, now: float, loads: int) -> float:
    return round(before + (now - before) / loads, _DIGITS)


def _means(codes: npt.NDArray[np.int64], places: Floats, values: int) -> Floats:
    """float64[values]: the mean rank of each value's rows; NaN if none has one."""
    there = (codes >= 0) & np.isfinite(places)
    rows = np.bincount(codes[there], minlength=values)
    sums = np.bincount(codes[there], places[there], minlength=values)
    return np.where(rows > 0, sums / np.maximum(1, rows), np.nan)


def _naming(found: Profile, schema: TableSchema) -> Iterator[tuple[str, list[str], npt.NDArray[np.int64]]]:
    """The first columns with few values, texts before whole numbers: their values, and each row's code among them."""
    naming = [c for c in schema.profiled if c.type in _NAMING and len(found.columns[c.name].values or ()) > 1]
    for column in sorted(naming, key=lambda c: c.type is LogicalType.INTEGER)[:_MOST_NAMING]:
        yield column.name, *codes_of(found.sample[column.name])


def _places(found: Profile, schema: TableSchema) -> dict[str, Floats]:
    """Per number the rank of each row of the sample, from −½ to ½; NaN for null."""
    numbers = [c.name for c in schema.profiled if c.type.type_class is TypeClass.NUMERIC][:MOST_COLUMNS]
    return {name: _centred(ranks_of(found.sample[name])) for name in numbers}


def _centred(ranks: Floats) -> Floats:
    places: Floats = (ranks + 0.5) / max(1, np.isfinite(ranks).sum()) - 0.5
    return places
