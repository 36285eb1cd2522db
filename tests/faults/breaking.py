"""Puts a fault at one point after the other of a flow, does it again, and holds the end to the undisturbed one."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from databases.postgres_server import PostgresServer
from helpers.crash_walk import state
from helpers.webhook import Receiver

from faults.flows import DATASET, Place
from faults.interposer import Fault, Page, Point, compiled
from profiling_core.pipeline.fsck import fsck
from profiling_core.state.atomic import TEMPORARY
from profiling_core.state.directories import files_in

FLOWS = Path(__file__).with_name("flows.py")
LATER = 7200  # seconds; no pause before a message is tried again is longer
APPLYING = ("delta", "later delta")


class Bench:
    """A process with everything imported; each walk is a forked child that the interposer watches."""

    def __init__(self, folder: Path, receiver: Receiver, database: PostgresServer | None = None) -> None:
        self.folder, self.receiver, self.database = folder, receiver, database
        self.page = Page(folder / "page")
        self._numbers = count()
        path = os.pathsep.join([str(FLOWS.parents[1]), *sys.path])
        self._process = subprocess.Popen(
            [sys.executable, str(FLOWS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.page.environment(compiled(folder)) | {"PYTHONPATH": path},
        )

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def place(self, source: Place | None = None) -> Place:
        """A new place, with what is at another one."""
        name, catalog = f"place-{next(self._numbers)}", ""
        if source:
            shutil.copytree(source.root, self.folder / name)
        else:
            (self.folder / name).mkdir()
        if self.database:
            catalog = self.database.new_database(source.catalog) if source else self.database.new_database()
        return Place(self.folder / name, catalog, self.receiver.url(name))

    def remove(self, place: Place) -> None:
        """Removes a place, and its database."""
        shutil.rmtree(place.root)
        if self.database:
            self.database.drop(place.catalog)

    def order(self, flow: str, what: str, place: Place) -> str:
        """Has a flow done; returns how it ended."""
        said = {"flow": flow, "what": what, "root": str(place.root)}
        self._process.stdin.write(json.dumps(said | {"catalog": place.catalog, "receiver": place.receiver}) + "\n")
        self._process.stdin.flush()
        answer: str = json.loads(self._process.stdout.readline())
        return answer

    def walk(self, flow: str, place: Place, fault: Fault = Fault.COUNT, at: int = 0) -> tuple[str, list[Point]]:
        """A flow with a fault at its ``at``-th point; returns how it ended, and its points."""
        self.page.set_clock(0)
        ports = [self.receiver.server_port, *([self.database.port] if self.database else [])]
        self.page.arm(place.root, fault, at, ports)
        said = self.order(flow, "act", place)
        return said, self.page.disarm()

    def again(self, flow: str, place: Place) -> str:
        """The flow once more, without a fault, and later."""
        if self.database and place.case.settings.catalog().datasets():
            # Pauses are held by the clock of the database, which is not to be set: this ends them.
            place.case.settings.catalog().outbox.again(DATASET, datetime.now(UTC))
        self.page.set_clock(LATER)
        said = self.order(flow, "act", place)
        self.page.set_clock(0)
        return said


def spread(points: int, faults: Sequence[Fault], chance: random.Random) -> Iterator[tuple[int, Fault]]:
    """All points with all faults, in an order whose every beginning is spread evenly over the points."""
    step = next(s for s in range(max(1, round(points * 0.618)), 2 * points + 2) if _coprime(s, points))
    first = chance.randrange(points)
    for turn in range(points * len(faults)):
        round_, place = divmod(turn, points)
        at = (first + place * step) % points
        yield at + 1, faults[(at + round_) % len(faults)]


def first_of_each(points: Sequence[Point], known: set[int], faults: Sequence[Fault]) -> Iterator[tuple[int, Fault]]:
    """A fault at the first point of each file that is not known yet, the faults in turn; adds to the known.

    A rename is the first point of the new name, so that each rename of the code has a fault.
    """
    for at, point in enumerate(points, start=1):
        if point.file not in known:
            yield at, faults[len(known) % len(faults)]
            known.add(point.file)


def _coprime(a: int, b: int) -> bool:
    while b:
        a, b = b, a % b
    return a == 1


class Broken:
    """A flow, walked once without a fault and then with one at a time.

    Attributes:
        points: The points of the undisturbed walk.
    """

    def __init__(self, bench: Bench, flow: str) -> None:
        self._bench, self._flow = bench, flow
        self._begun = bench.place()
        assert bench.order(flow, "before", self._begun) == ""
        self._undisturbed = bench.place(self._begun)
        said, self.points = bench.walk(flow, self._undisturbed)
        assert said == "", said
        self._wanted, self._published = seen(self._undisturbed), published(self._undisturbed)
        looked_at = (self._begun, self._undisturbed) if flow in APPLYING else ()
        self._whole = [versions(place) for place in looked_at]

    def put_in(self, turns: Iterable[tuple[int, Fault]], seconds: float) -> int:
        """Puts faults in until the time is over; returns how many.

        Raises:
            AssertionError: a process ended otherwise than killed or with a message for people, it left a file published
                in part, it left neither the versions before it nor those after it, the flow done again did not end as
                the undisturbed one, or a message was lost or came with other contents under its key.
        """
        done, until = 0, time.monotonic() + seconds
        for at, fault in turns:
            if time.monotonic() > until:
                break
            self._put_in(at, fault)
            done += 1
        return done

    def _put_in(self, at: int, fault: Fault) -> None:
        bench, flow = self._bench, self._flow
        place = bench.place(self._begun)
        said, _ = bench.walk(flow, place, fault, at)
        what = f"{flow}: {fault.name} at point {at} ({self.points[at - 1].kind}): {said}"
        assert not said.startswith("untyped"), what
        old = published(self._begun)
        left = [unit for name, unit in published(place).items() if name not in old]
        assert all(unit in self._published.values() for unit in left), f"{what}: a file is published in part"
        if at % 2 and flow in APPLYING:  # half of the times nobody looks in between
            assert versions(place) in self._whole, what
        again = bench.again(flow, place)
        assert again == "", f"{what}; again: {again}"
        assert seen(place) == self._wanted, what
        check_messages(bench.receiver, self._begun, self._undisturbed, place, what)
        assert flow not in APPLYING or unnamed(place) == set(), what
        bench.remove(place)


def versions(place: Place) -> list[str]:
    """The digests of the versions at a place, all of whose files are whole."""
    found: list[str] = state(place.case)["versions"]
    return found


def unnamed(place: Place) -> set[Path]:
    """The files that no version names, and no garbage collection finds; documents apart."""
    catalog, store = place.case.settings.catalog(), place.case.settings.store(DATASET)
    store.collect_garbage(catalog.named(DATASET), timedelta(0))
    named = {store.home / file.path for version in catalog.versions(DATASET) for file in version.files}
    there = {path for path in (place.case.settings.home / "state").rglob("*") if path.is_file()}
    return {path for path in there - named if not path.parent.name.startswith("_")}


def published(place: Place) -> dict[str, dict[str, bytes]]:
    """The files of each unit that one rename published, committed or not, by the unit's path."""
    store = place.root / "home" / "state" / DATASET
    units = (unit for unit in store.glob("[!_]*/*/*") if unit.suffix != TEMPORARY)
    return {str(unit.relative_to(store)): _contents(unit) for unit in units}


