"""Discovery, a first day, a second one and its alert run without any extra."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from stack.files import REPOSITORY

pytestmark = pytest.mark.slow
PARCELS = REPOSITORY / "docs" / "examples" / "parcels"
HEAVY = ("pyspark", "great_expectations", "pandas", "airflow", "duckdb", "scipy")


def holdfast(light: Path, project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(light), "PATH": os.environ["PATH"], "HOME": str(project), "COLUMNS": "200"}
    command = [sys.executable, "-S", "-m", "profiling_core.cli.main", *words]
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def land(project: Path, day: str) -> None:
    landing = project / "landing" / "parcels"
    landing.mkdir(parents=True, exist_ok=True)
    (landing / f"{day}.csv").write_bytes((PARCELS / f"{day}.csv").read_bytes())


def test_the_environment_has_none_of_the_extras(light, tmp_path):
    asked = f"from importlib.util import find_spec; print([n for n in {HEAVY} if find_spec(n)])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", asked], env={"PYTHONPATH": str(light)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_what_an_extra_brings_is_asked_for_in_words_and_rows_are_released_without_any(light, tmp_path):
    """Discovery, two days and an alert without any extra are those of the tutorial (``test_tutorial.py``)."""
    land(tmp_path, "2024-05-01")
    assert holdfast(light, tmp_path, "init", "landing/parcels", "--yes", "--name", "shop").returncode == 0
    with (tmp_path / "dags" / "datasets" / "shop.yaml").open("a", encoding="utf-8") as file:
        file.write("    policy: quarantine\n")
    first = holdfast(light, tmp_path, "apply")
    assert first.returncode == 0, first.stderr
    assert "pip install 'holdfast[gx]'" in first.stdout

    audit = holdfast(light, tmp_path, "audit")
    assert audit.returncode == 2
    assert "pip install 'holdfast[" in audit.stderr
    assert "Traceback" not in audit.stderr

    land(tmp_path, "2024-05-02")
    kept = holdfast(light, tmp_path, "apply")
    assert "1 of 12 new rows was set aside" in kept.stderr
    released = holdfast(light, tmp_path, "release", "parcels")
    assert "+1 −0 ~0 rows" in released.stdout, released.stderr
    assert "parcel 65, 2024-05-02.csv, line 6: ▶ city Köln, should be Bonn" in released.stderr
