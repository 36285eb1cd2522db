"""Suites as files: the same constraints write the same bytes, GX loads all of them, and without our package."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from stack.files import REPOSITORY

from profiling_core.emit.files import to_bytes
from profiling_core.emit.loading import load_suite
from profiling_core.emit.suites import EmittedSuites, SuiteRequest, emit_suites, setting_of, table_suite
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
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.state.atomic import write_atomically

HOSTILE = "x`{batch}\"'\n<script>alert(1)</script> ${env:HOME} é"
COLUMNS = (
    Column("origin", LogicalType.STRING, ordered=False),
    Column("dest", LogicalType.STRING, ordered=False),
    Column("distance", LogicalType.INTEGER, ordered=True),
    Column("dep", LogicalType.INTEGER, ordered=True),
    Column("arr", LogicalType.INTEGER, ordered=True),
    Column("air", LogicalType.FLOAT, ordered=True),
    Column(HOSTILE, LogicalType.STRING, ordered=False),
)
SCHEMAS = {
    "flights": TableSchema("flights", COLUMNS, ("origin", "dep")),
    "airports": TableSchema("airports", (Column("faa", LogicalType.STRING, ordered=False),)),
}
SOURCE = Source(path="landing")
CONFIG = DatasetConfig(dataset="nyc", tables={name: TableConfig(source=SOURCE) for name in SCHEMAS})


def of(*columns, table="flights"):
    return ColumnList(table, columns)


def dc(left, op, right, row="t"):
    return DenialConstraint("flights", (Predicate(Operand("t", left), Operator(op), Operand(row, right)),))


FD = FunctionalDependency(of("origin", "dest"), of("distance"))
CONSTRAINTS = [
    FD,
    UniqueColumnCombination(of("origin")),
    UniqueColumnCombination(of("origin", "dep")),
    UniqueColumnCombination(of("air")),
    InclusionDependency(of("origin"), of("faa", table="airports")),
    dc("dep", "<", "arr"),
    dc("dep", "≥", "arr"),
    dc("dep", "=", "arr"),
    FunctionalDependency(of(HOSTILE), of("distance")),
    UniqueColumnCombination(of(HOSTILE)),
]


def tracked(constraint, *, state=LifecycleState.ACTIVE, violations=0, support=1234, threshold=0.0):
    measured = Measured(constraint, violations, 1000, support)
    return Tracked(measured, constraint.tables[0], state, "2013-01-01", 5, 1, 1.0, 1, threshold)


def change(constraint, transition=Transition.BROKE, *, rank=1, alerts=True):
    return Change(transition, "flights", None, Measured(constraint, 4, 1000), rank=rank, alerts=alerts)


def changes(*made, version=1):
    return ChangeSet("nyc", version, "run", {}, tuple(made))


def emitted(folder, followed=None, made=None, *, config=CONFIG, **options):
    followed = [tracked(c) for c in CONSTRAINTS] if followed is None else followed
    return emit_suites(folder, SuiteRequest("nyc", 1, followed, made or changes(), SCHEMAS, config, **options))


def stored(folder, suite):
    return json.loads((folder / suite.path).read_bytes())


def expectations(folder, suite):
    return {e["meta"]["constraint"]: e for e in stored(folder, suite)["expectations"]}


def flights(result):
    return next(suite for suite in result.tables if suite.table == "flights")


def test_everything_stored_is_loaded_by_gx(tmp_path):
    result = emitted(tmp_path)
    suite = flights(result)
    assert suite.expectations == len(CONSTRAINTS)
    loaded = load_suite(tmp_path / suite.path)
    assert [e.id for e in loaded.expectations] == [e["id"] for e in stored(tmp_path, suite)["expectations"]]
    assert EmittedSuites.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_the_same_constraints_write_the_same_bytes_in_any_order(tmp_path):
    first = emitted(tmp_path / "a")
    second = emitted(tmp_path / "b", [tracked(c, support=9876) for c in reversed(CONSTRAINTS)])
    path = flights(first).path
    assert (tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes()
    assert flights(second).is_new
    assert not flights(emitted(tmp_path / "a")).is_new


def test_a_diff_of_two_days_shows_what_changed_and_nothing_else(tmp_path):
    before = stored(tmp_path, flights(emitted(tmp_path)))
    others = [tracked(c, support=2345) for c in CONSTRAINTS[1:]]
    broken = tracked(FD, state=LifecycleState.VIOLATED, violations=4)
    after = stored(tmp_path, flights(emitted(tmp_path, [broken, *others])))
    differing = [
        (a["meta"]["constraint"], {k for k in a["meta"] if a["meta"][k] != b["meta"][k]})
        for a, b in zip(before["expectations"], after["expectations"], strict=True)
        if a != b
    ]
    assert differing == [(FD.text, {"state", "error"})]


def test_a_day_that_changes_no_rule_leaves_the_file_as_it_is(tmp_path):
    """Even where a figure passes a magnitude: it is the one that the rule came into its state with."""
    begun = {record.fingerprint: record for record in (tracked(c) for c in CONSTRAINTS)}
    path = tmp_path / flights(emitted(tmp_path, beginnings=begun)).path
    first = path.read_bytes()
    later = [replace(tracked(c, support=98765), score=8.8, version=2, held_deltas=6) for c in CONSTRAINTS]
    assert not flights(emitted(tmp_path, later, beginnings=begun)).is_new
    assert path.read_bytes() == first
    assert flights(emitted(tmp_path, later)).is_new


@pytest.mark.slow
def test_hashing_makes_no_difference(tmp_path):
    """Processes hash texts differently, each by a seed of its own."""
    program = "import sys, pathlib; sys.path[:0] = sys.argv[2:]; import test_emit_suites as t; "
    program += "sys.stdout.buffer.write(t.to_bytes(t.documents()))"
    script = tmp_path / "write.py"
    script.write_text(program)
    here = Path(__file__).parent
    command = [sys.executable, str(script), str(tmp_path), str(here), str(REPOSITORY / "tests")]
    environments = ({**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2"))
    found = {subprocess.run(command, capture_output=True, check=True, env=e).stdout for e in environments}
    assert found == {to_bytes(documents())}


def documents():
    """The tables' suites as they are stored."""
    followed = [tracked(c) for c in CONSTRAINTS]
    made = {table: table_suite(setting_of(CONFIG, SCHEMAS, table), table, followed) for table in SCHEMAS}
    return {table: suite.document for table, suite in made.items()}


