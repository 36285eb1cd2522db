"""A process that is killed, refused or cut off where it changes something; done again, all is as without the fault."""

import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest
from databases.catalogs import server
from helpers.webhook import Receiver, receiver  # noqa: F401 - fixture
from sqlalchemy import select

from faults.breaking import Bench, Broken, first_of_each, spread, told
from faults.figures import SHARE, Figures
from faults.flows import DATASET, FLOWS
from faults.interposer import Fault, Page, compiled
from profiling_core.model.message import Message
from profiling_core.pipeline.fsck import fsck
from profiling_core.state import models
from profiling_core.state.catalog import Catalog
from profiling_core.state.engine import transaction
from profiling_core.state.row_checksums import change

FAULTS = [fault for fault in Fault if fault is not Fault.COUNT]


SHORT = "killed, torn, EIO, ENOSPC once and for good, short writes, at the points that change something"
ON_POSTGRESQL = ("first version", "delta", "decision", "retention")
HOUR = 3600
BACK = [-400 * 86400, 400 * 86400]


@pytest.fixture
def bench(tmp_path: Path, receiver: Receiver) -> Iterator[Bench]:  # noqa: F811 - fixture
    made = Bench(tmp_path, receiver)
    yield made
    made.close()


@pytest.fixture
def postgres_bench(
    tmp_path: Path,
    receiver: Receiver,  # noqa: F811 - fixture
    request: pytest.FixtureRequest,
) -> Iterator[Bench]:
    made = Bench(tmp_path, receiver, server(request.config))
    yield made
    made.close()


def test_a_fault_at_each_file_that_is_written_ends_as_without_it(bench: Bench) -> None:
    known: set[int] = set()
    for flow in sorted(FLOWS, key="delta".__ne__):  # it writes most of the files, sooner than a first version does
        broken = Broken(bench, flow)
        broken.put_in(first_of_each(broken.points, known, FAULTS), HOUR)
    assert len(known) > 50


def test_killed_anywhere_a_delta_leaves_the_version_before_or_the_one_after(bench: Bench) -> None:
    broken = Broken(bench, "delta")
    assert broken.put_in(islice(spread(len(broken.points), [Fault.KILL], random.Random(2)), 20), HOUR) == 20


@pytest.mark.postgres
def test_so_it_does_on_postgresql(postgres_bench: Bench) -> None:
    broken = Broken(postgres_bench, "delta")
    assert broken.put_in(islice(spread(len(broken.points), FAULTS, random.Random(1)), 6), HOUR) == 6


@pytest.mark.faults
@pytest.mark.parametrize("flow", FLOWS)
def test_faults_at_points_spread_over_all_end_as_without_them(bench: Bench, flow: str, figures: Figures) -> None:
    put_in_spread(Broken(bench, flow), figures, (SHORT, f"{flow}, SQLite"), 150 * SHARE)


@pytest.mark.faults
@pytest.mark.postgres
@pytest.mark.parametrize("flow", ON_POSTGRESQL)
def test_so_they_do_on_postgresql(postgres_bench: Bench, flow: str, figures: Figures) -> None:
    row = (f"{SHORT}, connections to the database too", f"{flow}, PostgreSQL")
    put_in_spread(Broken(postgres_bench, flow), figures, row, 120 * SHARE)


def put_in_spread(broken: Broken, figures: Figures, row: tuple[str, str], seconds: float) -> None:
    with figures.timed(*row, grows=False) as found:
        possible = len(broken.points) * len(FAULTS)
        turns = spread(len(broken.points), FAULTS, random.Random(0))
        done = broken.put_in(islice(turns, figures.done_before(*row, possible), None), seconds)
        found |= {"possible": possible, "done": done}
    assert done > 0


@pytest.mark.parametrize("seconds", BACK)
def test_a_clock_that_is_set_loses_no_version_and_tells_nothing_twice(bench: Bench, seconds: int) -> None:
    place = bench.place()
    for flow, clock in (("first version", 0), ("delta", seconds), ("later delta", 0)):
        bench.page.set_clock(clock)
        assert bench.order(flow, "act", place) == ""
    assert [version.number for version in place.case.settings.catalog().versions(DATASET)] == [1, 2, 3]
    assert fsck(place.case.settings).damage == []
    assert [body["text"] for _, body in told(bench.receiver, place)] == [f"broke in {n}" for n in (1, 2, 3)]
    bench.page.set_clock(0)


CLAIM = """
import sys
from datetime import UTC, datetime
from functools import partial
from profiling_core.state.catalog import Catalog
now = datetime.now(UTC)
claimed = Catalog(sys.argv[1]).outbox.claim("nyc", ["hook"], now)
print(now.isoformat(), claimed and claimed.key)
"""


@pytest.mark.postgres
@pytest.mark.parametrize("hour", [3600, -3600])
def test_a_machine_whose_clock_is_wrong_takes_no_message_that_another_one_is_sending(
    tmp_path: Path, request: pytest.FixtureRequest, hour: int
) -> None:
    url = server(request.config).new_database()
    catalog = Catalog(url)
    catalog.migrate()
    page, message = Page(tmp_path / "page"), Message("m", 1, "flights", {"text": "broke"}, ("hook",))
    catalog.outbox.put(DATASET, [message], datetime.now(UTC))
    assert catalog.outbox.claim(DATASET, ["hook"], datetime.now(UTC)) is not None
    with transaction(catalog.outbox._engine, write=True) as connection:  # as a process of another machine has it
        (row,) = connection.execute(select(models.deliveries)).mappings()
        change(connection, models.deliveries, row, lease="1-1-00000000-00000000")
    page.set_clock(hour)
    done = subprocess.run(
        [sys.executable, "-c", CLAIM, url],
        env=page.environment(compiled(tmp_path)),
        capture_output=True,
        text=True,
        check=True,
    )
    now, claimed = done.stdout.split()
    assert abs((datetime.fromisoformat(now) - datetime.now(UTC)).total_seconds()) > 3500
    assert claimed == "None"
    assert catalog.outbox.claim(DATASET, ["hook"], datetime.now(UTC)) is None
