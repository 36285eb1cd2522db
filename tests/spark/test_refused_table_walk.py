"""A table whose delta is refused waits, and the others go on; one whose source cannot be read holds its run."""

from pathlib import Path

import pytest
from helpers.landing import write_configuration
from typer.testing import CliRunner

from profiling_core.cli.main import app
from profiling_core.model.errors import InputError
from profiling_core.model.version import HELD
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

TABLES = {
    name: {"source": {"path": f"landing/{name}", "settle_seconds": 0}, "key": ["id"]} for name in ("towns", "streets")
}
CONFIG = {"dataset": "pair", "inclusions": "off", "tables": TABLES}
WAY_OUT = "holdfast apply pair --table streets applies theirs without it"


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    write_configuration(tmp_path, CONFIG)
    for name in TABLES:
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


def messages() -> list[str]:
    return [str(message.body) for message in Workspace.open("pair").catalog.alerts("pair")]


def waiting() -> list[str]:
    return [ref.table for ref in Workspace.open("pair").catalog.current("pair").files if ref.role == HELD]


def test_what_is_told_of_a_refused_delta_quotes_no_row_where_columns_are_redacted(project, caplog):
    towns = TABLES["towns"] | {"columns": {"part": {"redacted": True}}}
    write_configuration(project, CONFIG | {"tables": TABLES | {"towns": towns}})
    land(project, "towns", "day-2", "insert,90,many\n")
    (refused,) = walk("pair")["refused"]
    told = [refused["reason"], refused["remedy"], *messages()]
    assert all("many" not in text for text in told)
    assert "many" in caplog.text


@pytest.mark.parametrize("redacted", [False, True])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file has no header: it is empty"),
        (b"\n\n", "the file begins with an empty line, not with a header"),
        (b"i\0d,part\n", "the name of column 1 has NUL bytes"),
        (b"\xff\xff,id,part\n", "the file is not UTF-8 text"),
    ],
)
def test_the_first_line_says_why_a_file_is_refused(project, content, reason, *, redacted: bool):
    towns = TABLES["towns"] | {"columns": {"part": {"redacted": redacted}}}
    write_configuration(project, CONFIG | {"tables": TABLES | {"towns": towns}})
    (project / "landing" / "towns" / "day-2.csv").write_bytes(content)
    walk("pair")
    (incident,) = Workspace.open("pair").catalog.incidents("pair")
    assert incident.diagnosis.headline.startswith(f"delta day-2 is refused, and nothing of it was applied: {reason}")
    assert not any(reason == line for line in incident.diagnosis.details)


def test_another_reason_for_which_a_delta_is_refused_is_told_as_one(project):
    for content in (b"", b"\n\n"):
        (project / "landing" / "towns" / "day-2.csv").write_bytes(content)
        walk("pair")
        land(project, "streets", "day-3", "insert,91,1\n")
    assert ["Incident 1, open since day-2, had another reason before" in said for said in messages()] == [False, True]


def test_a_refused_table_waits_with_what_comes_after_it_and_the_others_go_on(project):
    land(project, "towns", "day-2", "insert,90,many\n")
    outcome = walk("pair")
    assert outcome["applied"] == {"streets": ["day-2"]}
    (refused,) = outcome["refused"]
    assert (refused["table"], refused["delta"]) == ("towns", "day-2")
    assert "what comes after it waits" in refused["reason"]
    assert (rows_now(), waiting()) == ({"towns": 8, "streets": 9}, ["towns"])
    (message,) = messages()
    assert "delta day-2 is refused" in message
    assert "the other tables go on" in message

    land(project, "towns", "day-3", "insert,91,1\n")
    land(project, "streets", "day-3", "insert,91,1\n")
    again = walk("pair")
    assert again["applied"] == {"streets": ["day-3"]}
    assert [incident["deltas"] for incident in again["incidents"]] == [2]
    assert len(messages()) == 1, "a refusal is told once"
    assert rows_now() == {"towns": 8, "streets": 10}

    land(project, "towns", "day-2", "insert,90,2\n")
    mended = walk("pair")
    assert mended["applied"] == {"towns": ["day-2", "day-3"]}
    assert not mended["refused"]
    assert (rows_now(), waiting()) == ({"towns": 10, "streets": 10}, [])
    assert [incident["table"] for incident in mended["ended"]] == ["towns"]


