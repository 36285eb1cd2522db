"""Whatever columns are called, the answers are those for plain names: in SQL, in suites, in messages, on a terminal."""

import io
import unicodedata

import duckdb
import hypothesis.strategies as st
import jinja2
import psycopg
import pytest
import sqlalchemy
import sqlglot
from databases.catalogs import server
from helpers.contracts import made, wanted
from helpers.examples import examples
from helpers.hostile import NAMINGS, PLAIN, Named, fill_duckdb, fill_postgres, quoted
from hypothesis import given, settings
from rich.console import Console
from sqlalchemy.dialects import postgresql

from profiling_core.alert.message import tell
from profiling_core.cli.tables import changes_table, tracked_table
from profiling_core.emit.dialects import Dialect, gx_query, sql_text
from profiling_core.emit.expectations import expectation
from profiling_core.emit.formats import dbt, sql
from profiling_core.emit.setting import Setting
from profiling_core.emit.sql import violating_rows
from profiling_core.emit.suites import setting_of
from profiling_core.model.change import Change, ChangeSet, Transition, Witness
from profiling_core.model.types import NullSemantics

# PostgreSQL and DuckDB have no zero byte in a name, and DuckDB does not tell cases apart.
NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12).filter(
        lambda name: name.lower() != "id"
    ),
    min_size=5,
    max_size=5,
    unique_by=str.lower,
).map(tuple)
TRICKY = st.lists(
    st.text(st.sampled_from("{}%#$`\"'\\:;-\r\n ax_"), min_size=1, max_size=8), min_size=5, max_size=5, unique=True
).map(tuple)


@settings(deadline=None, max_examples=examples(25))
@given(st.one_of(NAMES, TRICKY))
def test_views_and_templates_find_the_same_rows_under_any_names(names):
    named, own = made(names)
    with duckdb.connect() as connection:
        fill_duckdb(connection, named)
        connection.execute(next(iter(sql.export(own).files.values())))
        rows = wanted(own, names)
        for rule in own.rules:
            found = connection.execute(f'SELECT id FROM "{sql.PREFIX}{rule.name}" ORDER BY id').fetchall()
            assert [row[0] for row in found] == rows[rule.name]
            template = dbt.export(own).files.get(f"tests/{dbt.test_name(own, rule)}.sql")
            if template is not None:
                query = jinja2.Environment(autoescape=False).from_string(template)
                text = query.render(source=lambda _, table: quoted(table), config=lambda **_: "")
                assert sorted(row[-1] for row in connection.execute(text).fetchall()) == rows[rule.name]


@pytest.mark.postgres
@pytest.mark.parametrize("naming", [name for name in NAMINGS if name != "long"])
def test_postgres_finds_the_same_rows(naming, request):
    named, own = made(NAMINGS[naming], Dialect.POSTGRES, own="the 'table' \"of\" it{}", other="Ōther:s")
    with psycopg.connect(server(request.config).new_database(), autocommit=True) as connection:
        fill_postgres(connection, named, 'TEXT COLLATE "en-x-icu"')
        ((_, script),) = sql.export(own).files.items()
        connection.execute(script)
        found = {
            rule.name: [
                row[0] for row in connection.execute(f'SELECT id FROM "{sql.PREFIX}{rule.name}" ORDER BY id').fetchall()
            ]
            for rule in own.rules
        }
    assert found == wanted(own, named.columns)


@settings(deadline=None, max_examples=examples(60))
@given(st.one_of(NAMES, TRICKY), st.sampled_from(list(Named().constraints)))
def test_what_gx_makes_of_a_suites_query_is_the_query(names, which):
    named = Named(names)
    constraint = named.constraints[which]
    query = violating_rows(constraint, named.schemas, NullSemantics.SQL)
    for_spark = gx_query(query, constraint, named.schemas).format(batch=quoted_for_spark(named.own))
    assert sqlglot.parse_one(for_spark, dialect="spark") == sqlglot.parse_one(query.sql("spark"), dialect="spark")
    for_postgres = gx_query(query, constraint, named.schemas, Dialect.POSTGRES).format(batch="the_batch")
    # psycopg would read a percent sign as a parameter, and so SQLAlchemy doubles it
    read = str(sqlalchemy.text(for_postgres).compile(dialect=postgresql.psycopg.dialect())).replace("%%", "%")
    expected = sql_text(query, named.schemas, Dialect.POSTGRES)
    asked = sqlglot.parse_one(read, dialect="postgres")
    for batch in asked.ctes:  # the batch under the table's name, before the query
        assert batch.alias == named.own
        assert [table.name for table in batch.find_all(sqlglot.exp.Table)] == ["the_batch"]
        batch.parent.pop()
    assert asked == sqlglot.parse_one(expected, dialect="postgres")


def quoted_for_spark(name):
    return "`" + name.replace("`", "``") + "`"


@settings(deadline=None, max_examples=examples(60))
@given(st.one_of(NAMES, TRICKY), st.sampled_from(Dialect))
def test_descriptions_are_escaped_and_ids_do_not_depend_on_the_dialect(names, dialect):
    named = Named(names)
    setting = setting_of(named.config, named.schemas, named.own, dialect)
    for constraint in named.constraints.values():
        found = expectation(constraint, setting, {})
        assert not set('<>"') & set(found["description"])
        assert found["id"] == expectation(constraint, Setting("nyc", named.schemas, setting.nulls), {})["id"]


def messages(named):
    """The alert over all constraints, and what the tables of the command line print."""
    values = dict.fromkeys(named.columns, "\x1b[2J\r\n<b>[red]")
    changes = [
        Change(
            Transition.BROKE,
            named.own,
            None,
            record.measured,
            59,
            "2013-01-01",
            2,
            rank,
            alerts=True,
            witnesses=(Witness(values, (values,)),),
        )
        for rank, record in enumerate(named.tracked, start=1)
    ]
    arrived = {named.own: {"inserts": 900, "updates": 0}}
    (alert,) = tell(ChangeSet("nyc", 3, "run", arrived, tuple(changes)), "2013-03-01", named.schemas).alerts
    out = io.StringIO()
    console = Console(file=out, width=10_000, color_system=None)
    console.print(tracked_table(named.tracked, {}))
    console.print(changes_table(changes))
    return alert.text, out.getvalue()


@settings(deadline=None, max_examples=examples(60))
@given(st.one_of(NAMES, TRICKY, st.sampled_from(list(NAMINGS.values()))))
def test_messages_and_tables_have_the_lines_of_plain_ones_and_nothing_that_a_terminal_obeys(names):
    for said, plainly in zip(messages(Named(names)), messages(Named(PLAIN)), strict=True):
        assert said.count("\n") == plainly.count("\n")
        assert not {unicodedata.category(c) for c in said if c != "\n"} & {"Cc", "Cf", "Zl", "Zp"}
        assert len(said) < 20_000 or names in NAMINGS.values()
