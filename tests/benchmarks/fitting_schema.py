"""What the models of keys and references are fitted to: the candidates of many tables, and what is known of them."""

import pickle
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.fitting import WEIGHTS, Alternative, Fit, chances_of, fitted, keep, kept, table_of, write_weights
from benchmarks.fitting_sources import Source as Labelled
from benchmarks.rules_declared import Declared
from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.roles.inference import infer_roles, with_recurring_times
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.discovery import Rows
from profiling_core.algorithms.rules.implication import KnownRules
from profiling_core.algorithms.rules.schema.choice import (
    Candidates,
    Columns,
    alternatives_of,
    beside_of,
    candidates_of,
    further_keys,
    standing_of,
)
from profiling_core.algorithms.rules.schema.inclusions import PossibleReference
from profiling_core.algorithms.rules.schema.key_features import CHOSEN, KeyFeatures, RefersBeside
from profiling_core.algorithms.rules.schema.reference_features import ChosenSoFar, ReferenceFeatures, alike_first
from profiling_core.algorithms.score.logistic import model
from profiling_core.model.constraint import ColumnList, InclusionDependency

# By model the table that it is fitted to, which features it goes without, and the penalty: of 1 and 3 the one that
# tells most of sources that are left out. With 3, further keys would be told of columns that count a file's rows.
MODELS = {
    "parts": ("parts", "", 1.0),
    "keys-alone": ("keys", CHOSEN, 1.0),
    "keys": ("keys", "", 1.0),
    "references-alone": ("references", CHOSEN, 3.0),
    "references": ("references", "", 3.0),
    "further-keys": ("further-keys", "", 1.0),
}
_CODE = Path(sys.modules[CodedTable.__module__].__file__ or "").parents[1]
_KEPT_IN = Path(tempfile.gettempdir(), "holdfast-rules-of-databases")
# Alternatives of a group that are kept: the right one, and those that a first fit thinks likeliest.
_KEPT = 30


class Source(NamedTuple):
    """A database: its tables, and what is known of them, in the order of columns in their tables.

    ``primary``: of some tables; ``unique``: further keys; ``references``.
    """

    name: str
    tables: Mapping[str, CodedTable]
    primary: Mapping[str, Columns]
    unique: frozenset[ColumnList]
    references: frozenset[InclusionDependency]


def is_database(source: str) -> bool:
    """Whether a source is a public database, and not made up."""
    return ": " not in source


def source_of(told: Labelled) -> Source:
    """A database, or a business or public table whose rules are listed."""
    tables = _coded(told.read())
    if told.declared:
        return _of_database(told.name, tables, (*told.declared, *told.judged))
    return _of_business(told.name, tables, {name: rules for name, rules in told.listed.items() if name in tables})


def _coded(rows: Sequence[Rows]) -> dict[str, CodedTable]:
    roles = with_recurring_times({schema.table: infer_roles(table, schema) for schema, table in rows})
    return {schema.table: CodedTable.of(table, schema, roles[schema.table]) for schema, table in rows}


def _of_database(name: str, tables: Mapping[str, CodedTable], declared: Sequence[Declared]) -> Source:
    of = {d.table: _ordered(tables[d.table], d.columns) for d in declared if d.kind == "key"}
    unique = {ColumnList(d.table, _ordered(tables[d.table], d.columns)) for d in declared if d.kind == "unique"}
    references = {d.constraint for d in declared if isinstance(d.constraint, InclusionDependency)}
    return Source(name, tables, of, frozenset(unique), frozenset(references))


