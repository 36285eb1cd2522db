"""Equations, conditional rules, orders within a row and rules along a sequence behind one interface."""

from collections.abc import Iterable
from typing import TypeGuard

import pyarrow as pa

from profiling_core.algorithms.conditions import counting as conditions
from profiling_core.algorithms.conditions import row_orders
from profiling_core.algorithms.conditions.judging import judge as judge_conditional
from profiling_core.algorithms.equations import counting as equations
from profiling_core.algorithms.equations.judging import Judged
from profiling_core.algorithms.equations.judging import judge as judge_equation
from profiling_core.algorithms.equations.repairs import wanted
from profiling_core.algorithms.references import previous
from profiling_core.model.constraint import DenialConstraint, Measured
from profiling_core.model.diagnosis import Repair, Replacement
from profiling_core.model.expression import CheckDigits, Inscribed
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.sequence import SequenceRule

RowRule = Equation | Conditional | DenialConstraint | SequenceRule


def of_pairs(rule: RowRule) -> TypeGuard[SequenceRule]:
    """Whether the rule is on pairs of rows: a row and the one before."""
    return isinstance(rule, SequenceRule)


def judge(rule: RowRule, rows: pa.Table) -> Judged:
    """Judges each row by a rule on single rows."""
    if isinstance(rule, SequenceRule):
        raise TypeError(f"a rule between rows: {rule.text}")
    if isinstance(rule, DenialConstraint):
        return row_orders.judge(rule, rows)
    return judge_equation(rule, rows) if isinstance(rule, Equation) else judge_conditional(rule, rows)


def count(rule: RowRule, rows: pa.Table) -> Measured[RowRule]:
    """The rule with its figures on a table."""
    if isinstance(rule, SequenceRule):
        return previous.count(rule, rows)
    if isinstance(rule, DenialConstraint):
        return row_orders.figures(rule, rows)
    return equations.count(rule, rows) if isinstance(rule, Equation) else conditions.count(rule, rows)


def recount(
    before: Measured[RowRule], come: Iterable[pa.Table], go: Iterable[pa.Table], beside: pa.Table | None = None
) -> Measured[RowRule]:
    """The rule with its figures after rows have come and gone; ``beside``: of rules along a sequence."""
    rule = before.constraint
    if isinstance(rule, SequenceRule):
        return previous.recount(before, rule, come, go, beside)
    if isinstance(rule, Equation):
        return equations.recount(before, rule, come, go)
    if isinstance(rule, DenialConstraint):
        return row_orders.recount(before, rule, come, go)
    return conditions.recount(Measured(rule, before.violations, before.population), come, go)


def computed_columns(holding: Iterable[RowRule]) -> frozenset[str]:
    """The columns that equations compute: where these hold, another equation's error is in another column."""
    return frozenset(rule.column for rule in holding if isinstance(rule, Equation))


def repair(rule: RowRule, rows: pa.Table, count: int) -> Repair | None:
    """The repair of rows that violate an equation: the value it gives; None for other rules.

    Other rules allow many values. Where a code contains a text, or check digits, another part may be wrong.

    Args:
        rule: the rule.
        rows: some of the rows that violate it.
        count: how many there are.
    """
    if not isinstance(rule, Equation) or isinstance(rule.value, CheckDigits | Inscribed):
        return None
    texts = ([None if v is None else str(v) for v in rows[column].to_pylist()] for column in rule.columns)
    cells = [dict(zip(rule.columns, row, strict=True)) for row in zip(*texts, strict=True)]
    examples = (
        Replacement({c: cell[c] for c in rule.value.columns}, cell[rule.column], right, 1)
        for cell, right in zip(cells, wanted(rule, rows), strict=True)
    )
    return Repair(count, rule.column, tuple(examples))
