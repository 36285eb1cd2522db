"""A process that is killed, refused or cut off where it changes something; done again, all is as without the fault."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases.catalogs import server
from helpers.webhook import Receiver, receiver  # noqa: F401 - fixture

from faults.breaking import Bench, break_everywhere, told
from faults.figures import SHARE, Figures
from faults.flows import DATASET, FLOWS
from faults.interposer import Fault
from profiling_core.pipeline.fsck import fsck

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
    with figures.timed(SHORT, f"{flow}, SQLite") as found:
        broken = break_everywhere(bench, flow, FAULTS, seconds=150 * SHARE, most=100_000, seed=0)
        found |= {"possible": broken.of, "done": broken.tried}
    assert broken.tried > 0


@pytest.mark.faults
@pytest.mark.postgres
@pytest.mark.parametrize("flow", ON_POSTGRESQL)
def test_so_they_do_on_postgresql(postgres_bench: Bench, flow: str, figures: Figures) -> None:
    with figures.timed(f"{SHORT}, connections to the database too", f"{flow}, PostgreSQL") as found:
        broken = break_everywhere(postgres_bench, flow, FAULTS, seconds=120 * SHARE, most=100_000, seed=0)
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
