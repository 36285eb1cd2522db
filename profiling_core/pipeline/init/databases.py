"""The tables of a database, as proposals: with the keys that the database declares."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from profiling_core.ingest.sources.database import Session
from profiling_core.ingest.sources.queries import named
from profiling_core.ingest.sources.registry import open_source
from profiling_core.model.dataset import TableConfig
from profiling_core.model.source import Source, SourceFormat
from profiling_core.pipeline.init.proposal import TableProposal, personal
from profiling_core.state.settings import Settings

URL_VARIABLE = "HOLDFAST_SOURCE_URL"
_SYSTEM = ("information_schema", "pg_catalog")
_OF_TABLE = ("constraint_name", "table_schema", "table_name")


def tables_of(url: str, settings: Settings) -> Iterator[TableProposal]:
    """The tables of all schemas that are not the system's.

    Raises:
        UnreachableError: the database does not let in.
    """
    format_ = SourceFormat(url.partition(":")[0])
    place = {"url_env": URL_VARIABLE} if format_ is SourceFormat.POSTGRESQL else {"url": url}
    source: Any = open_source(
        settings, TableConfig(source=Source(format=format_, url=url, table="information_schema.tables"))
    )
    with source.session() as session:
        parts = set(session.rows(_parts())) if format_ is SourceFormat.POSTGRESQL else set()
        for schema, name in session.rows(_tables()):
            columns = session.schema(exp.table_(name, db=schema, quoted=True), exp.false())
            if (schema, name) in parts or not columns.names:
                continue
            fields = {"format": format_.value, **place, "table": named(schema, name)}
            yield TableProposal(name, fields, _key(session, schema, name), personal(columns.empty_table()))


def _tables() -> exp.Select:
    schema = exp.column("table_schema")
    return (
        exp.select("table_schema", "table_name")
        .from_("information_schema.tables")
        .where(schema.isin(*_SYSTEM).not_(), exp.column("table_type").eq("BASE TABLE"))
        .order_by("table_schema", "table_name")
    )


def _parts() -> exp.Select:
    """The tables that are parts of partitioned ones, whose rows these have."""
    return (
        exp.select(exp.column("nspname", table="n"), exp.column("relname", table="c"))
        .from_("pg_catalog.pg_class AS c")
        .join("pg_catalog.pg_namespace AS n", on=exp.column("oid", table="n").eq(exp.column("relnamespace", table="c")))
        .where(exp.column("relispartition", table="c"))
    )


def _key(session: Session, schema: str, table: str) -> tuple[str, ...]:
    """The columns of the declared primary key."""
    same = [exp.column(name, table="k").eq(exp.column(name, table="c")) for name in _OF_TABLE]
    query = (
        exp.select(exp.column("column_name", table="k"))
        .from_("information_schema.key_column_usage AS k")
        .join("information_schema.table_constraints AS c", on=exp.and_(*same))
        .where(
            exp.column("constraint_type", table="c").eq("PRIMARY KEY"),
            exp.column("table_schema", table="k").eq(schema),
            exp.column("table_name", table="k").eq(table),
        )
        .order_by(exp.column("ordinal_position", table="k"))
    )
    return tuple(name for (name,) in session.rows(query))
