"""The rules of some tables within a budget: short ones first, of all families, and what was not looked at.

Every rule that is returned holds on all rows; samples only propose, and tell what chance would do. What takes longer
than the budget is not begun, and said.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.conditions.discovery import find_conditionals
from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.algorithms.references.discovery import find_references as find_along_references
from profiling_core.algorithms.roles.inference import infer_roles, with_equations, with_keys
from profiling_core.algorithms.rules.candidate import Candidate, Family, best_first
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.dependencies import Determined, find_dependencies, independent, is_in_runs
from profiling_core.algorithms.rules.implication import Flag, Given, given_besides
from profiling_core.algorithms.rules.keys import find_keys, is_row_number
from profiling_core.algorithms.rules.numbering import numbers_beside
from profiling_core.algorithms.rules.orders import find_orders
from profiling_core.algorithms.rules.references import beside_keys, by_first_names, find_references, telling_along
from profiling_core.algorithms.rules.schema.discovery import with_schema
from profiling_core.algorithms.rules.selection import PRESENTED, Selection, select
from profiling_core.model.consequent import Bounded, OneOf
from profiling_core.model.constraint import InclusionDependency
from profiling_core.model.expression import Part, Stamped
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema
from profiling_core.model.texts import listed

Progress = Callable[[str], None]
Roles = Mapping[str, Mapping[str, Role]]
# Below so many rows everything holds: nothing was put to the test.
_LEAST_ROWS = 2
# So many things of each kind, on average, are more than a few.
_MANY_OF_A_KIND = 50
# A column of so few values has kinds, whatever numbers stand for them.
_MOST_KINDS = 20
_TWO_KINDS = 2
# A day or two for each term are the term's days; more lie in it.
_DAYS_EACH = 2


class Rows(NamedTuple):
    """A table: its columns and its rows, in the Arrow types of their logical types."""

    schema: TableSchema
    rows: pa.Table


@dataclass(frozen=True)
class TableRules:
    """What was found of a table: the roles of its columns, the rules chosen, and what was looked at, in words."""

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
    """The rules of each table, those along references among them.

    Args:
        tables: named differently.
        budget: the time that there is for all of them.
        declared: per table the roles of columns that a person gave.
        limit: how many lines of rules are shown of a table at most.
        progress: told each step before it begins, in words.
    """
    told = declared or {}
    coded: dict[str, CodedTable] = {}
    keys: dict[str, list[Candidate]] = {}
    inferred: dict[str, Mapping[str, ColumnRole]] = {}
    cut: list[str] = []
    for place, (schema, rows) in enumerate(tables):
        progress(f"{schema.table}: looking for keys")
        inferred[schema.table] = roles = infer_roles(rows, schema, told.get(schema.table))
        with _part(budget, 1.0, "columns", cut) as part:
            coded[schema.table] = CodedTable.of(rows, schema, roles, part)
        with _part(budget, 0.3 / (len(tables) - place), "keys", cut) as part:
            keys[schema.table] = find_keys(coded[schema.table], part)
    progress("looking for references")
    with _part(budget, 0.2, "references", cut) as part:
        references = find_references(coded, keys, part)
    progress("choosing keys and references")
    with _part(budget, 0.2, "references", cut) as part:
        keys, references = with_schema(coded, keys, references, part)
    coded = {name: _with_roles(table, keys[name], references) for name, table in coded.items()}
    keys |= _of_referring(coded, keys, budget, cut)
    coded, equations = _with_equations(coded, budget, progress, cut)
    progress("looking for orders")
    with _part(budget, 0.1, "orders", cut) as part:
        orders = {name: find_orders(table, part, equations[name]) for name, table in coded.items()}
    progress("looking along references")
    with _part(budget, 0.2, "rules along references", cut) as part:
        along = _along_references(coded, beside_keys(coded, references), part)
    found = by_first_names(references, along, keys)
    known = {
        name: [*keys[name], *(c for c in found if c.constraint.tables[0] == name), *orders[name]] for name in coded
    }
    within = {
        name: find_within(table, (keys[name], equations[name]), budget.share(1 / (len(coded) - place)), progress, cut)
        for place, (name, table) in enumerate(coded.items())
        if table.size >= _LEAST_ROWS
    }
    inside = {name: [c.constraint for c in (*orders[name], *w.candidates)] for name, w in within.items()}
    given = given_besides([r.constraint for r in references], inside)
    return [
        _rules_of(table, known[name], within.get(name), limit, [*given.get(name, ()), *_flags(table)], inferred[name])
        for name, table in coded.items()
    ]


def _flags(table: CodedTable) -> list[Flag]:
    """The columns that have two values."""
    flags = (name for name, role in table.roles.items() if role.role is Role.FLAG)
    return [Flag(table.name, name) for name in flags if len(pc.unique(table.rows[name].drop_null())) == _TWO_KINDS]


def _of_referring(
    tables: Mapping[str, CodedTable], keys: Mapping[str, Sequence[Candidate]], budget: Budget, cut: list[str]
) -> dict[str, list[Candidate]]:
    """The keys of tables that seemed to have none: what is known to refer to others by now may be a part of one."""
    found = {}
    for name in (name for name, known in keys.items() if not known):
        with _part(budget, 0.1, "keys", cut) as part:
            found[name] = find_keys(tables[name], part)
    return found


def _with_equations(
    tables: Mapping[str, CodedTable], budget: Budget, progress: Progress, cut: list[str]
) -> tuple[dict[str, CodedTable], dict[str, list[Candidate]]]:
    """The tables in the roles that their equations give, and these."""
    coded: dict[str, CodedTable] = {}
    equations: dict[str, list[Candidate]] = {}
    for place, (name, table) in enumerate(tables.items()):
        progress(f"{name}: looking for equations")
        with _part(budget, 0.4 / (len(tables) - place), "equations", cut) as part:
            coded[name], equations[name] = with_equations_of(table, part)
    return coded, equations


@contextmanager
def _part(budget: Budget, fraction: float, what: str, cut: list[str]) -> Iterator[Budget]:
    """A search's part of the budget; notes what was looked for where the search took all of it."""
    part = budget.share(fraction)
    yield part
    if part.is_cut or part.spent:
        cut.append(what)