def test_a_run_whose_deltas_are_all_refused_makes_no_version(project):
    walk("pair")
    land(project, "towns", "day-3", "insert,90,many\n")
    for dry_run in (True, False, False):
        with pytest.raises(InputError) as refused:
            walk("pair", dry_run=dry_run)
        assert "delta 'day-3' of table 'towns' is refused" in str(refused.value)
    assert len(messages()) == 1
    assert rows_now() == {"towns": 8, "streets": 9}
    land(project, "towns", "day-3", "insert,90,2\n")
    assert walk("pair")["applied"] == {"towns": ["day-3"]}


def test_a_dry_run_tells_of_a_refused_table_what_the_others_would_change(project):
    land(project, "towns", "day-2", "insert,90,many\n")
    outcome = walk("pair", dry_run=True)
    assert outcome["applied"] == {"streets": ["day-2"]}
    assert [held["table"] for held in outcome["refused"]] == ["towns"]
    assert (rows_now(), messages()) == ({"towns": 8, "streets": 8}, [])


def test_rows_that_refer_to_a_refused_delta_are_part_of_its_incident(tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    write_configuration(tmp_path, CONFIG | {"inclusions": "on"})
    towns, streets = (tmp_path / "landing" / name for name in ("towns", "streets"))
    towns.mkdir(parents=True)
    streets.mkdir()
    (towns / "day-1.csv").write_text("_op,id,size\n" + "".join(f"insert,{100 + i},{i % 7}\n" for i in range(40)))
    own = "".join(f"insert,{i},{100 + i % 40}\n" for i in range(1000, 1200))
    (streets / "day-1.csv").write_text("_op,id,town_id\n" + own)
    walk("pair")
    (towns / "day-2.csv").write_text("_op,id,size\ninsert,140,many\n")
    (streets / "day-2.csv").write_text("_op,id,town_id\ninsert,1200,140\ninsert,1201,140\n")
    outcome = walk("pair")
    assert any("towns" in text for text in outcome["broken"]), "the streets' town is unknown"
    assert [incident["table"] for incident in outcome["incidents"]] == ["towns"]
    assert len(messages()) == 1


def test_a_table_that_cannot_be_read_holds_the_others_likewise(project):
    land(project, "towns", "day-2", "insert,90,2\n")
    land(project, "towns", "day-2/part", "insert,90,2\n")
    with pytest.raises(InputError) as refused:
        walk("pair")
    assert WAY_OUT in str(refused.value)
    walk("pair", tables=["streets"])
    assert rows_now() == {"towns": 8, "streets": 9}


def test_the_status_says_why_deltas_still_wait(project, holdfast):
    land(project, "towns", "day-2", "insert,90,many\n")
    assert "incident" not in holdfast("status").out
    walk("pair")
    assert " ".join(holdfast("status").out.split()).endswith(
        "pending: towns 1 delta, day-2 incident 1: delta day-2 is refused, and nothing of it was applied: "
        "1 of its 1 rows is rejected (wrong type in part)"
    )
    land(project, "towns", "day-2", "insert,90,2\n")
    walk("pair")
    assert "incident" not in holdfast("status").out


def test_the_command_tells_a_refusal_once(project):
    walk("pair")
    land(project, "towns", "day-3", "insert,90,many\n")
    land(project, "streets", "day-3", "insert,91,1\n")
    done = CliRunner().invoke(app, ["apply", "pair"])
    said = " ".join(done.output.split())
    assert done.exit_code == 1
    assert "refused: towns day-3 is not applied, and what comes after it waits: see its message" in said
    assert "0 recovered; 1 message." in said
    assert "what to do" not in said
    land(project, "towns", "day-3", "insert,90,much\ninsert,91,more\n")
    alone = CliRunner().invoke(app, ["apply", "pair"])
    assert "delta 'day-3' of table 'towns' is refused" in str(alone.exception)
    again = CliRunner().invoke(app, ["apply", "pair"])
    assert "delta 'day-3' of table 'towns' is refused" in str(again.exception)
