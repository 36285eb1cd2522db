"""Which rules follow from rules of all kinds together, and so need not be shown.

Each rule entails some denial constraints on the rows of its table: a key and an FD one each; an equation that its right
side determines its left; ``a ≤ b`` the same whether it was found between columns or learnt for one. A rule on rows
follows if these leave no two rows that violate it. Inclusions follow by transitivity, and from a reference with columns
that are the same as the parent's. A row and its parent count as one row, so that orders continue along references; an
equation follows if it is a linear combination of others, and entails that its parts are at most the whole
(:mod:`.parts`). Nulls are ignored (:mod:`profiling_core.algorithms.denial.ranking.implication`): implication decides on
display, never on what holds.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.denial.ranking.implication import KnownConstraints
from profiling_core.algorithms.rules.known_conditions import KnownConditions
from profiling_core.algorithms.rules.known_sequences import KnownSequences
from profiling_core.algorithms.rules.parts import orders_of
from profiling_core.model.constraint import ColumnList, Constraint, DenialConstraint, InclusionDependency, Kind
from profiling_core.model.expression import DatePart, Linear, OnDay, Part, Shifted
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import OF_PARENT, ON_THE_WAY, Beside, ConditionalBeside
from profiling_core.model.predicate import Operand, Operator, Predicate, same_column

# The relative error up to which an equation counts as a combination of others.
_NEGLIGIBLE = 1e-4
# The operator by whether it is strict (more) or not (at least), and whether the column counts upwards.
_MORE = {
    (True, True): Operator.GT,
    (True, False): Operator.LT,
    (False, True): Operator.GE,
    (False, False): Operator.LE,
}
# Of the rules of parents those that hold for their children likewise, besides orders.
_CARRIED = (Kind.FD, Kind.CONDITIONAL)
_OF_THE_CLOCK = (DatePart.HOUR, DatePart.MINUTE)


# Further facts: on rows, perhaps with their parents, and on other tables' references.
class Flag(NamedTuple):
    """A column that has two values."""

    table: str
    column: str


class Least(NamedTuple):
    """The least value of a column, which is not below zero."""

    table: str
    column: str
    value: float


Given = DenialConstraint | Conditional | InclusionDependency | Flag | Least
# A linear equation as its columns' factors; with the constant (under the empty name) they add up to zero.
_Factors = dict[str, float]


class KnownRules:
    """Rules of a dataset that hold, of all kinds, and what follows from them."""

    def __init__(self, rules: Iterable[Constraint] = (), given: Iterable[Given] = ()) -> None:
        self._rows: defaultdict[str, KnownConstraints] = defaultdict(KnownConstraints)
        self._within: defaultdict[ColumnList, set[ColumnList]] = defaultdict(set)
        self._copies: defaultdict[tuple[ColumnList, ColumnList], set[tuple[str, str]]] = defaultdict(set)
        self._sums: defaultdict[str, list[_Factors]] = defaultdict(list)
        facts = [*given]
        self._flags = {fact for fact in facts if isinstance(fact, Flag)}
        self._least: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for fact in facts:
            if isinstance(fact, Least):
                self._least[fact.table][fact.column] = fact.value
        self._conditions: dict[str, KnownConditions] = {}
        self._said: set[str] = set()
        self._sequences = KnownSequences()
        for rule in rules:
            self.add(rule)
        for fact in facts:
            if isinstance(fact, InclusionDependency):
                self._include(fact)
            elif isinstance(fact, DenialConstraint):
                self._rows[fact.table].add(fact)
            elif isinstance(fact, Conditional):
                self._conditions_of(fact.table).add(fact)

    def add(self, rule: Constraint) -> None:
        """Adds a rule that holds."""
        self._said.add(rule.fingerprint)
        self._sequences.add(rule)
        if isinstance(rule, InclusionDependency):
            self._include(rule)
        if isinstance(rule, ReferenceRule) and isinstance(rule.relation, Beside) and rule.relation.op == Operator.EQ:
            copy = (rule.relation.column, rule.relation.other)
            self._copies[rule.child, rule.parent].update([copy] if not rule.relation.day_of else [])
        if condition := _condition(rule):
            self._conditions_of(rule.tables[0]).add(condition)
        if factors := _factors(rule):
            self._sums[rule.tables[0]].append(factors)
        parts = ((_exceeds(*pair),) for pair in orders_of(rule, self._least[rule.tables[0]]))
        for denied in (*rule.entails, *parts, *_beside_parent(rule), *_turned_round(rule), *_grown_together(rule)):
            self._rows[rule.tables[0]].add(DenialConstraint(rule.tables[0], denied))

    def _conditions_of(self, table: str) -> KnownConditions:
        if table not in self._conditions:
            self._conditions[table] = KnownConditions({flag.column for flag in self._flags if flag.table == table})
        return self._conditions[table]

    def _include(self, rule: InclusionDependency) -> None:
        """Adds an inclusion, and the inclusions of its columns one by one."""
        self._within[rule.lhs].add(rule.rhs)
        for own, theirs in zip(rule.lhs.columns, rule.rhs.columns, strict=True):
            self._within[ColumnList(rule.lhs.table, (own,))].add(ColumnList(rule.rhs.table, (theirs,)))

    def imply(self, rule: Constraint) -> bool:
        """Whether a rule follows from the known ones."""
        if rule.fingerprint in self._said:
            return True
        if isinstance(rule, InclusionDependency):
            return rule.rhs in self._reachable(rule.lhs) or self._is_copied(rule)
        table = rule.tables[0]
        if self._sequences.imply(rule, partial(self._at_most, table)):
            return True
        if condition := _condition(rule):
            return self._conditions_of(table).imply(condition)
        if factors := _factors(rule):
            return _is_sum(factors, self._sums[table])
        said = _beside_parent(rule) or ((rule.denied,) if rule.denied else ())
        return bool(said) and self._rows[table].imply(DenialConstraint(table, said[0]))

    def _at_most(self, table: str, low: str, high: str) -> bool:
        return self._rows[table].imply(DenialConstraint(table, (_exceeds(low, high),)))

    def _is_copied(self, rule: InclusionDependency) -> bool:
        """Whether an inclusion is a reference of some of its columns, and of the others copies from the parent."""
        pairs = {*zip(rule.lhs.columns, rule.rhs.columns, strict=True)}
        for (child, parent), copies in self._copies.items():
            referring = {*zip(child.columns, parent.columns, strict=True)}
            same = (child.table, parent.table) == (rule.lhs.table, rule.rhs.table)
            if same and referring <= pairs <= referring | copies and parent in self._reachable(child):
                return True
        return False

    def _reachable(self, start: ColumnList) -> set[ColumnList]:
        found: set[ColumnList] = set()
        waiting = [start]
        while waiting:
            fresh = self._within[waiting.pop()] - found
            found |= fresh
            waiting += fresh
        return found


def _beside_parent(rule: Constraint) -> tuple[tuple[Predicate, ...], ...]:
    """The denial constraint of a row beside its parent, with the parent's columns as further columns of the row."""
    if not isinstance(rule, ReferenceRule) or not isinstance(rule.relation, Beside):
        return ()
    by_day = rule.relation.by_day
    own = Operand("t", _of_child(rule, rule.relation.column), by_day[0])
    far = Operand("t", _of_parent(rule, rule.relation.other), by_day[1])
    return ((Predicate(own, Operator(rule.relation.op).inverse, far),),)


