"""Finds a table's equations: proposes from some rows, checks on all, drops repetitions and what chance explains."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import chain
from math import log10

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.equations import calendars, moments
from profiling_core.algorithms.equations.beginnings import beginnings
from profiling_core.algorithms.equations.chance import GENEROUS, TestedRule, surprise
from profiling_core.algorithms.equations.check_digits import MODULI, check_digits
from profiling_core.algorithms.equations.constants import constants_of, written_digits
from profiling_core.algorithms.equations.counting import count
from profiling_core.algorithms.equations.gaps import gapped_samples
from profiling_core.algorithms.equations.inscribed import inscribed
from profiling_core.algorithms.equations.numbers import Numbers
from profiling_core.algorithms.equations.other_values import is_text
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.rates import rates_of_the_rest
from profiling_core.algorithms.equations.redundancy import Known
from profiling_core.algorithms.equations.sample import Sample, Written, numeric_columns, samples, spread, written_form
from profiling_core.algorithms.equations.stamps import TRIED, stamps
from profiling_core.algorithms.equations.texts import text_proposals
from profiling_core.algorithms.equations.ways import (
    Computation,
    multiplied_ways,
    summing_ways,
    ways_of_three,
    ways_put_together,
    ways_with_gaps,
    ways_within_a_row,
)
from profiling_core.algorithms.roles.names import tells_rows, words
from profiling_core.model.expression import (
    Abridged,
    Completed,
    Cut,
    Elapsed,
    Expression,
    Inscribed,
    Linear,
    Logarithm,
    MonthsOn,
    OnDay,
    Polynomial,
    Precision,
    Product,
    RelativeDifference,
    Stamped,
    WholeParts,
)
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.relation import OF_PARENT
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema

# Rows of the sample in which texts, codes and dates are compared.
_TEXT_ROWS = 60
# A column that is null in more than this share of rows gets this many rows with a value added to the sample.
_MOSTLY, _OF_FEW = 0.6, 16
# A column that was proposed only in these ways may still be proposed as a sum of rounded columns.
_SUMMING = {
    "many weights",
    *(f"{way} of {size}" for way in ("sums", "filled sums") for size in range(1, 10)),
}
# Numbers whose range is at most this multiple of their number are taken as counting the rows.
_COUNTING = 1.05
# Key prefix: the share of rows in which the column is not 0 and can divide.
_DIVIDES = "1/"
# The rank of weighted sums among the shapes: last.
_WEIGHED = 6
# Positions in a code at which a date may begin, for the count of tried equations.
_PLACES = 10
# The rank of the other forms: lower ranks are preferred.
_SHAPES = (
    ((RelativeDifference, Polynomial, Inscribed), 5),
    ((Elapsed, Completed, Stamped, WholeParts, Logarithm), 3),
    ((Abridged, OnDay, MonthsOn, Cut), 2),
)
_NO_NUMBERS = (Role.IDENTIFIER, Role.REFERENCE, Role.CONSTANT, Role.TEXT)


class Scope(Enum):
    """Whose columns equations are computed of.

    Rows beside others have both rows' columns (:data:`OF_PARENT` stands before the other row's). Only what needs both
    is looked for, mostly solved for a column of the row itself. With the row before, people only add and subtract.
    """

    ROW = auto()
    BESIDE_PARENT = auto()
    BESIDE_ROW_BEFORE = auto()

    def computed(self, names: Iterable[str]) -> list[str]:
        """The columns that are computed."""
        return [name for name in names if self is Scope.ROW or not name.startswith(OF_PARENT)]

    def asks(self, names: Iterable[str]) -> bool:
        """Whether an equation of some columns is looked for."""
        return self is Scope.ROW or len({name.startswith(OF_PARENT) for name in names}) > 1

    def solves(self, target: str, others: Sequence[str]) -> bool:
        """Whether an equation of some columns is looked for, and gives a column of the row itself.

        One that gives the other row's is solved for the row's own columns, if all others are.
        """
        return self.asks((target, *others)) and (
            self is Scope.ROW or not target.startswith(OF_PARENT) or not any(n.startswith(OF_PARENT) for n in others)
        )

    def given(self, names: Iterable[str]) -> list[str]:
        """The columns from one of them a text, or a part of a date, is taken."""
        return [name for name in names if self is Scope.ROW or name.startswith(OF_PARENT)]


@dataclass
class _Search:
    """One table's search: how many equations were tried per way of computing, and what was found, with its way.

    Tries are counted per way, so that many complicated candidates do not make a simple equation less sure.
    """

    rows: pa.Table
    schema: TableSchema
    budget: Budget
    forms: Mapping[str, Written]
    scope: Scope
    tried: Counter[str] = field(default_factory=Counter)
    proposed: dict[str, tuple[Equation, str]] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self.budget.spent

    def take(self, way: str, proposals: Iterable[Proposal]) -> None:
        """Takes proposals up, each once."""
        for column, value in proposals:
            form = self.forms.get(column) if value.is_numeric else None
            equation = Equation(self.schema.table, column, value, form.precision if form else Precision())
            if equation.fingerprint not in self.proposed:
                self.proposed[equation.fingerprint] = (equation, way)
                self.budget.reserve(_cost(equation, self.rows))
            if way not in _SUMMING:
                self.targets.add(column)
            if self.is_over:
                return

    def tries(self, way: str) -> float:
        """log₁₀ of how many equations were tried, had all ways as many tries as this one."""
        return log10(max(1, self.tried[way])) + log10(max(1, len(self.tried)))


def _cost(equation: Equation, rows: pa.Table) -> float:
    """The values that are looked at to check an equation."""
    return float(len(equation.columns) * rows.num_rows)


def find_equations(
    rows: pa.Table,
    schema: TableSchema,
    roles: Mapping[str, ColumnRole],
    *,
    budget: Budget = ENDLESS,
    scope: Scope = Scope.ROW,
) -> list[TestedRule]:
    """The equations that hold in all rows of a table, the most surprising first (docs/semantics.md, "Equations").

    Args:
        rows: the table, in the types in which the project stores values.
        schema: its columns; those that are not profiled take no part.
        roles: the columns' roles. Identifiers and references are compared but not computed with, except identifiers
            whose only sign is that their numbers never repeat.
        budget: when to end with what there is.
        scope: whose columns they are.
    """
    with budget.portion(1) as proposing:
        search = _proposed(rows, schema, roles, proposing, scope)
    return _told(search, budget)


def _proposed(
    rows: pa.Table, schema: TableSchema, roles: Mapping[str, ColumnRole], budget: Budget, scope: Scope
) -> _Search:
    """The search of :func:`find_equations` with all that it proposes."""
    names = [column.name for column in schema.profiled if not _is_constant(roles, column.name)]
    numbers, forms = dict[str, Numbers](), dict[str, Written]()
    for name in budget.steps(names, rows.num_rows):
        for one in numeric_columns(rows, (name,)).values():
            numbers[name], forms[name] = one, written_form(one)
    search = _Search(rows, schema, budget, forms, scope)
    some = _some_rows(rows, names) if names else rows
    if scope is not Scope.BESIDE_ROW_BEFORE:
        _of_texts(search, some, names)
        _of_stamps(search, some, names)
    if scope is Scope.ROW:
        _of_checks(search, [name for name in names if _may_be_checked(rows, roles, name)])
    _of_moments(search, some, names, list(numbers))
    _of_numbers(search, {n: c for n, c in numbers.items() if not _names_rows(roles, n) or _may_measure(roles, n, c)})
    if scope is Scope.ROW:
        _copies(search, numbers)
    return search


def _some_rows(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """A sample of rows, with some rows added in which a mostly null column has a value."""
    chosen = [spread(rows.num_rows, _TEXT_ROWS)]
    for name in names:
        if rows[name].null_count > _MOSTLY * rows.num_rows:
            there = np.flatnonzero(rows[name].is_valid().to_numpy())
            chosen.append(there[spread(len(there), _OF_FEW)])
    return rows.select(names).take(pa.array(np.unique(np.concatenate(chosen))))


def _is_constant(roles: Mapping[str, ColumnRole], name: str) -> bool:
    return name in roles and roles[name].role is Role.CONSTANT


def _names_rows(roles: Mapping[str, ColumnRole], name: str) -> bool:
    if name not in roles:
        return False
    # A code of numbers of one length is only inferred, and an equation may prove it wrong; a person's declaration
    # stands.
    return roles[name].role in _NO_NUMBERS or (roles[name].declared and roles[name].role is Role.CODE)


def _may_measure(roles: Mapping[str, ColumnRole], name: str, numbers: Numbers) -> bool:
    """Whether numbers are an identifier only because they never repeat: no name, key or row count says so."""
    role = roles[name]
    if role.role is not Role.IDENTIFIER or role.declared or role.is_key or tells_rows(words(name)):
        return False
    values = numbers.values[numbers.there]
    return bool(len(values) and values.max() - values.min() > _COUNTING * len(values))


def _of_texts(search: _Search, some: pa.Table, names: Sequence[str]) -> None:
    texts = {name: some[name].to_pylist() for name in names if is_text(some[name].type)}
    whole = {name: some[name].cast(pa.string()).to_pylist() for name in names if pa.types.is_integer(some[name].type)}
    search.tried["texts"] += len(texts) ** 2 * 10 + len(texts) * len(texts | whole) ** 2
    parts, scope = texts | whole, search.scope
    codes = {name: texts[name] for name in scope.computed(texts)}
    given = {name: parts[name] for name in scope.given(parts)}
    pairs = [(a, b) for a in parts for b in parts if a != b and scope.asks((a, b))]
    proposed = (text_proposals(texts, parts, pairs, search.budget), beginnings(codes, parts, search.budget))
    search.take("texts", chain(*proposed, inscribed(codes, given, search.budget)))


def _of_stamps(search: _Search, some: pa.Table, names: Sequence[str]) -> None:
    scope = search.scope
    codes = {n: some[n].cast(pa.string()).to_pylist() for n in scope.computed(names) if _may_be_stamped(some[n])}
    dates = {name: some[name] for name in moments.moment_columns(some, scope.given(names))}
    search.tried["stamps"] += len(codes) * len(dates) * TRIED * _PLACES
    search.take("stamps", stamps(codes, dates, search.budget))


def _of_checks(search: _Search, names: Sequence[str]) -> None:
    search.tried["check digits"] += len(names) * _PLACES * MODULI
    search.take("check digits", check_digits(search.rows.select(names), search.budget))


def _may_be_checked(rows: pa.Table, roles: Mapping[str, ColumnRole], name: str) -> bool:
    """Whether a column is a code of its own: its parent's check digits are told of the parent."""
    measured = name in roles and roles[name].role in (Role.QUANTITY, Role.REFERENCE)
    return _may_be_stamped(rows[name]) and not measured


