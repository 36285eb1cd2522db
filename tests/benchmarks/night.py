"""A night of many datasets on one Airflow: ``python -m benchmarks.night``; ``make bench-night`` runs it.

Each dataset is a table of a few hundred rows. In the first night all fall due by their schedule at once and begin; in
the second one all are asked for at once, a day later. Airflow is that of ``holdfast up``, on SQLite, with two places.
A night that takes longer than it may is ended, and none follows it. The page has the last nights of each number.
"""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial

from benchmarks import datasets
from benchmarks.night_datasets import configure, land, name_of
from benchmarks.night_page import Measured, figures, keep, parts
from benchmarks.night_watch import Watch, made, night, unfinished
from benchmarks.pages import write_page
from profiling_core.cli.airflow_environment import airflow_home
from profiling_core.cli.airflow_processes import recorded
from profiling_core.cli.airflow_runner import RunningAirflow, running
from profiling_core.state.settings import Settings

NUMBER, MINUTES = 200, 180.0
LOOK = 10.0


def main() -> None:
    """Measures, writes the page, and says where it is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=NUMBER, help="how many datasets")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="the longest that a night may take")
    arguments = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("HOLDFAST_")]:
        del os.environ[name]
    os.environ["HOLDFAST_SETTLE_SECONDS"] = "0"
    root = datasets.WORK / "night"
    shutil.rmtree(root, ignore_errors=True)
    numbers = range(arguments.number)
    today = datetime.now(UTC).date()
    for number in numbers:
        configure(root, number)
        land(root, number, today - timedelta(days=1), first=True)
    told: list[str] = []
    settings = Settings.discover(root, {})
    with running(settings, triggerer=False, spark=True, tell=told.append) as airflow:
        nights = _nights(settings, airflow, numbers, today, arguments.minutes * 60)
    keep(arguments.number, figures(settings, numbers, nights, told))
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "night.md"
    write_page(out, "A night of many datasets", "make bench-night", parts())
    sys.stderr.write(f"{out}\n")


def _nights(settings: Settings, airflow: RunningAirflow, numbers: range, today: date, limit: float) -> list[Measured]:
    client = airflow.client()
    dags = [f"holdfast.{name_of(number)}" for number in numbers]
    for dag in dags:
        client.await_dag(dag, patience=600)

    def scheduled() -> None:
        for dag in dags:
            client.unpause(dag)

    def asked_for() -> None:
        for number, dag in zip(numbers, dags, strict=True):
            land(settings.root, number, today, first=False)
            client.trigger(dag, {"delta": str(today)})

    measure = partial(_measured, settings, airflow, len(dags), limit)
    nights = [measure("the tables begin", scheduled)]
    if len(nights[0].night.runs) == len(dags):
        nights.append(measure("a day comes", asked_for))
    return nights


def _measured(
    settings: Settings, airflow: RunningAirflow, number: int, limit: float, name: str, begin: Callable[[], None]
) -> Measured:
    """Begins a night, and waits for its end or for its limit, in seconds."""
    home, watch = airflow_home(settings), Watch()
    database = home.path / "airflow.db"
    watch.look(recorded(home.running)[2])
    before, watch.memory = dict(watch.cpu), {}
    since, clock = datetime.now(UTC), time.monotonic()
    begin()
    while (made(database, since) < number or unfinished(database, since)) and time.monotonic() - clock < limit:
        watch.look(recorded(home.running)[2])
        airflow.tend()
        time.sleep(LOOK)
    watch.look(recorded(home.running)[2])
    told, took = night(database, since), time.monotonic() - clock
    sys.stderr.write(f"{name}: {len(told.runs)} runs, {took:.0f} s\n")
    return Measured(name, told, took, watch.since(before), watch.memory)


if __name__ == "__main__":
    main()
