"""Finds a table's conditional rules: proposes from some rows, checks on all, drops what chance explains."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from math import log10

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import ENDLESS, STEP, Budget
from profiling_core.algorithms.conditions import proposing
from profiling_core.algorithms.conditions.categories import (
    Candidate,
    Categories,
    categories_of,
    distinct,
    is_calendar,
    numbers_in,
)
from profiling_core.algorithms.conditions.counting import count
from profiling_core.algorithms.conditions.judging import meets, obeys
from profiling_core.algorithms.conditions.together import by_steps, one_way, together, where_there
from profiling_core.algorithms.equations.chance import GENEROUS, TestedRule
from profiling_core.algorithms.equations.judging import is_number
from profiling_core.algorithms.equations.sample import spread
from profiling_core.algorithms.roles.vocabulary import DEGREES
from profiling_core.model.consequent import Bounded, Consequent, OneOf, Ordered, Present
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema

# Rows that propose rules.
_ROWS = 60_000
# Columns that make conditions, and rules that are kept, at most.
_MOST_CONDITIONS, _MOST_RULES = 16, 200
MOST_LISTED = 6
"""A rule with more values in its condition is not shown."""
# Two conditions that pick the same of this many rows count as one.
_ALIKE_ROWS = 2_000
_TRUTHS = 2
_NAMING = (Role.IDENTIFIER, Role.REFERENCE, Role.CODE, Role.CONSTANT, Role.TEXT)


def find_conditionals(
    rows: pa.Table,
    schema: TableSchema,
    roles: Mapping[str, ColumnRole],
    *,
    budget: Budget = ENDLESS,
    share: Callable[[Candidate], float] = lambda _: 1.0,
    things: Collection[str] = (),
) -> list[TestedRule]:
    """The conditional rules that hold in all rows of a table, both ways first, then the most surprising.

    Args:
        rows: the table, in the types in which the project stores values.
        schema: its columns; those that are not profiled take no part.
        roles: the columns' roles: categories and flags make conditions, quantities and moments have orders.
        budget: when to end with what there is.
        share: the share of rows that are independent evidence for a rule (:func:`share_of_kinds`); 0: it is not asked
            for.
        things: columns that identify what the table follows over time; the numbers of one such thing are no rule, nor
            are those of one that the table refers to.
    """
    names = [column.name for column in schema.profiled]
    if not names or not rows.num_rows or budget.spent:
        return []
    some = rows.select(names).take(pa.array(spread(rows.num_rows, _ROWS)))
    things = {*things, *(name for name, role in roles.items() if role.role is Role.REFERENCE)}
    conditions = list(categories_of(some, names, roles))[:_MOST_CONDITIONS]
    varied = [name for name in names if _is_measured(some, name, roles)]
    each = partial(budget.steps, cells=some.num_rows)
    beside = partial(budget.steps, cells=some.num_rows * len(varied))
    found = [*together(some, each(names)), *one_way(some, each(names)), *where_there(some, beside(names), varied)]
    found += by_steps(some, varied, beside(varied))
    found += _of_categories(some, conditions, roles, things, budget)
    tested = _tested(budget.steps(found, rows.num_rows), _tried(names, conditions), share)
    return _checked(rows, schema, tested, budget)


def _tested(found: Iterable[Candidate], tried: int, share: Callable[[Candidate], float]) -> list[Candidate]:
    """Short rules that chance does not explain, with their surprise less the logarithm of how many were tried."""
    short = (one for one in found if len(one.values) <= MOST_LISTED)
    tested = (replace(one, surprise=one.surprise * share(one) - log10(max(1, tried))) for one in short)
    return [one for one in tested if one.surprise >= GENEROUS]


def _of_categories(
    some: pa.Table,
    conditions: list[Categories],
    roles: Mapping[str, ColumnRole],
    things: Collection[str],
    budget: Budget,
) -> Iterator[Candidate]:
    """The rules that hold in some categories of each column; arguments as for ``find_conditionals``."""
    obeyed = cache(partial(obeys, rows=some))
    numbers = {name: numbers_in(some, name) for name in some.column_names if _is_measured(some, name, roles)}
    few = {c.column for c in conditions}
    many = {name: one for name, one in numbers.items() if name not in few}
    for categories in budget.steps(conditions):
        yield from _proposed(some, (categories, conditions), roles, many, obeyed, things, budget)


def share_of_kinds(independent: Callable[[tuple[str, str]], float]) -> Callable[[Candidate], float]:
    """The share of rows that are independent evidence for a rule; 1 unless it is a bound or set of values one way.

    A rule both ways tells one column by the other: it sums up a dependency, however few kinds of rows there are.

    Args:
        independent: the share of rows that are independent evidence for a rule between two columns.
    """

    def share(one: Candidate) -> float:
        limits = isinstance(one.then, Bounded | OneOf) and not _is_point(one.then) and bool(one.values)
        return independent((one.column, one.then.columns[0])) if limits and not one.both_ways else 1.0

    return share


def _is_point(then: Consequent) -> bool:
    return isinstance(then, Bounded) and then.low == then.high


def _tried(names: list[str], conditions: list[Categories]) -> int:
    """How many rules are looked at: each category with each column in a dozen ways, and with each pair of columns."""
    return len(names) ** 2 + sum(len(c.labels) for c in conditions) * (12 * len(names) + 4 * len(names) ** 2)


def _is_measured(some: pa.Table, name: str, roles: Mapping[str, ColumnRole]) -> bool:
    """Whether a column has measured numbers, which identify nothing and count no rows."""
    if not is_number(some[name].type) or _has_role(roles, name, _NAMING):
        return False
    # Positions on earth are left out: each country has its range of latitudes, which is no rule.
    on_earth = name in roles and roles[name].unit in DEGREES
    return not on_earth and not is_calendar(name) and not _tells_rows(some[name])


def _proposed(
    some: pa.Table,
    of: tuple[Categories, list[Categories]],
    roles: Mapping[str, ColumnRole],
    numbers: proposing.Doubles,
    obeyed: proposing.Obeyed,
    things: Collection[str],
    budget: Budget,
) -> Iterator[Candidate]:
    """The rules that hold in some categories of a column; ``of``: these, and those of all columns."""
    (categories, conditions), each = of, partial(budget.steps, cells=some.num_rows)
    thrice = partial(budget.steps, cells=3 * (STEP + 2 * some.num_rows))  # equal, less, and more
    names = [name for name in some.column_names if name != categories.column]
    moments, varied = [n for n in names if pa.types.is_temporal(some[n].type)], list(numbers)
    yield from proposing.presence(some, categories, each(names))
    if categories.column not in things:
        yield from proposing.bounds(numbers, categories, each(varied))
        yield from proposing.value_sets(categories, each(conditions))
        yield from proposing.orders(some, categories, roles, thrice(combinations(varied, 2)), obeyed)
        yield from proposing.orders(some, categories, roles, thrice(combinations(moments, 2)), obeyed)


def _tells_rows(column: pa.ChunkedArray) -> bool:
    """Whether whole numbers differ in each row, as identifiers do."""
    return bool(pa.types.is_integer(column.type) and distinct(column) == len(column) - column.null_count)


def _has_role(roles: Mapping[str, ColumnRole], name: str, chosen: tuple[Role, ...]) -> bool:
    return name in roles and roles[name].role in chosen


def _checked(rows: pa.Table, schema: TableSchema, found: list[Candidate], budget: Budget) -> list[TestedRule]:
    told: set[object] = set()
    some = rows.take(pa.array(spread(rows.num_rows, _ALIKE_ROWS)))
    kept: list[TestedRule] = []
    counted = _counted(some)
    for one in budget.steps(sorted(found, key=lambda one: _by_plainness(one, counted)), rows.num_rows):
        if len(kept) >= _MOST_RULES:
            break
        compared = (one.column, *one.then.columns, type(one.then))
        weaker = isinstance(one.then, Bounded) and not one.both_ways and len(one.values) > 1 and compared in told
        if weaker or told.intersection(_said(one)):
            continue
        rule = Conditional(schema.table, one.column, one.values, one.then, one.both_ways)
        picked = (np.packbits(meets(rule, some)).tobytes(), one.then, one.both_ways, not one.values)
        measured = None if picked in told else count(rule, rows)
        if measured is not None and measured.holds and measured.population:
            told.update(_said(one), [compared, picked])
            kept.append(TestedRule(measured, one.surprise))
    return kept


def _counted(rows: pa.Table) -> set[str]:
    """The columns of numbers that are not flags of two values."""
    return {name for name in rows.column_names if is_number(rows[name].type) and distinct(rows[name]) > _TRUTHS}


def _by_plainness(one: Candidate, counted: Collection[str]) -> tuple[object, ...]:
    """The sort key. First values that are there or not, then other rules both ways.

    Then rules with a condition on certain values come first, then few values, then surprise. Of conditions that select
    the
    same rows, one on a text or flag comes before one on a number (``counted``).
    """
    rare = -round(one.surprise, 6)
    then = one.then
    first = 0 if one.both_ways and isinstance(then, Present) else 2 - one.both_ways
    return (first, not one.values, len(one.values), rare, one.column in counted)


def _said(one: Candidate) -> Iterator[object]:
    """The statements that a rule makes, without its condition; of rules with the same statement one is kept."""
    then = one.then
    if isinstance(then, Present):
        yield from _of_presence(one, then)
    elif isinstance(then, OneOf):
        yield then.column, then.values
        yield "set", one.column, then.column, then.values
        if one.contrary and not one.both_ways:
            yield "set", then.column, one.column, one.contrary
        yield from _parting(one, then.values)
        if one.both_ways and len(then.values) == 1:
            yield one.column, one.values
    elif isinstance(then, Bounded):
        yield then.column, "bounds", one.column, one.values
        if _is_point(then):
            yield from _parting(one, (str(then.low),))
        if one.both_ways:  # the rule about the other categories is equivalent
            yield then.column, "bounds", one.column, one.rest
    elif isinstance(then, Ordered):
        yield then.columns, "order"


def _of_presence(one: Candidate, then: Present) -> Iterator[object]:
    if not one.values:
        yield frozenset((one.column, then.column)), "together"
        return
    yield then.column, "presence", then.there
    if one.both_ways:
        yield then.column, "presence", not then.there


def _parting(one: Candidate, values: tuple[str, ...]) -> Iterator[object]:
    """The partitions of both columns' values by a rule both ways: ``state = late ⇔ level > 0`` is ``level = 0 ⇔ …``."""
    if one.both_ways:
        columns = frozenset((one.column, *one.then.columns))
        for column, part in ((one.column, one.values), (one.column, one.rest), (one.then.columns[0], values)):
            yield columns, column, frozenset(part)