def _may_be_stamped(column: pa.ChunkedArray) -> bool:
    return is_text(column.type) or pa.types.is_integer(column.type)


def _of_moments(search: _Search, some: pa.Table, names: Sequence[str], numeric: Sequence[str]) -> None:
    dates, scope, budget = len(moments.moment_columns(some, names)), search.scope, search.budget
    search.tried["days"] += dates**2 * (1 + 12 * len(numeric)) + dates * len(names) * 10
    search.take("days", moments.distances(some, names, budget))
    if scope is not Scope.BESIDE_ROW_BEFORE:
        search.take("days", moments.between(some, names, numeric, budget, scope.solves))
        search.take("days", moments.parts(some, scope.given(names), scope.computed(names), budget))
    search.tried["calendar"] += dates**2 * (30 + 7 * len(numeric)) + dates * len(numeric)
    search.take("calendar", calendars.further_on(some, names, budget))
    if scope is not Scope.BESIDE_ROW_BEFORE:
        search.take("calendar", calendars.full_between(some, names, budget, scope.solves))


def _of_numbers(search: _Search, numbers: Mapping[str, Numbers]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):  # infinite values fit nothing and are no error
        kept = [_for_computed(sample, search.scope) for sample in samples(numbers, search.forms)]
        for sample in kept:
            _try(search, summing_ways(sample))
            if search.scope is not Scope.BESIDE_ROW_BEFORE:
                _try(search, multiplied_ways(sample))
            if search.scope is Scope.ROW:
                _try(search, ways_within_a_row(sample))
        if search.scope is Scope.ROW:
            for gapped in gapped_samples(numbers, search.forms):
                _try(search, ways_with_gaps(gapped))
        if search.scope is Scope.BESIDE_ROW_BEFORE:
            return
        for sample in kept:
            _try(search, ways_of_three(sample))
        for sample in kept:
            _try(search, ways_put_together(sample, frozenset(search.targets)))


