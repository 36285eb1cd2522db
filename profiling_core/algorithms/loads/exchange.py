"""Whether columns still go together as they have: two are exchanged, or the values of one stand in wrong rows."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.loads.history import Summary, series
from profiling_core.algorithms.loads.joint import BESIDE
from profiling_core.algorithms.loads.oddity import Case, Oddity, Values, everywhere
from profiling_core.algorithms.loads.surprise import Figures, Surprise, odds
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# So much of a correlation has to be lost, and half of what is usual.
_LEAST_LOSS, _HALF = 0.15, 0.5
_NEVER = 0.999


def judge(case: Case) -> Iterator[Oddity]:
    """Numbers whose sizes have changed places, else pairs of columns that have lost their correlation."""
    if len(case.history.loads) < LEAST_LOADS:
        return
    exchanged = list(_exchanged(case))
    yield from exchanged or _parted(case)


def _exchanged(case: Case) -> Iterator[Oddity]:
    names = [
        c.name
        for c in case.schema.profiled
        if c.type.type_class is TypeClass.NUMERIC and case.summary.columns[c.name].size is not None
    ]
    if len(names) < 2:
        return
    sizes = series([_size(load, name) for name in names] for load in case.history.loads)
    now = np.array([_size(case.summary, name) for name in names], np.float64)
    found = case.surprise(sizes, now, unit=1 / 16)
    level = case.level / len(names)
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            if max(found.chance[i], found.chance[j]) < level and _fits(found, now, i, j) and _fits(found, now, j, i):
                yield Oddity(
                    "exchange",
                    f"{names[i]} has values of the size of {names[j]}, and {names[j]} of {names[i]}",
                    (names[i], names[j]),
                    cause="columns exchanged?",
                    culprits=everywhere,
                    mended=_back(names[i], names[j]),
                    magnitude=odds(float(max(found.chance[i], found.chance[j]))) / odds(level),
                )
                return


def _back(one: str, other: str) -> Callable[[Values], Values]:
    return lambda row: {one: row.get(other), other: row.get(one)}


def _size(load: Summary, name: str) -> float | None:
    return load.columns[name].size if name in load.columns else None


def _fits(found: Surprise, now: Figures, one: int, other: int) -> bool:
    """Whether one column is now as the other one usually is, and not as it is itself."""
    away = abs(now[one] - found.expected[other])
    return bool(away < 3 * found.spread[other] and away < abs(now[one] - found.expected[one]) / 3)


def _parted(case: Case) -> Iterator[Oddity]:
    pairs = list(case.summary.pairs)
    if not pairs:
        return
    now = np.array([case.summary.pairs[pair] for pair in pairs])
    before = series([load.pairs.get(pair) for pair in pairs] for load in case.history.loads)
    floor = 1.06 / np.sqrt(np.maximum(1, _rows_with_both(case, pairs) - 3))
    found = case.surprise(_stretched(before), _stretched(now), unit=0.0, floor=floor)
    usual = np.tanh(found.expected)
    level = case.level / len(pairs)
    beyond = now * np.sign(usual) < np.nanmin(np.where(np.isfinite(before), before * np.sign(usual), np.inf), axis=0)
    loss = np.abs(usual) - now * np.sign(usual)
    lost = np.flatnonzero((found.chance < level) & (loss > _LEAST_LOSS) & (loss > _HALF * np.abs(usual)) & beyond)
    if not len(lost):
        return
    parts = [pairs[place].split(BESIDE) for place in lost]
    every = [name for part in parts for name in part]
    name = max(dict.fromkeys(every), key=every.count)
    place = max((p for p in lost if name in pairs[p].split(BESIDE)), key=lambda p: abs(usual[p]))
    one, other = pairs[place].split(BESIDE)
    partner = other if one == name else one
    yield Oddity(
        "joint",
        f"{name} no longer goes with {partner} (a correlation of {now[place]:.2f}, usually {usual[place]:.2f})",
        (name, partner),
        cause=f"the values of {name} in other rows, or another column's?",
        details=(f"{len(lost)} pairs of columns no longer go together.",) if len(lost) > 1 else (),
        culprits=everywhere,
        magnitude=odds(float(found.chance[place])) / odds(level),
    )


def _rows_with_both(case: Case, pairs: Sequence[str]) -> Figures:
    """float64[pairs]: how many rows of the sample have values in both columns."""
    there = {name: present(case.found.sample[name]).is_valid().to_numpy() for name in case.found.columns}
    both = (pair.split(BESIDE) for pair in pairs)
    return np.array([(there[one] & there[other]).sum() for one, other in both], np.float64)


def _stretched(correlations: Figures) -> Figures:
    stretched: Figures = np.arctanh(np.clip(correlations, -_NEVER, _NEVER))
    return stretched
