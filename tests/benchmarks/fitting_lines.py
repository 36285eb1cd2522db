"""Fits the scores of orders, dependencies and lines, and writes their weights and ``docs/benchmarks/fit-lines.md``.

``python -m benchmarks.fitting_lines`` fits to the tables beside this module (``fitted/*.jsonl.gz``: features and
labels, no values). With a DIRECTORY it makes these tables first: it takes the candidates of the directory's databases
with declared rules (:mod:`benchmarks.fitting_sources`), with ``--listed`` also those of the made-up businesses and
public tables, and labels all: a rule is right that is listed or declared. Sources that are not measured keep their rows
of the tables. Of databases, whose authors declare keys, references and orders, candidates of other families that nobody
declared are neither right nor wrong. Orders and dependencies of a source get the score that the other sources give, and
so does what is chosen before a candidate.
"""

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.datasets import REPOSITORY
from benchmarks.fitting import FITTED
from benchmarks.fitting_orders import Labelled, fitted, parts_of
from benchmarks.fitting_orders import labelled as of_orders
from benchmarks.fitting_pools import Order, Pool, pools
from benchmarks.fitting_sources import Source, named
from benchmarks.rules import is_said, said
from benchmarks.rules_data import Known
from benchmarks.rules_databases import Database, figures
from profiling_core.algorithms.rules import dependencies
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.discovery import TableRules
from profiling_core.algorithms.rules.gain import FORM
from profiling_core.algorithms.rules.order_features import ALIKE, WORD
from profiling_core.algorithms.rules.selection import Selection, choices, select
from profiling_core.algorithms.score import logistic

PAGE = REPOSITORY / "docs" / "benchmarks" / "fit-lines.md"
WEIGHTS = Path(logistic.__file__).parent / "weights"
_TURNS, _FIRST = 1, 10
# What the many features that few candidates have begin with.
_RARE = {"orders": WORD, "dependencies": "word: ", "lines": FORM}
Chances = dict[int, logistic.Model]


def of_dependencies(known: Sequence[Pool]) -> list[tuple[Labelled, Candidate]]:
    """All minimal dependencies, labelled."""
    rows = []
    for pool in known:
        for one, told in pool.dependencies:
            candidate = dependencies.candidate_of(pool.table, pool.size, one, 0.0)
            right = pool.source.right(pool.table, candidate)
            if right is not None:
                stands_for = pool.source.stands_for(candidate)
                rows.append((Labelled(pool.source.name, pool.table, right, told, stands_for), candidate))
    return rows


def best_of_each(rows: Sequence[tuple[Labelled, Candidate]], chances: np.ndarray) -> list[Labelled]:
    """Without the less likely ones of several right dependencies over the same columns, which a list tells as one."""
    best: dict[Any, int] = {}
    for place, (row, candidate) in enumerate(rows):
        named = (row.source, row.table, frozenset(candidate.constraint.columns))
        if row.right and (named not in best or chances[place] > chances[best[named]]):
            best[named] = place
    kept = {*best.values()}
    return [row for place, (row, _) in enumerate(rows) if not row.right or place in kept]


def scored(pool: Pool, of_orders: logistic.Model, of_dependencies: logistic.Model) -> Pool:
    """A pool whose orders and dependencies have the log-odds that models give them."""
    found = [*_orders(pool.orders, of_orders)]
    for one, told in pool.dependencies:
        if (log_odds := of_dependencies.log_odds(told)) >= LEAST:
            found.append(dependencies.candidate_of(pool.table, pool.size, one, log_odds))
    others = [c for c in pool.candidates if c.family not in (Family.ORDER, Family.DEPENDENCY)]
    return replace(pool, candidates=[*_along(pool, others, of_orders), *found])


def _along(pool: Pool, others: Sequence[Candidate], by: logistic.Model) -> Iterator[Candidate]:
    """The candidates without orders along references that a model gives too little; the others with its log-odds."""
    for one in others:
        told = pool.along.get(one.constraint.fingerprint)
        log_odds = by.log_odds(told) if told else 0.0
        if log_odds >= LEAST:
            yield replace(one, worth=log_odds) if told else one


