"""The commands over a dataset's state, as a person and as a program call them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from sqlalchemy import create_engine, select

from profiling_core.state.models import tracked
from profiling_core.state.row_checksums import change

pytestmark = pytest.mark.spark

CONFIGURATION = {
    "dataset": "routes",
    "tables": {
        "flights": {"source": {"path": "landing/flights"}, "key": ["flight"], "space": "same-column"},
        "airports": {"source": {"path": "landing/airports"}, "key": ["code"]},
    },
}
FIRST = "_op,flight,dest,miles\n" + "".join(
    f"insert,{i},{dest},{miles}\n" for i, (dest, miles) in enumerate([("EGE", 1726), ("ORD", 719)] * 6)
)
SECOND = "_op,flight,dest,miles\ninsert,90,EGE,1725\nupdate,3,ORD,719\n"
AIRPORTS = "_op,code,state\ninsert,EGE,CO\ninsert,ORD,IL\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, spark) -> Path:
    root = tmp_path_factory.mktemp("routes")
    for name, text in {
        "dags/datasets/routes.yaml": yaml.safe_dump(CONFIGURATION),
        "landing/flights/day-1.csv": FIRST,
        "landing/flights/day-2.csv": SECOND,
        "landing/airports/day-1.csv": AIRPORTS,
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def in_the_project(project, here, monkeypatch):
    monkeypatch.chdir(project)


@pytest.fixture
def applied(holdfast):
    """Applies the days up to this one, but for those that a test before has applied: so each test runs alone, too."""

    def up_to(day: int) -> None:
        done = json.loads(holdfast("status", "--json")[1])[0]["version"] or 0
        for number in range(done + 1, day + 1):
            assert holdfast("apply", "routes", "--delta", f"day-{number}").code == 0

    return up_to


def test_before_anything_is_applied_the_status_says_how_to_begin(holdfast):
    code, out, _ = holdfast("status")
    assert code == 0
    assert "holdfast apply routes" in out


def test_the_first_delta_is_applied_and_its_constraints_listed(holdfast):
    code, out, _ = holdfast("apply", "routes", "--delta", "day-1")
    assert code == 0
    assert "Version 1 of routes is committed" in out
    assert "counted engine: 12 rows by 3 columns: all pairs can be counted" in out
    code, out, _ = holdfast("status", "--json")
    (status,) = json.loads(out)
    assert status["rows"] == {"flights": 12, "airports": 2}
    code, out, _ = holdfast("constraints", "--json")
    found = {c["measured"]["text"]: c for c in json.loads(out)["constraints"]}
    assert found["{dest} → miles"]["state"] == "active"
    assert found["flights.dest ⊆ airports.code"]["measured"]["coverage"] == 1.0
    assert 0.5 < found["flights.dest ⊆ airports.code"]["foreign_key"] <= 1
    assert found["{dest} → miles"]["foreign_key"] is None
    (listed,) = [line for line in holdfast("constraints")[1].splitlines() if "flights.dest ⊆ airports.code" in line]
    assert f" {found['flights.dest ⊆ airports.code']['foreign_key']:.2f} " in listed
    code, out, _ = holdfast("constraints", "--table", "flights")
    assert "{dest} → miles" in out
    assert "unique {code}" not in out


def test_all_that_a_run_leaves_is_for_its_owner_alone(project, applied):
    applied(1)
    home = project / ".holdfast"
    assert (home / "artifacts" / "routes" / "gx" / "data_docs" / "index.html").is_file()
    open_to_others = [path for path in (home, *home.rglob("*")) if path.stat().st_mode & 0o077]
    assert open_to_others == []


def test_the_status_of_a_dataset_loads_nothing_heavy(project, applied):
    applied(1)
    script = """
import sys
from profiling_core.cli.main import main
try:
    main()
