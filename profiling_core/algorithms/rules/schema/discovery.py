"""The jointly chosen keys and references, merged with those that each table was found to have by itself."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.schema.choice import LIKELY, Columns, Schema, candidates_of, choose
from profiling_core.algorithms.rules.schema.inclusions import PossibleReference
from profiling_core.algorithms.rules.schema.key_features import KeyFeatures
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured, UniqueColumnCombination
from profiling_core.model.role import Role

# How far the primary key's worth stands above the others'.
_FIRST = 0.5


class FoundSchema(NamedTuple):
    """By table its keys, the primary one first if there is one; and the references."""

    keys: dict[str, list[Candidate]]
    references: list[Candidate]


def with_schema(
    tables: Mapping[str, CodedTable],
    keys: Mapping[str, Sequence[Candidate]],
    references: Sequence[Candidate],
    budget: Budget,
) -> FoundSchema:
    """The keys and references of some tables, chosen together.

    Args:
        tables: the tables.
        keys: the keys that each has by itself; they stay beside the primary one that is chosen.
        references: the references found one by one; they stay where none is chosen for the same columns.
        budget: when to end with what there is: the keys and references that were found.
    """
    candidates = candidates_of(tables, budget)
    if budget.is_cut:
        return FoundSchema({name: [*found] for name, found in keys.items()}, [*references])
    schema = choose(candidates, budget)
    told = {name: _with_primary(tables[name], keys[name], schema) for name in tables}
    chosen = [_reference(tables, i, schema.references[i]) for i in schema.chosen()]
    sides = {side for c in chosen for side in ((c.constraint.lhs,), (c.constraint.rhs, c.constraint.lhs))}
    others = [r for r in references if sides.isdisjoint(((r.constraint.lhs,), r.constraint.sides))]
    return FoundSchema(told, [*chosen, *others])


def _with_primary(table: CodedTable, found: Sequence[Candidate], schema: Schema) -> list[Candidate]:
    """The keys of a table, the one that is chosen first."""
    columns = schema.primary(table.name)
    if not columns or not (found or _may_name_rows(table, columns)):
        return [*found]
    features = schema.candidates.features[table.name]
    tested = len(columns) == 1 or features.expected(columns) >= 1 or _refer(schema, table.name, columns)
    likely = schema.keys[table.name][columns] >= LIKELY
    return _with_first(features, columns, found) if likely and (tested or not found) else [*found]


def _refer(schema: Schema, table: str, columns: Columns) -> bool:
    """Whether each of the columns refers to something, as in a junction table, which few rows test."""
    sides = (i.lhs for i, p in schema.references.items() if p >= LIKELY and i.lhs.table == table)
    return {*columns} <= {name for side in sides for name in side.columns}


def _may_name_rows(table: CodedTable, columns: Columns) -> bool:
    """Whether columns may identify the rows of a table without a key of its own: no measured number, no text alone."""
    roles = [table.roles[name].role for name in columns]
    return all(role.names_rows for role in roles) and roles != [Role.TEXT]


def _with_first(features: KeyFeatures, columns: Columns, found: Sequence[Candidate]) -> list[Candidate]:
    """The primary key, worth more than the others; a unique part of it is not shown."""
    others = [c for c in found if not {*c.constraint.columns} <= {*columns}]
    above = max((c.worth for c in found), default=0.0) + _FIRST
    return [_key(features, columns, above), *others]


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
