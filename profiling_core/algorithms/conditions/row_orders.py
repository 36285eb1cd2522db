"""Which rows violate an order within a row, ``¬(t.a > t.b)``, whatever columns the predicate space compares."""

from collections.abc import Iterable
from typing import TypeGuard

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.equations.judging import Judged
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.constraint import Constraint, DenialConstraint, Measured
from profiling_core.model.predicate import Operator

_HOLDS = {
    Operator.GT: np.greater,
    Operator.GE: np.greater_equal,
    Operator.LT: np.less,
    Operator.LE: np.less_equal,
    Operator.EQ: np.equal,
    Operator.NE: np.not_equal,
}


def is_row_order(constraint: Constraint) -> TypeGuard[DenialConstraint]:
    """Whether a constraint is a comparison of two columns of a row."""
    return isinstance(constraint, DenialConstraint) and constraint.is_single_row and len(constraint.predicates) == 1


def judge(rule: DenialConstraint, rows: pa.Table) -> Judged:
    """Judges each of n rows; a null on either side violates nothing (docs/semantics.md, "Nulls", ``sql``)."""
    (denied,) = rule.predicates
    left, right = shared_codes([rows[denied.left.column], rows[denied.right.column]], ordered=True)
    violating = (left != NULL) & (right != NULL) & _HOLDS[denied.op](left, right)
    return Judged(np.ones(rows.num_rows, np.bool_), violating)


def figures(rule: DenialConstraint, rows: pa.Table) -> Measured[DenialConstraint]:
    """The order with its figures over some rows: violations among all rows, and how many have both values."""
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
