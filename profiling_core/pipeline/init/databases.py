"""The tables of a database, as proposals: with the keys that the database declares."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from sqlglot import exp

from profiling_core.ingest.sources.queries import named
from profiling_core.ingest.sources.registry import open_source
from profiling_core.ingest.sources.session import Session
from profiling_core.model.dataset import TableConfig
from profiling_core.model.source import Source, SourceFormat
from profiling_core.pipeline.init.proposal import TableProposal, personal
from profiling_core.state.settings import Settings

URL_VARIABLE = "HOLDFAST_SOURCE_URL"
_SYSTEM = ("information_schema", "pg_catalog")
_OF_TABLE = ("constraint_name", "table_schema", "table_name")
_OF_COLUMN = ("table_schema", "table_name", "column_name")
_LOOKED_AT = 1000
_LONGEST = exp.Literal.number(320)  # characters of a mail address
_NO_KEY = "The database declares no key without nulls: rows are compared as wholes."


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
            texts = _texts(session, exp.table_(name, db=schema, quoted=True), columns)
            yield TableProposal(name, fields, _key(session, schema, name), personal(texts, name), {"key": _NO_KEY})


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


def _texts(session: Session, table: exp.Table, columns: pa.Schema) -> pa.Table:
    """Some rows' texts, as far as an address may be long; without rows where there is none."""
    texts = [field.name for field in columns if pa.types.is_string(field.type)]
    if not texts:
        return columns.empty_table()
    begun = [exp.Left(this=exp.cast(exp.column(t, quoted=True), "text"), expression=_LONGEST) for t in texts]
    found = session.rows(exp.select(*begun).from_(table).limit(_LOOKED_AT))
    kept = dict(zip(texts, map(list, zip(*found, strict=True)), strict=True)) if found else {}
    return pa.table({name: pa.array(kept.get(name, [None] * len(found)), pa.string()) for name in columns.names})


def _key(session: Session, schema: str, table: str) -> tuple[str, ...]:
    """The columns of the declared primary key, else of a unique constraint without nulls; of several the shortest."""
    same = [exp.column(name, table="k").eq(exp.column(name, table="c")) for name in _OF_TABLE]
    column = [exp.column(name, table="k").eq(exp.column(name, table="n")) for name in _OF_COLUMN]
    kind = exp.column("constraint_type", table="c")
    query = (
        exp.select(kind, *(exp.column(n, table="k") for n in ("constraint_name", "column_name")))
        .select(exp.column("is_nullable", table="n"))
        .from_("information_schema.key_column_usage AS k")
        .join("information_schema.table_constraints AS c", on=exp.and_(*same))
        .join("information_schema.columns AS n", on=exp.and_(*column))
        .where(
            kind.isin("PRIMARY KEY", "UNIQUE"),
            exp.column("table_schema", table="k").eq(schema),
            exp.column("table_name", table="k").eq(table),
        )
        .order_by(exp.column("constraint_name", table="k"), exp.column("ordinal_position", table="k"))
    )
    keys: dict[tuple[bool, str], list[str]] = {}
    lacking = set()
    for kind_, name, column_, nullable in session.rows(query):
        keys.setdefault((kind_ != "PRIMARY KEY", name), []).append(column_)
        lacking |= {name} if kind_ != "PRIMARY KEY" and nullable == "YES" else set()
    usable = [(unique, len(columns), columns) for (unique, name), columns in keys.items() if name not in lacking]
    return tuple(min(usable)[2]) if usable else ()