def _orders(found: Sequence[Order], by: logistic.Model) -> Iterator[Candidate]:
    """The orders that may be worth a line: between two classes of columns the one of the most similar names."""
    said: dict[tuple[str, str], tuple[float, Candidate]] = {}
    for one in found:
        log_odds, alike = by.log_odds(one.features), one.features[ALIKE]
        if log_odds >= LEAST and (one.classes not in said or alike > said[one.classes][0]):
            said[one.classes] = alike, replace(one.candidate, worth=log_odds)
    yield from (candidate for _, candidate in said.values())


def of_lines(pool: Pool, model: logistic.Model | None) -> Iterator[Labelled]:
    """The candidates of a pool, labelled, each with what a choice by a model has before it."""
    for candidate, told in choices(pool.candidates, model or logistic.Model({}), **pool.told):
        right = pool.source.right(pool.table, candidate)
        if right is not None:
            yield Labelled(pool.source.name, pool.table, right, told, pool.source.stands_for(candidate))


def cross_fitted(rows: Sequence[Labelled], parts: dict[str, int], rare: str) -> Chances:
    """By part of the sources the model that the other parts give."""
    return {
        part: logistic.Model(fitted([row for row in rows if parts[row.source] != part], rare))
        for part in sorted({*parts.values()})
    }


def log_odds(rows: Sequence[Labelled], models: Chances, parts: dict[str, int]) -> np.ndarray:
    """float64[n]: each row's log-odds by the models of the other sources."""
    return np.array([models[parts[row.source]].log_odds(row.features) for row in rows])


def calibrated(name: str, rows: Sequence[Labelled], told: np.ndarray) -> list[str]:
    """How often what is given a probability is right, as lines of a page."""
    chances, right = 1 / (1 + np.exp(-told)), np.array([row.right for row in rows])
    lines = [f"## {name}", "", f"{len(rows)} candidates of {len({r.source for r in rows})} sources."]
    lines += ["", "| probability | candidates | right | share |", "|---|--:|--:|--:|"]
    for low in np.arange(0.0, 1.0, 0.1):
        within = (chances >= low) & (chances < low + 0.1)
        share = right[within].mean() if within.any() else 0.0
        lines.append(f"| {low:.1f} to {low + 0.1:.1f} | {within.sum()} | {right[within].sum()} | {share:.2f} |")
    return [*lines, ""]


class Scores(NamedTuple):
    """Rows that a score is fitted to, and by part of the sources the model that the other parts give."""

    rows: Sequence[Labelled]
    models: Chances


def fit_all(
    known: Sequence[Pool], parts: dict[str, int], before: Mapping[str, Sequence[Labelled]]
) -> tuple[list[Pool], dict[str, Scores]]:
    """Fits the scores by cross-validation, and gives the pools, scored by the models of the other sources.

    ``before``: by score the rows of sources that are not measured.
    """
    orders = [*before["orders"], *(row for pool in known for row in of_orders(pool))]
    found = of_dependencies(known)
    rows, others = [row for row, _ in found], before["dependencies"]
    rows = best_of_each(found, log_odds(rows, cross_fitted([*others, *rows], parts, _RARE["dependencies"]), parts))
    rows = [*others, *rows]
    scores = {
        "orders": Scores(orders, cross_fitted(orders, parts, _RARE["orders"])),
        "dependencies": Scores(rows, cross_fitted(rows, parts, _RARE["dependencies"])),
    }
    known = [scored(pool, *(s.models[parts[pool.source.name]] for s in scores.values())) for pool in known]
    chances: Chances = {}
    for _ in range(1 + _TURNS):
        lines = [row for pool in known for row in of_lines(pool, chances.get(parts[pool.source.name]))]
        lines = [*before["lines"], *lines]
        chances = cross_fitted(lines, parts, _RARE["lines"])
    return known, scores | {"lines": Scores(lines, chances)}


def of_databases(known: Sequence[Pool], shown: Sequence[Selection]) -> list[str]:
    """By database what is shown of its declared rules by the weights of the other sources, and where they are lost."""
    found: dict[str, Database] = {}
    for pool, selection in zip(known, shown, strict=True):
        keys = sorted((c for c in pool.candidates if c.family is Family.KEY), key=lambda c: -c.worth)
        key = keys[0].constraint.columns if keys else ()
        table = TableRules(pool.table, pool.size, pool.told["roles"], key, selection, "")
        name, declared = pool.source.name, pool.source.declared
        if declared:
            found[name] = Database(name, declared, [*(found[name].found if name in found else ()), table], 0.0)
    return ["## Databases", "", *figures([*found.values()])]


