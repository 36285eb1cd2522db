"""Finds the rules of some tables within a budget: short ones first, of all families, with a list of what was cut.

Every returned rule holds on all rows; samples only propose, and estimate chance. Searches that take longer than the
budget are not begun, and this is reported.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.conditions.discovery import find_conditionals
from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.algorithms.roles.inference import infer_roles, with_equations, with_keys, with_recurring_times
from profiling_core.algorithms.rules.along_references import find_references as find_along_references
from profiling_core.algorithms.rules.candidate import Candidate, Family, best_first
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.dependencies import find_dependencies
from profiling_core.algorithms.rules.determined import Determined, independent
from profiling_core.algorithms.rules.implication import Flag, Given, Least, given_besides
from profiling_core.algorithms.rules.numbering import numbers_beside
from profiling_core.algorithms.rules.orders import find_orders
from profiling_core.algorithms.rules.previous_rows import find_previous
from profiling_core.algorithms.rules.references import beside_keys, by_first_names, telling_along
from profiling_core.algorithms.rules.schema.discovery import find_schema
from profiling_core.algorithms.rules.searches import Searches
from profiling_core.algorithms.rules.searches import part as _part
from profiling_core.algorithms.rules.selection import PRESENTED, Selection, select
from profiling_core.algorithms.rules.sequences import find_sequences
from profiling_core.algorithms.rules.unequal import find_unequal
from profiling_core.model.constraint import InclusionDependency
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema
from profiling_core.model.texts import listed
from profiling_core.model.types import TypeClass

Progress = Callable[[str], None]
Roles = Mapping[str, Mapping[str, Role]]
# Fewer rows test nothing: every rule holds.
_LEAST_ROWS = 2
# From this many things of each kind on average, a rule on a kind is not about the few things it has.
_MANY_OF_A_KIND = 50
_TWO_KINDS = 2


class Rows(NamedTuple):
    """A table: its columns and its rows, in the Arrow types of their logical types."""

    schema: TableSchema
    rows: pa.Table


@dataclass(frozen=True)
class TableRules:
    """The rules found in a table: the roles of its columns, the rules chosen, and in words what was searched."""

    name: str
    rows: int
    roles: Mapping[str, ColumnRole]
    key: tuple[str, ...]
    rules: Selection
    looked_at: str


def find_rules(
    tables: Sequence[Rows],
    budget: Budget,
    *,
    declared: Roles | None = None,
    limit: int = PRESENTED,
    progress: Progress = lambda _: None,
) -> list[TableRules]:
    """The rules of each table, with those along references.

    Args:
        tables: named differently.
        budget: the time for all of them.
        declared: per table the roles of columns that a person gave.
        limit: how many lines of rules are shown of a table at most.
        progress: called with each step before it begins, in words.
    """
    searches = Searches()
    found = _found(tables, budget, declared or {}, limit, progress, searches)
    while further := searches.again(budget):
        again = _found(tables, budget, declared or {}, limit, progress, further)
        if len(further.cut) >= len(searches.cut):
            break
        found, searches = again, further
    return found


def _found(
    tables: Sequence[Rows], budget: Budget, told: Roles, limit: int, progress: Progress, cut: Searches
) -> list[TableRules]:
    """The rules of each table by one round of searches."""
    parts = _parts_of([rows for _, rows in tables])
    inferred = with_recurring_times(
        {schema.table: infer_roles(rows, schema, told.get(schema.table)) for schema, rows in tables}
    )
    coded = _coded(tables, inferred, budget, cut)
    progress("looking for keys and references")
    with _part(budget, _fair(5), "keys, references", cut) as part:
        keys, references = find_schema(coded, part)
    coded = {name: _with_roles(table, keys[name], references) for name, table in coded.items()}
    coded, equations = _with_equations(coded, budget, progress, cut)
    progress("looking for orders")
    with _part(budget, _fair(3), "orders", cut) as part:
        orders = {name: find_orders(table, part, equations[name]) for name, table in coded.items()}
    progress("looking along references")
    with _part(budget, _fair(2), "rules along references", cut) as part:
        along = _along_references(coded, beside_keys(coded, references), part)
    found = by_first_names(references, along, keys)
    known = {
        name: [*keys[name], *(c for c in found if c.constraint.tables[0] == name), *orders[name]] for name in coded
    }
    within = {
        name: find_within(
            table, (keys[name], equations[name]), budget if cut.before else budget.share(own), progress, cut
        )
        for (name, table), own in zip(coded.items(), parts, strict=True)
        if table.size >= _LEAST_ROWS
    }
    inside = {name: [c.constraint for c in (*orders[name], *w.candidates)] for name, w in within.items()}
    given = given_besides([r.constraint for r in references], inside)
    return [
        _rules_of(table, known[name], within.get(name), limit, [*given.get(name, ()), *_facts(table)], inferred[name])
        for name, table in coded.items()
    ]


def _coded(
    tables: Sequence[Rows], roles: Mapping[str, Mapping[str, ColumnRole]], budget: Budget, cut: Searches
) -> dict[str, CodedTable]:
    """The tables, encoded."""
    coded: dict[str, CodedTable] = {}
    for schema, rows in tables:
        with _part(budget, 1.0, "columns", cut) as part:
            coded[schema.table] = CodedTable.of(rows, schema, roles[schema.table], part)
    return coded


def _facts(table: CodedTable) -> list[Given]:
    """What the values of single columns tell: which are flags, and which are never below zero."""
    return [*_flags(table), *_least(table)]


def _flags(table: CodedTable) -> list[Flag]:
    """The flags that have two values."""
    flags = (name for name, role in table.roles.items() if role.role is Role.FLAG)
    return [Flag(table.name, name) for name in flags if len(pc.unique(table.rows[name].drop_null())) == _TWO_KINDS]


def _least(table: CodedTable) -> list[Least]:
    """The least values of numbers that are never below zero."""
    numbers = (c.name for c in table.schema.profiled if c.type.type_class is TypeClass.NUMERIC)
    least = ((name, pc.min(table.rows[name]).as_py()) for name in numbers)
    return [Least(table.name, name, float(value)) for name, value in least if value is not None and value >= 0]


def _with_equations(
    tables: Mapping[str, CodedTable], budget: Budget, progress: Progress, cut: Searches
) -> tuple[dict[str, CodedTable], dict[str, list[Candidate]]]:
    """The tables in the roles that their equations give, and the equations."""
    coded: dict[str, CodedTable] = {}
    equations: dict[str, list[Candidate]] = {}
    parts = _parts_of([table.rows for table in tables.values()])
    for (name, table), own in zip(tables.items(), parts, strict=True):
        progress(f"{name}: looking for equations")
        with _part(budget, _fair(4) * own, "equations", cut) as part:
            coded[name], equations[name] = with_equations_of(table, part)
    return coded, equations


def _fair(left: int) -> float:
    """The share of the remaining budget for a search if ``left`` searches remain with it: twice its part, or all."""
    return 2 / (left + 1)


def _parts_of(tables: Sequence[pa.Table]) -> list[float]:
    """By table the share of the budget that the tables before it have left: its part by number of cells."""
    cells = [max(1, table.num_rows * table.num_columns) for table in tables]
    return [own / sum(cells[place:]) for place, own in enumerate(cells)]


def _along_references(
    tables: Mapping[str, CodedTable], references: Sequence[InclusionDependency], budget: Budget
) -> list[Candidate]:
    """The rules between rows and the rows that they refer to."""
    rules = find_along_references(
        {name: table.rows for name, table in tables.items()},
        {name: table.schema for name, table in tables.items()},
        {name: table.roles for name, table in tables.items()},
        references,
        budget=budget,
    )
    return telling_along(rules)


def _with_roles(table: CodedTable, keys: Sequence[Candidate], references: Sequence[Candidate]) -> CodedTable:
    """The table with the roles that its key and its references give."""
    key = keys[0].constraint.columns if keys else ()
    targets = {
        r.constraint.columns[0]: f"{r.constraint.rhs.table}.{r.constraint.rhs.columns[0]}"
        for r in references
        if r.constraint.tables[0] == table.name and len(r.constraint.columns) == 1
    }
    # A key of several columns tells that they name rows if chance would have made two rows agree on it.
    tested = len(key) > 1 and keys[0].expected >= _LEAST_ROWS
    naming = [name for name in key if not numbers_beside(table, name, key)] if tested else ()
    return table.with_roles(with_keys(table.roles, key, targets, naming))


def _rules_of(
    table: CodedTable,
    known: Sequence[Candidate],
    within: "FoundWithin | None",
    limit: int,
    given: Sequence[Given],
    inferred: Mapping[str, ColumnRole],
) -> TableRules:
    roles = {**inferred, **table.roles}  # with those of columns that were not encoded
    keys = [c for c in known if c.family is Family.KEY]
    key = keys[0].constraint.columns if keys else ()
    if not table.size:
        return TableRules(table.name, table.size, roles, key, Selection((), (), ()), "no rows")
    if within is None:
        known = [c for c in known if c.family in (Family.KEY, Family.REFERENCE)]
    inside, looked_at = within or FoundWithin([], "one row, too few for more than keys and references")
    chosen = select([*known, *inside], limit, given, roles=roles, jointly=True)
    return TableRules(table.name, table.size, roles, key, chosen, looked_at)


class FoundWithin(NamedTuple):
    """The rules within a table that hold, without keys and orders, and in words what was searched."""

    candidates: list[Candidate]
    looked_at: str


def with_equations_of(table: CodedTable, budget: Budget) -> tuple[CodedTable, list[Candidate]]:
    """The table's equations, and the table with the roles that they give to their columns."""
    if table.size < _LEAST_ROWS or budget.spent:
        return table, []
    found = find_equations(table.rows, table.schema, table.roles, budget=budget)
    measured = {name for one in found for name in one.constraint.measuring}
    return table.with_roles(with_equations(table.roles, table.schema.names, measured)), best_first(
        found, Family.EQUATION
    )


