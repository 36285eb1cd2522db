"""The keys and references of all tables, chosen together.

How likely a set of columns is a table's primary key depends on the references to it and on its columns' references to
others. How likely an inclusion is a reference depends on which keys are primary, and on other references to
them. Both are scored by models of single candidates first, and then three times in the light of each other: the
probabilities of one round are features of the next (stacked inference: Cohen and Carvalho, "Stacked Sequential
Learning", IJCAI 2005). The result does not depend on the order of the tables.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.schema.inclusions import PossibleReference, PossibleReferences
from profiling_core.algorithms.rules.schema.key_features import NOTHING, KeyFeatures, RefersBeside
from profiling_core.algorithms.rules.schema.reference_features import (
    UNKNOWN,
    ChosenSoFar,
    ReferenceFeatures,
    alike_first,
)
from profiling_core.algorithms.rules.schema.unique_sets import unique_sets
from profiling_core.algorithms.score.logistic import log_odds_of, model, shares
from profiling_core.model.constraint import ColumnList

Columns = tuple[str, ...]
# Rounds in which keys and references are scored in the light of each other; more rounds change no shown result.
_ROUNDS = 3
# From this probability on a set of several columns is tried as the target of references.
_MAYBE = 0.02
# From this probability on a reference is chosen: missing a good one costs as much as two that nobody would sign.
LIKELY = 1 / 3


@dataclass(frozen=True)
class Candidates:
    """The candidates of the choice: by table its unique sets, and the inclusions in them."""

    keys: Mapping[str, Sequence[Columns]]
    features: Mapping[str, KeyFeatures]
    inclusions: PossibleReferences
    of_one: Sequence[PossibleReference]


@dataclass(frozen=True)
class Schema:
    """How likely each set of columns is its table's primary key, and each inclusion a reference."""

    keys: Mapping[str, Mapping[Columns, float]]
    references: Mapping[PossibleReference, float]
    candidates: Candidates

    def primary(self, table: str) -> Columns:
        """The primary key of a table; empty if it is likelier that there is none."""
        return likeliest(self.keys[table])

    def others(self, table: str) -> dict[Columns, float]:
        """The log-odds that a person would sign each further key; beside a declared one, that of the likeliest key."""
        features, beside = self.candidates.features[table], beside_of(table, standing_of(self.references))
        found = further_keys(features.table, self.candidates.keys[table], self.primary(table))
        unique = {frozenset(columns) for columns in self.candidates.keys[table]}
        scored = (features.of_further(columns, unique, beside, self.primary(table)) for columns in found)
        told = {columns: model("further-keys").log_odds(one) for columns, one in zip(found, scored, strict=True)}
        if self.keys[table] == {self.primary(table): 1.0}:
            undeclared = key_shares(self.candidates, table, beside, "keys")
            likely = likeliest(undeclared)
            told |= {likely: log_odds_of(undeclared[likely])} if likely else {}
        return {columns: worth for columns, worth in told.items() if columns != self.primary(table)}

    def chosen(self) -> dict[PossibleReference, float]:
        """The references that are likely, each with its probability; those of several columns are to a primary key.

        Of parents with the same values, and of both directions, the likeliest stands for all.
        """
        primary = {name: {*self.primary(name)} for name in self.keys}
        told = (i for i in self.references if len(i.rhs.columns) == 1 or {*i.rhs.columns} == primary[i.rhs.table])
        return {i: p for i in told if (p := self._together(i)) >= LIKELY}

    def _together(self, inclusion: PossibleReference) -> float:
        """The probability of a reference together with those that it stands for; 0 if another one stands for it."""
        lhs, rhs = inclusion.lhs, inclusion.rhs
        same = [i for i in self._of[lhs] if i.rhs == rhs or self._are_equal(i.rhs, rhs)]
        if max(same, key=lambda i: (self.references[i], str(i.rhs))) != inclusion:
            return 0.0
        own, back = self.references[inclusion], self.references.get(PossibleReference(rhs, lhs), 0.0)
        return sum(self.references[i] for i in same) + back if (own, lhs.table) > (back, rhs.table) else 0.0

    def _are_equal(self, one: ColumnList, other: ColumnList) -> bool:
        """Whether two keys have the same values."""
        return {PossibleReference(one, other), PossibleReference(other, one)} <= self.references.keys()

    @cached_property
    def _of(self) -> Mapping[ColumnList, Sequence[PossibleReference]]:
        """The inclusions of each set of columns."""
        found: defaultdict[ColumnList, list[PossibleReference]] = defaultdict(list)
        for inclusion in self.references:
            found[inclusion.lhs].append(inclusion)
        return found


def likeliest(found: Mapping[Columns, float]) -> Columns:
    """The likeliest of some keys; empty if it is likelier that none is the primary one."""
    best = max(found, key=lambda columns: found[columns], default=())
    return best if best and found[best] >= 1 - sum(found.values()) else ()


def further_keys(table: CodedTable, found: Sequence[Columns], primary: Columns) -> list[Columns]:
    """The minimal ones of some unique sets, without those that are a part of the primary key or have it as a part.

    One row tells nothing for a second key.
    """
    if table.size < 2:
        return []
    sets = [frozenset(columns) for columns in found]
    first = frozenset(primary)
    minimal = (not any(other < own for other in sets) for own in sets)
    apart = (not primary or not (own <= first or own >= first) for own in sets)
    return [columns for columns, least, other in zip(found, minimal, apart, strict=True) if least and other]


