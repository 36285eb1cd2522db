"""A table whose delta is refused, or whose source cannot be read, holds its run; one command goes on without it."""

from pathlib import Path

import pytest
from helpers.landing import write_configuration

from profiling_core.model.errors import InputError
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = pytest.mark.spark

WAY_OUT = "holdfast apply pair --table streets applies theirs without it"


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    tables = {
        name: {"source": {"path": f"landing/{name}", "settle_seconds": 0}, "key": ["id"]}
        for name in ("towns", "streets")
    }
    config = {"dataset": "pair", "inclusions": "off", "tables": tables}
    write_configuration(tmp_path, config)
    for name in tables:
        land(tmp_path, name, "day-1", "".join(f"insert,{i},{i % 3}\n" for i in range(8)))
    walk("pair")
    land(tmp_path, "streets", "day-2", "insert,90,1\n")
    return tmp_path


def land(project: Path, table: str, delta: str, rows: str) -> None:
    path = project / "landing" / table / f"{delta}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("_op,id,part\n" + rows)


def rows_now() -> dict[str, int]:
    current = Workspace.open("pair").catalog.current("pair")
    return {name: table.rows for name, table in current.tables.items()}


def test_a_refused_table_holds_the_others_and_the_error_says_what_applies_them(project):
    land(project, "towns", "day-2", "insert,90,many\n")
    with pytest.raises(InputError) as refused:
        walk("pair")
    assert WAY_OUT in str(refused.value)
    assert rows_now() == {"towns": 8, "streets": 8}
    (message,) = Workspace.open("pair").catalog.alerts("pair")
    assert WAY_OUT in str(message.body)

    assert walk("pair", tables=["streets"])["applied"] == {"streets": ["day-2"]}
    assert rows_now() == {"towns": 8, "streets": 9}

    with pytest.raises(InputError) as alone:
        walk("pair")
    assert "--table" not in str(alone.value), "no other table waits any more"
    land(project, "towns", "day-2", "insert,90,2\n")
    walk("pair")
    assert rows_now() == {"towns": 9, "streets": 9}


def test_a_table_that_cannot_be_read_holds_the_others_likewise(project):
    land(project, "towns", "day-2", "insert,90,2\n")
    land(project, "towns", "day-2/part", "insert,90,2\n")
    with pytest.raises(InputError) as refused:
        walk("pair")
    assert WAY_OUT in str(refused.value)
    walk("pair", tables=["streets"])
    assert rows_now() == {"towns": 8, "streets": 9}
