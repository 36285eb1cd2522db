"""One syntax tree, several dialects: what each database calls things, and how its rows are told apart.

On Spark the tables are the snapshots, whose rows carry ``_row_id``. Elsewhere they are a person's own tables, which do
not: there rows are numbered where two equal ones must be told apart, and shown by the table's key alone. PostgreSQL
orders texts by a collation: columns declared ordered are taken by their bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import cast

from sqlglot import exp

from profiling_core.emit.comparison import name
from profiling_core.model.constraint import Constraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import Column, TableSchema

BATCH = "{batch}"
GX_VIEW = "tmp_view"
_SPOILT = frozenset("{}:%")


# The end of a text in Java's regular expressions, and so in Spark's.
END_IN_JAVA = r"\z"


class Dialect(StrEnum):
    """The SQL that an output is written in; ``spark`` for the data as they are stored, the others for copies of it."""

    SPARK = "spark"
    POSTGRES = "postgres"
    DUCKDB = "duckdb"
    SNOWFLAKE = "snowflake"


def sql_text(
    query: exp.Select,
    schemas: Mapping[str, TableSchema],
    dialect: Dialect,
    *,
    tables: Mapping[str, str] = MappingProxyType({}),
    texts: Callable[[str], str] | None = None,
) -> str:
    """A constraint's query in the dialect, over tables without ``_row_id``.

    Args:
        query: made by ``emit.sql``.
        schemas: per table, its columns.
        dialect: the SQL to write.
        tables: per table, SQL that stands for it as it is; others are called by their names.
        texts: what becomes of the characters of names and texts, where something reads the SQL before the database.
    """
    return _tree(query, schemas, dialect, tables, texts).sql(dialect.value, pretty=True)


def _tree(
    query: exp.Select,
    schemas: Mapping[str, TableSchema],
    dialect: Dialect,
    tables: Mapping[str, str] = MappingProxyType({}),
    texts: Callable[[str], str] | None = None,
) -> exp.Select:
    own = _for_database(query, schemas, dialect)
    tree = _placed(_in_java(own) if dialect is Dialect.SPARK else own, tables)
    return _changed(tree, _texts_through, texts) if texts else tree


def gx_query(
    query: exp.Select, constraint: Constraint, schemas: Mapping[str, TableSchema], dialect: Dialect = Dialect.SPARK
) -> str:
    """The query as Great Expectations wants it.

    On Spark with ``{batch}`` for the table. On databases the batch gets the table's name before the query: in place of
    ``{batch}`` GX puts a subquery with an alias of its own. There it also reads ``:name`` as a parameter, and spoils
    a table's name that has a colon or a brace: such a table is asked for by its name. Braces are doubled.
    """
    if dialect is not Dialect.SPARK:
        tree = _tree(query, schemas, dialect, texts=lambda text: _doubled(text).replace(":", "\\:"))
        own = constraint.tables[0]
        return (tree if _SPOILT.intersection(own) else _of_batch(tree, own, dialect)).sql(dialect.value, pretty=True)
    tree = _placed(_in_java(query), {constraint.tables[0]: BATCH})
    return _changed(tree, _texts_through, _doubled).sql("spark", pretty=True)


def _of_batch(query: exp.Select, table: str, dialect: Dialect) -> exp.Select:
    """The query with the batch under the table's name, which hides the table itself."""
    batch = exp.Table(this=exp.Var(this=BATCH))
    if query.find(exp.Join):  # then GX puts the batch there without an alias
        batch.set("alias", exp.TableAlias(this=name("batch")))
    # PostgreSQL would write out what is read twice, and not use its indexes.
    materialized = False if dialect is Dialect.POSTGRES else None
    return query.with_(name(table), as_=exp.select("*").from_(batch), materialized=materialized)


