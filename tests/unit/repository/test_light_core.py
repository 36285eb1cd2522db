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


def test_discovery_and_two_days_need_no_extra_and_what_one_brings_is_asked_for_in_words(light, tmp_path):
    land(tmp_path, "2024-05-01")
    found = holdfast(light, tmp_path, "discover", "landing/parcels/2024-05-01.csv")
    assert (found.returncode, "unique {parcel}" in found.stdout) == (0, True), found.stderr

    assert holdfast(light, tmp_path, "init", "landing/parcels", "--yes", "--name", "shop").returncode == 0
    first = holdfast(light, tmp_path, "apply")
    assert first.returncode == 0, first.stderr
    assert "pip install 'holdfast[gx]'" in first.stdout

    land(tmp_path, "2024-05-02")
    second = holdfast(light, tmp_path, "apply", "shop")
    assert second.returncode == 0, second.stderr
    assert "parcel 65, 2024-05-02.csv, line 6: ▶ city Köln, should be Bonn" in second.stderr

    audit = holdfast(light, tmp_path, "audit")
    assert audit.returncode == 2
    assert "pip install 'holdfast[" in audit.stderr
    assert "Traceback" not in audit.stderr


def test_rows_are_set_aside_and_released_without_any_extra(light, tmp_path):
    land(tmp_path, "2024-05-01")
    holdfast(light, tmp_path, "init", "landing/parcels", "--yes", "--name", "shop")
    with (tmp_path / "dags" / "datasets" / "shop.yaml").open("a", encoding="utf-8") as file:
        file.write("    policy: quarantine\n")
    holdfast(light, tmp_path, "apply")
    land(tmp_path, "2024-05-02")
    kept = holdfast(light, tmp_path, "apply")
    assert "1 of 12 new rows was set aside" in kept.stderr
    released = holdfast(light, tmp_path, "release", "parcels")
    assert "+1 −0 ~0 rows" in released.stdout, released.stderr
    assert "▶ city Köln, should be Bonn" in released.stderr
