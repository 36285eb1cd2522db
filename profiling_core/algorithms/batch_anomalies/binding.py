"""Whether columns still go together: a pair may have lost its bond, or a column its bonds with all others.

Many weak bonds are as much evidence as a strong one. So a column is also judged as a whole, by how far its bonds point
where they usually do: the sum of each times its usual value, weighted by its steadiness, as a share of the usual sum
(the
discriminant of Fisher, The use of multiple measurements in taxonomic problems, 1936, with a diagonal matrix). Its
variation by chance follows from the number of rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, everywhere
from profiling_core.algorithms.batch_anomalies.habits import HABIT
from profiling_core.algorithms.batch_anomalies.history import series
from profiling_core.algorithms.batch_anomalies.joint import BESIDE
from profiling_core.algorithms.batch_anomalies.sequence import NEXT
from profiling_core.algorithms.batch_anomalies.surprise import Figures, odds
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.types import TypeClass

# A correlation has to lose this much, and this share of its usual value.
_LEAST_LOSS, _HALF = 0.15, 0.5
_NEVER = 0.999
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class _Bonds:
    """The pairs of columns, their bonds float64[loads, pairs] and float64[pairs], and the rows behind each bond.

    ``going_on``: the bond is how the first column continues in the order of the second.
    """

    pairs: Sequence[tuple[str, str]]
    going_on: Sequence[bool]
    before: Figures
    now: Figures
    rows: Figures


@dataclass(frozen=True, slots=True)
class _Parted:
    """A column that no longer goes with others: the pair that shows it best, its usual bond, and the magnitude."""

    name: str
    place: int
    usual: float
    pairs: int
    magnitude: float


def parted(case: Case) -> Iterator[Anomaly]:
    """The column that has parted from others, if any; half of the budget is for pairs, half for whole columns."""
    known = _bonds(case)
    found = (_of_pairs(case, known) or _as_a_whole(case, known)) if known.pairs else None
    if found is None:
        return
    one, other = known.pairs[found.place]
    partner = other if one == found.name else one
    now = known.now[found.place]
    goes = f"continues from one {other} to the next" if known.going_on[found.place] else f"goes with {partner}"
    subject = one if known.going_on[found.place] else found.name
    yield Anomaly(
        "joint",
        f"{subject} no longer {goes} (a correlation of {now:.2f}, usually {found.usual:.2f})",
        (found.name, partner),
        cause=f"the values of {found.name} in other rows, or another column's?",
        details=(f"{found.pairs} pairs of columns no longer go together.",) if found.pairs > 1 else (),
        suspect_rows=everywhere,
        magnitude=found.magnitude,
        size=abs(found.usual) - float(now) * (1 if found.usual > 0 else -1),
        room=2 / float(np.sqrt(max(1.0, known.rows[found.place]))),
    )


def _bonds(case: Case) -> _Bonds:
    pairs = list(case.summary.pairs)
    now = np.array([case.summary.pairs[pair] for pair in pairs])
    before = series([load.pairs.get(pair) for pair in pairs] for load in case.history.loads)
    parts = [pair.split(BESIDE) for pair in pairs]
    there = {name: present(case.found.sample[name]).is_valid().to_numpy() for name in case.found.columns}
    rows = np.array([(there[one] & there[other]).sum() for one, other, *_ in parts], np.float64)
    # rows of one value share one habit, and rows of one pair of values are one observation, so that values are counted
    values = np.array([_different(case, p) for p in parts], np.float64)
    named, going_on = [(one, other) for one, other, *_ in parts], [NEXT in rest for _, _, *rest in parts]
    return _Bonds(named, going_on, before, now, np.minimum(rows, values))


def _different(case: Case, parts: Sequence[str]) -> float:
    """How many different values, or pairs of values, a bond is based on; infinite if it is based on rows."""
    one, other, *rest = parts
    if rest == [HABIT]:
        return len(case.found.columns[one].values or ())
    if rest or case.schema.column(other).type.type_class is not TypeClass.NUMERIC:
        return np.inf
    pairs = case.found.sample.select([one, other]).drop_null()
    return len(pairs.group_by([one, other]).aggregate([]))


def _of_pairs(case: Case, known: _Bonds) -> _Parted | None:
    """The column with the most pairs that have each lost their bond."""
    now, before = known.now, known.before
    found = case.surprise(_stretched(before), _stretched(now), unit=0.0, floor=1.06 / np.sqrt(_free(known.rows)))
    usual = np.tanh(found.expected)
    level = case.level / 2 / len(known.pairs)
    signed = before * np.sign(usual)
    beyond = now * np.sign(usual) < np.where(np.isfinite(signed), signed, np.inf).min(axis=0)
    loss = np.abs(usual) - now * np.sign(usual)
    gone = (found.chance < level) & (loss > _LEAST_LOSS) & (loss > _HALF * np.abs(usual)) & beyond
    lost: list[int] = np.flatnonzero(gone).tolist()
    if not lost:
        return None
    every = [name for place in lost for name in known.pairs[place]]
    name = max(dict.fromkeys(every), key=every.count)
    place = max((p for p in lost if name in known.pairs[p]), key=lambda p: abs(usual[p]))
    magnitude = odds(float(found.chance[place])) / odds(level)
    return _Parted(name, place, float(usual[place]), len(lost), magnitude)


def _as_a_whole(case: Case, known: _Bonds) -> _Parted | None:
    """The column that has lost most of all its bonds together."""
    names = list(dict.fromkeys(name for pair in known.pairs for name in pair))
    everything = np.vstack([known.before, known.now])
    there = np.isfinite(everything)
    usual, variance = _usual(known.before)
    sure = usual / (variance + 1 / _free(known.rows))  # steady bonds count more
    own = np.array([[name in pair for pair in known.pairs] for name in names], np.float64).T
    weights = np.where(there, sure * usual, 0.0) @ own
    sums = np.where(there, everything, 0.0) * sure @ own
    shares = np.where(weights > 0, sums / np.maximum(_TINY, weights), np.nan)
    chance_alone = np.sqrt(np.where(there[-1], sure**2 / _free(known.rows), 0.0) @ own)
    floor = chance_alone / np.maximum(_TINY, weights[-1])
    found = case.surprise(shares[:-1], shares[-1], unit=0.0, floor=floor)
    level = case.level / 2 / len(names)
    beyond = shares[-1] < np.nanmin(np.where(np.isfinite(shares[:-1]), shares[:-1], np.inf), axis=0)
    lost = (found.chance < level) & beyond & (shares[-1] < _HALF * found.expected)
    if not lost.any():
        return None
    at = int(np.argmax(np.where(lost, weights[-1] - sums[-1], -np.inf)))
    loss = np.where([names[at] in pair for pair in known.pairs], np.abs(usual) - known.now * np.sign(usual), -np.inf)
    place = int(np.argmax(loss))
    return _Parted(names[at], place, float(usual[place]), 1, odds(float(found.chance[at])) / odds(level))


def _usual(before: Figures) -> tuple[Figures, Figures]:
    """float64[pairs], float64[pairs]: mean and variance of the bonds so far; 0 if there have been none."""
    there = np.isfinite(before)
    count = np.maximum(1, there.sum(axis=0))
    known = np.where(there, before, 0.0)
    mean = known.sum(axis=0) / count
    return mean, (np.where(there, known - mean, 0.0) ** 2).sum(axis=0) / count


def _free(rows: Figures) -> Figures:
    free: Figures = np.maximum(1.0, rows - 3)
    return free


def _stretched(correlations: Figures) -> Figures:
    stretched: Figures = np.arctanh(np.clip(correlations, -_NEVER, _NEVER))
    return stretched
