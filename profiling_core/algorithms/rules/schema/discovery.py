"""The keys and references of some tables, as they are chosen together, as candidates for their lists of rules."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.schema.choice import Columns, Schema, candidates_of, choose
from profiling_core.algorithms.rules.schema.inclusions import PossibleReference
from profiling_core.algorithms.rules.schema.key_features import KeyFeatures
from profiling_core.algorithms.rules.selection import SHOWN
from profiling_core.algorithms.score.logistic import log_odds_of
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured, UniqueColumnCombination


class FoundSchema(NamedTuple):
    """By table its keys, the primary one first if there is one; and the references."""

    keys: dict[str, list[Candidate]]
    references: list[Candidate]


def find_schema(
    tables: Mapping[str, CodedTable], budget: Budget, declared: Mapping[str, Columns] | None = None
) -> FoundSchema:
    """The keys and references of some tables.

    Args:
        tables: the tables.
        budget: when to end with what there is.
        declared: by table the columns of the primary key that a person declared.
    """
    given = {name: columns for name, columns in (declared or {}).items() if {*columns} <= {*tables[name].codes}}
    schema = choose(candidates_of(tables, budget), budget, given)
    references = [_reference(tables, i, p) for i, p in schema.chosen().items()]
    return FoundSchema({name: _keys(schema, name) for name in tables}, references)


def likely(keys: Sequence[Candidate]) -> list[Candidate]:
    """The keys of a table that missing would cost more than showing: the others are left to the choice of lines."""
    return [key for key in keys if key.worth >= SHOWN]


def _keys(schema: Schema, table: str) -> list[Candidate]:
    """The keys of a table, the primary one first, which is worth more than the others."""
    features, primary = schema.candidates.features[table], schema.primary(table)
    others = sorted(schema.others(table).items(), key=lambda one: -one[1])
    told = [_key(features, columns, worth) for columns, worth in others if worth >= LEAST]
    if not primary:
        return told
    worth = max([log_odds_of(schema.keys[table][primary]), *(math.nextafter(c.worth, math.inf) for c in told)])
    return [_key(features, primary, worth), *told]


def _key(features: KeyFeatures, columns: Columns, worth: float) -> Candidate:
    table = features.table
    expected = features.expected(columns) if len(columns) > 1 else table.size
    key = UniqueColumnCombination(ColumnList(table.name, columns))
    measured = Measured(key, 0, table.size * (table.size - 1), round(2 * expected))
    return Candidate(measured, Family.KEY, expected / math.log(10), worth, 2 * expected)


def _reference(tables: Mapping[str, CodedTable], inclusion: PossibleReference, p: float) -> Candidate:
    values = int((tables[inclusion.lhs.table].grouped(inclusion.lhs.columns).sizes > 0).sum())
    constraint = InclusionDependency(inclusion.lhs, inclusion.rhs)
    return Candidate(Measured(constraint, 0, values, values, 1.0), Family.REFERENCE, p, p)
