"""Other tools' formats: valid by their own schemas and loaders, and of the same rows whatever columns are called."""

import importlib.resources
import json
from dataclasses import replace

import duckdb
import jinja2
import jsonschema
import pytest
import yaml
from helpers.contracts import made, wanted
from helpers.hostile import NAMINGS, PLAIN, fill_duckdb, quoted

from profiling_core.emit.dialects import Dialect
from profiling_core.emit.formats import dbt, odcs, openlineage, ruleset, sql
from profiling_core.emit.formats.formats import EXPORTS, Format
from profiling_core.model.change import LifecycleState

# DuckDB takes names that differ in case for the same; PostgreSQL and Spark are tried with those
ALL_NAMINGS = {"plain": PLAIN, **{name: columns for name, columns in NAMINGS.items() if name != "case"}}


@pytest.fixture
def database():
    connection = duckdb.connect()
    yield connection
    connection.close()


@pytest.mark.parametrize("naming", ALL_NAMINGS)
def test_views_show_the_violating_rows(database, naming):
    named, own = made(ALL_NAMINGS[naming])
    fill_duckdb(database, named)
    ((name, script),) = sql.export(own).files.items()
    assert name == "nyc.duckdb.sql"
    database.execute(script)
    views = {rule.name: f'SELECT id FROM "{sql.PREFIX}{rule.name}" ORDER BY id' for rule in own.rules}
    found = {name: [row[0] for row in database.execute(query).fetchall()] for name, query in views.items()}
    assert found == wanted(own, named.columns)
    assert any(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("naming", ALL_NAMINGS)
def test_a_contract_is_one_by_its_standard_and_counts_the_violating_rows(database, naming):
    from open_data_contract_standard.model import OpenDataContractStandard

    named, own = made(ALL_NAMINGS[naming], Dialect.DUCKDB)
    fill_duckdb(database, named)
    exported = odcs.export(own)
    ((_, text),) = exported.files.items()
    schema = json.loads((importlib.resources.files("open_data_contract_standard") / "schema.json").read_text("utf-8"))
    assert odcs.API_VERSION in schema["properties"]["apiVersion"]["enum"]
    document = yaml.safe_load(text)
    jsonschema.Draft201909Validator(schema).validate(document)
    loaded = OpenDataContractStandard.from_string(text)
    assert [p.name for p in loaded.schema_[1].properties or []] == [*named.columns, "id"]
    checks = {check["name"]: check for table in document["schema"] for check in table.get("quality", [])}
    counts = {name: len(ids) for name, ids in wanted(own, named.columns).items()}
    left_out = len(exported.left_out)
    assert len(checks) == len(own.rules) - left_out
    assert (left_out > 0) is (naming == "braces")
    for name, check in checks.items():
        assert check["mustBe"] == 0
        assert database.execute(check["query"]).fetchone() == (counts[name],)


def test_a_contract_has_keys_types_and_references():
    _, own = made()
    document = yaml.safe_load(next(iter(odcs.export(own).files.values())))
    table = next(t for t in document["schema"] if t["name"] == "rows_of_it")
    columns = {c["name"]: c for c in table["properties"]}
    assert columns["number"]["unique"]
    assert columns["id"]["primaryKeyPosition"] == 1
    assert (columns["real"]["logicalType"], columns["real"]["physicalType"]) == ("number", "DOUBLE")
    assert table["relationships"] == [
        {
            "type": "foreignKey",
            "from": ["rows_of_it.text", "rows_of_it.number"],
            "to": ["others.text", "others.number"],
        },
        {"type": "foreignKey", "from": "rows_of_it.text", "to": "others.text"},
    ]


def test_an_inclusion_that_is_no_likely_foreign_key_is_checked_and_refers_to_nothing():
    _, own = made()
    pairs = frozenset(
        r.fingerprint for r in own.rules if r.promised and r.promised.refers_to and len(r.promised.columns.columns) > 1
    )
    document = yaml.safe_load(next(iter(odcs.export(made(foreign_keys=pairs)[1]).files.values())))
    table = next(t for t in document["schema"] if t["name"] == "rows_of_it")
    assert [reference["to"] for reference in table["relationships"]] == [["others.text", "others.number"]]
    assert len(table["quality"]) == len(own.of("rows_of_it"))


@pytest.mark.parametrize("naming", ALL_NAMINGS)
def test_a_rule_set_is_one_and_each_rule_gives_its_count(database, naming):
    named, own = made(ALL_NAMINGS[naming])
    fill_duckdb(database, named)
    exported = ruleset.export(own)
    (text,) = exported.files.values()
    rules = yaml.safe_load(text)
    RULE_SET.validate(rules)
    names = [rule["name"] for rule in rules["rules"]]
    assert len(set(names)) == len(names) == len(own.rules) - len(exported.left_out)
    assert (len(exported.left_out) > 0) is (naming == "braces")
    counts = {name: len(ids) for name, ids in wanted(own, named.columns).items()}
    for rule in rules["rules"]:
        query = rule["sql"].replace("{table}", quoted(named.own))  # as the provider does it
        assert database.execute(query).fetchone() == (counts[rule["name"]],)


@pytest.mark.long
def test_airflows_own_loader_takes_the_rule_set(tmp_path):
    rules = pytest.importorskip(
        "airflow.providers.common.dataquality.rules", reason="Airflow's data-quality provider is not installed"
    )
    _, own = made()
    ((name, text),) = ruleset.export(own).files.items()
    (tmp_path / name).write_text(text, "utf-8")
    assert len(rules.RuleSet.from_file(str(tmp_path / name)).rules) == len(own.rules)


# What apache-airflow-providers-common-dataquality asks of a rule set (its ruleset.schema.json and its model's checks).
RULE_SET = jsonschema.Draft202012Validator(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "rules"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "rules": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["name", "check", "condition", "sql"],
                    "properties": {
                        "name": {"type": "string", "minLength": 1},
                        "check": {"const": "custom_sql"},
                        "sql": {"type": "string", "minLength": 1},
                        "condition": {"const": {"equal_to": 0}},
                        "severity": {"enum": ["warn", "error"]},
                        "dimension": {
                            "enum": ["completeness", "uniqueness", "validity", "freshness", "volume", "consistency"]
                        },
                        "description": {"type": "string"},
                    },
                },
            },
        },
    }
)


