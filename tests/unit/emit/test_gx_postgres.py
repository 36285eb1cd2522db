"""A suite for PostgreSQL, run there by Great Expectations itself: each check finds what it finds on Spark."""

import json

import psycopg
import pytest
from databases.catalogs import server
from helpers.contracts import expected
from helpers.hostile import NAMINGS, PLAIN, Named, fill_postgres, quoted

from profiling_core.emit.dialects import Dialect
from profiling_core.emit.gx import great_expectations
from profiling_core.emit.loading import suite_from
from profiling_core.emit.suites import setting_of, table_suite
from profiling_core.validate.context import context_in_memory
from profiling_core.validate.results import problem_of, unexpected_rows

pytestmark = pytest.mark.postgres


def filled(request, named):
    """The address of a database with the two tables."""
    url = server(request.config).new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        fill_postgres(connection, named)
    return url.replace("postgresql:", "postgresql+psycopg:")


@pytest.mark.parametrize("columns", [PLAIN, NAMINGS["parameters"]], ids=["plain", "parameters"])
def test_great_expectations_finds_the_same_on_postgres(request, columns):
    named = Named(columns)
    url = filled(request, named)
    setting = setting_of(named.config, named.schemas, named.own, Dialect.POSTGRES)
    made = table_suite(setting, named.own, named.tracked)
    assert len(made.expectations) == len(named.constraints)
    results = run(url, named.own, made.document)
    assert results == {c.fingerprint: len(expected(c, columns)) for c in named.constraints.values()}


def test_a_batch_of_some_rows_is_asked_for_these_alone(request):
    named = Named(PLAIN)
    url = filled(request, named)
    setting = setting_of(named.config, named.schemas, named.own, Dialect.POSTGRES)
    document = table_suite(setting, named.own, named.tracked).document
    queries = [e["kwargs"]["unexpected_rows_query"] for e in document["expectations"] if "unexpected" in e["type"]]
    assert len(queries) > 3
    assert all(query.count("{batch}") == 1 for query in queries)
    everything = run(url, named.own, document)
    assert sum(everything.values()) > 0
    nothing = run(url, named.own, document, query=f"SELECT * FROM {quoted(named.own)} WHERE FALSE")
    assert nothing.keys() == everything.keys()
    assert not any(nothing.values())


def run(url, table, document, query=None):
    gx = great_expectations()
    context = context_in_memory()
    database = context.data_sources.add_sql("database", connection_string=url)
    suite = context.suites.add(suite_from(json.dumps(document).encode(), "here"))
    if query:
        batch = database.add_query_asset("some", query=query).add_batch_definition_whole_table("whole")
    else:
        batch = database.add_table_asset("own", table_name=table).add_batch_definition_whole_table("whole")
    definition = context.validation_definitions.add(gx.ValidationDefinition(name="all", data=batch, suite=suite))
    found = definition.run(result_format="COMPLETE").to_json_dict()["results"]
    assert not any(problem_of(result) for result in found), [problem_of(result) for result in found]
    return {r["expectation_config"]["meta"]["fingerprint"]: unexpected_rows(r) for r in found}