def test_a_violated_constraint_stays_in_the_suite_and_a_candidate_does_not_enter_it(tmp_path):
    states = (LifecycleState.CANDIDATE, LifecycleState.ACTIVE, LifecycleState.VIOLATED, LifecycleState.RETIRED)
    followed = [tracked(c, state=s) for c, s in zip(CONSTRAINTS, states, strict=False)]
    found = expectations(tmp_path, flights(emitted(tmp_path, followed)))
    assert set(found) == {CONSTRAINTS[1].text, CONSTRAINTS[2].text}


def test_built_in_expectations_are_taken_where_they_say_the_same(tmp_path):
    found = expectations(tmp_path, flights(emitted(tmp_path)))
    query = "unexpected_rows_expectation"
    assert {text: e["type"] for text, e in found.items()} == {
        "{origin, dest} → distance": query,
        "unique {origin}": "expect_column_values_to_be_unique",
        "unique {origin, dep}": "expect_compound_columns_to_be_unique",
        "unique {air}": query,  # Spark takes NaN for a value
        "flights.origin ⊆ airports.faa": query,
        "arr ≤ dep": "expect_column_pair_values_a_to_be_greater_than_b",
        "dep < arr": "expect_column_pair_values_a_to_be_greater_than_b",
        "dep ≠ arr": query,
        f"{{{HOSTILE}}} → distance": query,
        f"unique {{{HOSTILE}}}": query,  # not a name that Spark's column expressions take
    }
    pair = found["dep < arr"]["kwargs"]
    assert (pair["column_A"], pair["column_B"], pair["or_equal"]) == ("arr", "dep", False)
    assert found["flights.origin ⊆ airports.faa"]["meta"]["needs_views"] == ["airports"]


def test_null_equal_null_takes_only_what_still_says_the_same(tmp_path):
    config = DatasetConfig(
        dataset="nyc", nulls=NullSemantics.EQUAL, tables={name: TableConfig(source=SOURCE) for name in SCHEMAS}
    )
    found = expectations(tmp_path, flights(emitted(tmp_path, config=config)))
    assert found["unique {origin}"]["type"] == "unexpected_rows_expectation"
    assert found["unique {origin, dep}"]["kwargs"]["ignore_row_if"] == "never"
    assert found["dep < arr"]["type"] == "unexpected_rows_expectation"  # two nulls violate it
    assert found["arr ≤ dep"]["kwargs"]["ignore_row_if"] == "either_value_is_missing"


def test_an_approximate_constraint_carries_its_tolerance(tmp_path):
    found = expectations(tmp_path, flights(emitted(tmp_path, [tracked(FD, violations=3, threshold=0.01)])))
    assert found[FD.text]["meta"]["tolerance"] == 0.01
    assert "'0.01'" in found[FD.text]["kwargs"]["unexpected_rows_query"]
    assert "0.01 is tolerated" in found[FD.text]["description"]


def test_hostile_names_reach_html_only_escaped(tmp_path):
    found = expectations(tmp_path, flights(emitted(tmp_path)))
    description = found[f"unique {{{HOSTILE}}}"]["description"]
    assert "<script>" not in description
    assert "&lt;script&gt;" in description


def test_ids_stay_through_versions_and_differ_between_datasets(tmp_path):
    first = expectations(tmp_path, flights(emitted(tmp_path)))
    later = emit_suites(tmp_path, SuiteRequest("nyc", 2, [tracked(FD)], changes(), SCHEMAS, CONFIG))
    assert expectations(tmp_path, flights(later))[FD.text]["id"] == first[FD.text]["id"]
    config = CONFIG.model_copy(update={"dataset": "sfo"})
    other = emit_suites(tmp_path, SuiteRequest("sfo", 1, [tracked(FD)], changes(), SCHEMAS, config))
    assert expectations(tmp_path, flights(other))[FD.text]["id"] != first[FD.text]["id"]


