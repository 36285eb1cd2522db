"""Fits the scores of dependencies and of lines, and writes their weights and ``docs/benchmarks/fit-lines.md``.

``python -m benchmarks.fitting_lines DIRECTORY`` discovers the made-up businesses, the public tables
(:mod:`benchmarks.rules_data`) and a directory's databases with declared rules, and labels all candidates: a rule is
right that is listed or declared. Of databases, whose authors declare keys, references and orders, candidates of other
families that nobody declared are neither right nor wrong. What is chosen before a candidate is chosen by the weights
that the other sources give.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.datasets import REPOSITORY, nycflights13, tpch
from benchmarks.fitting_orders import PUBLIC, ROUNDS, Labelled, fitted, parts_of
from benchmarks.rules import is_said, said
from benchmarks.rules_data import Known, Table, known_of, tables_of
from benchmarks.rules_databases import names_in, rows_of
from benchmarks.rules_declared import declared_of
from benchmarks.rules_files import files, of_packages, of_vega
from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules import dependencies, discovery
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.dependency_features import Dependency
from profiling_core.algorithms.rules.discovery import Rows
from profiling_core.algorithms.rules.gain import FORM
from profiling_core.algorithms.rules.selection import Selection, choices, select
from profiling_core.algorithms.score import logistic
from profiling_core.ingest.infer import schema_of

PAGE = REPOSITORY / "docs" / "benchmarks" / "fit-lines.md"
WEIGHTS = Path(logistic.__file__).parent / "weights"
_SECONDS = 600.0
# What databases' authors declare of every table.
_DECLARED = (Family.KEY, Family.REFERENCE, Family.ORDER)
_TURNS, _FIRST = 1, 10
# Public tables whose rules were listed after some of them had been seen.
_SEEN = ("tpch", "nycflights13", "vega")
_WORD = "word: "
IsRight = Callable[[str, Candidate], bool | None]
Chances = dict[int, logistic.Model]


class Source(NamedTuple):
    """A database, business or public table: its tables, and whether a rule of a table is right (None: who knows)."""

    name: str
    tables: Sequence[Rows]
    right: IsRight
    known: Callable[[str], Sequence[Known]]


@dataclass
class Pool:
    """The candidates of a table with all that the choice is told, and its minimal dependencies with their features."""

    source: str
    table: str
    size: int
    candidates: list[Candidate]
    told: dict[str, Any]
    dependencies: list[tuple[Dependency, dict[str, float]]]
    right: IsRight
    known: Callable[[str], Sequence[Known]]


def sources(directory: Path) -> Iterator[Source]:
    """What is fitted to."""
    for name in names_in(directory):
        declared = declared_of(directory / f"{name}.rules.json")
        yield Source(name, rows_of(directory, name), _declared(declared), lambda _: ())
    for round_ in ROUNDS:
        for business, listed in known_of(round_).items():
            yield Source(f"{round_}: {business}", _rows(tables_of(round_, business)), *_listed(listed))
    for round_ in PUBLIC:
        for place, listed in known_of(round_).items():
            for name in listed:
                yield Source(f"{round_}: {name}", _rows(files([of_packages(name, place)])), *_listed(listed))
    yield Source("tpch: 0.01", _rows(files(tpch("0.01"))), *_listed(known_of("tpch")[""]))
    yield Source("nycflights13: two months", _rows(two_months()), *_listed(known_of("nycflights13")[""]))
    for name, listed in known_of("vega").items():
        yield Source(f"vega: {name}", _rows(files([of_vega(name)])), *_listed(listed))


def two_months() -> dict[str, pa.Table]:
    """The tables of nycflights13 until the end of February, which the demo begins with."""
    tables = files(nycflights13(("airlines", "airports", "planes", "weather", "flights")))
    return {n: t.filter(pc.less_equal(t["month"], 2)) if "month" in t.column_names else t for n, t in tables.items()}


def _rows(tables: dict[str, Any]) -> list[Rows]:
    return [Rows(schema_of(name, table.schema, name), table) for name, table in tables.items()]


def _listed(listed: dict[str, Table]) -> tuple[IsRight, Callable[[str], Sequence[Known]]]:
    def right(table: str, candidate: Candidate) -> bool | None:
        if table not in listed:
            return None
        told = said(candidate.constraint.described())
        return any(is_said(rule, told) for rule in (*listed[table].known, *listed[table].more))

    return right, lambda table: listed[table].known if table in listed else ()


def _declared(rules: Sequence[Any]) -> IsRight:
    def right(_: str, candidate: Candidate) -> bool | None:
        declared = any(rule.is_said_by(candidate.constraint) for rule in rules)
        return declared or (False if candidate.family in _DECLARED else None)

    return right


def pools(source: Source) -> list[Pool]:
    """The candidates of a source's tables."""
    chosen: list[tuple[list[Candidate], dict[str, Any]]] = []
    found: dict[str, list[tuple[Dependency, dict[str, float]]]] = {}
    modules: tuple[Any, Any] = discovery, dependencies  # whose functions are looked over the shoulder
    choosing, measuring = modules[0].select, modules[1].measured_of

    def looked(candidates: Any, limit: int, given: Any, **told: Any) -> Selection:
        chosen.append(([*candidates], {"given": given, **told}))
        return Selection((), (), ())

    def measured(table: Any, *told: Any) -> list[tuple[Dependency, dict[str, float]]]:
        found[table.name] = [*measuring(table, *told)]
        return found[table.name]

    modules[0].select, modules[1].measured_of = looked, measured
    tables = discovery.find_rules(source.tables, Budget.of(_SECONDS))
    modules[0].select, modules[1].measured_of = choosing, measuring
    several = [table for table in tables if table.name in found]
    return [
        Pool(source.name, t.name, t.rows, candidates, told, found[t.name], source.right, source.known)
        for t, (candidates, told) in zip(several, chosen, strict=True)
    ]


