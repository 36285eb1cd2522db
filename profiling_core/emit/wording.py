"""Constraints in plain words, as suites, alerts and reports say them."""

from collections.abc import Sequence

from profiling_core.model.column_rule import ColumnRule, Rule
from profiling_core.model.constraint import (
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
)
from profiling_core.model.predicate import Operand, Operator, Predicate

_VERB = {
    Operator.EQ: "equals",
    Operator.NE: "differs from",
    Operator.LT: "is less than",
    Operator.LE: "is at most",
    Operator.GT: "is greater than",
    Operator.GE: "is at least",
}
_BETWEEN_ROWS = {
    Operator.EQ: "the same",
    Operator.NE: "a different",
    Operator.LT: "a smaller",
    Operator.LE: "a smaller or equal",
    Operator.GT: "a greater",
    Operator.GE: "a greater or equal",
}
_WITHIN_ROW = {
    Operator.EQ: "equal to",
    Operator.NE: "different from",
    Operator.LT: "less than",
    Operator.LE: "at most",
    Operator.GT: "greater than",
    Operator.GE: "at least",
}


def in_words(constraint: Constraint) -> str:
    """One sentence that says what the constraint asks of the data; names stand as they are."""
    if isinstance(constraint, DenialConstraint):
        familiar = constraint.familiar
        return _denial(constraint) if isinstance(familiar, DenialConstraint) else in_words(familiar)
    if isinstance(constraint, FunctionalDependency):
        return _functional(constraint)
    if isinstance(constraint, UniqueColumnCombination):
        return _unique(constraint)
    return _rule(constraint) if isinstance(constraint, ColumnRule) else _inclusion(constraint)


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _functional(fd: FunctionalDependency) -> str:
    (rhs,) = fd.rhs.columns
    if not fd.lhs.columns:
        return f"All rows of {fd.lhs.table} have the same {rhs}."
    return f"Rows of {fd.lhs.table} that agree on {listed(fd.lhs.columns)} have the same {rhs}."


def _unique(ucc: UniqueColumnCombination) -> str:
    if not ucc.columns:
        return f"{ucc.lhs.table} has at most one row."
    return f"No two rows of {ucc.lhs.table} have the same {listed(ucc.columns)}."


def _inclusion(ind: InclusionDependency) -> str:
    left, right = listed(ind.lhs.columns), listed(ind.rhs.columns)
    every = "Every" if len(ind.lhs.columns) == 1 else "Every combination of"
    return f"{every} {left} in {ind.lhs.table} occurs as {right} in {ind.rhs.table}."


def _rule(rule: ColumnRule) -> str:
    column, table = rule.column, rule.table
    said = {
        Rule.NOT_NULL: f"Every row of {table} has a value in {column}.",
        Rule.VALUES: f"{column} in {table} is one of {rule.some_values}.",
        Rule.RANGE: f"{column} in {table} is {_bounds(rule)}.",
        Rule.LENGTH: f"{column} in {table} has {_bounds(rule)} characters.",
        Rule.PATTERN: f"{column} in {table} looks like {' or '.join(rule.values)} (9: digits, a and A: letters).",
        Rule.NULL_SHARE: f"No more rows of a delta of {table} than usual lack a value in {column}.",
        Rule.RISING: f"No delta of {table} brings values of {column} that lie before those of earlier deltas.",
        Rule.FRESH: f"The newest {column} in a delta of {table} is as recent as usual.",
        Rule.ROW_COUNT: f"A delta of {table} has about as many rows as usual, on its weekday where days are known.",
        Rule.ONE_VALUE: f"All rows of a delta of {table} have the same {column}.",
        Rule.NEW_VALUES: f"A delta of {table} brings no unusual new {column}: too many, or misspelt.",
        Rule.NEW_WORDS: f"A delta of {table} brings no unusual new words in {column}: too many, or misspelt.",
        Rule.EXTREMES: f"A delta of {table} brings no {column} far beyond those of the deltas before, as it moves.",
        Rule.NULL_WITH: f"A row of {table} without {column} has no {_either(rule.others)} either.",
        Rule.AT_MOST: f"In a row of {table}, {column} is at most {listed(rule.others)}.",
        Rule.REPEATED: f"No more rows than usual come twice in a delta of {table}.",
    }
    return said[rule.rule]


def _either(names: Sequence[str]) -> str:
    return " or ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def _bounds(rule: ColumnRule) -> str:
    if rule.low == rule.high:
        return f"exactly {rule.low}"
    bounds = {"at least": rule.low, "at most": rule.high}
    return " and ".join(f"{words} {bound}" for words, bound in bounds.items() if bound is not None)


def _denial(dc: DenialConstraint) -> str:
    if dc.is_single_row:
        return f"No row of {dc.table} has {' while '.join(_single(p) for p in dc.predicates)}."
    if all(p.is_same_column for p in dc.predicates):
        parts = [f"{_BETWEEN_ROWS[p.op]} {p.left.column}" for p in dc.predicates]
        return f"No row of {dc.table} has {listed(parts)} compared with another row."
    return f"No two rows t and s of {dc.table} exist where {' and '.join(_cross(p) for p in dc.predicates)}."


def _single(predicate: Predicate) -> str:
    return f"{predicate.left.column} {_WITHIN_ROW[predicate.op]} {predicate.right.column}"


def _cross(predicate: Predicate) -> str:
    return f"{_operand(predicate.left)} {_VERB[predicate.op]} {_operand(predicate.right)}"


def _operand(operand: Operand) -> str:
    return f"{operand.column} of {operand.tuple}"
