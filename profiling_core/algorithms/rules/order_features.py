"""Features of the score of an order within a row.

Each feature is a number between 0 and about 1, so that its weight shows its importance. Features that mean something
else for points in time than for quantities come twice: for all pairs, and for times alone.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.roles import names
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.order_names import are_opposites

Numbers = NDArray[np.float64]
Equations = Collection[Sequence[str]]
# An unbounded measure becomes several features, each capped at one of these, so that the score may bend.
_POWERS = (1.0, 3.0, 10.0, 30.0, 100.0)


EVIDENCE = "evidence: "
"""The prefix of features of evidence: more of it never speaks against a candidate."""
WORD = "greater: "
"""What begins the feature of a word that the names do not share."""
ALIKE = "words in common"
"""The feature of names that have words in common."""


class Pair(NamedTuple):
    """Two columns, the lesser first, and their values in those sampled rows that have both.

    ``classes``: the first column that each of the two equals.
    """

    low: str
    high: str
    lows: Numbers
    highs: Numbers
    classes: tuple[str, str] = ("", "")


def surprise(pair: Pair) -> tuple[float, float]:
    """The share of pairs of two rows' values in the wrong order, and −log₁₀ of the chance that no row has them so.

    Both are over the rows of the sample.
    """
    crossed = float(np.searchsorted(np.sort(pair.highs), pair.lows).mean()) / len(pair.lows)
    return crossed, -len(pair.lows) * float(np.log10(max(1 - crossed, 1e-9)))


def features(table: CodedTable, pairs: Sequence[Pair], equations: Equations) -> Iterator[dict[str, float]]:
    """The features of each pair by name; features that are 0 may be absent.

    Args:
        table: the table.
        pairs: orders that hold.
        equations: the columns of each of the table's equations, the computed one first.
    """
    for pair in pairs:
        plain = {**_of_values(pair), **_of_names(table, pair), **_of_equations(pair, equations)}
        time = {f"time: {name}": value for name, value in plain.items() if value}
        words = dict(_of_words(table, pair))
        yield {**plain, **words, **(time | {"time": 1.0} if table.roles[pair.low].role.is_temporal else {})}


def up_to(name: str, value: float, limits: Sequence[float]) -> dict[str, float]:
    """An unbounded measure as several features, each capped at a limit, so that a score may bend."""
    return {f"{name} to {limit:g}": min(1.0, max(0.0, value) / limit) for limit in limits}


def _of_values(pair: Pair) -> dict[str, float]:
    """Features of the values: the order's surprise, and how near the values come to the bound."""
    _, strength = surprise(pair)
    gaps = pair.highs - pair.lows
    middle = float(np.median(gaps))
    positive = (pair.highs > 0) & (pair.lows >= 0)
    closest = float((pair.lows[positive] / pair.highs[positive]).max(initial=0.0))
    low, high = (np.unique(values, return_inverse=True)[1] for values in (pair.lows, pair.highs))
    return {
        **up_to("surprise", strength, _POWERS),
        **up_to("equal", float((gaps == 0).mean()), (0.01, 0.1, 1.0)),
        **up_to("rows", len(gaps), (10.0, 100.0, 1000.0)),
        "meets": float(gaps.min() <= 0.1 * middle and (pair.lows.min() < 0 or closest >= 0.9)),
        "rise together": float(np.corrcoef(low, high)[0, 1]) if low.any() and high.any() else 0.0,
    }


def _of_equations(pair: Pair, equations: Equations) -> dict[str, float]:
    """Features of whether either column is computed from columns other than the other one."""
    apart = {columns[0] for columns in equations if not {*pair[:2]} <= {*columns}}
    return {"lesser computed": float(pair.low in apart), "greater computed": float(pair.high in apart)}


def _of_names(table: CodedTable, pair: Pair) -> dict[str, float]:
    """Features of names, places and units."""
    all_names = table.schema.names
    low, high = ({*names.words(names.bare(name, all_names))} for name in pair[:2])
    steps = all_names.index(pair.high) - all_names.index(pair.low)
    units = [table.roles[name].unit for name in pair[:2]]
    return {
        ALIKE: len(low & high) / len(low | high),
        "opposites": float(are_opposites(*pair[:2], all_names)),
        "side by side": 1 / abs(steps),
        "lesser first": float(steps > 0),
        "one unit": float((units[0] is None) is not (units[1] is None)),
        "maintenance of the lesser": table.roles[pair.low].upkeep,
        "maintenance of the greater": table.roles[pair.high].upkeep,
        "whole numbers": float(all(table.roles[name].scale == 0 for name in pair[:2])),
    }


def _of_words(table: CodedTable, pair: Pair) -> Iterator[tuple[str, float]]:
    """Features of the words by which two names differ: 1 for the greater's, −1 for the lesser's."""
    low, high = ({*names.words(names.bare(name, table.schema.names))} for name in pair[:2])
    for word in low ^ high:
        yield f"{WORD}{word}", 1.0 if word in high else -1.0
