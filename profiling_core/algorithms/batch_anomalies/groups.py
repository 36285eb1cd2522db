"""Whether groups of a load have the numbers of an earlier load, and whether their cells are filled as usual.

A shop that sends its last file again, or whose field was not filled, changes a small part of the load. Its own earlier
loads tell it.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, SuspectRows, listed, percent, room_of
from profiling_core.algorithms.batch_anomalies.history import LASTING, LoadSummary
from profiling_core.algorithms.batch_anomalies.sources import LEAST_ROWS, Panel, named
from profiling_core.algorithms.batch_anomalies.steps import called, panels_of_sources, shown_name, values_told
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, Figures, angle, by_luck, odds
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.lesson import LEAST_LOADS

# A number that stays in half of the steps of all sources tells nothing by staying.
_STAYS = 0.5


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges each panel, of those that show the same column the one of the fewest groups."""
    panels = panels_of_sources(case)
    best: dict[tuple[str, ...], Anomaly] = {}
    level = case.level / 2 / max(1, len(panels))
    for panel in panels:
        for found in (*_stale(case, panel, level), *_empty(case, panel, level)):
            known = best.setdefault(found.columns, found)
            best[found.columns] = min(known, found, key=lambda one: (len(one.values), -one.magnitude))
    yield from best.values()


def _stale(case: Case, panel: Panel, level: float) -> Iterator[Anomaly]:
    """Groups all of whose moving numbers are those that they had in one of the latest loads.

    Each earlier load is compared with as many loads before it, so that numbers that come round, such as every week,
    are usual.
    """
    loads = [known for load in case.history.loads[-LATEST:] if (known := load.panel(panel.by))]
    numbers = [name for name in panel.numbers if all(name in known.numbers for known in loads)]
    if len(loads) < LEAST_LOADS or not numbers:
        return
    before, now = np.array([_said(known, panel.names, numbers) for known in loads]), _said(panel, panel.names, numbers)
    moving = _that_move(before)
    came = _came_again(np.concatenate([before, now[np.newaxis]])[:, moving])
    same, counts = came[-1][0], np.array([[[float(part.sum())] for part in parts] for parts in came])
    chance = float(_chances(case, counts[:-1, 0], counts[:-1, 1], *counts[-1])[0])
    if same.any() and chance < level:
        columns = tuple(name for name, moves in zip(numbers, moving, strict=True) if moves)
        yield _told_as_stale(case, panel, np.flatnonzero(same), columns, odds(chance) / odds(level))