def of_dependencies(known: Sequence[Pool]) -> list[tuple[Labelled, Candidate]]:
    """All minimal dependencies, labelled."""
    rows = []
    for pool in known:
        for one, told in pool.dependencies:
            candidate = dependencies.candidate_of(pool.table, pool.size, one, 0.0)
            right = pool.right(pool.table, candidate)
            if right is not None:
                rows.append((Labelled(pool.source, pool.table, right, told), candidate))
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


def with_dependencies(pool: Pool, model: logistic.Model) -> Pool:
    """A pool whose dependencies have the log-odds that a model gives them."""
    found = [
        dependencies.candidate_of(pool.table, pool.size, one, log_odds)
        for one, told in pool.dependencies
        if (log_odds := model.log_odds(told)) >= LEAST
    ]
    others = [c for c in pool.candidates if c.family is not Family.DEPENDENCY]
    return replace(pool, candidates=[*others, *found])


def of_lines(pool: Pool, model: logistic.Model | None) -> Iterator[Labelled]:
    """The candidates of a pool, labelled, each with what a choice by a model has before it."""
    for candidate, told in choices(pool.candidates, model or logistic.Model({}), **pool.told):
        right = pool.right(pool.table, candidate)
        if right is not None:
            yield Labelled(pool.source, pool.table, right, told)


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


def fit_all(known: Sequence[Pool]) -> tuple[list[Pool], Chances, dict[str, int], list[str]]:
    """Fits both scores, writes them, and gives the pools with the models of left-out sources, and the page."""
    found = of_dependencies(known)
    rows = [row for row, _ in found]
    parts = parts_of({pool.source for pool in known})
    rows = best_of_each(found, log_odds(rows, cross_fitted(rows, parts, _WORD), parts))
    models = cross_fitted(rows, parts, _WORD)
    page = calibrated("dependencies", rows, log_odds(rows, models, parts))
    _write("dependencies", fitted(rows, _WORD))
    known = [with_dependencies(pool, models[parts[pool.source]]) for pool in known]
    chances: Chances = {}
    for _ in range(1 + _TURNS):
        lines = [row for pool in known for row in of_lines(pool, chances.get(parts[pool.source]))]
        chances = cross_fitted(lines, parts, FORM)
    page += calibrated("lines", lines, log_odds(lines, chances, parts))
    _write("lines", fitted(lines, FORM))
    return known, chances, parts, page


def measured(known: Sequence[Pool], chances: Chances, parts: dict[str, int]) -> list[str]:
    """What tables show by the weights of the other sources: known rules, and those of the first ten that are right."""
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for pool in known:
        shown = select(pool.candidates, **pool.told, by=chances[parts[pool.source]])
        first = [pool.right(pool.table, c) for line in shown.lines[:_FIRST] for c in line]
        judged = [right for right in first if right is not None]
        rules = pool.known(pool.table)
        found = sum(any(is_said(rule, said(c.constraint.described())) for c in shown.shown) for rule in rules)
        told[kind_of(pool.source)].update(
            tables=1, known=len(rules), shown=found, first=len(judged), signed=sum(judged), lines=len(shown.lines)
        )
    lines = ["| sources | tables | known | shown | rules of the first ten lines | signed | lines |"]
    lines += ["|---|--:|--:|--:|--:|--:|--:|"]
    for kind, n in told.items():
        shares = n["shown"] / max(1, n["known"]), n["signed"] / max(1, n["first"])
        shown_text, signed_text = f"{n['shown']} ({shares[0]:.0%})", f"{n['signed']} ({shares[1]:.0%})"
        lines.append(
            f"| {kind} | {n['tables']} | {n['known']} | {shown_text} | {n['first']} | {signed_text} | {n['lines']} |"
        )
    return [*lines, ""]


def kind_of(source: str) -> str:
    """Databases with declared rules, public tables, those whose rules had been seen, or made-up businesses."""
    round_, _, named = source.partition(": ")
    if not named or round_ in _SEEN:
        return "TPC-H, flights, vega-datasets" if named else "databases"
    return "public tables" if round_ in PUBLIC else "made-up businesses"


def _write(name: str, weights: dict[str, float]) -> None:
    (WEIGHTS / f"{name}.json").write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Measures, fits, and writes how often what is given a probability is right."""
    known = [pool for source in sources(Path(sys.argv[1])) for pool in pools(source)]
    known, chances, parts, page = fit_all(known)
    PAGE.write_text(
        "\n".join([*_INTRODUCTION, *measured(known, chances, parts), *page]).rstrip() + "\n", encoding="utf-8"
    )


_INTRODUCTION = [
    "# How sure the choice of rules is, and how often it is right",
    "",
    "Written by `make fit-rules DATA=…`, which fits the scores of dependencies and of lines. All figures are of",
    "sources that the weights were not fitted to: the sources are parted in ten, and each part is judged by what the",
    "others give. A rule is right that is listed (made-up businesses, public tables) or declared (databases); of",
    "databases only keys, references and orders are judged, since nobody declares the rest of every table.",
    "",
    "## What is shown",
    "",
]


if __name__ == "__main__":
    main()