def candidates_of(tables: Mapping[str, CodedTable], budget: Budget) -> Candidates:
    """The unique sets of each table, and the inclusions of one column."""
    features = {name: KeyFeatures(table) for name, table in tables.items()}
    keys = {name: key_candidates(features[name], budget) for name in tables}
    inclusions = PossibleReferences(tables)
    single = {name: [columns[0] for columns in found if len(columns) == 1] for name, found in keys.items()}
    return Candidates(keys, features, inclusions, inclusions.of_one(single, budget))


def key_candidates(features: KeyFeatures, budget: Budget) -> list[Columns]:
    """The unique sets of a table."""
    part = model("parts")
    there = (name for name in features.table.codes if features.table.distinct(name) > 1)
    likely = sorted(there, key=lambda name: -part.log_odds(features.of_column(name)))
    return unique_sets(features.table, likely, budget)


def choose(candidates: Candidates, budget: Budget, declared: Mapping[str, Columns] = {}) -> Schema:
    """The probabilities of all keys and references; ``declared``: by table the primary key that a person declared."""
    given = {name: {columns: 1.0} for name, columns in declared.items()}
    reading = ReferenceFeatures(candidates.features, candidates.of_one)
    keys = {name: key_shares(candidates, name, NOTHING, "keys-alone") for name in candidates.keys} | given
    references = reference_shares(candidates.of_one, reading, UNKNOWN, "references-alone")
    several: dict[ColumnList, list[PossibleReference]] = {}
    for _ in range(_ROUNDS):
        for key in _composite(keys):
            if key not in several:
                alike = {n: alike_first(t.table, key) for n, t in candidates.features.items()}
                several[key] = candidates.inclusions.of_several(key, alike, budget)
        standing = standing_of(references)
        beside = {name: beside_of(name, standing) for name in candidates.keys}
        keys = {name: key_shares(candidates, name, beside[name], "keys") for name in candidates.keys} | given
        longer = [inclusion for found in several.values() for inclusion in found]
        references = reference_shares([*candidates.of_one, *longer], reading, standing, "references")
    return Schema(keys, references, candidates)


def _composite(keys: Mapping[str, Mapping[Columns, float]]) -> list[ColumnList]:
    return [
        ColumnList(name, columns)
        for name, found in keys.items()
        for columns, p in found.items()
        if len(columns) > 1 and p >= _MAYBE
    ]


def key_shares(candidates: Candidates, name: str, beside: RefersBeside, by: str) -> dict[Columns, float]:
    """The probability that each unique set without nulls is the primary key of a table."""
    return primary_shares(candidates.features[name], candidates.keys[name], beside, by)


def primary_shares(
    features: KeyFeatures, found: Sequence[Columns], beside: RefersBeside, by: str
) -> dict[Columns, float]:
    """The probability that each unique set without nulls is the primary key of its table."""
    table, unique = features.table, {frozenset(columns) for columns in found}
    whole = [columns for columns in found if all(table.present(name) == table.size for name in columns)]
    told = model(by)
    scored = [told.log_odds(features.of_set(columns, unique, beside)) for columns in whole]
    return dict(zip(whole, shares(scored), strict=True))


def reference_shares(
    inclusions: Iterable[PossibleReference], reading: ReferenceFeatures, standing: ChosenSoFar, by: str
) -> dict[PossibleReference, float]:
    """The probability that each inclusion is a reference; the same columns refer to at most one key."""
    told, found = model(by), dict[PossibleReference, float]()
    for alternatives in alternatives_of(inclusions):
        scored = [told.log_odds(reading.of(inclusion, standing)) for inclusion in alternatives]
        found.update(zip(alternatives, shares(scored), strict=True))
    return found


def alternatives_of(inclusions: Iterable[PossibleReference]) -> list[list[PossibleReference]]:
    """Groups of inclusions, with at most one reference in each: of one column, or of the same columns in one key."""
    groups: defaultdict[object, list[PossibleReference]] = defaultdict(list)
    for inclusion in inclusions:
        several = len(inclusion.lhs.columns) > 1
        own = frozenset(inclusion.lhs.columns)
        groups[(inclusion.lhs.table, own, inclusion.rhs) if several else inclusion.lhs].append(inclusion)
    return list(groups.values())


def standing_of(references: Mapping[PossibleReference, float]) -> ChosenSoFar:
    """The probabilities so far, arranged by key and by column."""
    refers: defaultdict[ColumnList, dict[ColumnList, float]] = defaultdict(dict)
    referred: defaultdict[ColumnList, float] = defaultdict(float)
    called: defaultdict[Columns, defaultdict[ColumnList, float]] = defaultdict(lambda: defaultdict(float))
    between: defaultdict[tuple[str, str], float] = defaultdict(float)
    for inclusion, p in references.items():
        pair = (inclusion.lhs.table, inclusion.rhs.table)
        between[pair] = max(between[pair], p)
        refers[inclusion.lhs][inclusion.rhs] = p
        referred[inclusion.rhs] += p
        called[inclusion.lhs.columns][inclusion.rhs] += p
    return ChosenSoFar(refers, referred, called, between)


def beside_of(name: str, standing: ChosenSoFar) -> RefersBeside:
    """The part of a standing that concerns the columns of one table."""
    refers: defaultdict[str, float] = defaultdict(float)
    for lhs, to in standing.refers.items():
        for column in lhs.columns if lhs.table == name else ():
            refers[column] = max(refers[column], min(1.0, sum(to.values())))
    return RefersBeside(refers, {key.columns: p for key, p in standing.referred.items() if key.table == name})
