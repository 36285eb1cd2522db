"""Finds the rules of some tables within a budget: short ones first, of all families, with a list of what was cut.

Every returned rule holds on all rows; samples only propose, and estimate chance. Steps that the budget does not suffice
for are not begun, and this is reported.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.conditions.discovery import find_conditionals, share_of_kinds
from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.algorithms.roles.inference import infer_roles, with_keys, with_recurring_times
from profiling_core.algorithms.rules.along_references import Tries
from profiling_core.algorithms.rules.along_references import find_references as find_along_references
from profiling_core.algorithms.rules.candidate import Candidate, Family, tested
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.dependencies import Searched, find_dependencies
from profiling_core.algorithms.rules.determined import independent
from profiling_core.algorithms.rules.implication import Flag, Given, Least, given_besides
from profiling_core.algorithms.rules.numbering import numbers_beside
from profiling_core.algorithms.rules.orders import find_orders
from profiling_core.algorithms.rules.previous_rows import find_previous
from profiling_core.algorithms.rules.references import beside_keys, by_first_names, telling_along
from profiling_core.algorithms.rules.schema.discovery import find_schema, likely
from profiling_core.algorithms.rules.searches import Searches
from profiling_core.algorithms.rules.selection import PRESENTED, Selection, select
from profiling_core.algorithms.rules.sequences import find_sequences
from profiling_core.algorithms.rules.ways import Way, ways_of, work
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema
from profiling_core.model.texts import listed
from profiling_core.model.types import TypeClass

Progress = Callable[[str], None]
Roles = Mapping[str, Mapping[str, Role]]
# Fewer rows test nothing: every rule holds.
_LEAST_ROWS = 2
_TWO_KINDS = 2
# By kind of search its share of the budget, about what it takes of the work (``make fit-work``). A search whose share
# is too small is begun again once the others are done.
_SHARES: Mapping[str, float] = MappingProxyType(
    {
        "columns": 1,
        "keys, references": 2,
        "equations": 2,
        "orders": 1,
        "rules along references": 4,
        "rules along two references": 1,
        "orders within groups": 3,
        "dependencies": 1,
        "conditional rules": 1,
    }
)
# The kinds of searches whose results no other search needs.
_LAST = (
    "orders",
    "rules along references",
    "rules along two references",
    "orders within groups",
    "conditional rules",
)


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
        budget: the work for all of them.
        declared: per table the roles of columns that a person gave.
        limit: how many lines of rules are shown of a table at most.
        progress: called with each step before it begins, in words.
    """
    roles = with_recurring_times(
        {schema.table: infer_roles(rows, schema, (declared or {}).get(schema.table)) for schema, rows in tables}
    )
    found, searches = search(tables, roles, budget, progress=progress)
    given = given_besides(
        [c.constraint for c in found.references if c.family is Family.REFERENCE],
        {
            name: [
                *(c.constraint for c in (*found.orders[name], *w.candidates)),
                *(c.constraint for c in found.references if c.constraint.tables[0] == name),
            ]
            for name, w in found.within.items()
        },
    )
    return [
        _rules_of(found, name, limit, [*given.get(name, ()), *_facts(table)], roles[name], searches.cut_of(name))
        for name, table in found.tables.items()
    ]


class KnownBeforehand(NamedTuple):
    """What a dataset declares before the search: the key of each table, and what columns of its only table refer to."""

    keys: Mapping[str, tuple[str, ...]]
    targets: Mapping[str, str]


class FoundRules(NamedTuple):
    """What the searches find: the tables in the roles that it gives, the rules of all tables, and those of each."""

    tables: dict[str, CodedTable]
    keys: dict[str, list[Candidate]]
    references: list[Candidate]
    equations: dict[str, list[Candidate]]
    orders: dict[str, list[Candidate]]
    within: dict[str, "FoundWithin"]