def _condition(rule: Constraint) -> Conditional | None:
    """The conditional rule that a rule is; beside a parent, with the parent's columns as further columns of the row."""
    if isinstance(rule, Conditional):
        return rule
    if not isinstance(rule, ReferenceRule) or not isinstance(rule.relation, ConditionalBeside):
        return None
    theirs = {OF_PARENT + name: _of_parent(rule, name) for name in rule.relation.others}
    return rule.relation.rule.renamed({"": theirs | {name: _of_child(rule, name) for name in rule.relation.columns}})


def _of_child(rule: ReferenceRule, name: str) -> str:
    """The name of a child's column; one of the row on the way is a column of the child's first parent."""
    return _far(rule.via, name.removeprefix(ON_THE_WAY)) if name.startswith(ON_THE_WAY) else name


def _of_parent(rule: ReferenceRule, name: str) -> str:
    """The name of a column of the parent's row, or of the grandparent's, as a parent of the row on the way."""
    if not any(column.startswith(ON_THE_WAY) for column in rule.child.columns):
        return _far((rule.child, rule.parent), name)
    referring = tuple(column.removeprefix(ON_THE_WAY) for column in rule.child.columns)
    return _far(rule.via, _far((ColumnList(rule.via[1].table, referring), rule.parent), name))


