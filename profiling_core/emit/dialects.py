"""One syntax tree, several dialects: what each database calls things, and how its rows are told apart.

On Spark the tables are the snapshots, whose rows carry ``_row_id``. Elsewhere they are a person's own tables, which do
not: there rows are numbered where two equal ones must be told apart, and shown by the table's key alone. PostgreSQL
orders texts by a collation: columns declared ordered are taken by their bytes.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

from sqlglot import exp

from profiling_core.emit.comparison import name
from profiling_core.emit.source import ROW_ID
from profiling_core.model.constraint import Constraint
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType

BATCH = "{batch}"
GX_VIEW = "tmp_view"


class Dialect(StrEnum):
    """The SQL that an output is written in; ``spark`` for the data as they are stored, the others for copies of it."""

    SPARK = "spark"
    POSTGRES = "postgres"
    DUCKDB = "duckdb"
    SNOWFLAKE = "snowflake"


def sql_text(
    query: exp.Select, constraint: Constraint, schemas: Mapping[str, TableSchema], dialect: Dialect, *, table: str = ""
) -> str:
    """A constraint's query in the dialect.

    Args:
        query: made by ``emit.sql`` for the constraint.
        constraint: whose query it is.
        schemas: per table, its columns.
        dialect: the SQL to write.
        table: SQL that stands for the constraint's own table, as it is; empty: its name.
    """
    tree = query if dialect is Dialect.SPARK else _for_database(query, constraint, schemas, dialect)
    return _placed(tree, constraint.tables[0], table).sql(dialect.value, pretty=True)


def gx_query(
    query: exp.Select, constraint: Constraint, schemas: Mapping[str, TableSchema], dialect: Dialect = Dialect.SPARK
) -> str:
    """The query as Great Expectations wants it.

    On Spark with ``{batch}`` for the table. On databases with the table's own name: there GX would put a subquery with
    an alias of its own in place of the batch, and reads ``:name`` as a parameter. Braces are doubled.
    """
    if dialect is Dialect.SPARK:
        tree, text = _placed(query, constraint.tables[0], BATCH), _doubled
    else:
        tree, text = _for_database(query, constraint, schemas, dialect), _as_parameters_text
    return tree.transform(_texts_through, text).sql(dialect.value, pretty=True)


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _as_parameters_text(text: str) -> str:
    return _doubled(text).replace(":", "\\:")


def _texts_through(node: exp.Expr, change: Callable[[str], str]) -> exp.Expr:
    if isinstance(node, exp.Identifier):
        return exp.to_identifier(change(node.name), quoted=node.quoted)
    if isinstance(node, exp.Literal) and node.is_string:
        return exp.Literal.string(change(node.name))
    return node


def _placed(tree: exp.Expr, table: str, stand_in: str) -> exp.Expr:
    """The tree with something else for the table of that name."""
    if not stand_in:
        return tree

    def place(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Table) and node.name == table:
            return exp.Table(this=exp.Var(this=stand_in), alias=node.args.get("alias"))
        return node

    return tree.transform(place)


def _for_database(
    query: exp.Select, constraint: Constraint, schemas: Mapping[str, TableSchema], dialect: Dialect
) -> exp.Select:
    """The query over tables without ``_row_id``."""
    tree = query.copy()
    tree.set("expressions", [e for e in tree.expressions if not _is_row_id(e)])
    if dialect is Dialect.POSTGRES:
        for value in list(tree.find_all(exp.Hex)):
            encoded = exp.Anonymous(this="ENCODE", expressions=[value.this.copy(), exp.Literal.string("hex")])
            value.replace(exp.Upper(this=encoded))
    number = _row_number(constraint) if any(_is_row_id(e.this) for e in tree.find_all(exp.NEQ)) else None
    for table in list(tree.find_all(exp.Table)):
        _own_rows(table, tree, schemas[table.name], dialect, number)
    return tree


def _is_row_id(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name == ROW_ID


def _row_number(constraint: Constraint) -> exp.Expr:
    """Numbers that tell rows apart: those that tie are equal in all that the constraint speaks of, and exchangeable."""
    order = exp.Order(expressions=[exp.Ordered(this=exp.column(name(c))) for c in constraint.columns])
    return exp.alias_(exp.Window(this=exp.RowNumber(), order=order), name(ROW_ID))


def _own_rows(
    table: exp.Table, tree: exp.Select, schema: TableSchema, dialect: Dialect, number: exp.Expr | None
) -> None:
    """Puts in place of a table, where it is needed, a selection with row numbers and texts compared by their bytes."""
    alias = table.alias
    bytewise = {c.name for c in schema.columns if c.ordered and c.type is LogicalType.STRING}
    if dialect is not Dialect.POSTGRES:
        bytewise = set()
    if alias:
        used = {c.name for c in tree.find_all(exp.Column) if c.table == alias}
        columns = [c for c in schema.names if c in used]
        if number is None and not bytewise & used:
            return
        chosen = [exp.column(name(c)) for c in columns] + ([number.copy()] if number else [])
        plain = exp.Table(this=name(schema.table))
        table.replace(exp.select(*(_bytewise(e, bytewise) for e in chosen)).from_(plain).subquery(alias))
        return
    selection = table.find_ancestor(exp.Select)
    if selection is not None and any(_is_row_id(e) for e in selection.expressions):
        kept = [_bytewise(e, bytewise) for e in selection.expressions if not _is_row_id(e)]
        selection.set("expressions", kept + ([number.copy()] if number else []))


def _bytewise(expression: exp.Expr, columns: set[str]) -> exp.Expr:
    if not isinstance(expression, exp.Column) or expression.name not in columns:
        return expression
    collation = exp.to_identifier("C", quoted=True)
    return exp.alias_(exp.Collate(this=expression.copy(), expression=collation), name(expression.name))