def _for_computed(sample: Sample, scope: Scope) -> Sample:
    """The sample with those columns as targets that are computed in a scope."""
    computed = {*scope.computed(sample.names)}
    return replace(sample, targets=tuple(i for i, name in enumerate(sample.names) if name in computed))


def _try(search: _Search, ways: Iterable[Computation]) -> None:
    for way in search.budget.steps(ways):
        search.tried.update(way.tries)
        for proposal in way.propose():
            search.take(way.kind_of(proposal), [proposal])


def _copies(search: _Search, numbers: Mapping[str, Numbers]) -> None:
    """Columns that equal another one, identifiers included, which are not computed with."""
    others = {n: c for n, c in numbers.items() if c.exact and not c.scale}
    for sample in samples(others, search.forms):
        search.tried["copies"] += len(sample.names) ** 2
        for place, column in enumerate(sample.names):
            for other in sample.names[:place]:
                if (sample.numbers[column].values == sample.numbers[other].values).all():
                    search.take("copies", [Proposal(column, Linear((("1", other),)))])


def _told(search: _Search, budget: Budget) -> list[TestedRule]:
    """The equations that hold in all rows, are beyond chance, and do not follow from simpler ones."""
    known = Known()
    found: list[TestedRule] = []
    position = {name: i for i, name in enumerate(search.schema.names)}
    there = _shares_of_rows(search)
    proposed = sorted(search.proposed.values(), key=lambda one: _simplicity(one[0], position, there))
    for equation, way in budget.steps(proposed, lambda one: _cost(one[0], search.rows)):
        if known.has(equation):
            continue
        measured = count(equation, search.rows)
        if measured.holds and measured.population:
            evidence = surprise(equation, search.rows) - search.tries(way)
            if evidence >= GENEROUS:
                known.add(equation)
                found.append(TestedRule(measured, evidence))
    told = [one.constraint for one in found]
    return [_as_a_rate(search, one, told) for one in sorted(found, key=lambda one: -one.evidence)]


