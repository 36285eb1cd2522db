"""What a table's policy makes of rows that violate an active constraint: set aside, released, or the delta stopped."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from profiling_core.model.change import LifecycleState, Transition
from profiling_core.model.errors import InputError
from profiling_core.pipeline.deciding import Verdict, decide
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot, rows_set_aside

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

HEADER = "_op,flight,dest,miles,gate\n"
FIRST = HEADER + "".join(
    f"insert,{i},{dest},{miles},{i % 3}\n" for i, (dest, miles) in enumerate([("EGE", 1726), ("ORD", 719)] * 8)
)
# A new row and an update that contradict the rest, and one of each that do not.
SECOND = HEADER + "insert,90,EGE,1725,0\ninsert,91,ORD,719,0\nupdate,1,ORD,9,1\nupdate,3,ORD,719,2\n"
FD = "{dest} → miles"
OBEYING = [("EGE", 1726), ("ORD", 719)] * 11
# As many deltas and rows as it takes until rules of single columns and of deltas are learnt.
OBEYING_DAYS = range(2, 18)
NO_DAYS = range(0)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, spark) -> Iterator[Callable[[range], Path]]:
    """Begins a table with the first day and such days as obey it; each beginning is applied once and then copied."""
    root, kept = tmp_path_factory.mktemp("policy"), {}
    project = root / "project"

    def begin(days: range) -> Path:
        shutil.rmtree(project, ignore_errors=True)
        if days in kept:
            return Path(shutil.copytree(kept[days], project))
        land(project, "day-1", FIRST)
        for day in days:
            rows = (f"insert,{100 * day + i},{dest},{miles},{i % 3}\n" for i, (dest, miles) in enumerate(OBEYING))
            land(project, f"day-{day:02}", HEADER + "".join(rows))
        configure(project, "alert")
        walk("routes")
        kept[days] = shutil.copytree(project, root / f"begun-{len(kept)}")
        return project

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_ROOT", str(project))
        patch.delenv("HOLDFAST_HOME", raising=False)
        yield begin


def configure(project: Path, policy: str, changes: str = "refuse") -> None:
    table = {
        "source": {"path": "landing/flights"},
        "key": ["flight"],
        "space": "same-column",
        "policy": policy,
        "schema_changes": changes,
        "columns": {"gate": {"redacted": True}},
    }
    write(project / "dags/datasets/routes.yaml", yaml.safe_dump({"dataset": "routes", "tables": {"flights": table}}))


def land(project: Path, delta: str, text: str) -> None:
    write(project / f"landing/flights/{delta}.csv", text)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def flights(spark, work: Workspace) -> dict[int, int]:
    version = work.catalog.current("routes")
    return {row["flight"]: row["miles"] for row in read_snapshot(spark, work.store, version, "flights").collect()}


def state_of(work: Workspace, text: str) -> LifecycleState:
    return next(t.state for t in work.catalog.tracked("routes") if t.measured.constraint.text == text)


def test_rows_that_would_break_a_constraint_are_set_aside_and_released(begun, spark):
    project = begun(NO_DAYS)
    configure(project, "quarantine")
    land(project, "day-2", SECOND)
    outcome = walk("routes")
    work = Workspace.open("routes")
    assert outcome["arrived"]["flights"] | {"deltas": 1} == {
        "deltas": 1,
        "inserts": 1,
        "deletes": 0,
        "updates": 1,
        "superseded": 0,
        "unchanged": 0,
        "rejects": 0,
        "set_aside": 2,
        "rows": 17,
        "lines": 5,
        "left_out": 1,
        "lost": 0,
        "within": 0,
    }
    now = flights(spark, work)
    assert (now[1], now[3], now[91], 90 in now) == (719, 719, 719, False)
    assert state_of(work, FD) is LifecycleState.ACTIVE
    assert all(finding.equal for finding in verify(work))

    spared = [c for c in work.catalog.changes("routes", 2).changes if c.transition is Transition.SPARED]
    told = next(c for c in spared if c.measured.constraint.text == FD)
    assert (told.alerts, told.violating_rows, told.diagnosis.repair.rows) == (True, 2, 2)
    assert {w.broken_by["miles"] for w in told.witnesses} == {"1725", "9"}
    assert {w.broken_by["gate"] for w in told.witnesses} == {"•••"}
    message = "\n".join(record.message for record in work.catalog.alerts("routes", 2))
    assert "new rows were set aside: they have another miles than others with the same dest" in message
    assert "holdfast release flights --dataset routes" in message
    assert rows_set_aside(work.store, work.catalog.current("routes"), "flights") == 2

    # Set aside they stay while life goes on, also of one of their keys.
    land(project, "day-3", HEADER + "update,1,ORD,719,0\ninsert,92,EGE,1726,1\n")
    walk("routes")
    assert rows_set_aside(work.store, work.catalog.current("routes"), "flights") == 2
    released = walk("routes", release="flights")
    now = flights(spark, work)
    # The update of flight 1 was overtaken by a newer one; flight 90 comes, and breaks what it was kept from breaking.
    assert (now[1], now[90], len(now)) == (719, 1725, 19)
    assert FD in released["broken"]
    assert state_of(work, FD) is LifecycleState.VIOLATED
    assert rows_set_aside(work.store, work.catalog.current("routes"), "flights") == 0
    assert all(finding.equal for finding in verify(work))
    with pytest.raises(InputError, match="no rows of table 'flights' are set aside"):
        walk("routes", release="flights")


def test_a_stopped_delta_changes_nothing_until_a_person_lets_it_in(begun, spark):
    project = begun(NO_DAYS)
    configure(project, "stop")
    land(project, "day-2", SECOND)
    with pytest.raises(InputError, match="2 rows would break") as stopped:
        walk("routes")
    assert FD in str(stopped.value)
    work = Workspace.open("routes")
    assert work.catalog.current("routes").number == 1
    for tracked in work.catalog.tracked("routes"):
        decide(work, tracked.fingerprint, Verdict.MUTE, who="ana", until="day-2")
    walk("routes")
    assert flights(spark, work)[90] == 1725
    assert state_of(work, FD) is LifecycleState.VIOLATED
    assert json.loads(json.dumps(walk("routes")))["applied"] == {}


GROWN = "_op,flight,dest,miles,gate,crew\n"


def test_rows_are_set_aside_also_where_columns_come(begun, spark):
    project = begun(NO_DAYS)
    configure(project, "quarantine", "follow")
    land(project, "day-2", GROWN + "insert,90,EGE,1725,0,a\ninsert,91,ORD,719,0,b\nupdate,1,ORD,9,1,c\n")
    outcome = walk("routes")
    work = Workspace.open("routes")
    assert outcome["arrived"]["flights"]["set_aside"] == 2
    now = flights(spark, work)
    assert (now[1], now[91], 90 in now) == (719, 719, False)
    assert all(finding.equal for finding in verify(work))
    walk("routes", release="flights")
    assert flights(spark, work)[90] == 1725


def test_rows_that_would_break_a_rule_of_one_column_are_set_aside(begun, spark):
    project = begun(OBEYING_DAYS)
    configure(project, "quarantine")
    rows = "".join(f"insert,{9100 + i},{dest},{miles},{i % 3}\n" for i, (dest, miles) in enumerate(OBEYING[1:]))
    land(project, "day-99", HEADER + "insert,9001,EGE,,0\ninsert,9002,E-9,719,0\ninsert,9003,ORD,719,0\n" + rows)
    outcome = walk("routes")
    work = Workspace.open("routes")
    assert outcome["arrived"]["flights"]["set_aside"] == 2
    now = flights(spark, work)
    assert (9001 in now, 9002 in now, now[9003]) == (False, False, 719)
    changes = work.catalog.changes("routes", work.catalog.current("routes").number).changes
    spared = {c.measured.constraint.text: c for c in changes if c.transition is Transition.SPARED}
    assert {w.broken_by["dest"] for w in spared["dest ∈ {EGE, ORD}"].witnesses} == {"E-9"}
    assert spared["miles not null"].violating_rows == 1
    configure(project, "stop")
    land(project, "day-99b", HEADER + "insert,9004,EGE,,0\n")
    with pytest.raises(InputError, match="1 row would break miles not null"):
        walk("routes")

    released = walk("routes", release="flights")["broken"]
    assert {"miles not null", "dest ∈ {EGE, ORD}"} <= set(released)
    # Rows that are released are no load: no delta has come.
    assert not work.catalog.changes("routes", work.catalog.current("routes").number).findings


def test_a_broken_rule_that_is_accepted_takes_in_what_came(begun):
    project = begun(OBEYING_DAYS)
    land(project, "day-98", HEADER + "insert,9001,EGE,,0\ninsert,9002,E-9,719,0\n")
    walk("routes")
    work = Workspace.open("routes")
    for text in ("miles not null", "dest ∈ {EGE, ORD}"):
        assert state_of(work, text) is LifecycleState.VIOLATED
        decide(work, text, Verdict.ACCEPT, who="ana")
    land(project, "day-99", HEADER + "insert,9003,E-9,,0\n")
    walk("routes")
    assert state_of(work, "dest ∈ {E-9, EGE, ORD}") is LifecycleState.ACTIVE
    changes = work.catalog.changes("routes", work.catalog.current("routes").number).changes
    retired = {c.measured.constraint.text for c in changes if c.transition is Transition.RETIRED}
    assert retired == {"miles not null", "dest ∈ {EGE, ORD}"}
    land(project, "day-99b", HEADER + "insert,9004,XXX,719,0\n")
    assert "dest ∈ {E-9, EGE, ORD}" in walk("routes")["broken"]