def search(
    tables: Sequence[Rows],
    roles: Mapping[str, Mapping[str, ColumnRole]],
    budget: Budget,
    *,
    known: KnownBeforehand | None = None,
    progress: Progress = lambda _: None,
) -> tuple[FoundRules, Searches]:
    """All candidates of some tables, and the searches that found them, with those that were cut.

    Args:
        tables: named differently.
        roles: by table the roles of its columns, before keys, references and equations tell more.
        budget: the work for all of them.
        known: what is known of the tables' keys and references beforehand.
        progress: called with each step before it begins, in words.
    """
    searches = Searches(budget, sum(_SHARES.values()), _SHARES, _LAST)
    found = _round(tables, roles, searches, known or KnownBeforehand({}, {}), progress)
    while further := searches.again():
        again = _round(tables, roles, further, known or KnownBeforehand({}, {}), progress)
        if len(further.cut) > len(searches.cut):
            break
        is_stuck = len(further.cut) == len(searches.cut)
        found, searches = again, further
        if is_stuck:
            break
    return found, searches


def _round(
    tables: Sequence[Rows],
    roles: Mapping[str, Mapping[str, ColumnRole]],
    searches: Searches,
    known: KnownBeforehand,
    progress: Progress,
) -> FoundRules:
    """What one round of searches finds."""
    parts = _parts_of(tables)
    coded = {
        schema.table: searches.run(
            "columns", partial(CodedTable.of, rows, schema, roles[schema.table]), part=parts[schema.table]
        )
        for schema, rows in tables
    }
    progress("looking for keys and references")
    keys, references = searches.run("keys, references", lambda part: find_schema(coded, part, known.keys))
    coded = {name: _with_roles(table, keys[name], references, known.targets) for name, table in coded.items()}
    equations: dict[str, list[Candidate]] = {}
    for name, table in coded.items():
        progress(f"{name}: looking for equations")
        equations[name] = searches.run("equations", partial(_equations_of, table), name, parts[name])
    progress("looking for orders")
    orders = searches.run(
        "orders", lambda part: {name: find_orders(table, part, equations[name]) for name, table in coded.items()}
    )
    progress("looking along references")
    single: list[Way] = [(one,) for one in beside_keys(coded, references)]
    along = _along_references(coded, single, ways_of([one.constraint for one in references]), searches)
    within = {
        name: _find_within(table, (keys[name], equations[name]), searches, parts[name], progress)
        for name, table in coded.items()
        if table.size >= _LEAST_ROWS
    }
    return FoundRules(coded, keys, by_first_names(references, along, keys), equations, orders, within)


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


def _parts_of(tables: Sequence[Rows]) -> dict[str, float]:
    """By table its part of what all of them may use: by its pairs of columns, since most searches look at some rows."""
    pairs = {schema.table: max(1, rows.num_columns) ** 2 for schema, rows in tables}
    return {name: own / sum(pairs.values()) for name, own in pairs.items()}


def _along_references(
    tables: Mapping[str, CodedTable], single: Sequence[Way], double: Sequence[Way], searches: Searches
) -> list[Candidate]:
    """The rules between rows and the rows that they refer to; each reference has its part by its pairs of columns."""
    rows, schemas, roles = (
        {name: of(table) for name, table in tables.items()}
        for of in (attrgetter("rows"), attrgetter("schema"), attrgetter("roles"))
    )
    find = partial(find_along_references, rows, schemas, roles)
    if not single:  # where no reference was looked for, this is told
        searches.run("rules along references", lambda part: find((), budget=part))
    found: list[Candidate] = []
    fitted = Tries.of(single, schemas, roles)
    works = [work(one, schemas, roles) for one in single]
    for way, own in zip(single, works, strict=True):
        search = partial(_along, partial(find, tries=fitted), way)
        found += searches.run("rules along references", search, way[0].lhs.table, own / sum(works))
    tried = Tries.of(double, schemas, roles)
    tries = tried._replace(beyond=max(0.0, tried.all - fitted.all))
    known = [*(way[0] for way in single), *(one.constraint for one in found)]
    if double:
        found += searches.run(
            "rules along two references", lambda part: find(double, known=known, budget=part, tries=tries)
        )
    return telling_along(sorted(found, key=lambda one: -one.strength))


def _along(find: Callable[..., list[Candidate]], way: Way, part: Budget) -> list[Candidate]:
    return find([way], budget=part)