@pytest.mark.parametrize("naming", ALL_NAMINGS)
def test_assertions_are_those_of_openlineage_and_tell_the_outcome(database, naming):
    from openlineage.client.facet_v2 import data_quality_assertions_dataset as facets
    from openlineage.client.serde import Serde

    named, own = made(ALL_NAMINGS[naming])
    fill_duckdb(database, named)
    (text,) = openlineage.export(own).files.values()
    (facet,) = (d["inputFacets"][openlineage.FACET] for d in json.loads(text)["inputs"] if d["name"] == named.own)
    assertions = [facets.Assertion(**assertion) for assertion in facet["assertions"]]
    loaded = facets.DataQualityAssertionsDatasetFacet(assertions=assertions)
    loaded._producer = facet["_producer"]
    assert json.loads(Serde.to_json(loaded)) == facet
    assert facet["_schemaURL"] == facets.DataQualityAssertionsDatasetFacet._get_schema()
    outcome = {a.name: a.success for a in assertions}
    assert outcome == {rule.name: rule.record.measured.holds or rule.record.threshold > 0 for rule in own.rules}
    for assertion in assertions:
        rows = database.execute(assertion.content).fetchall()
        assert sorted(row[-1] for row in rows) == wanted(own, named.columns)[assertion.name]


@pytest.mark.parametrize("naming", ALL_NAMINGS)
def test_singular_tests_of_dbt_are_templates_of_the_violating_rows(database, naming):
    named, own = made(ALL_NAMINGS[naming])
    fill_duckdb(database, named)
    files = dbt.export(own).files
    sources = yaml.safe_load(next(text for name, text in files.items() if name.endswith(".yml")))
    in_sources = json.dumps(sources)
    configured = {}
    template = jinja2.Environment(autoescape=False).from_string
    found = {}
    for rule in own.rules:
        name = f"tests/{dbt.test_name(own, rule)}.sql"
        if name not in files:
            assert dbt.test_name(own, rule) in in_sources
            continue
        query = template(files[name]).render(
            source=lambda dataset, table: f"{quoted(table)}",
            config=lambda rule=rule, **options: configured.setdefault(rule.name, options) and "",
        )
        found[rule.name] = sorted(row[-1] for row in database.execute(query).fetchall())
    assert found == {name: ids for name, ids in wanted(own, named.columns).items() if name in found}
    texts = {rule.name: rule.record.measured.constraint.text for rule in own.rules}
    assert {name: options["meta"]["constraint"] for name, options in configured.items()} == {
        name: text for name, text in texts.items() if name in found
    }
    assert "{{" not in in_sources.replace("{{ source(", "")


@pytest.mark.parametrize("form", Format)
def test_the_same_rules_give_the_same_bytes_in_any_order_and_at_any_support(form):
    named, own = made()
    later = [replace(record, version=9, held_deltas=99, rank=7) for record in reversed(named.tracked)]
    _, other = made(tracked=later)
    assert EXPORTS[form](own) == EXPORTS[form](other)
    candidates = [replace(record, state=LifecycleState.CANDIDATE) for record in later]
    _, empty = made(tracked=candidates)
    assert not empty.rules
    assert EXPORTS[form](empty) != EXPORTS[form](own)
