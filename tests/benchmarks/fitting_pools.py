"""The candidates of a source's tables, before anything is chosen, kept on disk per version of the code.

What a search scores (orders, dependencies) comes with the features of the score, so that it can be scored anew. The
weights of these scores, and the choice, are no part of the version: a new fit takes the candidates as they are.
"""

import pickle
import sys
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fitting_left_out import leaving_out
from benchmarks.fitting_sources import Source
from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.rules import along_references as references
from profiling_core.algorithms.rules import dependencies, discovery, orders
from profiling_core.algorithms.rules.candidate import Candidate
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.dependency_features import Dependency
from profiling_core.algorithms.rules.selection import Selection
from profiling_core.model.kinds.reference import ReferenceRule

_KEPT = Path(tempfile.gettempdir(), "holdfast-candidates")
_PACKAGE = Path(sys.modules["profiling_core"].__file__ or "").parent
# What reads, searches and measures; and of it what only scores or chooses.
_CODE = ("algorithms/**/*.py", "algorithms/**/*.json", "model/**/*.py", "ingest/*.py")
_NOT = (
    "gain.py",
    "selection.py",
    "lines.py",
    "implication.py",
    "parts.py",
    "orders.json",
    "dependencies.json",
    "lines.json",
)


def _version() -> str:
    """The digest of the code that finds candidates."""
    paths = {path for pattern in _CODE for path in _PACKAGE.glob(pattern) if path.name not in _NOT}
    return sha256(b"".join(path.read_bytes() for path in (*sorted(paths), Path(__file__)))).hexdigest()


# Taken when this module is loaded, as the code is.
_VERSION = _version()


class Order(NamedTuple):
    """An order that holds: its candidate, the first columns that its columns equal, and its features."""

    candidate: Candidate
    low: str
    high: str
    classes: tuple[str, str]
    features: dict[str, float]


@dataclass
class Pool:
    """The candidates of a table with all that the choice is told; and its orders and its minimal dependencies.

    ``equations``: the columns of each equation. ``along``: by fingerprint the features of each order along a reference.
    """

    source: Source
    table: str
    size: int
    candidates: list[Candidate]
    told: dict[str, Any]
    orders: list[Order]
    equations: list[tuple[str, ...]]
    dependencies: list[tuple[Dependency, dict[str, float]]]
    along: dict[str, dict[str, float]]


def pools(source: Source, without: Collection[str]) -> list[Pool]:
    """The candidates of a source's tables, found now or by the same code before.

    Keys and references are chosen by what the sources but ``without`` give.
    """
    told = "".join([source.digest, _VERSION, *sorted(without)])
    kept = _KEPT / f"{sha256(told.encode()).hexdigest()[:24]}.pickle"
    if not kept.exists():
        _KEPT.mkdir(exist_ok=True)
        making = kept.with_suffix(".part")
        with leaving_out(without):
            making.write_bytes(pickle.dumps([replace(pool, source=None) for pool in _found(source)]))
        making.rename(kept)
    return [replace(pool, source=source) for pool in pickle.loads(kept.read_bytes())]


def _found(source: Source) -> list[Pool]:
    chosen: list[tuple[list[Candidate], dict[str, Any]]] = []
    ordered: dict[str, tuple[list[Order], list[tuple[str, ...]]]] = {}
    found: dict[str, list[tuple[Dependency, dict[str, float]]]] = {}
    along: dict[str, dict[str, float]] = {}
    modules: tuple[Any, Any, Any] = discovery, dependencies, references  # whose functions are watched
    choosing, ordering, measuring = modules[0].select, modules[0].find_orders, modules[1].measured_of
    scoring = modules[2].log_odds_of

    def select(candidates: Any, limit: int, given: Any, **told: Any) -> Selection:
        chosen.append(([*candidates], {"given": given, **told}))
        return Selection((), (), ())

    def find_orders(table: CodedTable, budget: Budget, equations: Sequence[Candidate] = ()) -> list[Candidate]:
        ordered[table.name] = _orders(table, equations), [one.constraint.columns for one in equations]
        return ordering(table, budget, equations)  # type: ignore[no-any-return]

    def measured_of(table: CodedTable, *told: Any) -> list[tuple[Dependency, dict[str, float]]]:
        found[table.name] = [*measuring(table, *told)]
        return found[table.name]

    def log_odds_of(rule: ReferenceRule, told: dict[str, float]) -> float:
        along[rule.fingerprint] = told
        return 0.0  # all are candidates

    modules[0].select, modules[0].find_orders, modules[1].measured_of = select, find_orders, measured_of
    modules[2].log_odds_of = log_odds_of
    try:
        tables = discovery.find_rules(source.read(), ENDLESS)
    finally:
        modules[0].select, modules[0].find_orders, modules[1].measured_of = choosing, ordering, measuring
        modules[2].log_odds_of = scoring
    filled = [table for table in tables if table.rows]
    chosen = chosen[-len(filled) :]  # those of the last round of searches
    return [
        Pool(source, t.name, t.rows, candidates, told, *ordered[t.name], found.get(t.name, []), along)
        for t, (candidates, told) in zip(filled, chosen, strict=True)
    ]


def _orders(table: CodedTable, equations: Sequence[Candidate]) -> list[Order]:
    found = orders.candidates(table, ENDLESS, equations) if table.size > 1 else ()
    return [
        Order(orders.candidate_of(table, pair, 0.0), pair.low, pair.high, pair.classes, told) for pair, told in found
    ]