def _with_roles(
    table: CodedTable, keys: Sequence[Candidate], references: Sequence[Candidate], known: Mapping[str, str]
) -> CodedTable:
    """The table with the roles that its key and its references give; ``known``: what columns are known to refer to."""
    key = keys[0].constraint.columns if keys else ()
    targets = {**known} | {
        r.constraint.columns[0]: f"{r.constraint.rhs.table}.{r.constraint.rhs.columns[0]}"
        for r in references
        if r.constraint.tables[0] == table.name and len(r.constraint.columns) == 1
    }
    # A key of several columns tells that they name rows if chance would have made two rows agree on it.
    tested = len(key) > 1 and keys[0].expected >= _LEAST_ROWS
    naming = [name for name in key if not numbers_beside(table, name, key)] if tested else ()
    return table.with_roles(with_keys(table.roles, key, targets, naming))


def _rules_of(
    found: FoundRules,
    name: str,
    limit: int,
    given: Sequence[Given],
    inferred: Mapping[str, ColumnRole],
    cut: Sequence[str],
) -> TableRules:
    """The rules that are chosen in a table; ``cut``: the names of the searches that were cut."""
    table, keys, within = found.tables[name], found.keys[name], found.within.get(name)
    roles = {**inferred, **table.roles}  # with those of columns that were not encoded
    key = keys[0].constraint.columns if keys else ()
    if not table.size:
        return TableRules(name, table.size, roles, key, Selection((), (), ()), "no rows")
    known = [*keys, *(c for c in found.references if c.constraint.tables[0] == name), *found.orders[name]]
    if within is None:
        known = [c for c in known if c.family in (Family.KEY, Family.REFERENCE)]
    chosen = select([*known, *(within.candidates if within else ())], limit, given, roles=roles, jointly=True)
    looked_at = _looked_at(table, within, cut) if within else "one row, too few for more than keys and references"
    return TableRules(name, table.size, roles, key, chosen, looked_at)


class FoundWithin(NamedTuple):
    """The rules within a table that hold, without keys and orders, and what the search for dependencies looked at."""

    candidates: list[Candidate]
    dependencies: Searched


def _equations_of(table: CodedTable, budget: Budget) -> list[Candidate]:
    """The table's equations, the best first."""
    if table.size < _LEAST_ROWS or budget.spent:
        return []
    return tested(find_equations(table.rows, table.schema, table.roles, budget=budget), Family.EQUATION)


def _find_within(
    table: CodedTable,
    known: tuple[Sequence[Candidate], Sequence[Candidate]],
    searches: Searches,
    part: float,
    progress: Progress,
) -> FoundWithin:
    """Orders within groups, dependencies and conditional rules of one table with its equations, before any is chosen.

    Args:
        table: the table.
        known: its keys, and its equations.
        searches: all searches of this round.
        part: the table's part of the searches of each kind.
        progress: called with each step before it begins, in words.
    """
    keys, equations = known
    run = partial(searches.run, table=table.name, part=part)
    progress(f"{table.name}: looking for orders within groups")
    orders = run(
        "orders within groups",
        lambda part: [
            *find_sequences(table, likely(keys), part),
            *find_previous(table, likely(keys), part),
        ],
    )
    progress(f"{table.name}: looking for dependencies")
    columns = [key.constraint.columns for key in keys]
    dependencies = run("dependencies", lambda part: find_dependencies(table, columns, part, equations))
    progress(f"{table.name}: looking for conditional rules")
    own = partial(independent, table, single=dependencies.determined)
    share = share_of_kinds(own)
    seen = partial(find_conditionals, table.rows, table.schema, table.roles, share=share)
    rules = run("conditional rules", lambda part: seen(budget=part))
    conditionals = tested(rules, Family.CONDITIONAL)
    return FoundWithin([*orders, *equations, *dependencies.found, *conditionals], dependencies)


def _looked_at(table: CodedTable, within: FoundWithin, cut: Sequence[str]) -> str:
    """What was searched: ``all pairs of columns; triples of 12 of 29 columns``; and what was cut short."""
    triples, of = within.dependencies.columns, within.dependencies.of
    parts = [f"all pairs of {len(table.roles)} columns"] if not cut else []
    if of > 2:
        parts.append(f"triples of {'all' if triples == of else f'{triples} of'} {of} columns that may determine others")
    if cut:
        parts.append(f"{listed(cut)} only in part, since the budget (--budget) was spent")
    return "; ".join(parts)
