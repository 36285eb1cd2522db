"""Dataset files: a right one loads; a mistake is named by file, line and field, with what to write instead."""

import dataclasses
from pathlib import Path

import pytest
from databases.catalogs import table_state

from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.source import SourceKind
from profiling_core.pipeline.configuration import (
    check_columns,
    dataset_files,
    find_dataset,
    load_dataset,
    load_datasets,
    resolve,
)

GOOD = """\
dataset: nyc
start_date: 2013-01-01
inclusions: off
tables:
  flights:
    source: {path: landing/flights, null_values: ["", NA, NO]}
    key: [id, on]
    leave_out:
      - time_hour
    columns:
      delay: {operators: equality}
      12: {type: decimal, precision: 5, scale: 2}
  airlines: &reference
    source:
      path: /landing/airlines
      kind: snapshot
  planes:
    <<: *reference
    max_predicates: 3
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "nyc.yaml"


def problem(path: Path, text: str | bytes) -> ConfigurationError:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError) as caught:
        load_dataset(path)
    assert str(path) in caught.value.where
    assert caught.value.remedy
    return caught.value


def test_a_good_file(path: Path) -> None:
    path.write_text(GOOD)
    config = load_dataset(path)
    flights = config.tables["flights"]
    assert (config.dataset, config.start_date, config.inclusions) == ("nyc", "2013-01-01", "off")
    assert flights.key == ("id", "on")
    assert flights.source.null_values == ("", "NA", "NO")
    assert list(flights.columns) == ["delay", "12"]
    assert config.tables["planes"].source.kind is SourceKind.SNAPSHOT
    assert (config.tables["planes"].max_predicates, config.tables["airlines"].max_predicates) == (3, None)


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "what", "remedy"),
    [
        ("key: [id, on]", "keys: [id]", 7, "tables.flights.keys", "no field 'keys'", "did you mean 'key'"),
        ("max_predicates", "max_predicate", 19, "tables.planes.max_predicate", "no field", "'max_predicates'"),
        (
            "operators: equality",
            "operator: order",
            11,
            "tables.flights.columns.delay.operator",
            "no field",
            "'operators'",
        ),
        ("start_date", "startdate", 2, "startdate", "no field", "'start_date'"),
        ("snapshot", "snapshots", 16, "tables.airlines.source.kind", "'snapshots'", "did you mean 'snapshot'"),
        ("operators: equality", "operators: less", 11, "tables.flights.columns.delay.operators", "'less'", "'order'"),
        ("inclusions: off", "inclusions: no", 3, "inclusions", "'no'", "'on' or 'off'"),
        ("dataset: nyc", "dataset: 7", 1, "dataset", "7", "quotes, '7'"),
        ("dataset: nyc", "dataset: a/b", 1, "dataset", "'a/b'", "letters, digits"),
        ("  flights:", "  fl ights:", 5, "tables.fl ights", "'fl ights'", "letters, digits"),
        ("key: [id, on]", "key:", 7, "tables.flights.key", "cannot be empty", "a list"),
        ("delay: {operators: equality}", "delay: equality", 11, "tables.flights.columns.delay", "'equality'", "fields"),
        ("key: [id, on]", f"key: {'x' * 200}", 7, "tables.flights.key", "xxx…", "a list"),
        (
            "delay: {operators",
            "delay: {}\n      late: {operator",
            12,
            "tables.flights.columns.late.operator",
            "no",
            "oper",
        ),
        ("key: [id, on]", "key: id", 7, "tables.flights.key", "'id'", "a list"),
        ("[id, on]", "[id, id]", 7, "tables.flights.key[1]", "twice", "once"),
        ("[id, on]", "[id, 2]", 7, "tables.flights.key[1]", "2", "quotes, '2'"),
        ("max_predicates: 3", "max_predicates: three", 19, "tables.planes.max_predicates", "'three'", "integer"),
        ("max_predicates: 3", "max_predicates: -1", 19, "tables.planes.max_predicates", "-1", "greater than or equal"),
        ("scale: 2", "scale: 6", 12, "tables.flights.columns.12.scale", "scale 6", "precision"),
        ("2013-01-01", "2013-02-30", 2, "start_date", "not a date", "YYYY-MM-DD"),
        ("inclusions: off", "end_date: 2012-12-31", 3, "end_date", "before", "on or after"),
        ("path: /landing/airlines", "format: csv", 14, "tables.airlines.source", "format: csv needs path", ""),
        (
            "source: {path: landing/flights",
            "x: {path: landing/flights",
            5,
            "tables.flights.source",
            "missing",
            "add it",
        ),
    ],
)
def test_a_wrong_field_is_named(path: Path, old: str, new: str, line: int, field: str, what: str, remedy: str) -> None:
    assert old in GOOD
    error = problem(path, GOOD.replace(old, new, 1))
    assert f"line {line}, field {field}" in error.where
    assert what in error.what
    assert remedy in error.remedy


@pytest.mark.parametrize(
    ("text", "what", "place"),
    [
        ("", "empty", "line 1"),
        ("# nothing\n", "empty", "line 1"),
        ("- a\n", "field: value", "line 1"),
        ("dataset", "field: value", "line 1"),
        (GOOD + "tables: {}\n", "'tables' stands twice, first on line 4", "line 20"),
        (GOOD.replace("leave_out", "key"), "'key' stands twice, first on line 7", "line 8"),
        (GOOD.replace("[id, on]", "[id, on"), "not valid YAML", "line 8, column"),
        (GOOD.replace("  flights:", "\tflights:"), "not valid YAML", "line 5, column 1"),
        (GOOD.replace("*reference", "*referenc"), "undefined alias", "line 18"),
        (GOOD + "? [a]\n: b\n", "a name is not text", "line 20"),
        (GOOD + "x: !!python/object:os.system {}\n", "not valid YAML", "line 20"),
        (GOOD + "---\nx: 1\n", "not valid YAML", "line 20"),
        ("a: &a [*a]\n", "alias", "line 1"),
        (GOOD.encode() + b"description: \xff\n", "not UTF-8", "line 20"),
        (b"a: \x00\n", "not", ""),
    ],
)
def test_a_file_that_is_no_configuration(path: Path, text: str | bytes, what: str, place: str) -> None:
    error = problem(path, text)
    assert what in error.what
    assert place in error.where


def test_several_problems_are_all_named(path: Path) -> None:
    error = problem(path, GOOD.replace("key:", "keys:").replace("snapshot", "shot"))
    assert "line 7" in error.where
    assert "line 16: 'kind' cannot be 'shot'" in error.what


@pytest.mark.parametrize(
    ("route", "field", "what"),
    [
        ("{url: 'json://x', tables: [flihts]}", "alerts.routes[0].tables[0]", "no table 'flihts'"),
        ("{tables: [flights]}", "alerts.routes[0]", "exactly one of url, url_env and url_connection"),
    ],
)
def test_alert_routes(path: Path, route: str, field: str, what: str) -> None:
    error = problem(path, f"{GOOD}alerts:\n  routes:\n  - {route}\n")
    assert f"line 22, field {field}" in error.where
    assert what in error.what


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_dataset(path)


def test_the_files_of_a_directory(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.yaml").write_text(GOOD.replace("nyc", name))
    (tmp_path / "README.md").write_text("no dataset")
    assert [(p.name, c.dataset) for p, c in load_datasets(tmp_path)] == [("a.yaml", "a"), ("b.yaml", "b")]
    (tmp_path / "c.yml").write_text(GOOD)
    with pytest.raises(ConfigurationError, match=r"end in \.yaml"):
        dataset_files(tmp_path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        dataset_files(tmp_path / "missing")


def test_two_files_for_one_dataset(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(f"description: {name}\n{GOOD}")
    with pytest.raises(ConfigurationError, match="2 files configure the dataset 'nyc'") as caught:
        load_datasets(tmp_path)
    assert f"{tmp_path}/a.yaml, line 2; {tmp_path}/b.yaml, line 2" in caught.value.where


def test_finding_a_dataset(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(GOOD)
    assert find_dataset(tmp_path, "nyc").dataset == "nyc"
    with pytest.raises(ConfigurationError, match="no dataset 'nycc'") as caught:
        find_dataset(tmp_path, "nycc")
    assert "did you mean 'nyc'?" in caught.value.remedy
    (tmp_path / "a.yaml").write_text("dataset: other\n")
    assert find_dataset(tmp_path, "nyc").dataset == "nyc"
    with pytest.raises(ConfigurationError, match="'tables' is missing"):
        find_dataset(tmp_path, "other")


def test_source_paths_are_taken_from_the_root(path: Path) -> None:
    path.write_text(GOOD)
    config = resolve(load_dataset(path), Path("/project"))
    assert config.tables["flights"].source.path == "/project/landing/flights"
    assert config.tables["airlines"].source.path == "/landing/airlines"


@pytest.mark.parametrize(
    ("columns", "line", "field", "near"),
    [
        (("id", "time_hour", "delay", "12"), 7, "tables.flights.key[1]", None),
        (("id", "on", "time_hours", "delay", "12"), 9, "tables.flights.leave_out[0]", "'time_hours'"),
        (("id", "on", "time_hour", "delays", "12"), 11, "tables.flights.columns.delay", "'delays'"),
    ],
)
def test_configured_columns_must_exist(
    path: Path, columns: tuple[str, ...], line: int, field: str, near: str | None
) -> None:
    path.write_text(GOOD)
    config = load_dataset(path)
    schemas = {"flights": table_state("flights", columns).schema}
    with pytest.raises(ConfigurationError, match="table 'flights' has no column") as caught:
        check_columns(config, schemas, path)
    assert caught.value.where == f"{path}, line {line}, field {field}"
    assert ("did you mean" in caught.value.remedy) == (near is not None)
    assert near is None or near in caught.value.remedy
    with pytest.raises(ConfigurationError) as caught:
        check_columns(config, schemas)
    assert caught.value.where == f"field {field}"


def test_configured_columns_that_exist(path: Path) -> None:
    path.write_text(GOOD)
    schema = table_state("flights", ("id", "on", "time_hour", "delay", "12")).schema
    check_columns(load_dataset(path), {"flights": dataclasses.replace(schema, key=())}, path)


def test_two_hundred_files_are_read(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"n{number}.yaml").write_text(GOOD.replace("nyc", f"nyc{number}"))
    loaded = load_datasets(tmp_path)
    assert len({config.dataset for _, config in loaded}) == 200
    assert all(isinstance(config, DatasetConfig) for _, config in loaded)


def test_a_first_dataset_says_how_it_begins(tmp_path):
    with pytest.raises(ConfigurationError, match="there is no dataset 'nyc'") as raised:
        find_dataset(tmp_path, "nyc")
    assert raised.value.remedy.startswith("begin it with holdfast init WHAT")
