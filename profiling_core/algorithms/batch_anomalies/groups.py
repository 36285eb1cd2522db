"""Whether groups of a load have the numbers of an earlier load, and whether their cells are filled as usual.

A shop that sends its last file again, or whose field was not filled, changes a small part of the load. Its own earlier
loads tell it.
"""

from collections.abc import Iterator, Sequence

import numpy as np

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
    for panel in panels:
        for found in (*_stale(case, panel, case.level / 2 / len(panels)), *_empty(case, panel, case.level / 2)):
            known = best.setdefault(found.columns, found)
            best[found.columns] = min(known, found, key=lambda one: (len(one.values), -one.magnitude))
    yield from best.values()


def _stale(case: Case, panel: Panel, level: float) -> Iterator[Anomaly]:
    """Groups all of whose moving numbers are those that they had in one of the latest loads."""
    loads = [load for load in case.history.loads[-LATEST:] if load.panel(panel.by)]
    numbers = [name for name in panel.numbers if all(name in load.columns for load in loads)]
    if len(loads) < LEAST_LOADS or not numbers:
        return
    before = np.array([_said(load.panel(panel.by), panel.names, numbers) for load in loads])
    stays, known = before[1:] == before[:-1], np.isfinite(before[1:]) & np.isfinite(before[:-1])
    moving = stays.sum(axis=(0, 2)) < _STAYS * known.sum(axis=(0, 2))
    if not moving.any():
        return
    before, now = before[:, moving], _said(panel, panel.names, numbers)[moving]
    same, judged = zip(*(_same(one, other) for one, other in zip(before[1:], before[:-1], strict=True)), strict=True)
    again = [_same(now, earlier) for earlier in before[-LASTING:]]
    place = int(np.argmax([int(one.sum()) for one, _ in again]))
    count, rows = int(again[place][0].sum()), int(again[place][1].sum())
    if not count:
        return
    counts, many = (np.array([one.sum() for one in some], np.float64)[:, None] for some in (same, judged))
    chance = float(_chances(case, counts, many, np.array([float(count)]), np.array([float(rows)]))[0]) * len(again)
    if chance < level:
        names = [name for name, stale in zip(panel.names, again[place][0], strict=True) if stale]
        shown = [shown_name(case, panel, name) for name in names]
        which = shown[0] if len(shown) == 1 else f"{len(shown)} of {rows} values: {listed(shown, 3)}"
        yield Anomaly(
            "source",
            f"all numbers of {called(panel)} {which} are the same as in an earlier load",
            tuple(name for name, moves in zip(numbers, moving, strict=True) if moves),
            cause="an old file of this source?",
            suspect_rows=named(panel.columns, names),
            magnitude=odds(chance) / odds(level),
            subject=f"{called(panel)} stale",
            whole_load=False,
            size=count / rows,
            room=room_of(float(counts.sum() / max(1.0, many.sum())), rows),
            values=values_told(case, panel, shown),
        )


def _said(panel: Panel | None, names: Sequence[str], numbers: Sequence[str]) -> Figures:
    """float64[numbers, names]."""
    return np.array([panel.said(names, name) if panel else np.full(len(names), np.nan) for name in numbers])


def _same(now: Figures, earlier: Figures) -> tuple[Mask, Mask]:
    """bool[names] each: whose known numbers are all equal, and who has known ones in both loads."""
    both = np.isfinite(now) & np.isfinite(earlier)
    judged: Mask = np.logical_or.reduce(both)
    same: Mask = np.logical_and.reduce(((now == earlier) | ~both) & judged)
    return same, judged


def _empty(case: Case, panel: Panel, level: float) -> Iterator[Anomaly]:
    """Groups in which another share of a column's cells is empty than in their earlier loads."""
    loads = [load for load in case.history.loads if load.panel(panel.by)]
    names = [name for name in panel.nulls if all(name in load.columns for load in loads)]
    if panel.names_each_row or len(loads) < LEAST_LOADS or not names:
        return
    here = np.array([panel.rows for _ in names], np.float64).ravel()
    own = np.array([panel.nulls[name] for name in names], np.float64).ravel()
    many = np.array([_per_name(load, panel, None) * len(names) for load in loads])
    counts = np.array([[n for name in names for n in _per_name(load, panel, name)] for load in loads])
    few = here < LEAST_ROWS
    chance = np.where(few, 1.0, _chances(case, counts, many, own, np.where(few, np.nan, here)))
    level /= len(own)
    for number, name in enumerate(names):
        at = slice(number * len(panel.names), (number + 1) * len(panel.names))
        odd = np.flatnonzero(chance[at] < level)
        if len(odd) and 2 * len(odd) <= np.count_nonzero(~few[at]):  # else it concerns the column
            share = own[at] / here[at]
            usual = np.nansum(counts[-LATEST:, at], axis=0) / np.maximum(1.0, np.nansum(many[-LATEST:, at], axis=0))
            worst = int(odd[np.argmin(chance[at][odd])])
            groups = [panel.names[place] for place in odd]
            shown = [shown_name(case, panel, group) for group in groups]
            said = (
                f"{percent(share[worst])} of the rows of {called(panel)} {shown_name(case, panel, panel.names[worst])}"
            )
            others = f" and {len(odd) - 1} more" if len(odd) > 1 else ""
            yield Anomaly(
                "nulls",
                f"{said}{others} have no {name}, usually about {percent(usual[worst])}",
                (name,),
                cause="a field that was not filled?" if share[worst] > usual[worst] else "a default?",
                suspect_rows=_without(panel, groups, name),
                magnitude=odds(float(chance[at][worst])) / odds(level),
                subject=f"{called(panel)} {shown[0]}" if len(odd) == 1 else "",
                whole_load=False,
                size=float(share[worst] - usual[worst]),
                room=room_of(float(usual[worst]), float(here[at][worst])),
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
