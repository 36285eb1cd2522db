"""Fits the models of keys and references, and writes their weights and ``docs/benchmarks/fit.md``.

``python -m benchmarks.fitting`` fits to the tables of features beside this module (``fitted/*.csv.gz``: features and
labels, no values); ``python -m benchmarks.fitting DIRECTORY`` measures these tables anew first, of the databases of a
directory (:mod:`benchmarks.rules_databases`), with ``--listed`` also of the made-up businesses of
:mod:`benchmarks.rules_data`. Sources that are not measured keep their rows.

A model is a conditional logit: of alternatives (the unique sets of a table; the keys that a column may refer to) at
most one is right, or none, whose log-odds are 0. A single alternative is a logistic regression. The weights have the
penalty λ/2 · ‖w‖² (:data:`benchmarks.fitting_schema.MODELS`).
"""

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import REPOSITORY
from profiling_core.algorithms.score import logistic
from profiling_core.algorithms.score.logistic import ALWAYS

FITTED = Path(__file__).parent / "fitted"
PAGE = REPOSITORY / "docs" / "benchmarks" / "fit.md"
WEIGHTS = Path(logistic.__file__).parent / "weights"
_STEPS = 30
_PARTS = 10
_BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
Numbers = NDArray[np.float64]


class Alternative(NamedTuple):
    """A candidate: its source, the alternatives that it is one of, whether it is right, and its features."""

    source: str
    group: int
    right: bool
    features: Mapping[str, float]


@dataclass(frozen=True)
class Fit:
    """What a model is fitted to, as arrays, the alternatives of a group one after the other.

    ``sources``: per row the database, by number. ``of``: int64[n] the group of each row. ``right``: float64[n], 0 or 1.
    """

    names: tuple[str, ...]
    features: Numbers
    of: NDArray[np.int64]
    right: Numbers
    sources: NDArray[np.str_]

    def but(self, dropped: str) -> "Fit":
        """Without the features that are called so in front."""
        kept = [not name.startswith(dropped) for name in self.names]
        names = tuple(name for name, keep in zip(self.names, kept, strict=True) if keep)
        return Fit(names, self.features[:, kept], self.of, self.right, self.sources)

    def where(self, rows: NDArray[np.bool_]) -> "Fit":
        """Some of the rows, whole groups."""
        return Fit(self.names, self.features[rows], self.of[rows], self.right[rows], self.sources[rows])


def table_of(alternatives: Iterable[Alternative]) -> Fit:
    """The arrays of alternatives."""
    rows = list(alternatives)
    names = (ALWAYS, *sorted({name for row in rows for name in row.features}))
    at = {name: place for place, name in enumerate(names)}
    features = np.zeros((len(rows), len(names)))
    features[:, 0] = 1.0
    for place, row in enumerate(rows):
        for name, value in row.features.items():
            features[place, at[name]] = value
    of = np.array([row.group for row in rows], np.int64)
    right = np.array([row.right for row in rows], np.float64)
    return Fit(names, features, of, right, np.array([row.source for row in rows]))


def fitted(fit: Fit, penalty: float) -> Numbers:
    """The weights of the greatest penalized likelihood, by Newton's method with halved steps."""
    weights = np.zeros(len(fit.names))
    ridge = np.full(len(weights), penalty)
    ridge[0] = 1e-3
    likelihood, chances, starts = _likelihood(fit, weights, ridge)
    for _ in range(_STEPS):
        gradient = fit.features.T @ (fit.right - chances) - ridge * weights
        weighted = fit.features * chances[:, None]
        means = np.add.reduceat(weighted, starts, axis=0)
        curvature = fit.features.T @ weighted - means.T @ means + np.diag(ridge)
        step, before = np.linalg.solve(curvature, gradient), likelihood
        for halved in range(12):
            now, likely, _ = _likelihood(fit, weights + step / 2**halved, ridge)
            if now >= before:
                weights, likelihood, chances = weights + step / 2**halved, now, likely
                break
        if likelihood - before < 1e-7 * abs(before):
            break
    return weights


def chances_of(fit: Fit, weights: Numbers) -> Numbers:
    """float64[n]: the probability of each alternative."""
    return _likelihood(fit, weights, np.zeros(len(weights)))[1]


def _likelihood(fit: Fit, weights: Numbers, ridge: Numbers) -> tuple[float, Numbers, NDArray[np.int64]]:
    scores = fit.features @ weights
    starts = np.flatnonzero(np.r_[True, fit.of[1:] != fit.of[:-1]])
    sizes = np.diff(np.r_[starts, len(scores)])
    most = np.maximum(np.maximum.reduceat(scores, starts), 0.0)
    each = np.exp(scores - np.repeat(most, sizes))
    whole = np.add.reduceat(each, starts) + np.exp(-most)
    told = float(fit.right @ scores - (most + np.log(whole)).sum() - (ridge * weights**2).sum() / 2)
    return told, each / np.repeat(whole, sizes), starts


