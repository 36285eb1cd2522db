"""Finds a table's conditional rules: proposes from some rows, checks on all, drops what chance explains.

Whatever may be a condition meets whatever rows may have in common (:mod:`.facts`); which of the rules somebody would
sign is for the score.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import combinations, compress, groupby
from math import log10
from operator import itemgetter
from typing import cast

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import ENDLESS, STEP, Budget
from profiling_core.algorithms.conditions import facts
from profiling_core.algorithms.conditions.categories import (
    Candidate,
    Categories,
    Mask,
    categories_of,
    distinct,
    is_calendar,
    least_of,
    numbers_in,
    presence_of,
    values_of,
)
from profiling_core.algorithms.conditions.counting import count
from profiling_core.algorithms.conditions.facts import MOST_LISTED
from profiling_core.algorithms.conditions.judging import meets, obeys, there
from profiling_core.algorithms.conditions.together import one_way, together
from profiling_core.algorithms.equations.chance import GENEROUS, TestedRule
from profiling_core.algorithms.equations.judging import is_number
from profiling_core.algorithms.equations.sample import spread
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.roles.vocabulary import DEGREES
from profiling_core.model.consequent import Bounded, Consequent, OneOf, Ordered, Present
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.relation import OF_PARENT
from profiling_core.model.predicate import Operator
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema

# Rows that propose rules.
_ROWS = 60_000
# Pairs of columns whose orders are compared with categories at once: with 1,000 rows each they fit in a cache.
_PAIRS = 64
# Rules that are kept, at most.
_MOST_RULES = 300
# Two conditions that pick the same of this many rows count as one.
_ALIKE_ROWS = 2_000
# Distinct values of an order's columns where its condition is met: of fewer, their sets of values tell more.
_FEWEST = 3
_TRUTHS = 2
_NAMING = (Role.IDENTIFIER, Role.REFERENCE, Role.CODE, Role.CONSTANT, Role.TEXT)


def find_conditionals(
    rows: pa.Table,
    schema: TableSchema,
    roles: Mapping[str, ColumnRole],
    *,
    budget: Budget = ENDLESS,
    share: Callable[[Candidate], float] = lambda _: 1.0,
    beside_parents: bool = False,
) -> list[TestedRule]:
    """The conditional rules that hold in all rows of a table, both ways first, then the most surprising.

    Args:
        rows: the table, in the types in which the project stores values.
        schema: its columns; those that are not profiled take no part.
        roles: the columns' roles: categories and flags make conditions, quantities and moments have orders.
        budget: when to end with what there is.
        share: the share of rows that are independent evidence for a rule (:func:`share_of_kinds`); 0: it is not asked
            for.
        beside_parents: whether the rows are children beside their parents. Then rules with columns of both are looked
            for, and no limits but 0: people sign few of the others.
    """
    names = [column.name for column in schema.profiled]
    if not names or not rows.num_rows or budget.spent:
        return []
    some = rows.select(names).take(pa.array(spread(rows.num_rows, _ROWS)))
    columns = _Columns.of(some, names, roles, beside_parents=beside_parents)
    found: list[Candidate] = []
    with budget.portion(1) as proposing:
        for one in _all_proposed(columns, names, proposing):
            proposing.reserve(2 * rows.num_rows)  # it is tested against chance, and checked
            found.append(one)
    tested = _tested(budget.steps(found, rows.num_rows), columns.tried, share)
    return _checked(rows, schema, tested, budget)


def _all_proposed(columns: "_Columns", names: Sequence[str], budget: Budget) -> Iterator[Candidate]:
    """The rules that hold in some rows; the numbers of one thing that a table refers to are none."""
    each = partial(budget.steps, cells=columns.rows.num_rows)
    yield from together(columns.rows, each(names))
    yield from one_way(columns.rows, each(names))
    for categories in budget.steps(columns.conditions):
        yield from _proposed(columns, categories, budget)
        role = columns.roles.get(categories.column)
        if role is None or role.role is not Role.REFERENCE:
            yield from _measured(columns, categories, budget)


@dataclass(frozen=True)
class _Columns:
    """What some rows' columns are to rules.

    ``conditions``: what may be a condition; ``few``: columns of few values; ``numbers``: measured columns of more
    values; ``moments``: points in time; ``met``: pairs of columns that have been compared.
    """

    rows: pa.Table
    roles: Mapping[str, ColumnRole]
    few: list[Categories]
    conditions: list[Categories]
    numbers: dict[str, tuple[np.ndarray, Mask]]
    moments: list[str]
    obeyed: facts.Obeyed
    beside_parents: bool
    met: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        rows: pa.Table,
        names: list[str],
        roles: Mapping[str, ColumnRole],
        *,
        beside_parents: bool,
    ) -> "_Columns":
        """The columns of some rows."""
        few = list(categories_of(rows, names, roles))
        named = {c.column for c in few}
        numbers = [n for n in names if n not in named and _is_measured(rows, n, roles)]
        counted = [values_of(rows, n) or least_of(rows, n) for n in numbers]
        patterns = {c.codes.tobytes(): c for name in reversed(names) if (c := presence_of(rows, name))}
        conditions = [*few, *(c for c in counted if c), *reversed(patterns.values())]
        moments = [n for n in names if pa.types.is_temporal(rows[n].type)]
        obeyed = cache(partial(obeys, rows=rows))
        return cls(
            rows,
            roles,
            few,
            conditions,
            {n: numbers_in(rows, n) for n in numbers},
            moments,
            obeyed,
            beside_parents,
        )

    def vary(self, one: Candidate) -> bool:
        """Whether the columns that a rule compares have at least ``_FEWEST`` values each in the rows that it picks."""
        picked = pa.array(meets(Conditional("", one.column, one.values, one.then), self.rows))
        chosen = self.rows.select(list(one.then.columns)).filter(picked)
        return all(distinct(column) >= _FEWEST for column in chosen.columns)

    def asked(self, columns: Collection[str]) -> bool:
        """Whether a rule over some columns is looked for."""
        return not self.beside_parents or has_both_sides(columns)

    def compared(self, left: str, right: str) -> Sequence[Operator]:
        """How two columns are compared: for an order only if their roles say that it means something."""
        ordered = {left, right} <= {*self.roles} and self.roles[left].compares_by_order(self.roles[right])
        return facts.COMPARED if ordered else facts.COMPARED[:1]

    def work_anew(self, pairs: Sequence[tuple[str, str]]) -> float:
        """The cells that are looked at to compare pairs of columns that have not been compared yet."""
        anew = [pair for pair in pairs if pair not in self.met]
        self.met.update(anew)
        return float(self.rows.num_rows * sum(len(self.compared(*pair)) for pair in anew))

    def left_open(
        self, categories: Categories, pairs: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[tuple[str, str], list[Operator]]]:
        """Pairs of columns with the comparisons that no row of some category breaks."""
        asked = [(pair, op) for pair in pairs for op in self.compared(*pair)]
        broken = [self.obeyed(Ordered(left, op, right)).violating for (left, right), op in asked]
        is_open = facts.some_has_none(categories, broken).tolist()
        for pair, some in groupby(compress(asked, is_open), key=itemgetter(0)):
            yield pair, [op for _, op in some]

    def kinship(self, left: str, right: str) -> dict[str, float]:
        """Features of whether two columns are of one kind: words of their names, their roles and their units."""
        own, theirs = ({*words(name.removeprefix(OF_PARENT))} for name in (left, right))
        roles = [self.roles[name] for name in (left, right) if name in self.roles]
        return {
            "compared words": len(own & theirs) / len(own | theirs),
            "compared roles": float(len({role.role for role in roles}) == 1),
            "compared units": float(len({role.unit for role in roles} - {None}) == 1),
        }

    @property
    def tried(self) -> int:
        """How many rules are looked at: each category with each column in a dozen ways, and with each two columns."""
        columns = int(self.rows.num_columns)
        return columns**2 + sum(len(c.labels) for c in self.conditions) * (12 * columns + 4 * columns**2)


def has_both_sides(columns: Collection[str]) -> bool:
    """Whether some of the columns of rows beside their parents are the parents', and some are not."""
    return len({name.startswith(OF_PARENT) for name in columns}) > 1


