"""Validation both ways: a broken constraint fails with its rows, a broken check is told apart, a quiet day is free."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.validators import WAYS, tables_by

from profiling_core.emit.suites import SuiteRequest, emit_suites
from profiling_core.model.change import Change, ChangeSet, LifecycleState, Transition
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.errors import StateError
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.source import Source
from profiling_core.model.types import LogicalType
from profiling_core.validate.audit import audit
from profiling_core.validate.checkpoint import tables_to_read, validate_changes
from profiling_core.validate.results import OutcomeSource, Status, ValidationSummary

pytestmark = pytest.mark.spark

EVIL = "<script>document.title='owned'</script>"
HOSTILE = f"x`{{batch}}\"'\n{EVIL}"
TEXT, INTEGER = LogicalType.STRING, LogicalType.INTEGER
SCHEMAS = {
    "flights": TableSchema(
        "flights",
        (
            Column("origin", TEXT, ordered=False),
            Column("dest", TEXT, ordered=False),
            Column("distance", INTEGER, ordered=True),
            Column("dep", INTEGER, ordered=True),
            Column("arr", INTEGER, ordered=True),
            Column(HOSTILE, TEXT, ordered=False),
        ),
    ),
    "airports": TableSchema("airports", (Column("faa", TEXT, ordered=False),)),
}
SOURCE = Source(path="landing")
CONFIG = DatasetConfig(dataset="nyc", tables={name: TableConfig(source=SOURCE) for name in SCHEMAS})
FLIGHTS = [
    ("EWR", "EGE", 1726, 1, 2, EVIL),
    ("EWR", "EGE", 1726, 2, 3, "b"),
    ("EWR", "EGE", 1725, 3, 4, EVIL),
    ("JFK", "SJU", 1598, 4, 5, "c"),
    ("JFK", EVIL, 1747, 5, None, None),
    ("JFK", None, 1, 6, 6, None),
]


def of(*columns, table="flights"):
    return ColumnList(table, columns)


def dc(left, op, right, row="t"):
    return DenialConstraint("flights", (Predicate(Operand("t", left), Operator(op), Operand(row, right)),))


# constraint → rows in a violation, violations, population
FIGURES = {
    FunctionalDependency(of("origin", "dest"), of("distance")): (3, 4, 30),
    UniqueColumnCombination(of("dep")): (0, 0, 30),
    UniqueColumnCombination(of("origin", "distance")): (2, 2, 30),
    UniqueColumnCombination(of(HOSTILE)): (2, 2, 30),
    InclusionDependency(of("dest"), of("faa", table="airports")): (2, 2, 3),
    InclusionDependency(of("origin"), of("faa", table="airports")): (0, 0, 2),
    dc("arr", "≤", "dep"): (1, 1, 6),
    dc("dep", ">", "distance"): (1, 1, 6),
}
BROKEN_FD = next(iter(FIGURES))


def rows():
    names = [c.name for c in SCHEMAS["flights"].columns]
    columns = {name: list(values) for name, values in zip(names, zip(*FLIGHTS, strict=True), strict=True)}
    flights = pa.table({**columns, "_row_id": list(range(len(FLIGHTS)))})
    return {"flights": flights, "airports": pa.table({"faa": ["EWR", "JFK", "EGE", None], "_row_id": [0, 1, 2, 3]})}


@pytest.fixture(scope="module", params=WAYS)
def tables_from(request):
    with tables_by(request.param, request) as make:
        yield make


@pytest.fixture(scope="module")
def tables(tables_from):
    return tables_from(rows())


def measured(constraint):
    _, violations, population = FIGURES[constraint]
    return Measured(constraint, violations, population, 1000)


def tracked(constraint, **figures):
    figure = figures.get("measured") or measured(constraint)
    state = LifecycleState.ACTIVE if figure.holds else LifecycleState.VIOLATED
    return Tracked(figure, "flights", state, "2013-01-01", 5, 1, 1.0, 1)


def changes(*constraints, version=1):
    made = (
        Change(Transition.RECOVERED if measured(c).holds else Transition.BROKE, "flights", None, measured(c), rank=1)
        for c in constraints
    )
    return ChangeSet("nyc", version, "run", {}, tuple(made))


def validated(folder, tables, changed, followed=None, **options):
    followed = followed or [tracked(c) for c in FIGURES]
    emitted = emit_suites(folder, SuiteRequest("nyc", changed.version, followed, changed, SCHEMAS, CONFIG))
    assert tables_to_read(emitted, folder) <= set(SCHEMAS)
    return validate_changes(tables, emitted, changed, followed, folder, **options)


def result_file(folder, summary, table="flights"):
    path = next(t.result for t in summary.tables if t.table == table)
    return json.loads((folder / path).read_bytes())


@pytest.fixture(scope="module")
def everything(tables, tmp_path_factory):
    """All constraints changed, and so all were executed."""
    folder = tmp_path_factory.mktemp("artifacts")
    return folder, validated(folder, tables, changes(*FIGURES))


def test_each_outcome_is_the_one_of_the_data(everything):
    _, summary = everything
    found = {c.constraint: (c.status, c.rows, c.violations, c.source) for c in summary.checks}
    assert found == {
        c.text: (Status.VIOLATED if rows else Status.PASSED, rows, violations, OutcomeSource.EXECUTED)
        for c, (rows, violations, _) in FIGURES.items()
    }
    assert not summary.broken_checks
    assert not summary.contradictions
    assert ValidationSummary.from_json(json.loads(json.dumps(summary.to_json()))) == summary


def test_a_broken_constraint_is_a_failing_expectation_with_its_rows(everything):
    folder, summary = everything
    results = {r["expectation_config"]["meta"]["constraint"]: r for r in result_file(folder, summary)["results"]}
    result = results[BROKEN_FD.text]
    assert result["success"] is False
    rows = result["result"]["details"]["unexpected_rows"]
    assert sorted(rows, key=lambda row: row["_row_id"]) == [
        {"origin": "EWR", "dest": "EGE", "distance": distance, "_row_id": i}
        for i, distance in enumerate((1726, 1726, 1725))
    ]


def test_a_row_of_the_first_moment_that_there_is_can_be_shown(tables_from, tmp_path):
    at = pa.array([datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    flights = pa.table({"origin": ["EWR", "EWR"], "dest": ["EGE", "EGE"], "distance": at, "_row_id": [0, 1]})
    summary = validated(
        tmp_path, tables_from({"flights": flights}), changes(BROKEN_FD), [tracked(BROKEN_FD)], data_docs=False
    )
    assert not summary.broken_checks
    (result,) = result_file(tmp_path, summary)["results"]
    shown = {row["distance"] for row in result["result"]["details"]["unexpected_rows"]}
    assert shown == {"0001-01-01T00:00:00", "9999-12-31T00:00:00"}


def test_the_result_file_loads_in_gx(everything):
    from great_expectations.core.expectation_validation_result import expectationSuiteValidationResultSchema

    folder, summary = everything
    loaded = expectationSuiteValidationResultSchema.load(result_file(folder, summary))
    assert loaded.statistics["evaluated_expectations"] == len(FIGURES)
    assert loaded.success is False


def test_at_most_so_many_rows_are_kept(tables, tmp_path):
    summary = validated(tmp_path, tables, changes(BROKEN_FD), max_rows=1, data_docs=False)
    (result,) = (r for r in result_file(tmp_path, summary)["results"] if r["meta"]["holdfast"]["source"] == "executed")
    assert len(result["result"]["details"]["unexpected_rows"]) == 1
    assert result["result"]["observed_value"] == 3


def test_what_did_not_change_is_answered_from_the_maintained_counts(tables, tmp_path):
    summary = validated(tmp_path, tables, changes(BROKEN_FD), data_docs=False)
    sources = {c.constraint: c.source for c in summary.checks}
    assert [text for text, source in sources.items() if source is OutcomeSource.EXECUTED] == [BROKEN_FD.text]
    found = {c.constraint: (c.status, c.violations) for c in summary.checks}
    assert found == {
        c.text: (Status.VIOLATED if rows else Status.PASSED, violations) for c, (rows, violations, _) in FIGURES.items()
    }


def test_a_broken_check_is_no_violation(tables_from, tmp_path):
    lost = {"flights": "distance", "airports": "faa"}
    without = tables_from({name: table.drop_columns(lost[name]) for name, table in rows().items()})
    summary = validated(tmp_path, without, changes(*FIGURES), data_docs=False)
    broken = {c.constraint: c.problem for c in summary.broken_checks}
    assert set(broken) == {c.text for c in FIGURES if "distance" in c.columns or len(c.tables) == 2}
    assert broken[BROKEN_FD.text] == "flights has no column 'distance' any more"
    assert set(broken.values()) == {f"{table} has no column {column!r} any more" for table, column in lost.items()}
    assert all(c.status is not Status.VIOLATED or c.rows for c in summary.checks)
    assert not summary.contradictions


def test_a_query_that_contradicts_the_maintained_state_is_reported(tables, tmp_path):
    wrong = Measured(BROKEN_FD, 0, 30, 1000)
    followed = [tracked(BROKEN_FD, measured=wrong)]
    changed = ChangeSet("nyc", 1, "run", {}, (Change(Transition.RECOVERED, "flights", None, wrong, rank=1),))
    summary = validated(tmp_path, tables, changed, followed, data_docs=False)
    assert [c.constraint for c in summary.contradictions] == [BROKEN_FD.text]


def test_stored_loaded_and_evaluated_are_the_same_or_nothing_is_reported(tables, tmp_path):
    followed = [tracked(c) for c in FIGURES]
    changed = changes(*FIGURES)
    emitted = emit_suites(tmp_path, SuiteRequest("nyc", 1, followed, changed, SCHEMAS, CONFIG))
    path = tmp_path / emitted.changes[0].path
    data = json.loads(path.read_bytes())
    data["expectations"][2]["type"] = "expect_nothing_we_know"
    path.write_text(json.dumps(data))
    with pytest.raises(StateError, match="7 of the 8"):
        validate_changes(tables, emitted, changed, followed, tmp_path)


def test_the_views_and_settings_that_a_run_needs_are_gone_after_it(spark, everything):
    assert not [t.name for t in spark.catalog.listTables() if t.name in SCHEMAS]
    assert spark.conf.get("spark.sql.variable.substitute") == "true"


def test_data_docs_show_values_and_never_run_them(everything):
    folder, summary = everything
    assert (folder / summary.data_docs).is_file()
    pages = [p.read_text() for p in (folder / "nyc" / "gx" / "data_docs").rglob("*.html")]
    executed = next(page for page in pages if "1726" in page)
    assert all("<script>document" not in page for page in pages)
    assert "&lt;script&gt;document" in executed


def test_a_value_in_data_docs_is_text(tables_from, tmp_path):
    unique = UniqueColumnCombination(of("note", table="notes"))
    found = Measured(unique, 2, 6, 1000)
    changed = ChangeSet("nyc", 1, "run", {}, (Change(Transition.BROKE, "notes", None, found, rank=1),))
    followed = [Tracked(found, "notes", LifecycleState.VIOLATED, "2013-01-01", 5, 1, 1.0, 1)]
    config = DatasetConfig(dataset="nyc", tables={"notes": TableConfig(source=SOURCE)})
    schemas = {"notes": TableSchema("notes", (Column("note", TEXT, ordered=False),))}
    emitted = emit_suites(tmp_path, SuiteRequest("nyc", 1, followed, changed, schemas, config))
    notes = pa.table({"note": [EVIL, EVIL, "plain"], "_row_id": [0, 1, 2]})
    validate_changes(tables_from({"notes": notes}), emitted, changed, followed, tmp_path)
    pages = [p.read_text() for p in (tmp_path / "nyc" / "gx" / "data_docs" / "validations").rglob("*.html")]
    assert [page.count("<script>document") for page in pages] == [0]
    assert "&lt;script&gt;document" in pages[0]


def test_a_repeated_run_replaces_its_docs_and_results(tables, tmp_path):
    for _ in range(2):
        summary = validated(tmp_path, tables, changes(BROKEN_FD))
    assert len(list((tmp_path / "nyc" / "gx" / "validations").rglob("*.json"))) == 1
    assert len(list((tmp_path / "nyc" / "gx" / "data_docs" / "validations").rglob("*.html"))) == 1
    assert summary.data_docs


def test_a_quiet_day_executes_nothing_and_does_not_import_gx(tmp_path):
    program = (
        "import sys\n"
        "sys.path[:0] = sys.argv[2:]\n"
        "import pathlib, test_gx_validate as t\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "summary = t.validated(folder, None, t.changes(version=2))\n"
        "assert len(summary.checks) == len(t.FIGURES)\n"
        "print('great_expectations' in sys.modules, 'pyspark' in sys.modules, summary.data_docs == '')\n"
    )
    followed = [tracked(c) for c in FIGURES]
    emit_suites(tmp_path, SuiteRequest("nyc", 1, followed, changes(), SCHEMAS, CONFIG))  # yesterday's run
    script = tmp_path / "quiet.py"
    script.write_text(program)
    here = Path(__file__).parent
    command = [sys.executable, str(script), str(tmp_path), str(here), str(here.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


def test_an_audit_executes_everything_and_counts_again(tables, tmp_path):
    followed = [tracked(c) for c in FIGURES]
    emitted = emit_suites(tmp_path, SuiteRequest("nyc", 1, followed, changes(), SCHEMAS, CONFIG))
    found = audit(tables, emitted, followed, SCHEMAS, tmp_path, config=CONFIG)
    assert found.agrees
    assert len(found.validation.checks) == len(FIGURES)
    assert {r.constraint: r.counted for r in found.recounts} == {c.text: v for c, (_, v, _) in FIGURES.items()}


def test_an_audit_finds_a_wrong_count_even_where_the_verdict_is_right(tables, tmp_path):
    wrong = Measured(BROKEN_FD, 6, 30, 1000)
    followed = [tracked(BROKEN_FD, measured=wrong)]
    emitted = emit_suites(tmp_path, SuiteRequest("nyc", 1, followed, changes(), SCHEMAS, CONFIG))
    found = audit(tables, emitted, followed, SCHEMAS, tmp_path, config=CONFIG)
    assert not found.validation.contradictions
    assert not found.agrees
    assert [(r.maintained, r.counted) for r in found.recounts] == [(6, 4)]
