"""What speaks for and against an order within a row: the features of its score.

Each feature is a number between 0 and about 1, so that its weight says how much it tells. Those that tell other things
of points in time than of quantities come twice: once for all pairs, once for those of time alone.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.roles import names
from profiling_core.algorithms.roles.vocabulary import MAINTAINING
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.order_names import are_opposites

Numbers = NDArray[np.float64]
Equations = Collection[Sequence[str]]
DAY = 86_400e6
"""A day in microseconds."""
# A measure of no upper limit counts up to each of these in turn, so that the score may bend.
_POWERS = (1.0, 3.0, 10.0, 30.0, 100.0)
_SHARES = (0.01, 0.1, 1.0)


ALIKE = "words in common"
"""The feature of names that have words in common."""


class Pair(NamedTuple):
    """Two columns, the lesser first, and their values in rows of a sample that have both.

    ``by_day``: the lesser is a moment, of which the day is meant. ``classes``: what both columns are the same as.
    """

    low: str
    high: str
    lows: Numbers
    highs: Numbers
    by_day: bool = False
    classes: tuple[str, str] = ("", "")


def surprise(pair: Pair) -> tuple[float, float]:
    """The share of two rows' values that would be the wrong way round, and how surprising none of a row's is, as log₁₀.

    Both are of the rows of the sample, in whatever order.
    """
    crossed = float(np.searchsorted(np.sort(pair.highs), pair.lows).mean()) / len(pair.lows)
    return crossed, -len(pair.lows) * float(np.log10(max(1 - crossed, 1e-9)))


def features(table: CodedTable, pairs: Sequence[Pair], equations: Equations) -> Iterator[dict[str, float]]:
    """By pair its features by name; those that are 0 may lack.

    Args:
        table: the table.
        pairs: orders that hold.
        equations: the columns of each of the table's equations, what is computed first.
    """
    for pair in pairs:
        plain = {**_of_values(pair), **_of_names(table, pair), **_of_equations(pair, equations)}
        time = {f"time: {name}": value for name, value in plain.items() if value}
        words = dict(_of_words(table, pair))
        yield {**plain, **words, **(time | {"time": 1.0} if table.roles[pair.low].role.is_temporal else {})}


def up_to(name: str, value: float, limits: Sequence[float]) -> dict[str, float]:
    """A measure of no upper limit as shares of some limits, so that a score may bend."""
    return {f"{name} to {limit:g}": min(1.0, max(0.0, value) / limit) for limit in limits}


def _of_values(pair: Pair) -> dict[str, float]:
    """What the values tell: how surprising the order is, and how near it comes to its bound."""
    _, strength = surprise(pair)
    gaps = pair.highs - pair.lows
    middle, rows = float(np.median(gaps)), len(gaps)
    positive = (pair.highs > 0) & (pair.lows >= 0)
    closest = float((pair.lows[positive] / pair.highs[positive]).max(initial=0.0))
    low, high = (np.unique(values, return_inverse=True)[1] for values in (pair.lows, pair.highs))
    return {
        **up_to("surprise", strength, _POWERS),
        **up_to("equal", float((gaps == 0).mean()), _SHARES),
        **up_to("rows", rows, (10.0, 100.0, 1000.0)),
        "meets": float(gaps.min() <= 0.1 * middle and (pair.lows.min() < 0 or closest >= 0.9)),
        "rise together": float(np.corrcoef(low, high)[0, 1]) if low.any() and high.any() else 0.0,
    }


def _of_equations(pair: Pair, equations: Equations) -> dict[str, float]:
    """Whether either is computed, of other columns than the other one."""
    apart = {columns[0] for columns in equations if not {*pair[:2]} <= {*columns}}
    return {"lesser computed": float(pair.low in apart), "greater computed": float(pair.high in apart)}


def _of_names(table: CodedTable, pair: Pair) -> dict[str, float]:
    """What names, places and units tell."""
    all_names = table.schema.names
    low, high = ({*names.words(names.bare(name, all_names))} for name in pair[:2])
    steps = all_names.index(pair.high) - all_names.index(pair.low)
    units = [table.roles[name].unit for name in pair[:2]]
    roles = [table.roles[name].role for name in pair[:2]]
    return {
        ALIKE: len(low & high) / len(low | high),
        "opposites": float(are_opposites(*pair[:2], all_names)),
        "side by side": 1 / abs(steps),
        "lesser first": float(steps > 0),
        "same unit": float(units[0] == units[1] is not None),
        "one unit": float((units[0] is None) is not (units[1] is None)),
        "maintenance of the lesser": float(not MAINTAINING.isdisjoint(low)),
        "maintenance of the greater": float(not MAINTAINING.isdisjoint(high)),
        "other roles": float(roles[0] is not roles[1]),
        "whole numbers": float(all(table.roles[name].scale == 0 for name in pair[:2])),
    }


def _of_words(table: CodedTable, pair: Pair) -> Iterator[tuple[str, float]]:
    """The words by which two names differ: of the greater 1, of the lesser −1."""
    low, high = ({*names.words(names.bare(name, table.schema.names))} for name in pair[:2])
    for word in low ^ high:
        yield f"greater: {word}", 1.0 if word in high else -1.0