def _tested(found: Iterable[Candidate], tried: int, share: Callable[[Candidate], float]) -> list[Candidate]:
    """Short rules that chance seldom makes, with their surprise less the logarithm of how many were tried."""
    told = []
    for one in found:
        if len(one.values) <= MOST_LISTED and (independent := share(one)):
            evidence = one.surprise * independent - log10(max(1, tried))
            if evidence >= GENEROUS:
                told.append(replace(one, surprise=evidence, told={**one.told, "independent": independent}))
    return sorted(told, key=lambda one: -one.surprise)[:_MOST_RULES]


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


def _is_measured(some: pa.Table, name: str, roles: Mapping[str, ColumnRole]) -> bool:
    """Whether a column has measured numbers, which identify nothing and count no rows."""
    if not is_number(some[name].type) or (name in roles and roles[name].role in _NAMING):
        return False
    # Positions on earth are left out: each country has its range of latitudes, which is no rule.
    on_earth = name in roles and roles[name].unit in DEGREES
    return not on_earth and not is_calendar(name) and not _tells_rows(some[name])


def _tells_rows(column: pa.ChunkedArray) -> bool:
    """Whether whole numbers differ in each row, as identifiers do."""
    return bool(pa.types.is_integer(column.type) and distinct(column) == len(column) - column.null_count)