def _along_references(
    tables: Mapping[str, CodedTable], references: Sequence[InclusionDependency], budget: Budget
) -> list[Candidate]:
    """What rows have to do with the rows that they refer to."""
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
    naming = [name for name in key if not numbers_beside(table, name, key)] if len(key) > 1 else ()
    return table.with_roles(with_keys(table.roles, key, targets, naming))


def _rules_of(
    table: CodedTable,
    known: Sequence[Candidate],
    within: "FoundWithin | None",
    limit: int,
    given: Sequence[Given],
    inferred: Mapping[str, ColumnRole],
) -> TableRules:
    roles = {**inferred, **table.roles}  # those of columns that were not encoded, too
    keys = [c for c in known if c.family is Family.KEY]
    key = keys[0].constraint.columns if keys else ()
    if within is None:
        nothing = "no rows" if not table.size else "one row, which tells nothing"
        return TableRules(table.name, table.size, roles, key, Selection((), (), ()), nothing)
    known = [c for c in known if c.family is not Family.KEY or not is_row_number(table, c)]
    chosen = select([*known, *within.candidates], limit, given=given, jointly=True)
    return TableRules(table.name, table.size, roles, key, chosen, within.looked_at)


class FoundWithin(NamedTuple):
    """The rules within a table that hold, keys and orders aside, and what was looked at, in words."""

    candidates: list[Candidate]
    looked_at: str


def with_equations_of(table: CodedTable, budget: Budget) -> tuple[CodedTable, list[Candidate]]:
    """The table's equations, and the table with the roles that they give to what they compute with."""
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
    cut: Sequence[str] = (),
) -> FoundWithin:
    """Dependencies and conditional rules of one table beside its equations, before any of them is chosen.

    Args:
        table: the table, in the roles that its equations give it.
        known: its keys, and its equations.
        budget: when to end with what there is.
        progress: told each step before it begins, in words.
        cut: what else was looked for until time was over.
    """
    (keys, equations), over = known, [*cut]
    seen = (table.rows, table.schema, table.roles)
    progress(f"{table.name}: looking for dependencies")
    with _part(budget, 0.6, "dependencies", over) as part:
        dependencies = find_dependencies(table, [k.constraint.columns for k in keys], part)
    progress(f"{table.name}: looking for conditional rules")
    own = partial(independent, table, single=dependencies.determined)
    things = _followed_over_time(table, keys, dependencies.determined)
    with _part(budget, 1.0, "conditional rules", over) as part:
        given = [one.constraint for one in equations if isinstance(one.constraint, Equation)]
        rules = find_conditionals(*seen, budget=part, independent=own, things=things, equations=given)
    conditionals = [
        c
        for c in best_first(rules, Family.CONDITIONAL)
        if not _is_instance(table, c.constraint, dependencies.determined)
    ]
    parts, single = _dates_of_parts(equations), dependencies.determined
    conditionals = [c for c in conditionals if not _is_of_one_date(c, parts)]
    parted = {frozenset(c.constraint.columns) for c in conditionals if _tells_nought(c.constraint)}
    told = [
        d
        for d in dependencies.found
        if not (
            _is_of_a_date(table, d, parts, single) or _is_of_one_date(d, parts) or _is_of_two_kinds(table, d, parted)
        )
    ]
    looked_at = _looked_at(table, dependencies.columns, dependencies.of, over)
    return FoundWithin([*equations, *told, *conditionals], looked_at)