def _in_java(query: exp.Select) -> exp.Select:
    """The query with regular expressions that end where the text does, and not before its final line break."""
    tree = query.copy()
    for match in tree.find_all(exp.RegexpLike):
        pattern = match.expression.name.removesuffix("$") + END_IN_JAVA
        match.set("expression", exp.Literal.string(pattern))
    return tree


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _texts_through(node: exp.Expr, change: Callable[[str], str]) -> exp.Expr:
    if isinstance(node, exp.Identifier):
        return exp.to_identifier(change(node.name), quoted=node.quoted)
    if isinstance(node, exp.Literal) and node.is_string:
        return exp.Literal.string(change(node.name))
    return node


def _placed(tree: exp.Select, stand_ins: Mapping[str, str]) -> exp.Select:
    """The tree with something else for the tables of those names."""

    def place(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Table) and node.name in stand_ins:
            return exp.Table(this=exp.Var(this=stand_ins[node.name]), alias=node.args.get("alias"))
        return node

    return _changed(tree, place)


def _changed(tree: exp.Select, change: Callable[..., exp.Expr], *given: object) -> exp.Select:
    """The tree with each node changed, which a selection survives as one."""
    return cast("exp.Select", tree.transform(change, *given))


def _for_database(query: exp.Select, schemas: Mapping[str, TableSchema], dialect: Dialect) -> exp.Select:
    """The query over tables without ``_row_id``."""
    tree = query.copy()
    for selection in tree.find_all(exp.Select):
        shown = [e for e in selection.expressions if not (_is_row_id(e) and e.table)]
        selection.set("expressions", shown)
    if dialect is Dialect.POSTGRES:
        for value in list(tree.find_all(exp.Hex)):
            encoded = exp.Anonymous(this="ENCODE", expressions=[value.this.copy(), exp.Literal.string("hex")])
            value.replace(exp.Upper(this=encoded))
    used = {c.name for c in tree.find_all(exp.Column) if c.table and c.name != ROW_ID}
    numbered = any(_is_row_id(compared.this) for compared in tree.find_all(exp.NEQ))
    for table in list(tree.find_all(exp.Table)):
        schema = schemas[table.name]
        columns = [c for c in schema.columns if c.name in used]
        _own_rows(table, columns, dialect, [_row_number(columns)] if numbered else [])
    return tree


def _is_row_id(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name == ROW_ID


def _row_number(columns: Sequence[Column]) -> exp.Expr:
    """Numbers that tell rows apart; those that tie are equal in all that the query asks for, and so exchangeable."""
    order = exp.Order(expressions=[exp.Ordered(this=exp.column(name(c.name))) for c in columns])
    return exp.alias_(exp.Window(this=exp.RowNumber(), order=order), name(ROW_ID))


def _texts(columns: Sequence[Column]) -> set[str]:
    """The columns whose texts are compared by their order."""
    return {c.name for c in columns if c.ordered and c.type.is_stored_as_text}


def _own_rows(table: exp.Table, columns: Sequence[Column], dialect: Dialect, number: Sequence[exp.Expr]) -> None:
    """Puts in place of a table, where it is needed, a selection with row numbers and texts compared by their bytes."""
    bytewise = _texts(columns) if dialect is Dialect.POSTGRES else set()
    selection = table.find_ancestor(exp.Select)
    if selection is not None and any(_is_row_id(e) for e in selection.expressions):
        kept = [_bytewise(e, bytewise) for e in selection.expressions if not _is_row_id(e)]
        selection.set("expressions", kept + [n.copy() for n in number])
    elif table.alias and (bytewise or number):
        chosen = [_bytewise(exp.column(name(c.name)), bytewise) for c in columns]
        plain = exp.select(*chosen, *(n.copy() for n in number)).from_(exp.Table(this=table.this.copy()))
        table.replace(plain.subquery(table.alias))


def _bytewise(expression: exp.Expr, columns: set[str]) -> exp.Expr:
    if not isinstance(expression, exp.Column) or expression.name not in columns:
        return expression
    collation = exp.to_identifier("C", quoted=True)
    return exp.alias_(exp.Collate(this=expression.copy(), expression=collation), name(expression.name))