def _of_business(name: str, tables: Mapping[str, CodedTable], known: Mapping[str, Any]) -> Source:
    """A business: the first key of each list is the primary one; a reference goes to the key that is called alike."""
    primary: dict[str, Columns] = {}
    unique: set[ColumnList] = set()
    refer: list[tuple[str, frozenset[str]]] = []
    for table, rules in known.items():
        real = {column.replace(" ", "_").replace(".", "_"): column for column in tables[table].schema.names}
        keys = [_ordered(tables[table], [real[c] for c in k.columns]) for k in rules.known if k.kind == "ucc"]
        more = [_ordered(tables[table], [real[c] for c in k.columns]) for k in rules.more if k.kind == "ucc"]
        if keys:
            primary[table] = keys[0]
        unique |= {ColumnList(table, key) for key in (*keys[1:], *more)}
        told = [k for k in (*rules.known, *rules.more) if k.kind == "ind"]
        refer += [(table, frozenset(real[c] for c in k.columns if "." not in c)) for k in told]
    found = candidates_of(tables, ENDLESS)
    possible = [*found.of_one, *_of_several(tables, found, primary)]
    references = set()
    for table, columns in refer:
        to = [i for i in possible if i.lhs.table == table and {*i.lhs.columns} == columns]
        best = max(to, key=lambda i: _nearness(i, primary), default=None)
        references |= {InclusionDependency(best.lhs, best.rhs)} if best else set()
    return Source(name, tables, primary, frozenset(unique), frozenset(references))


def _nearness(inclusion: PossibleReference, primary: Mapping[str, Columns]) -> tuple[bool, int, bool]:
    own, far = inclusion.lhs, inclusion.rhs
    same = sum(one == other for one, other in zip(own.columns, far.columns, strict=True))
    return (far.columns == primary.get(far.table), same, own.table != far.table)


def _of_several(
    tables: Mapping[str, CodedTable], found: Candidates, primary: Mapping[str, Columns]
) -> Iterator[PossibleReference]:
    """The inclusions in primary keys of several columns."""
    for name, key in primary.items():
        if len(key) > 1:
            side = ColumnList(name, key)
            alike = {n: alike_first(t, side) for n, t in tables.items()}
            yield from found.inclusions.of_several(side, alike, ENDLESS)


def _ordered(table: CodedTable, columns: Iterable[str]) -> Columns:
    return tuple(sorted(columns, key=table.schema.names.index))