def left_out(fit: Fit, judged: Sequence[str], penalty: float) -> Numbers:
    """float64[n]: each alternative's probability by the weights that other sources give; NaN of those not judged.

    The judged sources are parted in ten, and each part is left out once.
    """
    found = np.full(len(fit.right), np.nan)
    for part in range(_PARTS):
        own = np.isin(fit.sources, judged[part::_PARTS])
        if own.any():
            found[own] = chances_of(fit.where(own), fitted(fit.where(~own), penalty))
    return found


def _groups(fit: Fit) -> Iterator[slice]:
    starts = np.flatnonzero(np.r_[True, fit.of[1:] != fit.of[:-1], True])
    yield from (slice(int(a), int(b)) for a, b in pairwise(starts))


def told(name: str, fit: Fit, penalty: float, chances: Numbers) -> list[str]:
    """What a page says of one model."""
    there = ~np.isnan(chances)
    first = [fit.right[rows][int(chances[rows].argmax())] for rows in _groups(fit) if there[rows].all()]
    judged = [bool(fit.right[rows].any()) for rows in _groups(fit) if there[rows].all()]
    likely = there & (chances >= 0.5)
    right, shown = int(fit.right[likely].sum()), int(likely.sum())
    sizes = f"{len(fit.right)} alternatives in {len(set(fit.of.tolist()))} groups of {len(set(fit.sources.tolist()))}"
    lines = [
        f"## {name}",
        "",
        f"{len(fit.names)} features, {sizes} sources; penalty {penalty:g}.",
        f"Of databases that were left out {int(sum(first))} of {sum(judged)} stand first;",
        f"{shown} are given 0.5 or more; {right} of them are right.",
        "",
        "| probability | alternatives | right | share |",
        "|---|--:|--:|--:|",
    ]
    for low, high in pairwise(_BINS):
        within = there & (chances >= low) & ((chances < high) | (high == 1.0))
        count, good = int(within.sum()), int(fit.right[within].sum())
        lines.append(f"| {low:g} to {high:g} | {count} | {good} | {good / count if count else 0:.2f} |")
    return [*lines, ""]


def write_weights(name: str, fit: Fit, weights: Numbers) -> None:
    """Writes a model into the package."""
    rounded = {n: round(float(w), 3) for n, w in zip(fit.names, weights, strict=True) if abs(w) >= 5e-4}
    WEIGHTS.mkdir(exist_ok=True)
    (WEIGHTS / f"{name}.json").write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def keep(name: str, fit: Fit) -> None:
    """Writes what a model is fitted to, beside this module."""
    FITTED.mkdir(exist_ok=True)
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["source", "group", "right", *fit.names[1:]])
    for source, group, right, row in zip(fit.sources, fit.of, fit.right, fit.features, strict=True):
        out.writerow([source, group, int(right), *(f"{value:.4g}" if value else "" for value in row[1:])])
    (FITTED / f"{name}.csv.gz").write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def kept(name: str) -> Fit:
    """What a model is fitted to."""
    with gzip.open(FITTED / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    features = np.array([[1.0, *(float(value or 0) for value in row[3:])] for row in rows])
    return Fit(
        (ALWAYS, *header[3:]),
        features,
        np.array([int(row[1]) for row in rows], np.int64),
        np.array([float(row[2]) for row in rows]),
        np.array([row[0] for row in rows]),
    )


def main() -> None:
    """Fits all models; with a directory of databases, measures first."""
    from benchmarks.fitting_schema import MODELS, is_database, measure
    from benchmarks.fitting_sources import named

    if len(sys.argv) > 1:
        measure(named(sys.argv[1:]))
    page = ["# How sure the models are, and how often they are right", "", *_INTRODUCTION, ""]
    for name, (table, dropped, penalty) in MODELS.items():
        fit = kept(table).but(dropped) if dropped else kept(table)
        judged = [s for s in dict.fromkeys(fit.sources.tolist()) if is_database(s)]
        chances = left_out(fit, judged, penalty)
        write_weights(name, fit, fitted(fit, penalty))
        page += told(name, fit, penalty, chances)
        sys.stdout.write("\n".join(told(name, fit, penalty, chances)) + "\n")
        sys.stdout.flush()
    PAGE.write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")


_INTRODUCTION = [
    "Written by `make fit-rules`, which fits the models of `profiling_core/algorithms/score` to the tables of features",
    "in `tests/benchmarks/fitted`. A probability here is that of a database whose tables the model was not fitted to:",
    "the databases are parted in ten, and each part is left out once. *Right* is what the database's authors declared;",
    "what nobody declared counts as wrong.",
    "In `keys` and `references` what is chosen of the other columns and tables is taken to be right, so that these two",
    "tell the most that the models can; discovery has its own choice in place of that.",
]


if __name__ == "__main__":
    main()
