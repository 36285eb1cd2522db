"""Constraints as SQL: the rows that violate one, and how many violations among how much.

Built as syntax trees, so that no name or value can break out: columns and tables are quoted whatever they are called.
The row identity ``_row_id`` tells two equal rows apart. ``FORMS`` is the one place that says how each kind is written.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from profiling_core.emit import columns, counts
from profiling_core.emit.counts import Schemas
from profiling_core.emit.denial import rows_breaking_dc
from profiling_core.emit.dependencies import rows_breaking_fd, rows_breaking_ind, rows_breaking_ucc
from profiling_core.model.constraint import Constraint, DenialConstraint, Kind
from profiling_core.model.types import NullSemantics

Written = Callable[[Any, Schemas, NullSemantics], exp.Select]


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of constraint in SQL: violating rows, their count, and what they are counted among."""

    rows: Written
    violations: Written
    population: Callable[[Any, Schemas], exp.Select]


FORMS: Mapping[Kind, Form] = {
    Kind.DC: Form(rows_breaking_dc, counts.violations_of_dc, counts.pairs_or_rows),
    Kind.FD: Form(rows_breaking_fd, counts.violations_of_fd, counts.pairs_or_rows),
    Kind.UCC: Form(rows_breaking_ucc, counts.violations_of_ucc, counts.pairs_or_rows),
    Kind.IND: Form(rows_breaking_ind, counts.violations_of_ind, counts.included_values),
    Kind.COLUMN: Form(columns.rows_breaking_rule, columns.violations_of_rule, columns.judged_rows),
}


def familiar(constraint: Constraint) -> Constraint:
    """The constraint as the FD or UCC that says the same, where one does."""
    return constraint.familiar if isinstance(constraint, DenialConstraint) else constraint


def violating_rows(constraint: Constraint, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """The rows of the constraint's (included) table that take part in a violation, each once.

    They show the constraint's columns, the table's key and ``_row_id``. Both tables of an IND are read by their names.

    Raises:
        InexpressibleError: SQL has no exact comparison for the columns' types.
        KeyError: a table or column is not in ``schemas``.
    """
    known = familiar(constraint)
    return FORMS[known.kind].rows(known, schemas, nulls)


def violation_count(constraint: Constraint, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """One row with one bigint column, ``violations``; raises as :func:`violating_rows` does."""
    known = familiar(constraint)
    return FORMS[known.kind].violations(known, schemas, nulls)


def population(constraint: Constraint, schemas: Schemas) -> exp.Select:
    """One row with one bigint column, ``population``: what the violations are counted among."""
    known = familiar(constraint)
    return FORMS[known.kind].population(known, schemas)


def only_beyond(
    query: exp.Select, tolerance: float, constraint: Constraint, schemas: Schemas, nulls: NullSemantics
) -> exp.Select:
    """The query's rows where the constraint's error exceeds the tolerance; no row where it does not."""
    violations = exp.cast(violation_count(constraint, schemas, nulls).subquery(), "DOUBLE")
    among = exp.Nullif(this=population(constraint, schemas).subquery(), expression=exp.convert(0))
    limit = exp.cast(exp.Literal.string(repr(tolerance)), "DOUBLE")
    return query.where(exp.GT(this=exp.Div(this=violations, expression=among), expression=limit))


def other_tables(constraint: Constraint) -> tuple[str, ...]:
    """The tables beside the batch's own that the SQL reads, by their names."""
    return constraint.tables[1:]
