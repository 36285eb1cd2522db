"""Whether values are missing, or there, as usual: the share of nulls in each column."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, SuspectRows, percent, room_of, so_many
from profiling_core.algorithms.batch_anomalies.history import LoadSummary, series
from profiling_core.algorithms.batch_anomalies.surprise import Figures, angle, by_luck, odds, share
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.lesson import LEAST_LOADS

_MUCH, _HARDLY = 0.2, 0.005
_LATEST = 28


def judge(case: Case) -> Iterator[Anomaly]:
    """Columns that lack far more values than ever, or that have never lacked so few."""
    loads = case.history.loads
    names = [name for name in case.found.columns if len(case.history.column(name)) == len(loads)]
    if not names or not case.found.rows or len(loads) < LEAST_LOADS or not all(load.rows for load in loads):
        return
    nulls, rows = _nulls_and_rows(loads, names)
    lacking = np.array([case.found.columns[name].nulls for name in names], np.float64)
    before, now = nulls / rows, lacking / case.found.rows
    found = case.surprise(angle(nulls, rows), angle(lacking, case.found.rows), *case.noise())
    level = case.level / len(names)
    for place in np.flatnonzero(found.chance < level):
        low, high = before[:, place].min(), before[:, place].max()
        usual = float(share(found.expected, float(np.median(rows)))[place])
        if low <= now[place] <= high or abs(now[place] - usual) < _MUCH:
            continue
        chance = max(
            float(found.chance[place]), by_luck(float(now[place]), case.found.rows, _share_of(nulls, rows, int(place)))
        )
        if chance >= level:
            continue
        fewer = now[place] < usual
        yield Anomaly(
            "nulls",
            f"{so_many(int(lacking[place]), case.found.rows)} no {names[place]}, usually {_usually(usual)}",
            (names[place],),
            cause="a default in place of what is missing?" if fewer else "a field that was not filled?",
            suspect_rows=_nulls(names[place], there=fewer),
            magnitude=odds(chance) / odds(level),
            size=float(now[place]) - usual,
            room=room_of(float(now[place]), case.found.rows),
        )


def _share_of(nulls: Figures, rows: Figures, place: int) -> float:
    """The share of nulls in the latest loads together, half a row added on either side."""
    return float((nulls[-_LATEST:, place].sum() + 0.5) / (rows[-_LATEST:].sum() + 1))


def _nulls_and_rows(loads: Sequence[LoadSummary], names: Sequence[str]) -> tuple[Figures, Figures]:
    """float64[loads, columns], float64[loads, 1]."""
    nulls = series([load.columns[name].nulls for name in names] for load in loads)
    return nulls, series([load.rows] for load in loads)


def _usually(share: float) -> str:
    return "hardly any" if share < _HARDLY else "nearly all" if share > 1 - _HARDLY else f"about {percent(share)}"


def _nulls(name: str, *, there: bool) -> SuspectRows:
    return lambda rows: (pc.is_valid if there else pc.is_null)(present(rows[name])).to_numpy()
