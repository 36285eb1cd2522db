"""Constraints as SQL: the rows that violate one, and how many violations among how much.

Built as syntax trees, so that no name or value can break out: columns and tables are quoted whatever they are called.
The row identity ``_row_id`` tells two equal rows apart. How each kind is written stands in ``emit/kinds``.
"""

from collections.abc import Collection
from itertools import count

from sqlglot import exp

from profiling_core.emit.kinds.form import Schemas
from profiling_core.emit.kinds.registry import form_of
from profiling_core.model.constraint import Constraint
from profiling_core.model.types import NullSemantics


def violating_rows(constraint: Constraint, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """The rows of the constraint's (included) table that take part in a violation, each once.

    They show the constraint's columns, the table's key and ``_row_id``. Both tables of an IND are read by their names.

    Raises:
        InexpressibleError: SQL has no exact comparison for the columns' types.
        KeyError: a table or column is not in ``schemas``.
    """
    return _told_apart(form_of(constraint).rows(constraint.familiar, schemas, nulls), constraint, schemas)


def violation_count(constraint: Constraint, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """One row with one bigint column, ``violations``; raises as :func:`violating_rows` does."""
    return _told_apart(form_of(constraint).violations(constraint.familiar, schemas, nulls), constraint, schemas)


def population(constraint: Constraint, schemas: Schemas) -> exp.Select:
    """One row with one bigint column, ``population``: what the violations are counted among."""
    return _told_apart(form_of(constraint).population(constraint.familiar, schemas), constraint, schemas)


def _told_apart(query: exp.Select, constraint: Constraint, schemas: Schemas) -> exp.Select:
    """The query with aliases that no column is called by: Spark and DuckDB read ``t.a`` as a field of a column t."""
    columns = {name.lower() for table in constraint.tables for name in schemas[table].names}
    aliases = {found.name for found in query.find_all(exp.TableAlias)}
    free = {alias: _free(alias, columns) for alias in aliases if alias.lower() in columns}
    for part in query.find_all(exp.TableAlias, exp.Column) if free else ():
        place = "this" if isinstance(part, exp.TableAlias) else "table"
        if (called := part.text(place)) in free:
            part.set(place, exp.to_identifier(free[called]))
    return query


def _free(alias: str, columns: Collection[str]) -> str:
    return next(name for name in (f"{alias}_{number}" for number in count(1)) if name not in columns)


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