def test_the_change_suite_holds_what_people_see_and_alerts_come_first(tmp_path):
    made = [
        change(CONSTRAINTS[2], Transition.APPEARED, rank=2, alerts=False),
        change(CONSTRAINTS[3], Transition.APPEARED, rank=None, alerts=False),  # nobody follows it
        change(CONSTRAINTS[1], Transition.RECOVERED, rank=3),
        change(FD, rank=9),
    ]
    result = emitted(tmp_path, [], changes(*made), most_changes=2)
    (suite,) = result.changes
    assert set(expectations(tmp_path, suite)) == {FD.text, CONSTRAINTS[1].text}
    assert suite.left_out == ((CONSTRAINTS[2].text, "beyond what one run executes"),)
    assert stored(tmp_path, suite)["expectations"][0]["meta"]["violations"] == 4
    assert result.changes


def test_a_day_without_changes_has_no_change_suite(tmp_path):
    assert not emitted(tmp_path).changes


def test_another_count_of_what_stands_violated_is_no_change_to_execute(tmp_path):
    assert not emitted(tmp_path, [], changes(change(FD, Transition.ERROR_CHANGED, rank=1, alerts=False))).changes


def test_what_sql_cannot_say_is_left_out_with_its_reason(tmp_path):
    wide = Column("price", LogicalType.DECIMAL, ordered=True, precision=38, scale=10)
    schemas = {**SCHEMAS, "flights": TableSchema("flights", (*COLUMNS, wide))}
    result = emit_suites(
        tmp_path, SuiteRequest("nyc", 1, [tracked(dc("price", "<", "air"))], changes(), schemas, CONFIG)
    )
    ((text, why),) = flights(result).left_out
    assert text == "air ≤ price"
    assert "round the decimal" in why


def test_what_would_compare_every_pair_of_a_large_table_is_left_out(tmp_path):
    constraint = dc("dep", "<", "arr", row="s")
    few, many = (Measured(constraint, 0, pairs, 1) for pairs in (10**9, 10**12))
    left_out = [
        flights(emitted(tmp_path, [replace(tracked(constraint), measured=measured)])).left_out
        for measured in (few, many)
    ]
    assert left_out[0] == ()
    assert [text for text, _ in left_out[1]] == [constraint.text]


def test_figures_in_a_suite_are_rounded_and_a_change_suite_has_both_versions(tmp_path):
    result = emitted(tmp_path, [tracked(FD, violations=3, threshold=0.01)], changes(change(FD), version=7))
    meta = expectations(tmp_path, flights(result))[FD.text]["meta"]
    assert (meta["error"], meta["support"], meta["score"], meta["ancestor"]) == (0.01, 1000, 1.0, "")
    (suite,) = result.changes
    assert stored(tmp_path, suite)["meta"]["holdfast"]["against"] == 6
    assert expectations(tmp_path, suite)[FD.text]["meta"]["error"] == 0.004


def test_inclusions_of_source_text_are_not_checked_on_typed_columns(tmp_path):
    tables = {name: TableConfig(source=SOURCE) for name in SCHEMAS}
    config = DatasetConfig(dataset="nyc", values="text", tables=tables)
    of_numbers = InclusionDependency(of("dep"), of("distance"))
    of_texts = InclusionDependency(of("origin"), of("faa", table="airports"))
    suite = flights(emitted(tmp_path, [tracked(of_numbers), tracked(of_texts)], config=config))
    assert [text for text, _ in suite.left_out] == [of_numbers.text]
    assert set(expectations(tmp_path, suite)) == {of_texts.text}


def test_a_suite_that_gx_would_load_as_empty_is_refused(tmp_path):
    path = tmp_path / flights(emitted(tmp_path)).path
    data = json.loads(path.read_bytes())
    data["expectations"][0]["type"] = "expect_something_of_ours"
    path.write_text(json.dumps(data))
    with pytest.raises(StateError, match=r"loads 9 of the 10 .*expect_something_of_ours"):
        load_suite(path)
    path.write_text("{")
    with pytest.raises(StateError, match="damaged"):
        load_suite(path)


@pytest.mark.slow
def test_a_suite_loads_where_our_package_is_not(tmp_path):
    path = tmp_path / flights(emitted(tmp_path)).path
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "sys.modules['profiling_core'] = None\n"
        "from great_expectations import ExpectationSuite\n"
        "suite = ExpectationSuite(**json.load(open(sys.argv[1], encoding='utf-8')))\n"
        "print(len(suite.expectations))\n"
    )
    assert output_of(str(program), str(path)) == str(len(CONSTRAINTS))


@pytest.mark.slow
def test_importing_gx_does_not_end_a_process_without_a_main_file():
    program = "from profiling_core.emit.gx import great_expectations; great_expectations(); print('alive')"
    assert output_of("-c", program) == "alive"


def output_of(*arguments):
    environment = {**os.environ, "GX_ANALYTICS_ENABLED": "false"}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip()


def test_a_write_that_dies_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "suite.json"
    write_atomically(path, b"old")

    def die(_handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", die)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["suite.json"]
