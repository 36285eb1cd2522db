"""Rules along a sequence through days of deltas: kept equal to discovery, and a break is told beside the row before."""

import csv
import datetime as dt
import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration

from profiling_core.model.change import LifecycleState
from profiling_core.model.constraint import Kind
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

CONFIG = {
    "dataset": "hotel",
    "tables": {"stays": {"source": {"path": "landing/stays", "settle_seconds": 0}, "key": ["stay"]}},
}
RULE = "begins = previous ends (by room, begins)"


class Hotel:
    """Stays in twelve rooms, each from where the one before it ended."""

    def __init__(self, project: Path) -> None:
        self._landing, self._random = project / "landing" / "stays", random.Random(3)
        self._ends = {f"R{room}": dt.date(2024, 1, 1) for room in range(12)}
        self._stays = 0

    def stays(self, number: int) -> list[list[object]]:
        """New rows."""
        return [self.stay(self._random.choice([*self._ends])) for _ in range(number)]

    def stay(self, room: str, gap: int = 0) -> list[object]:
        """A stay in a room some days after the last one."""
        begins = self._ends[room] + dt.timedelta(days=gap)
        ends = self._ends[room] = begins + dt.timedelta(days=self._random.randint(1, 9))
        self._stays += 1
        return ["insert", self._stays, room, begins, ends, self._random.choice(["single", "double", "suite"])]

    def land(self, day: str, rows: list[list[object]]) -> None:
        """Lands a delta."""
        self._landing.mkdir(parents=True, exist_ok=True)
        with (self._landing / f"{day}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["_op", "stay", "room", "begins", "ends", "kind"], *rows])


def state() -> LifecycleState:
    (found,) = [t for t in Workspace.open("hotel").catalog.tracked("hotel") if t.measured.constraint.text == RULE]
    assert found.measured.constraint.kind is Kind.SEQUENCE
    return found.state


def test_a_gap_between_two_stays_is_told_with_both_and_ends_when_it_is_mended(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    write_configuration(tmp_path, CONFIG)
    hotel = Hotel(tmp_path)
    hotel.land("day-1", hotel.stays(160))
    walk("hotel")
    for day in range(2, 6):
        hotel.land(f"day-{day}", hotel.stays(20))
        walk("hotel")
    assert state() is LifecycleState.ACTIVE
    wrong = hotel.stay("R5", gap=2)
    hotel.land("day-6", [*hotel.stays(20), wrong])
    assert RULE in walk("hotel")["broken"]
    work = Workspace.open("hotel")
    before = wrong[3] - dt.timedelta(days=2)
    message = "\n".join(record.message for record in work.catalog.alerts("hotel", 6))
    assert f"begins {wrong[3]}, and the ends of the row before is {before}" in message
    assert all(finding.equal for finding in verify(work))

    mended = [wrong[0].replace("insert", "update"), wrong[1], wrong[2], before, *wrong[4:]]
    hotel.land("day-7", [mended, ["delete", 1, *[""] * 4]])
    walk("hotel")
    assert state() is LifecycleState.RECOVERED
    assert all(finding.equal for finding in verify(Workspace.open("hotel")))
