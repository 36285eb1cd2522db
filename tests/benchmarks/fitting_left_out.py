"""Keys and references of databases, each chosen by models that were fitted without it.

``python -m benchmarks.fitting_left_out DIRECTORY [DATABASE …]`` fits the models of keys and references to the tables of
features (:mod:`benchmarks.fitting`), without the database that is judged, chooses its keys and references with them,
and prints how many of those that its authors declared are chosen, and which are not.
"""

import pickle
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fitting import Fit, fitted, kept
from benchmarks.fitting_schema import MODELS, Source, is_database, source_of
from benchmarks.fitting_sources import sources
from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.implication import KnownRules
from profiling_core.algorithms.rules.schema import choice
from profiling_core.algorithms.rules.schema.discovery import FoundSchema, find_schema
from profiling_core.algorithms.score.logistic import Model

# The penalty that tells most of sources that are left out.
_PENALTY = 3.0
_ROLES = Path(sys.modules[CodedTable.__module__].__file__ or "").parents[1] / "roles"
_KEPT_IN = Path(tempfile.gettempdir(), "holdfast-rules-of-databases")
_kept = cache(kept)


@cache
def models_without(dropped: frozenset[str]) -> Mapping[str, Model]:
    """The models of keys and references that all sources but some give."""
    tables = {name: (_kept(table), but) for name, (table, but) in MODELS.items()}
    return {name: _without(fit.but(but) if but else fit, dropped) for name, (fit, but) in tables.items()}


def _without(fit: Fit, dropped: Collection[str]) -> Model:
    weights = fitted(fit.where(~np.isin(fit.sources, [*dropped])), _PENALTY)
    return Model(dict(zip(fit.names, map(float, weights), strict=True)))


@contextmanager
def leaving_out(dropped: Collection[str]) -> Iterator[None]:
    """Lets keys and references be chosen by what sources but some give."""
    watched: Any = choice
    before, watched.model = watched.model, models_without(frozenset(dropped)).__getitem__
    try:
        yield
    finally:
        watched.model = before


def chosen_without(source: Source) -> FoundSchema:
    """The keys and references of a source, by what the others give."""
    with leaving_out([source.name]):
        return find_schema(source.tables, ENDLESS)


def _said(found: FoundSchema, source: Source) -> tuple[list[int], list[str]]:
    """The figures of a source, and what is wrong or missing."""
    keys = {name: {*map(_columns, told[:1])} for name, told in found.keys.items()}
    first = {name: {frozenset(key)} == keys[name] for name, key in source.primary.items()}
    further = {(c.constraint.tables[0], _columns(c)) for told in found.keys.values() for c in told[1:]}
    unique = {(side.table, frozenset(side.columns)) for side in source.unique}
    shown = [c.constraint for c in found.references]
    known, told = KnownRules(source.references), KnownRules(shown)
    missing = [r for r in source.references if not told.imply(r)]
    wrong = [r for r in shown if not known.imply(r)]
    out = [
        f"- {name}: {', '.join(source.primary[name])} (named: {', '.join(next(iter(keys[name]), ['none']))})"
        for name, right in first.items()
        if not right
    ]
    out += [f"- missing {r.text}" for r in missing] + [f"- shown {r.text}" for r in wrong]
    out += [f"- missing key {table}: {', '.join(columns)}" for table, columns in sorted(unique - further, key=str)]
    out += [f"- shown key {table}: {', '.join(columns)}" for table, columns in sorted(further - unique, key=str)]
    figures = [
        *(sum(first.values()), len(first)),
        *(len(source.references) - len(missing), len(source.references), len(wrong)),
        *(len(further & unique), len(further), len(unique)),
    ]
    return figures, out


def _columns(candidate: Any) -> frozenset[str]:
    return frozenset(candidate.constraint.columns)


def main() -> None:
    """Measures, and prints."""
    directory, *named = sys.argv[1:]
    known = [s for s in sources(Path(directory)) if (s.name in named if named else is_database(s.name))]
    sys.stdout.write("| database | keys first | of | references | of | beside | further keys right | ")
    sys.stdout.write("shown | declared |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
    total, wrong = np.zeros(8, np.int64), list[str]()
    for told in known:
        source = _read(told)
        figures, lines = _said(chosen_without(source), source)
        total += figures
        wrong += [f"## {told.name}", *lines]
        sys.stdout.write(f"| {told.name} | {' | '.join(map(str, figures))} |\n")
        sys.stdout.flush()
    sys.stdout.write(f"| all | {' | '.join(map(str, total.tolist()))} |\n" + "\n".join(wrong) + "\n")


def _read(told: Any) -> Source:
    """A source, read now or before by the same code."""
    digest = sha256(told.with_labels.encode())
    for path in (*sorted(_ROLES.rglob("*.py")), _ROLES.parent / "rules" / "coded_table.py", Path(__file__)):
        digest.update(path.read_bytes())
    path = _KEPT_IN / f"source-{digest.hexdigest()[:24]}.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps(source_of(told)))
    source: Source = pickle.loads(path.read_bytes())
    return source


if __name__ == "__main__":
    main()