def _proposed(columns: _Columns, categories: Categories, budget: Budget) -> Iterator[Candidate]:
    """The columns that have a value in some categories alone; for columns with gaps these are told together."""
    if categories.conditions is not None and () in categories.conditions.values():
        return
    rows = columns.rows
    own = categories.column
    names = [name for name in rows.column_names if name != own and columns.asked((own, name))]
    for name in budget.steps(names, cells=rows.num_rows):
        has = there(rows[name])
        if not has.all() and has.any():
            yield from facts.presence(categories, name, has)


def _measured(columns: _Columns, categories: Categories, budget: Budget) -> Iterator[Candidate]:
    """The values, numbers and orders in some categories; what the table follows over time has none."""
    each = partial(budget.steps, cells=columns.rows.num_rows)
    own = categories.column
    asked = columns.asked
    for other in each([other for other in columns.few if other.column != own and asked((own, other.column))]):
        yield from facts.value_sets(categories, other)
    for name in each([name for name in columns.numbers if name != own and asked((own, name))]):
        yield from facts.numbers(categories, name, *columns.numbers[name], limits=not columns.beside_parents)
    yield from _ordered(columns, categories, budget)


def _ordered(columns: _Columns, categories: Categories, budget: Budget) -> Iterator[Candidate]:
    """Two columns that are equal in some categories, or in an order there and nowhere else."""
    own, rows = categories.column, columns.rows.num_rows
    both = [*combinations(columns.numbers, 2), *combinations(columns.moments, 2)]
    pairs = [pair for pair in both if own not in pair and columns.asked((own, *pair))]
    batches = (pairs[i : i + _PAIRS] for i in range(0, len(pairs), _PAIRS))
    for some in budget.steps(batches, lambda some: len(some) * rows + columns.work_anew(some)):
        for pair, compared in columns.left_open(categories, some):
            budget.spend(STEP)
            for one in facts.orders(categories, pair, columns.obeyed, compared, columns.vary):
                if one.both_ways or cast("Ordered", one.then).op == Operator.EQ:
                    yield replace(one, told={**one.told, **columns.kinship(*pair)})


def _checked(rows: pa.Table, schema: TableSchema, found: list[Candidate], budget: Budget) -> list[TestedRule]:
    """The rules that hold in all rows; of several that say the same the plainest."""
    told: set[object] = set()
    some = rows.take(pa.array(spread(rows.num_rows, _ALIKE_ROWS)))
    kept: list[TestedRule] = []
    counted = _counted(some)
    for one in budget.steps(sorted(found, key=lambda one: _by_plainness(one, counted)), rows.num_rows):
        rule = Conditional(schema.table, one.column, one.values, one.then, one.both_ways)
        said = _said(rule, some)
        if told.isdisjoint(said):
            measured = count(rule, rows)
            if measured.holds and measured.population:
                told.update(said)
                kept.append(TestedRule(measured, one.surprise, one.told))
    return kept


def _counted(rows: pa.Table) -> set[str]:
    """The columns of numbers that are not flags of two values."""
    return {name for name in rows.column_names if is_number(rows[name].type) and distinct(rows[name]) > _TRUTHS}


def _by_plainness(one: Candidate, counted: Collection[str]) -> tuple[object, ...]:
    """The sort key: values that are there or not, then rules both ways, few values, one number, and surprise.

    Of conditions that select the same rows, one on a text or flag comes before one on a number (``counted``).
    """
    first = 0 if one.both_ways and isinstance(one.then, Present) else 2 - one.both_ways
    several = not one.values, len(one.values), not _is_point(one.then)
    return (first, *several, -round(one.surprise, 6), one.column in counted)


def _said(rule: Conditional, rows: pa.Table) -> tuple[object, ...]:
    """What a rule says of some rows; two rules that say one of these are one.

    It asks the same of the same rows, or it ties the same sets of rows over the same columns: ``A ⇒ B`` is ``not B ⇒
    not A``, and ``state = late ⇔ level > 0`` is ``level = 0 ⇔ state ≠ late``.
    """
    picked, obeyed = meets(rule, rows), obeys(rule.then, rows)
    sets = [(picked, ~picked if rule.asks_for_any else there(rows[rule.column]) & ~picked)]
    sets.append((obeyed.violating, obeyed.judged & ~obeyed.violating))
    packed = [tuple(np.packbits(side).tobytes() for side in both) for both in sets]
    tied = frozenset(min(both) if rule.both_ways else both[0] for both in packed)
    return (packed[0][0], rule.then, rule.both_ways), (frozenset(rule.columns), rule.both_ways, tied)