class _Measured:
    """A source's candidates and their features, beside what is right of all else."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def candidates(self) -> Candidates:
        """The unique sets and inclusions of its tables."""
        return candidates_of(self.source.tables, ENDLESS)

    @cached_property
    def standing(self) -> ChosenSoFar:
        """What is right of all tables."""
        source = self.source
        right = {PossibleReference(r.lhs, r.rhs): 1.0 for r in source.references}
        ordered = {PossibleReference(i.lhs, self._in_order(i.rhs)): p for i, p in right.items()}
        return standing_of(right | ordered)

    def _in_order(self, side: ColumnList) -> ColumnList:
        return ColumnList(side.table, _ordered(self.source.tables[side.table], side.columns))

    def primary_keys(self) -> Iterator[tuple[str, list[tuple[bool, Mapping[str, float]]]]]:
        """By table the unique sets without nulls; of one without a known primary key none is right."""
        for name in self.source.tables:
            key = self.source.primary.get(name)
            found, beside, features = self._beside(name)
            table, unique = self.source.tables[name], {frozenset(columns) for columns in found}
            whole = [columns for columns in found if all(table.present(c) == table.size for c in columns)]
            if whole:
                yield name, [(c == key, features.of_set(c, unique, beside)) for c in whole]

    def further_keys(self) -> Iterator[tuple[bool, Mapping[str, float]]]:
        """The unique sets beside the primary keys, of sources that tell them."""
        for name in self.source.tables if self.source.unique or not is_database(self.source.name) else ():
            primary = self.source.primary.get(name, ())
            found, beside, features = self._beside(name)
            unique = {frozenset(columns) for columns in found}
            for columns in further_keys(self.source.tables[name], found, primary):
                right = ColumnList(name, columns) in self.source.unique
                yield right, features.of_further(columns, unique, beside, primary)

    def _beside(self, name: str) -> tuple[Sequence[Columns], RefersBeside, KeyFeatures]:
        return self.candidates.keys[name], beside_of(name, self.standing), self.candidates.features[name]

    def references(self) -> Iterator[list[tuple[bool, Mapping[str, float]]]]:
        """The inclusions, at most one of them a reference, but for those that follow from others."""
        found, implied = self.candidates, KnownRules(self.source.references)
        reading = ReferenceFeatures(found.features, found.of_one)
        prints = {r.fingerprint for r in self.source.references}
        for alternatives in alternatives_of(
            [*found.of_one, *_of_several(self.source.tables, found, self.source.primary)]
        ):
            rules = [(i, InclusionDependency(i.lhs, i.rhs)) for i in alternatives]
            told = [(i, r) for i, r in rules if r.fingerprint in prints or not implied.imply(r)]
            if told:
                yield [(r.fingerprint in prints, reading.of(i, self.standing)) for i, r in told]

    def parts(self) -> Iterator[tuple[bool, Mapping[str, float]]]:
        """The columns without nulls of tables whose primary key is known."""
        for name, key in self.source.primary.items():
            table = self.source.tables[name]
            features = KeyFeatures(table)
            for column in table.codes:
                if table.present(column) == table.size:
                    yield column in key, features.of_column(column)


def measure(known: Sequence[Labelled]) -> None:
    """Measures the tables that models are fitted to: parts of keys first, which the other candidates are made of.

    Other sources keep what was measured of them before.
    """
    parts = _beside_kept("parts", _single((source.name, measured(source, "parts")) for source in known))
    keep("parts", parts)
    write_weights("parts", parts, fitted(parts, 1.0))
    model.cache_clear()
    further = _single((source.name, measured(source, "further-keys")) for source in known)
    keep("further-keys", _beside_kept("further-keys", further))
    for what in ("keys", "references"):
        found = _grouped((source.name, measured(source, what)) for source in known)
        keep(what, _fewer(_beside_kept(what, found)))


def _beside_kept(name: str, found: Iterable[Alternative]) -> Fit:
    """The alternatives of the sources that were measured now, and the kept ones of all other sources."""
    now, before = [*found], kept(name)
    sources_, first = {one.source for one in now}, 1 + max(one.group for one in now)
    others = (row for row, source in enumerate(before.sources.tolist()) if source not in sources_)
    return table_of([*now, *(_alternative(before, row, first) for row in others)])


def _alternative(fit: Fit, row: int, first: int) -> Alternative:
    features = dict(zip(fit.names[1:], fit.features[row, 1:].tolist(), strict=True))
    return Alternative(str(fit.sources[row]), first + int(fit.of[row]), bool(fit.right[row]), features)


def measured(source: Labelled, what: str) -> Any:
    """What a source has for one table of features, measured now or by the same code before."""
    digest = sha256(f"{source.with_labels}, {what == 'parts'}".encode())
    for path in (*sorted(_CODE.rglob("*.py")), Path(__file__)):
        digest.update(path.read_bytes())
    digest.update(b"" if what == "parts" else (WEIGHTS / "parts.json").read_bytes())
    kept = _KEPT_IN / f"features-{digest.hexdigest()[:24]}.pickle"
    if not kept.exists():
        of = _Measured(source_of(source))
        found: dict[str, Any] = {"parts": [*of.parts()]}
        if what != "parts":
            found |= {"keys": [g for _, g in of.primary_keys()], "references": [*of.references()]}
            found["further-keys"] = [*of.further_keys()]
        _KEPT_IN.mkdir(exist_ok=True)
        kept.write_bytes(pickle.dumps(found))
    return pickle.loads(kept.read_bytes())[what]


def _single(found: Iterable[tuple[str, Iterable[tuple[bool, Mapping[str, float]]]]]) -> Iterator[Alternative]:
    group = 0
    for source, alternatives in found:
        for right, features in alternatives:
            yield Alternative(source, group, right, features)
            group += 1


def _grouped(found: Iterable[tuple[str, Iterable[list[tuple[bool, Mapping[str, float]]]]]]) -> Iterator[Alternative]:
    group = 0
    for source, groups in found:
        for alternatives in groups:
            yield from (Alternative(source, group, right, features) for right, features in alternatives)
            group += 1


def _fewer(fit: Fit) -> Fit:
    """Of each group what is right, and what a first fit thinks likeliest: the rest tells the weights nothing."""
    chances = chances_of(fit, fitted(fit, 1.0))
    order = sorted(range(len(chances)), key=lambda row: (fit.of[row], -fit.right[row], -chances[row]))
    seen: defaultdict[int, int] = defaultdict(int)
    keeping = set()
    for row in order:
        seen[int(fit.of[row])] += 1
        if seen[int(fit.of[row])] <= _KEPT:
            keeping.add(row)
    return fit.where(np.isin(np.arange(len(chances)), sorted(keeping)))