def _contents(unit: Path) -> dict[str, bytes]:
    return {str(file.relative_to(unit)): file.read_bytes() for file in files_in(unit)}


def seen(place: Place) -> dict[str, Any]:
    """All that can be seen at a place: of its home, its backup and its second home; and that nothing is damaged."""
    found: dict[str, Any] = {"home": state(place.case), "decisions": _decided(place.case.settings)}
    assert fsck(place.case.settings).damage == []
    if (place.second.home / "catalog.db").exists():
        assert fsck(place.second).damage == []
        found["second"] = place.second.catalog().versions(DATASET)[-1].files
    if place.copy.exists():
        found["backup"] = len([path for path in place.copy.rglob("*") if path.suffix != ".tmp" and path.is_file()])
    return found


def _decided(settings: Any) -> list[Any]:
    return [decision.verdict for decision in settings.catalog().decisions(DATASET)]


def check_messages(receiver: Receiver, begun: Place, undisturbed: Place, place: Place, what: str) -> None:
    """Each message came, and none came with other contents under its key."""
    before, wanted, got = (told(receiver, there) for there in (begun, undisturbed, place))
    assert {body["text"] for _, body in [*before, *got]} == {body["text"] for _, body in [*before, *wanted]}, what
    contents: dict[str, Any] = {}
    for key, body in [*before, *got]:
        assert contents.setdefault(key, body) == body, what
    assert len(contents) == len({body["text"] for body in contents.values()}), f"{what}: two keys for one message"


def told(receiver: Receiver, place: Place) -> list[tuple[str, dict[str, Any]]]:
    """What the receiver got of a place: keys and bodies."""
    path = f"/{place.receiver.rsplit('/', 1)[1]}"
    return [(request.key, request.body) for request in receiver.received if request.path == path]
