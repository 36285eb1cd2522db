"""dbt itself over an exported project: every test of ours is run, and fails exactly where rows violate its rule."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest
from helpers.contracts import made, wanted
from helpers.hostile import NAMINGS, PLAIN, Named, fill_duckdb, quoted
from stack.files import REPOSITORY

from profiling_core.emit.formats import dbt

pytestmark = pytest.mark.long
PROGRAM = REPOSITORY / ".venv-bench" / "bin" / "dbt"


def program() -> str:
    found = str(PROGRAM) if PROGRAM.exists() else shutil.which("dbt")
    if found is None:
        pytest.skip("dbt is missing: make .venv-bench installs it")
    return found


@pytest.mark.parametrize("naming", ["plain", "quotes", "templates", "braces", "line ends", "reserved", "backslashes"])
def test_dbt_finds_what_violates_each_rule(naming, tmp_path):
    named, own = made({"plain": PLAIN, **NAMINGS}[naming])
    project(tmp_path, named, dbt.export(own).files)
    command = [program(), "--no-send-anonymous-usage-stats", "test", "--profiles-dir", ".", "--no-version-check"]
    environment = {**os.environ, "DO_NOT_TRACK": "1"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    results = json.loads((tmp_path / "target" / "run_results.json").read_text("utf-8"))["results"]
    found = {r["unique_id"].split(".")[2]: (r["status"], r["failures"]) for r in results}
    rows = {dbt.test_name(own, rule): wanted(own, named.columns)[rule.name] for rule in own.rules}
    assert set(found) == set(rows), done.stdout
    assert {name: status == "pass" for name, (status, _) in found.items()} == {
        name: not ids for name, ids in rows.items()
    }
    singular = {name for name in found if (tmp_path / "tests" / f"{name}.sql").exists()}
    assert {name: found[name][1] for name in singular} == {name: len(rows[name]) for name in singular}


def project(place: Path, named: Named, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (place / "dbt_project.yml").write_text("name: checked\nversion: '1.0'\nprofile: checked\n")
    output = {"type": "duckdb", "path": "data.duckdb", "schema": named.dataset}
    (place / "profiles.yml").write_text(json.dumps({"checked": {"target": "dev", "outputs": {"dev": output}}}))
    with duckdb.connect(str(place / "data.duckdb")) as connection:
        connection.execute(f"CREATE SCHEMA {quoted(named.dataset)}; USE {quoted(named.dataset)}")
        fill_duckdb(connection, named)
