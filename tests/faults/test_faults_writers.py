"""Writers at once, on SQLite and PostgreSQL, while connections end and the server is killed: nothing lost or twice."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from databases.catalogs import catalog_url, server  # noqa: F401 - fixture
from helpers.webhook import Receiver, receiver  # noqa: F401 - fixture

from faults.breaking import told
from faults.figures import SHARE, Figures
from faults.flows import DATASET, Place, tell
from profiling_core.pipeline.fsck import fsck
from profiling_core.state.catalog import Catalog

PROGRAM = Path(__file__).with_name("rounds.py")
WRITERS = 8
Ended = list[list[str]]
ROUNDS = [4, pytest.param(round(200 * SHARE), marks=pytest.mark.faults)]


def play(place: Place, rounds: int, *, stubborn: bool = False) -> Ended:
    """How each writer of each round ended."""
    path = os.pathsep.join([str(PROGRAM.parents[1]), *sys.path])
    order = {"root": str(place.root), "catalog": place.catalog, "receiver": place.receiver}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        input=json.dumps(order | {"rounds": rounds, "writers": WRITERS, "stubborn": stubborn}),
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ended: Ended = json.loads(done.stdout)
    return ended


def check(place: Place, rounds: int, receiver: Receiver) -> Counter[str]:  # noqa: F811 - its fixture
    """One version per round, each delta applied once, nothing damaged; returns how often each key was told."""
    tell(place)  # what a writer was sending when its database went away
    catalog = place.case.settings.catalog()
    versions = catalog.versions(DATASET)
    assert [version.number for version in versions] == list(range(1, rounds + 1))
    assert len({version.run_id for version in versions}) == rounds
    assert catalog.applied(DATASET) == {"flights": frozenset(f"d{n}" for n in range(1, rounds + 1))}
    assert fsck(place.case.settings).damage == []
    assert catalog.outbox.undelivered(DATASET) == []
    got = told(receiver, place)
    assert len(dict(got)) == rounds
    assert {body["text"] for _, body in got} == {f"broke in {n}" for n in range(1, rounds + 1)}
    contents: dict[str, Any] = {}
    assert all(contents.setdefault(key, body) == body for key, body in got)
    return Counter(key for key, _ in got)


def begun(url: str, folder: Path, receiver: Receiver) -> Place:  # noqa: F811 - its fixture
    Catalog(url).migrate()
    return Place(folder, url, receiver.url("writers"))


@pytest.mark.parametrize("rounds", ROUNDS)
def test_eight_writers_at_once_lose_nothing_and_do_nothing_twice(
    catalog_url: str,  # noqa: F811 - fixture
    rounds: int,
    receiver: Receiver,  # noqa: F811 - fixture
    tmp_path: Path,
    figures: Figures,
) -> None:
    place = begun(catalog_url, tmp_path, receiver)
    with figures.timed("eight writers at once, rounds", catalog_url.partition(":")[0]) as found:
        for number, ended in enumerate(play(place, rounds), start=1):
            done = ended.count("done")
            assert done == (WRITERS if number % 2 else 1), (number, ended)
            assert all(said == "done" or said.startswith("refused: ") for said in ended), (number, ended)
        assert set(check(place, rounds, receiver).values()) == {1}
        found |= {"possible": rounds, "done": rounds}


@pytest.mark.postgres
@pytest.mark.parametrize("rounds", [4, pytest.param(round(60 * SHARE), marks=pytest.mark.faults)])
@pytest.mark.parametrize("fault", ["connections ended", "server killed"])
def test_a_database_that_goes_away_in_the_middle_loses_nothing(
    rounds: int,
    fault: str,
    receiver: Receiver,  # noqa: F811 - fixture
    tmp_path: Path,
    request: pytest.FixtureRequest,
    figures: Figures,
) -> None:
    database = server(request.config)
    place = begun(database.new_database(), tmp_path, receiver)
    with figures.timed(
        f"{fault} while eight writers commit; rounds, and connections that ended", "PostgreSQL"
    ) as found:
        # Where writers were cut off faster than they work, they would never end.
        calm = begun(database.new_database(), tmp_path / "calm", receiver)._replace(receiver=receiver.url("calm"))
        a_round = spent(partial(play, calm, 4)) / 4
        often, most, disturb = (
            (a_round / 8, 20 * rounds, partial(database.cut, place.catalog))
            if fault == "connections ended"
            else (min(4.0, a_round), rounds, database.crash)
        )
        ended, met = disturbed(disturb, often, most, partial(play, place, rounds, stubborn=True))
        for number, said in enumerate(ended, start=1):
            assert "done" in said, (number, said)
            assert not any(one.startswith("untyped") for one in said), (number, said)
        check(place, rounds, receiver)
        found |= {"possible": rounds, "done": met}
    assert met > 0


def spent(work: Callable[[], object]) -> float:
    """The seconds that it takes."""
    started = time.monotonic()
    work()
    return time.monotonic() - started


def disturbed(disturb: Callable[[], int], often: float, most: int, work: Callable[[], Ended]) -> tuple[Ended, int]:
    """What work gives that is disturbed about every ``often`` seconds; and how often that met something: ``most``."""
    over, met, chance = threading.Event(), [], random.Random(5)

    def go_on() -> None:
        while sum(met) < most and not over.wait(chance.uniform(0.1, 1.9) * often):
            met.append(disturb())

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        return work(), sum(met)
    finally:
        over.set()
        thread.join()
