"""Settings: the project is found from any directory in it, and the environment has the last word."""

import subprocess
import sys
from pathlib import Path

import pytest

from profiling_core.model.errors import ConfigurationError
from profiling_core.state.settings import Settings, discover


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project" / "dags" / "datasets").mkdir(parents=True)
    return tmp_path / "project"


def test_the_nearest_parent_with_datasets_is_the_root(root: Path) -> None:
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    for start in (root, inner, root / "dags" / "datasets"):
        found = Settings.discover(start, {})
        assert found == Settings(
            root, root / ".holdfast", f"sqlite:///{root}/.holdfast/catalog.db", root / "dags" / "datasets"
        )
    (inner / "dags" / "datasets").mkdir(parents=True)
    assert Settings.discover(inner, {}).root == inner


def test_without_a_project(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no project was found") as caught:
        Settings.discover(tmp_path, {})
    assert "HOLDFAST_ROOT" in caught.value.remedy


def test_the_environment_overrides(root: Path, tmp_path: Path) -> None:
    (root / "sets").mkdir()
    environment = {"HOLDFAST_ROOT": str(root), "HOLDFAST_HOME": "/var/state", "HOLDFAST_DATASETS": "sets"}
    found = Settings.discover(tmp_path, environment | {"HOLDFAST_CATALOG": "postgresql://u@h/d"})
    assert found == Settings(root, Path("/var/state"), "postgresql://u@h/d", root / "sets")
    found = Settings.discover(tmp_path, environment)
    assert found.catalog_url == "sqlite:////var/state/catalog.db"


def test_relative_places_are_taken_from_the_root(root: Path) -> None:
    environment = {"HOLDFAST_HOME": "x/../state", "HOLDFAST_CATALOG": "sqlite:///own.db"}
    found = Settings.discover(root / "dags", environment)
    assert found.home == root / "state"
    assert found.catalog_url == f"sqlite:///{root}/own.db"
    assert found.resolve("landing/flights") == root / "landing" / "flights"
    assert found.resolve("/data/flights") == Path("/data/flights")


def test_empty_variables_count_as_absent(root: Path) -> None:
    empty = dict.fromkeys(("HOLDFAST_ROOT", "HOLDFAST_HOME", "HOLDFAST_CATALOG", "HOLDFAST_DATASETS"), "")
    assert Settings.discover(root, empty) == Settings.discover(root, {})


@pytest.mark.parametrize(
    ("variable", "value"),
    [("HOLDFAST_ROOT", "missing"), ("HOLDFAST_DATASETS", "missing"), ("HOLDFAST_CATALOG", "catalog.db")],
)
def test_a_variable_that_names_nothing(root: Path, variable: str, value: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.discover(root, {variable: value})
    assert variable in caught.value.where


def test_discover_takes_the_process_as_it_is(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOLDFAST_ROOT", "HOLDFAST_HOME", "HOLDFAST_CATALOG", "HOLDFAST_DATASETS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(root)
    assert discover().root == root
    monkeypatch.setenv("HOLDFAST_HOME", str(root / "elsewhere"))
    assert discover().home == root / "elsewhere"


def test_a_directory_of_any_name_can_hold_a_catalog(tmp_path: Path) -> None:
    root = tmp_path / "what? 100% é#&:@ \udcff"
    (root / "dags" / "datasets").mkdir(parents=True)
    settings = Settings.discover(root, {})
    settings.catalog()
    assert (settings.home / "catalog.db").is_file()
    assert settings.store("nyc").staging("run").is_relative_to(settings.home)
    assert settings.artifacts("nyc") == settings.home / "artifacts" / "nyc"


def test_settings_and_dataset_files_import_nothing_heavy() -> None:
    code = """
import sys
import profiling_core.state.settings, profiling_core.pipeline.configuration
heavy = {"sqlalchemy", "alembic", "numpy", "pandas", "pyarrow", "pyspark", "great_expectations", "airflow", "numba"}
print(",".join(sorted(heavy & set(sys.modules))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("variable", ["HOLDFAST_ROOT", "HOLDFAST_DATASETS"])
def test_a_place_that_is_no_file_system_is_refused_in_words(root: Path, variable: str) -> None:
    with pytest.raises(ConfigurationError, match="s3:// is not supported here") as caught:
        Settings.discover(root, {variable: "s3://key:hidden-canary@bucket/x?token=hidden-canary"})
    assert caught.value.where == "s3://bucket/x"
    assert not (root / "s3:").exists()


def test_a_file_url_is_a_path(root: Path) -> None:
    assert Settings.discover(root, {"HOLDFAST_HOME": "file:///var/my%20state"}).home == Path("/var/my state")
