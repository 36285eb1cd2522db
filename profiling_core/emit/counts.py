"""How many violations there are, as SQL: the same figures that the maintained state holds, counted independently.

Ordered pairs for DCs, FDs and UCCs, rows for single-row DCs, distinct missing values for INDs (docs/semantics.md).
FDs and UCCs are counted from group sizes: a group of n rows in which value a occurs n_a times has n² − Σ n_a² pairs.
"""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from profiling_core.emit.comparison import Value, name, not_null, value_of
from profiling_core.emit.denial import conditions
from profiling_core.emit.dependencies import rows_breaking_ind
from profiling_core.emit.source import row_id, source
from profiling_core.model.constraint import (
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
)
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics


def violation_count(constraint: Constraint, schemas: Mapping[str, TableSchema], nulls: NullSemantics) -> exp.Select:
    """One row with one bigint column, ``violations``.

    Raises:
        InexpressibleError: SQL has no exact comparison for the columns' types.
    """
    schema = schemas[constraint.tables[0]]
    if isinstance(constraint, DenialConstraint):
        familiar = constraint.familiar
        if not isinstance(familiar, DenialConstraint):
            return violation_count(familiar, schemas, nulls)
        return _pairs_or_rows(constraint, schema, nulls)
    if isinstance(constraint, FunctionalDependency):
        return _disagreeing_pairs(constraint, schema, nulls)
    if isinstance(constraint, UniqueColumnCombination):
        return _equal_pairs(constraint, schema, nulls)
    return _missing_values(constraint, schema, schemas[constraint.rhs.table])


def population(constraint: Constraint, schemas: Mapping[str, TableSchema]) -> exp.Select:
    """One row with one bigint column: what the violations are counted among."""
    schema = schemas[constraint.tables[0]]
    if isinstance(constraint, InclusionDependency):
        values = [value_of(schema.column(c), "t") for c in constraint.lhs.columns]
        distinct = exp.select(*(v.expression for v in values)).distinct()
        distinct = distinct.from_(source(schema, constraint.lhs.columns, "t")).where(*(not_null(v) for v in values))
        return exp.select(_rows().as_("population")).from_(distinct.subquery("d"))
    everything = exp.Table(this=name(schema.table))
    if isinstance(constraint, DenialConstraint) and constraint.is_single_row:
        return exp.select(_rows().as_("population")).from_(everything)
    others = exp.paren(exp.Sub(this=_rows(), expression=exp.convert(1)))
    return exp.select(exp.Mul(this=_rows(), expression=others).as_("population")).from_(everything)


def only_beyond(
    query: exp.Select,
    tolerance: float,
    constraint: Constraint,
    schemas: Mapping[str, TableSchema],
    nulls: NullSemantics,
) -> exp.Select:
    """The query's rows where the constraint's error exceeds the tolerance; no row where it does not."""
    violations = exp.cast(violation_count(constraint, schemas, nulls).subquery(), "DOUBLE")
    among = exp.Nullif(this=population(constraint, schemas).subquery(), expression=exp.convert(0))
    error = exp.Div(this=violations, expression=among)
    limit = exp.cast(exp.Literal.string(repr(tolerance)), "DOUBLE")
    return query.where(exp.GT(this=error, expression=limit))


def _rows() -> exp.Count:
    return exp.Count(this=exp.Star())


def _total(expression: exp.Expr) -> exp.Expr:
    total = exp.Coalesce(this=exp.Sum(this=expression), expressions=[exp.convert(0)])
    return exp.alias_(exp.cast(total, "BIGINT"), "violations")


def _pairs_or_rows(dc: DenialConstraint, schema: TableSchema, nulls: NullSemantics) -> exp.Select:
    query = exp.select(exp.alias_(_rows(), "violations")).from_(source(schema, dc.columns, "t"))
    holds = conditions(dc.predicates, schema, nulls, "t", "s")
    if dc.is_single_row:
        return query.where(*holds)
    on = exp.and_(*holds, exp.NEQ(this=row_id("t"), expression=row_id("s")))
    return query.join(source(schema, dc.columns, "s"), on=on, join_type="inner")


def _grouped(schema: TableSchema, columns: Sequence[str], nulls: NullSemantics) -> tuple[exp.Select, list[exp.Expr]]:
    """Rows per combination of the columns' values as ``c``, the values named k0, k1 and so on."""
    values = [value_of(schema.column(c), "g") for c in columns]
    query = exp.select(*(exp.alias_(v.expression, f"k{i}") for i, v in enumerate(values)), exp.alias_(_rows(), "c"))
    query = query.from_(source(schema, columns, "g"))
    if values:
        query = query.group_by(*(v.expression.copy() for v in values))
    if nulls is NullSemantics.SQL:
        query = query.where(*(not_null(v) for v in values))
    return query, [exp.column(f"k{i}") for i in range(len(values))]


def _equal_pairs(ucc: UniqueColumnCombination, schema: TableSchema, nulls: NullSemantics) -> exp.Select:
    groups, _ = _grouped(schema, ucc.columns, nulls)
    size = exp.column("c")
    others = exp.paren(exp.Sub(this=size.copy(), expression=exp.convert(1)))
    return exp.select(_total(exp.Mul(this=size, expression=others))).from_(groups.subquery("d"))


def _disagreeing_pairs(fd: FunctionalDependency, schema: TableSchema, nulls: NullSemantics) -> exp.Select:
    per_value, keys = _grouped(schema, fd.columns, nulls)
    size = exp.column("c")
    square = exp.Mul(this=size.copy(), expression=size.copy())
    per_group = exp.select(exp.alias_(exp.Sum(this=size.copy()), "n"), exp.alias_(exp.Sum(this=square), "same")).from_(
        per_value.subquery("v")
    )
    if fd.lhs.columns:
        per_group = per_group.group_by(*keys[:-1])
    n = exp.column("n")
    differing = exp.Sub(this=exp.Mul(this=n, expression=n.copy()), expression=exp.column("same"))
    return exp.select(_total(differing)).from_(per_group.subquery("d"))


def _missing_values(ind: InclusionDependency, schema: TableSchema, other: TableSchema) -> exp.Select:
    rows = rows_breaking_ind(ind, schema, other)
    values: list[Value] = [value_of(schema.column(c), "t") for c in ind.lhs.columns]
    distinct = rows.select(*(exp.alias_(v.expression, f"k{i}") for i, v in enumerate(values)), append=False).distinct()
    return exp.select(exp.alias_(_rows(), "violations")).from_(distinct.subquery("d"))