def _came_again(loads: Figures) -> list[tuple[Mask, Mask]]:
    """Per load what :func:`_same` says of the one before it that has most of its names' numbers.

    All loads of float64[loads, numbers, names] are compared with as many before them; the first ones are left out.
    """
    back = min(LASTING, (len(loads) - 1) // 2)
    return [
        max((_same(loads[at], earlier) for earlier in loads[at - back : at]), key=lambda one: int(one[0].sum()))
        for at in range(back, len(loads))
    ]


def _that_move(before: npt.NDArray[np.float64]) -> Mask:
    """bool[numbers]: those that have changed in more than half of the steps, of float64[loads, numbers, names]."""
    stays, known = before[1:] == before[:-1], np.isfinite(before[1:]) & np.isfinite(before[:-1])
    moving: Mask = stays.sum(axis=(0, 2)) < _STAYS * known.sum(axis=(0, 2))
    return moving


def _told_as_stale(
    case: Case, panel: Panel, places: npt.NDArray[np.intp], columns: tuple[str, ...], magnitude: float
) -> Anomaly:
    names = [panel.names[place] for place in places]
    shown = [shown_name(case, panel, name) for name in names]
    which = shown[0] if len(shown) == 1 else f"{len(shown)} of {len(panel.names)} values: {listed(shown, 3)}"
    share = len(names) / len(panel.names)
    return Anomaly(
        "source",
        f"all numbers of {called(panel)} {which} are the same as in an earlier load",
        columns,
        cause="an old file of this source?",
        suspect_rows=named(panel.columns, names),
        magnitude=magnitude,
        subject=f"{called(panel)} stale",
        whole_load=False,
        size=share,
        room=room_of(share, len(panel.names)),
        values=values_told(case, panel, shown),
    )


def _said(panel: Panel, names: Sequence[str], numbers: Sequence[str]) -> Figures:
    """float64[numbers, names]."""
    return np.array([panel.said(names, name) for name in numbers])


def _same(now: Figures, earlier: Figures) -> tuple[Mask, Mask]:
    """bool[names] each: whose known numbers are all equal, and who has known ones in both loads."""
    both = np.isfinite(now) & np.isfinite(earlier)
    judged: Mask = np.logical_or.reduce(both)
    same: Mask = np.logical_and.reduce((now == earlier) | ~both) & judged
    return same, judged


def _empty(case: Case, panel: Panel, level: float) -> Iterator[Anomaly]:
    """Groups in which another share of a column's cells is empty than in their earlier loads."""
    loads = [load for load in case.history.loads if load.panel(panel.by)]
    names = [name for name in panel.nulls if all(name in load.columns for load in loads)]
    if panel.names_each_row or len(loads) < LEAST_LOADS:
        return
    here = np.where(np.array(panel.rows) < LEAST_ROWS, np.nan, panel.rows)
    many = np.array([_per_name(load, panel, None) for load in loads])
    for name in names:
        own, counts = np.array(panel.nulls[name], np.float64), np.array([_per_name(ld, panel, name) for ld in loads])
        chance = _chances(case, counts, many, own, here) * len(names) * len(here)
        odd = np.flatnonzero(chance < level)
        if len(odd) and 2 * len(odd) <= np.isfinite(here).sum():  # else it concerns the column
            usual = np.nansum(counts[-LATEST:], axis=0) / np.maximum(1.0, np.nansum(many[-LATEST:], axis=0))
            worst = int(odd[np.argmin(chance[odd])])
            shares = float(own[worst] / here[worst]), float(usual[worst])
            magnitude = odds(float(chance[worst])) / odds(level)
            yield _told_as_empty(case, panel, name, [worst, *odd[odd != worst].tolist()], shares, magnitude)


def _told_as_empty(
    case: Case, panel: Panel, name: str, places: Sequence[int], shares: tuple[float, float], magnitude: float
) -> Anomaly:
    """The anomaly of these groups, the worst first; ``shares`` are the worst one's share of rows, and its usual one."""
    now, usual = shares
    groups = [panel.names[place] for place in places]
    shown = [shown_name(case, panel, group) for group in groups]
    others = f" and {len(groups) - 1} more" if len(groups) > 1 else ""
    said = f"{percent(now)} of the rows of {called(panel)} {shown[0]}{others}"
    return Anomaly(
        "nulls",
        f"{said} have no {name}, usually about {percent(usual)}",
        (name,),
        cause="a field that was not filled?" if now > usual else "a default?",
        suspect_rows=_without(panel, groups, name),
        magnitude=magnitude,
        subject=f"{called(panel)} {shown[0]}" if len(groups) == 1 else "",
        whole_load=False,
        size=now - usual,
        room=room_of(usual, panel.rows[places[0]]),
        values=values_told(case, panel, shown),
    )


def _per_name(load: LoadSummary, panel: Panel, column: str | None) -> list[float]:
    """Per name of a panel an earlier load's rows, or those without a value in a column."""
    known = load.panel(panel.by)
    if known is None:
        return [np.nan] * len(panel.names)
    counted = known.rows if column is None else known.nulls.get(column, (0,) * len(known.rows))
    found = dict(zip(known.names, counted, strict=True))
    return [float(found.get(name, 0)) for name in panel.names]


def _without(panel: Panel, groups: Sequence[str], column: str) -> SuspectRows:
    theirs = named(panel.columns, groups)
    return lambda rows: theirs(rows) & present(rows[column]).is_null().to_numpy()


def _chances(case: Case, counts: Figures, rows: Figures, own: Figures, here: Figures) -> Figures:
    """The probability of so large, or so small, a count of rows, by how it varies and by how rows are drawn."""
    floor = np.sqrt(0.25 / np.where(here > 0, here, np.nan))
    varied = case.surprise(angle(counts, rows), angle(own, here), floor, floor).chance
    latest, many = np.nansum(counts[-LATEST:], axis=0), np.nansum(rows[-LATEST:], axis=0)
    usual = (latest + 0.5) / (many + 1)
    drawn = np.array([by_luck(a / b, b, p) if b > 0 else 1.0 for a, b, p in zip(own, here, usual, strict=True)])
    found: Figures = np.where(latest > 0, np.maximum(drawn, varied), drawn)
    return found