def _dates_of_parts(equations: Sequence[Candidate]) -> dict[str, str]:
    """The columns that are a part of a date, or have one written into them, and the date."""
    values = ((e.constraint.column, e.constraint.value) for e in equations if isinstance(e.constraint, Equation))
    return {name: value.columns[-1] for name, value in values if isinstance(value, Part | Stamped)}


def _is_of_one_date(candidate: Candidate, parts: Mapping[str, str]) -> bool:
    """Whether all that it speaks of are parts of one date: a fiscal year, and the quarter that lies in it."""
    dates = {parts.get(name) for name in candidate.constraint.columns}
    return len(dates) == 1 and None not in dates


def _followed_over_time(table: CodedTable, keys: Sequence[Candidate], determined: Determined) -> set[str]:
    """The columns that name what the table's rows follow, over time or in a list, and what these determine.

    A country's numbers by year, and its continent's; what each laboratory test of an order gave. Where a kind has very
    many of them, as a format books, what holds for each of its rows is no matter of which few it has.
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


def _is_instance(table: CodedTable, rule: Conditional, determined: Determined) -> bool:
    """Whether a rule is a line of what one column determines of the other: that the site in Hull has the number 6100.

    Flags, and whether something is nought, are said of each value all the same.
    """
    if rule.asks_for_any or not isinstance(rule.then, OneOf | Bounded):
        return False
    other = rule.then.columns[0]
    if any(table.roles[name].role is Role.FLAG for name in (rule.column, other)):
        return False
    given = other in determined.get(rule.column, ())
    if isinstance(rule.then, OneOf):
        return given or rule.column in determined.get(other, ())
    if rule.then.low != rule.then.high or (rule.then.low == "0" and table.distinct(other) > _MOST_KINDS):
        return False
    # What a service costs tells its class, since the service does; what is computed of both says nothing of either.
    return given or any({rule.column, other} <= {*columns} for columns in _told_by_names(table, determined))


def _told_by_names(table: CodedTable, determined: Determined) -> Iterator[Collection[str]]:
    """What columns that measure nothing tell, each; what few rows have, as a last day, tells nothing of others."""
    named = (name for name in determined if table.roles[name].role is not Role.QUANTITY)
    return (determined[name] for name in named if 2 * table.present(name) >= table.size)


def _tells_nought(rule: Conditional) -> bool:
    return rule.both_ways and isinstance(rule.then, Bounded) and "0" in (rule.then.low, rule.then.high)


def _is_of_two_kinds(table: CodedTable, dependency: Candidate, parted: Collection[frozenset[str]]) -> bool:
    """Whether it tells no more than a condition does: where a flag has a fee, and where it has none."""
    columns = dependency.constraint.columns
    return frozenset(columns) in parted and table.distinct(columns[-1]) == _TWO_KINDS


def _is_of_a_date(table: CodedTable, dependency: Candidate, parts: Collection[str], single: Determined) -> bool:
    """Whether a date tells what is a part of a date, of which one is said to, or the period that it lies in.

    Or what that period has: when a bill is paid tells its quarter, and how many days that has.
    """
    rule = dependency.constraint
    day, given = rule.determinant[0], rule.columns[-1]
    if len(rule.determinant) > 1 or not table.roles[day].role.is_temporal:
        return False
    periods = [
        name for name in single.get(day, ()) if table.roles[name].role.is_temporal and _are_eras(table, day, name)
    ]
    of_period = any(given in single.get(name, ()) for name in periods)
    return given in parts or of_period or (not table.roles[given].role.is_temporal and _are_eras(table, day, given))


def _are_eras(table: CodedTable, day: str, name: str) -> bool:
    """Whether each value of a column has days of its own without another's between: seasons, intakes, quarters."""
    if table.distinct(day) <= _DAYS_EACH * table.distinct(name):
        return False
    return is_in_runs(table, day, name)


def _looked_at(table: CodedTable, triples: int, of: int, cut: Sequence[str]) -> str:
    """What was compared with what: ``all pairs of columns; triples of 12 of 29 columns``; what was cut short."""
    parts = [f"all pairs of {len(table.roles)} columns"] if not cut else []
    if of > 2:
        parts.append(f"triples of {'all' if triples == of else f'{triples} of'} {of} columns that may determine others")
    if cut:
        parts.append(f"not all {listed(list(dict.fromkeys(cut)))}, for which time was too short (--budget)")
    return "; ".join(parts)