def _turned_round(rule: Constraint) -> tuple[tuple[Predicate, ...], ...]:
    """Constraints of an equation of two columns without factors: each determines the other; a copy equals its row."""
    if isinstance(rule, Equation) and isinstance(rule.value, Shifted):
        return (_gives(rule.column, rule.value.column), _lies_apart(rule.column, rule.value))
    if isinstance(rule, Equation) and isinstance(rule.value, OnDay | Part):
        return _by_the_day(rule.column, rule.value)
    if not isinstance(rule, Equation) or not isinstance(rule.value, Linear) or rule.precision.is_loose:
        return ()
    if len(rule.value.terms) != 1 or rule.value.terms[0][0] not in {"1", "-1"}:
        return ()
    other = rule.value.terms[0][1]
    inverse = _gives(rule.column, other)
    differ = (Predicate(Operand("t", rule.column), Operator.NE, Operand("t", other)),)
    return (inverse, differ) if rule.is_copy else (inverse,)


def _lies_apart(column: str, value: Shifted) -> tuple[Predicate, ...]:
    """The order of a date and another date some days away."""
    beyond = Operator.LE if value.amount > 0 else Operator.GE
    return (Predicate(Operand("t", column), beyond, Operand("t", value.column)),)


def _grown_together(rule: Constraint) -> Iterator[tuple[Predicate, ...]]:
    """The constraints on two rows from a plain sum, or a date at a fixed distance: a greater summand, a greater sum.

    Give each column its sign in ``parts − whole = constant``. Between two rows no column can be greater unless another
    is
    less.
    """
    if not isinstance(rule, Equation) or rule.precision.is_loose:
        return
    terms = [("1", rule.value.column)] if isinstance(rule.value, Shifted) else getattr(rule.value, "terms", ())
    if any(factor not in {"1", "-1"} for factor, _ in terms):
        return
    signed = [(rule.column, False), *((name, factor == "1") for factor, name in terms)] if terms else []
    for grown, _ in signed:
        yield tuple(same_column(name, _MORE[name == grown, up]) for name, up in signed)


def _by_the_day(column: str, value: OnDay | Part) -> tuple[tuple[Predicate, ...], ...]:
    """The dependencies on a moment's day: its year and month; and days at a fixed distance, which also determine it."""
    if isinstance(value, Part) and value.part in _OF_THE_CLOCK:
        return ()
    day = f"date({value.column})"
    gives = (_gives(value.column, day), _gives(day, column))
    if isinstance(value, Part) and value.part != DatePart.DATE:
        return gives
    return (*gives, _gives(column, day), _not_within(column, value))


def _not_within(column: str, value: OnDay | Part) -> tuple[Predicate, ...]:
    """The order of a moment and its own day or an earlier one, which begin before it; a later day begins after it."""
    later = isinstance(value, OnDay) and value.days > 0
    return (Predicate(Operand("t", column), Operator.LE if later else Operator.GT, Operand("t", value.column)),)


def _exceeds(low: str, high: str) -> Predicate:
    """What the order of two columns denies."""
    return Predicate(Operand("t", low), Operator.GT, Operand("t", high))


def _gives(column: str, other: str) -> tuple[Predicate, Predicate]:
    """The dependency of a column on another one."""
    return same_column(column, Operator.EQ), same_column(other, Operator.NE)


