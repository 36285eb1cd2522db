"""A process that is killed, refused or cut off where it changes something; done again, all is as without the fault."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from databases.catalogs import server
from helpers.webhook import Receiver, receiver  # noqa: F401 - fixture
from sqlalchemy import select

from faults.breaking import Bench, break_everywhere, told
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


def test_a_sample_of_faults_ends_as_without_them(bench: Bench) -> None:
    for seed, flow in enumerate(FLOWS):
        assert break_everywhere(bench, flow, FAULTS, seconds=60, most=2, seed=seed).tried == 2


@pytest.mark.postgres
def test_so_it_does_on_postgresql(postgres_bench: Bench) -> None:
    assert break_everywhere(postgres_bench, "delta", FAULTS, seconds=60, most=6, seed=1).tried == 6


@pytest.mark.faults
@pytest.mark.parametrize("flow", FLOWS)
def test_faults_at_points_spread_over_all_end_as_without_them(bench: Bench, flow: str, figures: Figures) -> None:
    row = (SHORT, f"{flow}, SQLite")
    with figures.timed(*row, grows=False) as found:
        before = partial(figures.done_before, *row)
        broken = break_everywhere(bench, flow, FAULTS, 150 * SHARE, most=100_000, seed=0, done_before=before)
        found |= {"possible": broken.of, "done": broken.tried}
    assert broken.tried > 0


@pytest.mark.faults
@pytest.mark.postgres
@pytest.mark.parametrize("flow", ON_POSTGRESQL)
def test_so_they_do_on_postgresql(postgres_bench: Bench, flow: str, figures: Figures) -> None:
    row = (f"{SHORT}, connections to the database too", f"{flow}, PostgreSQL")
    with figures.timed(*row, grows=False) as found:
        before = partial(figures.done_before, *row)
        broken = break_everywhere(postgres_bench, flow, FAULTS, 120 * SHARE, most=100_000, seed=0, done_before=before)
        found |= {"possible": broken.of, "done": broken.tried}
    assert broken.tried > 0


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