def _as_a_rate(search: _Search, one: TestedRule, told: Sequence[Equation]) -> TestedRule:
    """The equation as a rate of the other parts of a sum, if it is one and holds in all rows."""
    for rate in rates_of_the_rest(one.constraint, told, search.forms):
        measured = count(rate, search.rows)
        if measured.holds and measured.population:
            return one._replace(measured=measured)  # the rate may be the equation itself
    return one


def _simplicity(equation: Equation, position: Mapping[str, int], there: Mapping[str, float]) -> tuple[object, ...]:
    """The sort key: simpler first; of two solutions of one equation, the one whose left column has more digits."""
    value = equation.value
    return (
        _shape(value),
        len(value.columns),
        _weighed_down(value),
        -round(_share_judged(equation, there), 1),
        sum(map(written_digits, constants_of(value))),
        -position[equation.column],  # a total stands after its parts
    )


def _shares_of_rows(search: _Search) -> dict[str, float]:
    """The share of rows in which each column has a value, and per numeric column the share in which it is not 0."""
    size = max(1, search.rows.num_rows)
    there = {name: 1 - search.rows[name].null_count / size for name in search.rows.column_names}
    return there | {_DIVIDES + name: _share_that_divides(search.rows[name]) for name in search.forms}


def _share_that_divides(column: pa.ChunkedArray) -> float:
    """The share of a column's values that are not 0."""
    values = column.drop_null()
    return float(pc.mean(pc.not_equal(values, pa.scalar(0, values.type))).as_py() or 0.0) if len(values) else 0.0


def _share_judged(equation: Equation, there: Mapping[str, float]) -> float:
    """The approximate share of rows that an equation judges."""
    least = min(there[name] for name in equation.columns if name not in equation.value.optional)
    return least * there.get(_DIVIDES + equation.value.divisor, 1.0)


def _weighed_down(value: Expression) -> int:
    """How many columns a weighted sum subtracts: a mark is a mean of marks, and is not solved from another mean."""
    weighed = isinstance(value, Linear) and _shape_of_linear(value) == _WEIGHED
    return sum(factor.startswith("-") for factor, _ in value.terms) if weighed and isinstance(value, Linear) else 0


def _shape_of_linear(value: Linear) -> int:
    factors = {factor for factor, _ in value.terms}
    plain = value.constant == "0" and factors <= {"1", "-1"}
    if len(value.terms) == 1:
        return 0 if plain else 1 if factors <= {"1", "-1"} else 3
    if not plain:
        return _WEIGHED
    return 1 if factors == {"1"} else 2


def _shape(value: Expression) -> int:
    """The rank of an expression's form: copies first, then plain sums and products, then forms with constants."""
    if isinstance(value, Linear):
        return _shape_of_linear(value)
    if isinstance(value, Abridged) and value.is_whole:
        return 1
    if isinstance(value, Product):
        return 5 if value.rate else 1 if value.factor == "1" and not value.under else 4
    return next((shape for forms, shape in _SHAPES if isinstance(value, forms)), 1)
