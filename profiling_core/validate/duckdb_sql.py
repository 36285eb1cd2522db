"""Queries that are written in Spark's SQL, as DuckDB answers them."""

from typing import TYPE_CHECKING

from sqlglot import exp, parse_one

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def add_java_functions(connection: "DuckDBPyConnection") -> None:
    """Functions that follow all of Unicode's rules, as those of Java do and those of DuckDB do not."""
    for name, change in (("upper", str.upper), ("lower", str.lower)):
        connection.create_function(f"java_{name}", change, ["VARCHAR"], "VARCHAR")


def in_duckdb(query: str) -> str:
    """A query in Spark's SQL as DuckDB asks it: upper and lower case are Java's."""

    def change(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Upper | exp.Lower):
            return exp.Anonymous(this=f"java_{node.key}", expressions=[node.this])
        return node

    return parse_one(query, dialect="spark").transform(change).sql("duckdb")