def find_within(
    table: CodedTable,
    known: tuple[Sequence[Candidate], Sequence[Candidate]],
    budget: Budget,
    progress: Progress = lambda _: None,
    cut: Searches | None = None,
) -> FoundWithin:
    """Orders within groups, dependencies and conditional rules of one table with its equations, before any is chosen.

    Args:
        table: the table, in the roles that its equations give it.
        known: its keys, and its equations.
        budget: when to end with what there is.
        progress: called with each step before it begins, in words.
        cut: all searches of this round.
    """
    (keys, equations), over = known, cut or Searches()
    seen = (table.rows, table.schema, table.roles)
    progress(f"{table.name}: looking for orders within groups")
    with _part(budget, _fair(3), "orders within groups", over, table.name) as part:
        orders = [*find_unequal(table, part), *find_sequences(table, keys, part), *find_previous(table, keys, part)]
    progress(f"{table.name}: looking for dependencies")
    with _part(budget, _fair(2), "dependencies", over, table.name) as part:
        dependencies = find_dependencies(table, [k.constraint.columns for k in keys], part, equations)
    progress(f"{table.name}: looking for conditional rules")
    own = partial(independent, table, single=dependencies.determined)
    things = _followed_over_time(table, keys, dependencies.determined)
    with _part(budget, 1.0, "conditional rules", over, table.name) as part:
        rules = find_conditionals(*seen, budget=part, independent=own, things=things)
    conditionals = best_first(rules, Family.CONDITIONAL)
    looked_at = _looked_at(table, dependencies.columns, dependencies.of, over.cut_of(table.name))
    return FoundWithin([*orders, *equations, *dependencies.found, *conditionals], looked_at)


def _followed_over_time(table: CodedTable, keys: Sequence[Candidate], determined: Determined) -> set[str]:
    """The columns that identify what the table's rows follow, over time or in a list, and the columns these determine.

    Examples: a country's numbers by year, and its continent's; the results of each laboratory test of an order. If a
    kind has
    very many members, as a format has books, a rule on its rows is not about a few of them.
    """
    key = keys[0].constraint.columns if keys else ()
    named = [name for name in key if not table.roles[name].role.is_temporal]
    if not named or len(key) == 1:
        return set()
    kinds = (
        name
        for part in named
        for name in determined.get(part, ())
        if table.distinct(part) < _MANY_OF_A_KIND * table.distinct(name)
    )
    return {*named, *kinds}


def _looked_at(table: CodedTable, triples: int, of: int, cut: Sequence[str]) -> str:
    """What was searched: ``all pairs of columns; triples of 12 of 29 columns``; and what was cut short."""
    parts = [f"all pairs of {len(table.roles)} columns"] if not cut else []
    if of > 2:
        parts.append(f"triples of {'all' if triples == of else f'{triples} of'} {of} columns that may determine others")
    if cut:
        parts.append(f"{listed(cut)} only in part, since the time (--budget) ran out")
    return "; ".join(parts)
