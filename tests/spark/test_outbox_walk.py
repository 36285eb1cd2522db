"""Alerts are told through every way that a run can end: nothing that became true stays untold."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from helpers.landing import write_configuration
from helpers.webhook import Receiver, receiver  # noqa: F401 - fixture

from profiling_core.model.change import Transition
from profiling_core.model.errors import InputError
from profiling_core.pipeline import steps
from profiling_core.pipeline.arriving import overview
from profiling_core.pipeline.notifications import UndeliveredError
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = pytest.mark.spark

HEADER = "_op,flight,dest,miles\n"
DAYS = (
    HEADER + "".join(f"insert,{i},{d},{m}\n" for i, (d, m) in enumerate([("EGE", 1726), ("ORD", 719)] * 6)),
    HEADER + "insert,90,EGE,1725\n",
    HEADER + "insert,91,ORD,719\n",
)
FD = "{dest} → miles"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, spark) -> Path:
    """The dataset with its first day applied."""
    root = tmp_path_factory.mktemp("routes")
    with pytest.MonkeyPatch.context() as patch:
        enter(patch, root)
        configure(root, [])
        land(root, 1)
        walk("routes")
    return root


@pytest.fixture
def project(begun: Path, tmp_path: Path, monkeypatch, receiver) -> Path:  # noqa: F811 - fixture
    root = Path(shutil.copytree(begun, tmp_path / "routes"))
    enter(monkeypatch, root)
    configure(root, [{"url": receiver.url()}])
    return root


def enter(patch: pytest.MonkeyPatch, root: Path) -> None:
    patch.setenv("HOLDFAST_ROOT", str(root))
    for name in ("HOLDFAST_HOME", "HOLDFAST_CATALOG", "HOLDFAST_DATASETS"):
        patch.delenv(name, raising=False)


def configure(project: Path, routes: list[dict], **alerts: object) -> None:
    table = {"source": {"path": "landing/flights"}, "key": ["flight"], "space": "same-column"}
    options = {"routes": routes, "allow_private": ["127.0.0.0/8"], "wait_seconds": 0, **alerts}
    config = {"dataset": "routes", "tables": {"flights": table}, "inclusions": "off", "alerts": options}
    write_configuration(project, config)


def land(project: Path, day: int) -> None:
    path = project / "landing" / "flights" / f"day-{day}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DAYS[day - 1], encoding="utf-8")


def up_to_diff() -> str:
    """A run whose process ends after its diff step."""
    run_id = steps.plan("routes")["run_id"]
    for step in (steps.ingest, steps.maintain_table):
        step("routes", run_id, "flights")
    for step in (steps.commit, steps.diff):
        step("routes", run_id)
    return run_id


def told(server: Receiver, text: str = FD) -> list[str]:
    return [request.key for request in server.received if text in json.dumps(request.body, ensure_ascii=False)]


def test_yesterdays_file_again_is_told_once(project, receiver):  # noqa: F811 - fixture
    (project / "landing" / "flights" / "day-2.csv").write_text(DAYS[0], encoding="utf-8")
    for _ in range(2):
        assert steps.plan("routes")["pending"] == {}
    assert len(told(receiver, "delta day-2 has the same content as day-1; nothing of it was applied")) == 1


def test_a_snapshot_without_most_rows_is_told(project, receiver):  # noqa: F811 - fixture
    path = project / "dags" / "datasets" / "routes.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["tables"]["flights"]["source"]["kind"] = "snapshot"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    (project / "landing" / "flights" / "day-2.csv").write_text("flight,dest,miles\n0,EGE,1726\n", encoding="utf-8")
    walk("routes")
    assert len(told(receiver, "flights lost 11 of its 12 rows; 1 is left")) == 1


def test_a_refused_delta_is_told_once_while_days_go_on(project, receiver):  # noqa: F811 - fixture
    (project / "landing" / "flights" / "day-2.csv").write_text(DAYS[0], encoding="utf-8")
    for day in (3, 4):
        path = project / "landing" / "flights" / f"day-{day}.csv"
        path.write_text(f"{HEADER}insert,{90 + day},ORD,719\n", encoding="utf-8")
        outcome = walk("routes")
        told_now = [(held["delta"], held["reason"]) for held in outcome["refused"]]
        assert told_now == ([("day-2", "has the same content as day-1")] if day == 3 else [])
        assert outcome["refused_before"] == (day > 3)
    assert len(told(receiver, "delta day-2")) == 1
    assert [held["delta"] for held in overview(Workspace.open("routes"))["refused"]] == ["day-2"]


def test_a_break_is_told_by_the_next_run_where_its_own_ended_after_diff(project, receiver):  # noqa: F811 - fixture
    land(project, 2)
    up_to_diff()
    assert receiver.received == []
    work = Workspace.open("routes")
    assert not work.catalog.is_published("routes", 2)
    land(project, 3)
    outcome = walk("routes")
    assert outcome["version"] == 3
    assert len(told(receiver)) == 1
    assert work.catalog.is_published("routes", 2)
    assert [v.version for v in work.catalog.validations("routes") if v.table] == [1, 2, 3]
    changes = work.catalog.changes("routes", 2)
    assert [c.transition for c in changes.changes if c.alerts] == [Transition.BROKE]


def test_rejects_and_refusals_are_told_with_file_line_and_reason_and_what_was_applied(project, receiver):  # noqa: F811 - fixture
    path = project / "landing" / "flights" / "day-2.csv"
    good = "".join(f"insert,{100 + i},ORD,719\n" for i in range(40))
    path.write_text(f"{HEADER}insert,90,EGE,far\n{good}", encoding="utf-8")
    outcome = walk("routes")
    assert [(i["number"], i["opened"], i["latest"]) for i in outcome["incidents"]] == [(1, "day-2", "day-2")]
    (request,) = receiver.received
    said = "1 of 41 rows was rejected: wrong type in miles, for example 'far'"
    assert request.body["title"] == f"routes.flights: {said}, since day-2."
    assert "landing/flights/day-2.csv, line 2: ▶ column 'miles' is integer, not 'far'" in request.body["text"]
    assert "40 rows were applied" in request.body["text"]

    (project / "landing" / "flights" / "day-3.csv").write_text(HEADER + "insert,91,ORD,much\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(InputError, match="refused"):
            walk("routes")
    refused = [r.body for r in receiver.received[1:]]
    first = "delta day-3 is refused, and nothing of it was applied: 1 of its 1 rows is rejected (wrong type in miles)."
    assert [body["title"] for body in refused] == [f"routes.flights: {first}"]
    assert "(100.0%, allowed are 5.0%): wrong type, first at landing/flights/day-3.csv, line 2" in refused[0]["text"]
    assert ".." not in refused[0]["text"]


def test_as_many_rejects_as_usual_are_told_where_they_have_another_reason(project, receiver):  # noqa: F811 - fixture
    def land_rejected(day: int, *rejects: str) -> list[str]:
        good = "".join(f"insert,{100 * day + i},ORD,719\n" for i in range(40))
        path = project / "landing" / "flights" / f"day-{day}.csv"
        path.write_text(HEADER + "".join(f"{row}\n" for row in rejects) + good, encoding="utf-8")
        before = len(receiver.received)
        walk("routes")
        return [request.body["title"] for request in receiver.received[before:]]

    assert len(land_rejected(2, "insert,90,EGE,far")) == 1
    assert [land_rejected(day, "insert,90,EGE,far") for day in range(3, 7)] == [[]] * 4
    said = "routes.flights: 1 of 41 rows was rejected: insert of an existing key, since day-7."
    assert land_rejected(7, "insert,1,EGE,1726") == [said]
    assert len(land_rejected(8, "insert,90,EGE,far", "insert,1,EGE,1726")) == 1
    assert land_rejected(9) == []
    assert land_rejected(10, "insert,90,EGE,far") == []
    said = "routes.flights: 1 of 41 rows was rejected: missing key value in flight, since day-11."
    assert land_rejected(11, "insert,,EGE,1726") == [said]


def test_a_dry_run_tells_nobody_and_leaves_no_incident(project, receiver):  # noqa: F811 - fixture
    landing, work = project / "landing" / "flights", Workspace.open("routes")
    (landing / "day-2.csv").write_text(HEADER + "insert,91,ORD,much\n", encoding="utf-8")
    (landing / "day-0.csv").write_text(HEADER + "insert,92,ORD,719\n", encoding="utf-8")
    with pytest.raises(InputError, match="refused"):
        walk("routes", dry_run=True)
    assert receiver.received == []
    assert work.catalog.incidents("routes") == []
    with pytest.raises(InputError, match="refused"):
        walk("routes")
    assert len(receiver.received) == 2
    assert len(work.catalog.incidents("routes")) == 2


def test_a_run_that_finds_nothing_new_tells_what_waits(project, receiver, holdfast):  # noqa: F811 - fixture
    land(project, 2)
    receiver.status = 503
    walk("routes")
    assert len(told(receiver)) == 1
    assert "to route 1 waiting since" in holdfast("status").out
    code, said, _ = holdfast("deliver", "--again")
    assert code == 1
    assert "answered 503" in said
    receiver.status = 200
    Workspace.open("routes").catalog.outbox.again("routes", at(project))
    assert walk("routes")["applied"] == {}
    keys = told(receiver)
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert "route 1" not in holdfast("status").out


def test_what_is_given_up_fails_the_run_once_and_is_shown_until_it_is_sent(project, receiver, holdfast):  # noqa: F811 - fixture
    land(project, 2)
    receiver.status = 404
    configure(project, [{"url": receiver.url()}], give_up_hours=1e-9)
    with pytest.raises(
        UndeliveredError, match=r"1 message of dataset 'routes' could not be delivered .* route 1: .*404"
    ):
        walk("routes")
    land(project, 3)
    assert walk("routes")["version"] == 3
    assert "1 message to route 1 could not be delivered" in holdfast("status").out
    receiver.status = 200
    code, said, _ = holdfast("deliver", "routes", "--again")
    assert code == 0
    assert "2-1 to route 1: sent" in said
    assert "given up" not in holdfast("status").out
    assert len(set(told(receiver))) == 1


def at(project: Path):
    """The moment of the catalog's last message."""
    from datetime import datetime

    return datetime.fromisoformat(Workspace.open("routes").catalog.alerts("routes")[-1].created_at)
