"""The tables of a database, as proposals: with the keys that the database declares."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from profiling_core.ingest.sources.database import Session
from profiling_core.ingest.sources.registry import open_source
from profiling_core.model.dataset import TableConfig
from profiling_core.model.source import Source, SourceFormat
from profiling_core.pipeline.init.proposal import Proposal, personal
from profiling_core.state.settings import Settings

URL_VARIABLE = "HOLDFAST_SOURCE_URL"
_SYSTEM = ("information_schema", "pg_catalog")
_OF_TABLE = ("constraint_name", "table_schema", "table_name")


def tables_of(url: str, settings: Settings) -> Iterator[Proposal]:
    """The tables of all schemas that are not the system's.

    Raises:
        UnreachableError: the database does not let in.
    """
    format_ = SourceFormat(url.partition(":")[0])
    place = {"url_env": URL_VARIABLE} if format_ is SourceFormat.POSTGRESQL else {"url": url}
    source: Any = open_source(settings, TableConfig(source=Source(format=format_, url=url, table="tables")))
    with source.session() as session:
        for schema, name in session.rows(_tables()):
            columns = session.schema(exp.table_(name, db=schema, quoted=True))
            fields = {"format": format_.value, **place, "table": f"{schema}.{name}"}
            yield Proposal(name, fields, _key(session, schema, name), personal(columns.empty_table()))


def _tables() -> exp.Select:
    schema = exp.column("table_schema")
    return (
        exp.select("table_schema", "table_name")
        .from_("information_schema.tables")
        .where(schema.isin(*_SYSTEM).not_(), exp.column("table_type").eq("BASE TABLE"))
        .order_by("table_schema", "table_name")
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