def measured(known: Sequence[Pool], selections: Sequence[Selection]) -> list[str]:
    """What tables show by the weights of the other sources: known rules, and those of the first ten that are right."""
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for pool, shown in zip(known, selections, strict=True):
        first = [pool.source.right(pool.table, c) for line in shown.lines[:_FIRST] for c in line]
        judged = [right for right in first if right is not None]
        rules = pool.source.known(pool.table)
        found = _said_of(rules, shown.shown)
        follow = _said_of(rules, (*shown.shown, *shown.implied)) - found
        told[pool.source.kind].update(
            tables=1, known=len(rules), shown=found, follow=follow, first=len(judged), signed=sum(judged),
            lines=len(shown.lines),
        )  # fmt: skip
    lines = ["| sources | tables | known | shown | follow | rules of the first ten lines | signed | lines |"]
    lines += ["|---|--:|--:|--:|--:|--:|--:|--:|"]
    for kind, n in told.items():
        shares = n["shown"] / max(1, n["known"]), n["signed"] / max(1, n["first"])
        shown_text, signed_text = f"{n['shown']} ({shares[0]:.0%})", f"{n['signed']} ({shares[1]:.0%})"
        figures = (kind, n["tables"], n["known"], shown_text, n["follow"], n["first"], signed_text, n["lines"])
        lines.append(f"| {' | '.join(map(str, figures))} |")
    return [*lines, ""]


def _said_of(rules: Sequence[Known], found: Sequence[Candidate]) -> int:
    """How many known rules some candidates say."""
    told = [said(c.constraint.described()) for c in found]
    return sum(any(is_said(rule, one) for one in told) for rule in rules)


def _write(name: str, weights: dict[str, float]) -> None:
    (WEIGHTS / f"{name}.json").write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def keep(name: str, rows: Sequence[Labelled]) -> None:
    """Writes what a score is fitted to: features and labels, no values."""
    told = ((*r[:3], {n: round(v, 4) for n, v in r.features.items()}, round(r.stands_for, 2)) for r in rows)
    text = "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in told)
    _table(name).write_bytes(gzip.compress(text.encode(), mtime=0))


def _table(name: str) -> Path:
    return FITTED / f"{name}.jsonl.gz"


def kept(name: str) -> list[Labelled]:
    """What a score was fitted to."""
    with gzip.open(_table(name), "rt", encoding="utf-8") as file:
        return [Labelled(*json.loads(line)) for line in file]


def main() -> None:
    """Fits to the kept tables; with a directory of databases measures first, and writes the page."""
    if len(sys.argv) > 1:
        _measure(named(sys.argv[1:]))
    for name, rare in _RARE.items():
        if _table(name).exists():
            _write(name, fitted(kept(name), rare))


def _measure(told: Sequence[Source]) -> None:
    measured_now = {source.name for source in told}
    before = {name: [row for row in kept(name) if row.source not in measured_now] for name in _RARE}
    parts = parts_of(measured_now | {row.source for rows in before.values() for row in rows})
    without = {part: [name for name, own in parts.items() if own == part] for part in {*parts.values()}}
    known = [pool for source in told for pool in pools(source, without[parts[source.name]])]
    known, scores = fit_all(known, parts, before)
    shown = [select(pool.candidates, **pool.told, by=scores["lines"].models[parts[pool.source.name]]) for pool in known]
    page = [*_INTRODUCTION, *measured(known, shown), *of_databases(known, shown)]
    for name, (rows, models) in scores.items():
        page += calibrated(name, rows, log_odds(rows, models, parts))
        keep(name, rows)
    PAGE.write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")


_INTRODUCTION = [
    "# How sure the choice of rules is, and how often it is right",
    "",
    "Written by `make fit-rules DATA=…`, which fits the scores of orders, dependencies and lines. All figures are of",
    "sources that the weights were not fitted to: the sources are parted in ten, and each part is judged by what the",
    "others give. A rule is right that is listed (made-up businesses, public tables) or declared (databases); of",
    "databases keys, references, orders and a judged sample of the other rules are told, since nobody declares the",
    "rest of every table; what is true but not said by anybody in this way is wrong. *Follow* are known rules that",
    "are not shown because they follow from those that are.",
    "",
    "The next two tables are of the sources that were measured last, the calibration of all that the scores are",
    "fitted to.",
    "",
    "## What is shown",
    "",
]


if __name__ == "__main__":
    main()
