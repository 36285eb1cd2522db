"""Unique column combinations in SQL: by grouping."""

from sqlglot import exp

from profiling_core.emit.counting import number_of_pairs
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.groups import groups, in_group, rows_of, sizes, total
from profiling_core.emit.kinds.form import BuiltIn, Form, Promise, Promised, Schemas
from profiling_core.emit.setting import Setting
from profiling_core.model.constraint import UniqueColumnCombination
from profiling_core.model.types import NullSemantics


def rows(ucc: UniqueColumnCombination, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Rows that share the whole combination with another row."""
    schema = schemas[ucc.lhs.table]
    columns = [schema.column(c) for c in ucc.columns]
    several = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.convert(1))
    repeated = groups(schema, columns, several, nulls, [])
    return rows_of(schema, ucc.columns).where(in_group(repeated, columns, nulls))


def violations(ucc: UniqueColumnCombination, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Pairs of equal rows, from the groups' sizes."""
    found, _ = sizes(schemas[ucc.lhs.table], ucc.columns, nulls)
    size = exp.column("c")
    others = exp.paren(exp.Sub(this=size.copy(), expression=exp.convert(1)))
    return exp.select(total(exp.Mul(this=size, expression=others))).from_(found.subquery("d"))


def population(ucc: UniqueColumnCombination, schemas: Schemas) -> exp.Select:
    """All ordered pairs of different rows."""
    return number_of_pairs(schemas[ucc.lhs.table])


def built_in(ucc: UniqueColumnCombination, setting: Setting) -> BuiltIn | None:
    """That values, or combinations of them, are unique, with the table's treatment of nulls."""
    nulls = setting.nulls
    if len(ucc.columns) == 1:
        # this one always leaves nulls out
        single = {"column": ucc.columns[0]}
        return ("expect_column_values_to_be_unique", single) if nulls is NullSemantics.SQL else None
    if nulls is NullSemantics.SQL:
        ignored = "any_value_is_missing"
    elif setting.dialect is Dialect.SPARK:
        ignored = "never"
    else:
        return None  # there GX joins on the columns, and so leaves nulls out all the same
    return "expect_compound_columns_to_be_unique", {"column_list": list(ucc.columns), "ignore_row_if": ignored}


def promise(ucc: UniqueColumnCombination) -> Promised:
    """That the columns are unique."""
    return Promised(Promise.UNIQUE, ucc.lhs)


FORM = Form(
    rows, violations, population, assertion="unique", dimension="uniqueness", built_in=built_in, promise=promise
)
