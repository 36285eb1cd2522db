"""How many violations there are, as SQL: the same figures that the maintained state holds, counted independently.

Ordered pairs for DCs, FDs and UCCs, rows for single-row DCs, distinct missing values for INDs (docs/semantics.md).
FDs and UCCs are counted from group sizes: a group of n rows in which value a occurs n_a times has n² − Σ n_a² pairs.
Each query gives one row with one bigint column.
"""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from profiling_core.emit.comparison import Value, name, not_null, value_of
from profiling_core.emit.denial import conditions, different_rows
from profiling_core.emit.dependencies import rows_breaking_ind
from profiling_core.emit.source import source
from profiling_core.model.constraint import (
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
)
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

Schemas = Mapping[str, TableSchema]


def violations_of_dc(dc: DenialConstraint, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Pairs of rows, by a join; or rows, of a single-row constraint."""
    schema = schemas[dc.table]
    query = exp.select(exp.alias_(_rows(), "violations")).from_(source(schema, dc.columns, "t"))
    holds = conditions(dc.predicates, schema, nulls, "t", "s")
    if dc.is_single_row:
        return query.where(*holds)
    on = exp.and_(*holds, *different_rows(dc))
    return query.join(source(schema, dc.columns, "s"), on=on, join_type="inner")


def violations_of_ucc(ucc: UniqueColumnCombination, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Pairs of equal rows, from the groups' sizes."""
    groups, _ = _grouped(schemas[ucc.lhs.table], ucc.columns, nulls)
    size = exp.column("c")
    others = exp.paren(exp.Sub(this=size.copy(), expression=exp.convert(1)))
    return exp.select(_total(exp.Mul(this=size, expression=others))).from_(groups.subquery("d"))


def violations_of_fd(fd: FunctionalDependency, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Pairs that agree on the left and not on the right, from the sizes of the groups within groups."""
    per_value, keys = _grouped(schemas[fd.lhs.table], fd.columns, nulls)
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


def violations_of_ind(ind: InclusionDependency, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Distinct values, or combinations of them, that do not occur on the other side."""
    values = _values(ind, schemas)
    rows = rows_breaking_ind(ind, schemas, nulls)
    distinct = rows.select(*(exp.alias_(v.expression, f"k{i}") for i, v in enumerate(values)), append=False).distinct()
    return exp.select(exp.alias_(_rows(), "violations")).from_(distinct.subquery("d"))


def pairs_or_rows(
    constraint: DenialConstraint | FunctionalDependency | UniqueColumnCombination, schemas: Schemas
) -> exp.Select:
    """What violations of a row constraint are counted among: ordered pairs, or rows of a single-row constraint."""
    everything = exp.Table(this=name(schemas[constraint.tables[0]].table))
    if isinstance(constraint, DenialConstraint) and constraint.is_single_row:
        return exp.select(_rows().as_("population")).from_(everything)
    others = exp.paren(exp.Sub(this=_rows(), expression=exp.convert(1)))
    return exp.select(exp.Mul(this=_rows(), expression=others).as_("population")).from_(everything)


def included_values(ind: InclusionDependency, schemas: Schemas) -> exp.Select:
    """The distinct values, or combinations of them, of the included side."""
    values = _values(ind, schemas)
    distinct = exp.select(*(v.expression for v in values)).distinct()
    distinct = distinct.from_(source(schemas[ind.lhs.table], ind.lhs.columns, "t")).where(
        *(not_null(v) for v in values)
    )
    return exp.select(_rows().as_("population")).from_(distinct.subquery("d"))


def _values(ind: InclusionDependency, schemas: Schemas) -> list[Value]:
    return [value_of(schemas[ind.lhs.table].column(c), "t") for c in ind.lhs.columns]


def _rows() -> exp.Count:
    return exp.Count(this=exp.Star())


def _total(expression: exp.Expr) -> exp.Expr:
    total = exp.Coalesce(this=exp.Sum(this=expression), expressions=[exp.convert(0)])
    return exp.alias_(exp.cast(total, "BIGINT"), "violations")


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