finally:
    heavy = {"alembic", "great_expectations", "jinja2", "numba", "numpy", "pandas", "pyarrow", "pyspark", "sqlglot"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
    environment["HOLDFAST_SETTLE_SECONDS"] = "0"
    command = [sys.executable, "-c", script, "status"]
    found = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.startswith("routes is at version 1")
    assert "pending: flights 1 delta, day-2" in found.stdout
    assert found.stderr == "[]\n"


def test_columns_have_roles_with_reasons_since_the_first_delta(holdfast, applied):
    applied(1)
    code, out, _ = holdfast("columns", "routes", "--json")
    assert code == 0
    found = {(c["table"], c["column"]): c for c in json.loads(out)["columns"]}
    assert set(found) == {("flights", n) for n in ("flight", "dest", "miles")} | {
        ("airports", n) for n in ("code", "state")
    }
    assert {c["since"] for c in found.values()} == {"day-1"}
    assert (found["flights", "flight"]["role"], found["flights", "flight"]["reason"]) == (
        "identifier",
        "the table's key",
    )
    assert "the table's key" in holdfast("columns", "routes", "--table", "flights")[1]


def test_a_dry_run_tells_of_the_break_and_commits_nothing(holdfast, applied):
    applied(1)
    code, out, _ = holdfast("apply", "routes", "--dry-run")
    assert code == 0
    assert "would be committed" in out
    assert "{dest} → miles" in out
    assert json.loads(holdfast("status", "--json")[1])[0]["version"] == 1


def test_the_break_is_applied_shown_and_explained_with_its_rows(holdfast, applied):
    applied(1)
    code, out, _ = holdfast("apply", "routes", "--json")
    assert code == 0
    assert "{dest} → miles" in json.loads(out[out.index("{") :])["broken"]
    code, out, _ = holdfast("diff", "--json")
    broken = next(c for c in json.loads(out)["changes"] if c["after"]["text"] == "{dest} → miles")
    assert broken["transition"] == "broke"
    assert broken["violating_rows"] == 1
    assert broken["witnesses"][0]["broken_by"]["miles"] == "1725"
    assert {row["miles"] for row in broken["witnesses"][0]["contradicts"]} == {"1726"}
    code, out, _ = holdfast("explain", "dest->miles")
    assert code == 0
    assert "violated since day-2" in out
    assert "miles=1725" in out
    assert "miles=1726" in out
    code, out, _ = holdfast("explain", broken["after"]["fingerprint"], "--json")
    assert [t["state"] for t in json.loads(out)["history"]] == ["active", "violated"]


def test_a_suite_is_printed_as_its_file_and_for_other_databases(holdfast, project, applied):
    applied(2)
    code, out, _ = holdfast("suite", "routes", "flights")
    assert code == 0
    assert out == (project / ".holdfast/artifacts/routes/suites/flights.json").read_text("utf-8")
    held = {e["meta"]["constraint"]: e for e in json.loads(out)["expectations"]}
    assert {"fingerprint", "kind", "since", "support", "error", "ancestor", "score"} <= set(
        held["{dest} → miles"]["meta"]
    )
    code, out, _ = holdfast("suite", "routes", "flights", "--dialect", "postgres")
    other = {e["meta"]["constraint"]: e for e in json.loads(out)["expectations"]}
    assert [e["id"] for e in other.values()] == [e["id"] for e in held.values()]
    assert 'FROM "flights" AS t' in other["{dest} → miles"]["kwargs"]["unexpected_rows_query"]
    assert [s["name"] for s in json.loads(holdfast("suite", "routes")[1])] == ["routes.airports", "routes.flights"]


def test_change_suites_are_kept_listed_and_printed_with_both_versions(holdfast, project, applied):
    applied(2)
    code, out, _ = holdfast("suite", "routes", "--changes", "2")
    assert code == 0
    assert out == (project / ".holdfast/artifacts/routes/changes/2/flights.json").read_text("utf-8")
    suite = json.loads(out)
    assert (suite["meta"]["holdfast"]["against"], suite["meta"]["holdfast"]["version"]) == (1, 2)
    broken = next(e["meta"] for e in suite["expectations"] if e["meta"]["constraint"] == "{dest} → miles")
    assert (broken["state"], broken["before"]["violations"]) == ("broke", 0)
    assert broken["violations"] > 0
    listed = json.loads(holdfast("suite", "routes", "--list", "--json")[1])
    assert ("flights", 2) in {(entry["table"], entry["changes"]) for entry in listed}
    assert "1 broke" in holdfast("suite", "routes", "--list")[1]


@pytest.mark.parametrize("form", ["odcs", "ruleset", "openlineage", "sql", "dbt"])
def test_what_holds_is_exported_for_other_tools(holdfast, tmp_path, form, applied):
    applied(2)
    code, _, err = holdfast("export", "routes", "--format", form, "--dialect", "postgres", "--output", str(tmp_path))
    assert code == 0
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(err.split()) == sorted(map(str, written))
    together = "".join(path.read_text("utf-8") for path in written)
    assert "agree on dest have the same miles" in together or form == "dbt"
    assert "_row_id" not in together
    code, out, err = holdfast("export", "routes", "--format", form, "--dialect", "postgres")
    if len(written) == 1:
        assert out == together
    else:
        assert code == 2
        assert "--output" in err


def test_applying_again_finds_nothing_to_apply(holdfast, applied):
    applied(2)
    before = json.loads(holdfast("status", "--json")[1])
    code, out, _ = holdfast("apply", "routes")
    assert (code, "Nothing to apply: every delta found is in the state already." in out) == (0, True)
    assert "validate" not in out
    assert json.loads(holdfast("status", "--json")[1]) == before
    code, out, _ = holdfast("apply", "routes", "--dry-run")
    assert (code, "Nothing to apply" in out) == (0, True)
    assert holdfast("status", "routes")[1] == holdfast("status", "--dataset", "routes")[1] != ""


def test_a_file_that_is_not_read_is_no_part_of_the_state(holdfast, project, applied):
    applied(2)
    strange = project / "landing/flights/day-3.txt"
    strange.write_text(FIRST, encoding="utf-8")
    code, out, _ = holdfast("apply", "routes")
    strange.unlink()
    assert (code, "in the state already" in out) == (0, False)
    assert "day-3.txt is not read" in " ".join(out.split())


def test_verification_compares_every_part_of_the_state(holdfast, applied):
    applied(2)
    code, out, _ = holdfast("rebuild", "--verify", "--json")
    assert code == 0
    findings = json.loads(out[out.index("[") :])
    assert {f["subject"] for f in findings} == {
        "flights: evidence",
        "flights: cover",
        "flights: rules of rows",
        "airports: evidence",
        "airports: cover",
        "inclusions",
    }
    assert all(f["equal"] for f in findings)


def most_violations(project: Path, more: int) -> int:
    """Stores other violations of the constraint of version 2 with the most of them, sealed; gives those before."""
    engine = create_engine(f"sqlite:///{project / '.holdfast/catalog.db'}")
    worst = select(tracked).where(tracked.c.number == 2).order_by(tracked.c.violations.desc()).limit(1)
    with engine.begin() as connection:
        row = connection.execute(worst).mappings().one()
        change(connection, tracked, row, violations=row["violations"] + more)
    engine.dispose()
    return int(row["violations"])


def test_an_audit_finds_data_and_state_equal_and_a_wrong_figure_different(holdfast, project, applied):
    applied(2)
    code, out, _ = holdfast("audit", "routes", "--all")
    assert code == 0
    assert "0 different" in out
    assert "{dest} → miles" in out
    right = most_violations(project, 2)
    try:
        code, out, said = holdfast("audit", "routes", "--json")
    finally:
        most_violations(project, -2)
    assert code == 1, said
    found = json.loads(out)
    wrong = [r for r in found["recounts"] if not r["agrees"]]
    assert [(r["maintained"], r["counted"]) for r in wrong] == [(right + 2, right)]


def test_what_a_person_decides_is_listed_and_taken_into_account_by_the_next_run(holdfast, project, applied):
    applied(2)
    code, out, _ = holdfast("accept", "dest->miles", "-m", "EGE was measured again", "--who", "ana")
    assert code == 0
    assert "{dest} → miles is accepted as it is." in out
    code, out, _ = holdfast("mute", "unique {flight}", "--until", "day-5")
    assert "unique {flight} is muted until day-5." in out
    code, out, _ = holdfast("decisions", "--json")
    made = json.loads(out)
    assert [(d["verdict"], d["note"]) for d in made] == [("mute", ""), ("accept", "EGE was measured again")]
    assert made[1]["who"] == "ana"
    assert made[1]["error"] > 0
    assert "muted until day-5" in holdfast("constraints")[1]
    assert "Note: EGE was measured again" in holdfast("explain", "dest->miles")[1]
    landing = project / "landing/flights/day-3.csv"
    landing.write_text("_op,flight,dest,miles\ninsert,91,ORD,719\n", encoding="utf-8")
    code, out, _ = holdfast("apply", "routes", "--json")
    assert json.loads(out[out.index("{") :])["alerts"] == 0
    listed = json.loads(holdfast("constraints", "--json")[1])["constraints"]
    found = next(c for c in listed if c["measured"]["text"] == "{dest} → miles")
    assert (found["state"], found["decided"]) == ("active", "accepted")


def test_what_is_pending_waits_or_is_refused_is_told(holdfast, project, applied):
    landing = project / "landing/flights"
    if not (landing / "day-3.csv").exists():
        (landing / "day-3.csv").write_text("_op,flight,dest,miles\ninsert,91,ORD,719\n", encoding="utf-8")
    applied(3)
    (landing / "day-3.csv").write_text("_op,flight,dest,miles\ninsert,92,ORD,719\n", encoding="utf-8")
    (landing / "day-0.csv").write_text("_op,flight,dest,miles\ninsert,93,ORD,719\n", encoding="utf-8")
    (landing / "day-4.csv").write_text(SECOND, encoding="utf-8")
    code, out, _ = holdfast("apply", "routes")
    assert code == 1
    assert out.startswith("Nothing to apply.\n")
    for words in (
        "refused: flights day-0 is late: day-3 is already applied",
        "refused: flights day-3 changed after it was applied",
        "refused: flights day-4 has the same content as day-2",
        "set source.repeated to apply",
    ):
        assert words in out
    again = holdfast("apply", "routes")
    assert (again.code, again.out) == (0, "Nothing to apply.\n3 deltas are refused as before: holdfast status routes\n")
    (landing / "day-5.csv").write_text("_op,flight,dest,miles\ninsert,94,ORD,719\n", encoding="utf-8")
    assert "pending: flights 1 delta, day-5" in holdfast("status")[1]
    (status,) = json.loads(holdfast("status", "--json")[1])
    assert status["pending"] == {"flights": ["day-5"], "airports": []}
    assert [held["delta"] for held in status["refused"]] == ["day-0", "day-3", "day-4"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("explain", "no->such"), "follows no constraint"),
        (("pin", "no->such"), "no constraint 'no->such' to decide about"),
        (("apply", "nosuch"), "nosuch"),
        (("apply", "routes", "--delta", "../x"), "is not a delta id"),
        (("apply", "routes", "--table", "boats"), "has no table 'boats'"),
        (("diff", "--version", "99"), "has no version 99"),
        (("audit", "boats"), "boats"),
        (("suite", "routes", "boats"), "has no table 'boats'"),
        (("suite", "routes", "--changes", "99"), "has no version 99"),
    ],
)
def test_what_cannot_be_done_ends_in_a_plain_message(holdfast, arguments, words, applied):
    applied(1)
    code, _, err = holdfast(*arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in err
