"""Which rows violate an order within a row, ``¬(t.a > t.b)``, for any columns, also outside the predicate space."""

from collections.abc import Iterable
from typing import NamedTuple, TypeGuard

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.equations.comparing import HOLDS
from profiling_core.algorithms.equations.judging import Judged
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.consequent import Ordered
from profiling_core.model.constraint import Conditional, Constraint, DenialConstraint, Measured
from profiling_core.model.predicate import Operand, Operator


def is_row_order(constraint: Constraint) -> TypeGuard[DenialConstraint]:
    """Whether a constraint is a comparison of two columns of a row."""
    return isinstance(constraint, DenialConstraint) and constraint.is_single_row and len(constraint.predicates) == 1


class RowOrder(NamedTuple):
    """An order within a row: the lesser column, the greater one, and whether equal values violate it."""

    low: str
    high: str
    strict: bool


def row_order(constraint: Constraint) -> RowOrder | None:
    """The order within a row that a constraint of any kind states; None: it states none."""
    if len(constraint.denied) != 1 or not constraint.denied[0].is_single_row:
        return None
    (denied,) = constraint.denied
    strict, columns = denied.op in (Operator.GE, Operator.LE), (denied.left.column, denied.right.column)
    if denied.op in (Operator.GT, Operator.GE):
        return RowOrder(*columns, strict)
    return RowOrder(*columns[::-1], strict) if denied.op in (Operator.LT, Operator.LE) else None


def order_asked(constraint: Constraint) -> RowOrder | None:
    """The order within a row that a constraint states, or requires where its condition is met; None: neither."""
    if not isinstance(constraint, Conditional):
        return row_order(constraint)
    then = constraint.then
    if constraint.both_ways or not isinstance(then, Ordered) or Operator(then.op) is Operator.EQ:
        return None
    rises = Operator(then.op) in (Operator.LT, Operator.LE)
    sides = (then.left, then.right) if rises else (then.right, then.left)
    return RowOrder(*sides, Operator(then.op) in (Operator.LT, Operator.GT))


def judge(rule: DenialConstraint, rows: pa.Table) -> Judged:
    """Judges each of n rows; a null on either side violates nothing (docs/semantics.md, "Nulls", ``sql``)."""
    (denied,) = rule.predicates
    left, right = shared_codes([_values(rows, side) for side in (denied.left, denied.right)], ordered=True)
    violating = (left != NULL) & (right != NULL) & HOLDS[denied.op](left, right)
    return Judged(np.ones(rows.num_rows, np.bool_), violating)


def _values(rows: pa.Table, operand: Operand) -> pa.ChunkedArray:
    return rows[operand.column].cast(pa.date32()) if operand.by_day else rows[operand.column]


def figures(rule: DenialConstraint, rows: pa.Table) -> Measured[DenialConstraint]:
    """The order with its figures: violations among all rows, and as support the rows with both values."""
    valued = [rows[name].is_valid().to_numpy() for name in rule.columns]
    both = int(np.logical_and(*valued).sum())
    return Measured(rule, int(judge(rule, rows).violating.sum()), rows.num_rows, both)


def recount(
    before: Measured, rule: DenialConstraint, come: Iterable[pa.Table], go: Iterable[pa.Table]
) -> Measured[DenialConstraint]:
    """The order with its figures after rows have come and gone."""
    violations, population, support = before.violations, before.population, before.support
    for sign, batches in ((1, come), (-1, go)):
        for rows in batches:
            more = figures(rule, rows)
            violations += sign * more.violations
            population += sign * more.population
            support += sign * more.support
    return Measured(rule, violations, population, support)
