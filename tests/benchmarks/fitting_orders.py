"""Fits the score of orders within a row.

The candidates are those of :mod:`benchmarks.fitting_pools`. An order is right that is listed, declared, or judged to be
(``data/judged_orders.csv``). What follows from right orders, what an equation tells and what is said of a column's twin
is neither. The rest is wrong. The fit is a logistic regression with a penalty of λ/2 · ‖w‖².
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, lil_array

from benchmarks.fitting_pools import Pool
from benchmarks.rules_data import DATA
from profiling_core.algorithms.rules.order_features import EVIDENCE, WORD
from profiling_core.algorithms.score import logistic

Numbers = NDArray[np.float64]
# The penalties of a plain feature and of a word: those that predict left-out sources best.
_PENALTY, _OF_A_WORD = 2.0, 10.0
# The fewest sources whose names have a word that is learnt.
_SOURCES = 3
# A table with more candidates than that weighs less for each: its columns are more of the same.
_OF_A_TABLE = 20
_PARTS = 10
# Weights are rounded to three decimals.
_NO_STEP = 1e-4


class Labelled(NamedTuple):
    """A candidate: its source and table, whether it is right, its features, and how many candidates it stands for."""

    source: str
    table: str
    right: bool
    features: Mapping[str, float]
    stands_for: float = 1.0


def labelled(pool: Pool) -> Iterator[Labelled]:
    """The orders of a table whose rules are known."""
    if pool.table not in pool.source.listed and not pool.source.declared:
        return
    right, left = _judged(pool)
    told = [{*map(_plain, columns)} for columns in pool.equations]
    pairs = [frozenset((_plain(one.low), _plain(one.high))) for one in pool.orders]
    above = defaultdict(set)
    for one, named in zip(pool.orders, pairs, strict=True):
        if named in right:
            above[one.low].add(one.high)
    twins = {one.classes for one, named in zip(pool.orders, pairs, strict=True) if named in right}
    for one, named in zip(pool.orders, pairs, strict=True):
        neither = one.classes in twins or one.high in _above(one.low, above)
        if named in left or any(named <= columns for columns in told) or (neither and named not in right):
            continue
        yield Labelled(pool.source.name, pool.table, named in right, one.features)
    for candidate in pool.candidates:
        signed = pool.source.right(pool.table, candidate)
        if (told := pool.along.get(candidate.constraint.fingerprint)) and signed is not None:
            yield Labelled(pool.source.name, pool.table, signed, told, pool.source.stands_for(candidate))


def _judged(pool: Pool) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """The pairs of columns whose order is right, and those whose order is neither right nor wrong."""
    source = pool.source
    listed = source.listed.get(pool.table)
    right = {k.columns for k in (*listed.known, *listed.more) if k.kind == "dc"} if listed else set[frozenset[str]]()
    for rule in source.declared:
        if rule.kind == "order" and rule.table == pool.table:
            right.add(frozenset(map(_plain, rule.columns)))
    neither: set[frozenset[str]] = set()
    with (DATA / "judged_orders.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            if line["database"] == source.name and line["table"] == pool.table:
                of = right if line["judged"] == "right" else neither
                of.add(frozenset((_plain(line["lesser"]), _plain(line["greater"]))))
    return right, neither


def _above(low: str, above: Mapping[str, Collection[str]]) -> set[str]:
    """The columns that known orders put above one."""
    found, ends = set[str](), [low]
    while ends:
        more = {*above.get(ends.pop(), ())} - found
        found |= more
        ends += more
    return found


def _plain(name: str) -> str:
    return name.replace(" ", "_").replace(".", "_")


def fitted(rows: Sequence[Labelled], rare: str = WORD) -> dict[str, float]:
    """The weights of the greatest penalized likelihood; ``rare``: what rare features begin with.

    Those of evidence are not negative: more of it never speaks against a candidate, so that a table which is larger
    than all of these is judged at least as the largest are.
    """
    of_sources = defaultdict(set)
    for row in rows:
        for name in row.features:
            of_sources[name].add(row.source)
    names = sorted(n for n, sources in of_sources.items() if not n.startswith(rare) or len(sources) >= _SOURCES)
    places = {name: place for place, name in enumerate(names, 1)}
    told = lil_array((len(rows), len(names) + 1))  # each row has few of the features
    told[:, [0]] = 1.0
    for place, row in enumerate(rows):
        for name, value in row.features.items():
            if name in places:
                told[place, places[name]] = value
    penalty = np.array([1e-3, *(_OF_A_WORD if name.startswith(rare) else _PENALTY for name in names)])
    grows = np.array([False, *(name.startswith(EVIDENCE) for name in names)])
    weights = _by_newton(told.tocsr(), np.array([row.right for row in rows], float), _weighed(rows), (penalty, grows))
    rounded = zip((logistic.ALWAYS, *names), (round(float(w), 3) for w in weights), strict=True)
    return {name: weight for name, weight in rounded if weight}


def _weighed(rows: Sequence[Labelled]) -> Numbers:
    counts = Counter(row[:2] for row in rows)
    return np.array([min(1.0, (_OF_A_TABLE / counts[row[:2]]) ** 0.5) * row.stands_for for row in rows])


def _by_newton(told: csr_array, right: Numbers, each: Numbers, of_weights: tuple[Numbers, Numbers]) -> Numbers:
    """Newton's method, projected to weights that are not negative where they must not be (Bertsekas 1982)."""
    (penalty, grows), weights = of_weights, np.zeros(told.shape[1])
    for _ in range(30):
        chances = 1 / (1 + np.exp(-np.clip(told @ weights, -30, 30)))
        slope = told.T @ (each * (right - chances)) - penalty * weights
        bend = (told.T @ diags_array(each * chances * (1 - chances)) @ told).toarray() + np.diag(penalty)
        free = ~(grows & (weights <= 0) & (slope <= 0))
        before, weights = weights, weights.copy()
        weights[free] += np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        weights[grows] = np.maximum(weights[grows], 0)
        if np.abs(weights - before).max() < _NO_STEP:
            break
    return weights


def parts_of(sources: Collection[str]) -> dict[str, int]:
    """By source the part that it is left out with."""
    names = np.random.default_rng(0).permutation(sorted(sources)).tolist()
    return {name: place % _PARTS for place, name in enumerate(names)}