def _far(reference: Sequence[ColumnList], column: str) -> str:
    """The name of a column of the parent's row along a reference, which is given by its sides."""
    child, parent = reference
    return f"{','.join(child.columns)}→{parent.table}.({','.join(parent.columns)}).{column}"


def given_besides(
    references: Sequence[InclusionDependency], rules: Mapping[str, Sequence[Constraint]]
) -> dict[str, list[Given]]:
    """By table what its rules need not say because other tables do: their references, and what holds for parents.

    Args:
        references: the inclusions that read as references.
        rules: by table the rules within it.
    """
    telling = {
        table: [r for r in found if r.kind in _CARRIED or (r.kind is Kind.DC and len(r.columns) == 2)]
        for table, found in rules.items()
    }
    given: dict[str, list[Given]] = {table: [r for r in references if r.lhs.table != table] for table in rules}
    at_first = at_parents(references, telling)
    for denied in (*at_first, *at_parents(references, _carried_on(at_first, rules))):
        if denied.table in given:
            given[denied.table].append(denied)
    return given


def _carried_on(
    at_first: Iterable[Constraint], rules: Mapping[str, Sequence[Constraint]]
) -> dict[str, list[Constraint]]:
    """By table how its rows stand to their parents, and the orders of these: both hold for the rows' own children."""
    beside = {table: [one for one in found if _beside_parent(one)] for table, found in rules.items()}
    carried: defaultdict[str, list[Constraint]] = defaultdict(list, beside)
    for one in at_first:
        if isinstance(one, DenialConstraint) and len(one.predicates) == 1:
            carried[one.table].append(one)
    return carried


def at_parents(
    references: Iterable[InclusionDependency], rules: Mapping[str, Iterable[Constraint]]
) -> list[DenialConstraint | Conditional]:
    """The rules within referenced tables as rules on rows with their parents.

    Args:
        references: the inclusions that read as references.
        rules: by table the orders within a row, the dependencies and the conditional rules. Keys do not carry over,
            since two rows may have one parent. Parents in the same table are left out, so that its own rules do not
            imply themselves.
    """
    return [
        _at_parent(reference, rule)
        for reference in references
        if reference.lhs.table != reference.rhs.table
        for rule in rules.get(reference.rhs.table, ())
    ]


def _at_parent(reference: InclusionDependency, rule: Constraint) -> DenialConstraint | Conditional:
    if isinstance(rule, Conditional):
        names = {name: _far(reference.sides, name) for name in rule.columns}
        return replace(rule.renamed({rule.table: names}), table=reference.lhs.table)
    denied = rule.denied or _beside_parent(rule)[0]
    return DenialConstraint(reference.lhs.table, tuple(_at_row(predicate, reference) for predicate in denied))


def _at_row(predicate: Predicate, reference: InclusionDependency) -> Predicate:
    left, right = (replace(one, column=_far(reference.sides, one.column)) for one in (predicate.left, predicate.right))
    return Predicate(left, predicate.op, right)


def _factors(rule: Constraint) -> _Factors:
    """The factors of a linear equation; empty for another rule."""
    if not isinstance(rule, Equation) or not isinstance(rule.value, Linear) or rule.precision.is_loose:
        return {}
    right = {column: float(Fraction(factor)) for factor, column in rule.value.terms}
    return {rule.column: -1.0, "": float(Fraction(rule.value.constant)), **right}


def _is_sum(factors: _Factors, known: list[_Factors]) -> bool:
    """Whether factors are a linear combination of known equations, within the rounding of constants."""
    columns = sorted({name for one in (factors, *known) for name in one})
    if not known:
        return False
    matrix = np.array([[one.get(name, 0.0) for name in columns] for one in known]).T
    asked = np.array([factors.get(name, 0.0) for name in columns])
    found, *_ = np.linalg.lstsq(matrix, asked)
    return bool(np.abs(matrix @ found - asked).max() <= _NEGLIGIBLE * np.abs(asked).max())
