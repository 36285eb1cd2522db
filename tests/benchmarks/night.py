"""A night of many datasets on one Airflow: ``python -m benchmarks.night``; ``make bench-night`` runs it.

Each dataset is a table of a few hundred rows. In the first night all fall due by their schedule at once and begin; in
the second one all are asked for at once, a day later. Airflow is that of ``holdfast up``, on SQLite, with two places.
"""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks import datasets
from benchmarks.night_datasets import DAY_ROWS, ROWS, WRONG_EACH, configure, land, name_of
from benchmarks.night_watch import Night, Watch, made, night, unfinished
from benchmarks.pages import seconds, table, write_page
from profiling_core.cli.airflow_environment import airflow_home
from profiling_core.cli.airflow_processes import recorded
from profiling_core.cli.airflow_runner import RunningAirflow, running
from profiling_core.state.settings import Settings

NUMBER, HOURS = 200, 3.0
LOOK = 10.0
TOKENS, LOCKS = "Invalid auth token", "database is locked"


@dataclass(frozen=True)
class Measured:
    """A night: its name, what Airflow says of it, seconds by the clock, and CPU seconds by part."""

    name: str
    night: Night
    clock: float
    cpu: Mapping[str, float]
    memory: Mapping[str, list[float]]


def main() -> None:
    """Measures, writes the page, and says where it is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=NUMBER, help="how many datasets")
    parser.add_argument("--hours", type=float, default=HOURS, help="the longest that a night may take")
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
        nights = _nights(settings, airflow, numbers, today, arguments.hours * 3600)
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "night.md"
    write_page(out, "A night of many datasets", _command(arguments.number), _parts(settings, numbers, nights, told))
    sys.stderr.write(f"{out}\n")


def _command(number: int) -> str:
    return "make bench-night" + ("" if number == NUMBER else f" NUMBER={number}")


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
    return [measure("the tables begin", scheduled), measure("a day comes", asked_for)]


def _measured(
    settings: Settings, airflow: RunningAirflow, number: int, limit: float, name: str, begin: Callable[[], None]
) -> Measured:
    """Begins a night and waits for its end, bounded."""
    home, watch = airflow_home(settings), Watch()
    database = home.path / "airflow.db"
    watch.look(recorded(home.running)[2])
    before, watch.memory = dict(watch.cpu), {}
    since, clock = datetime.now(UTC), time.monotonic()
    begin()
    while made(database, since) < number or unfinished(database, since):
        if time.monotonic() - clock > limit:
            raise SystemExit(f"{name}: {unfinished(database, since)} runs have not ended after {limit:.0f} s")
        watch.look(recorded(home.running)[2])
        airflow.tend()
        time.sleep(LOOK)
    watch.look(recorded(home.running)[2])
    told = night(database, since)
    sys.stderr.write(f"{name}: {len(told.runs)} runs, {time.monotonic() - clock:.0f} s\n")
    return Measured(name, told, max(run.ended for run in told.runs), watch.since(before), watch.memory)


def _parts(settings: Settings, numbers: range, nights: list[Measured], told: list[str]) -> Iterator[str]:
    yield (
        f"{len(numbers)} datasets of one table each ({ROWS} rows to begin with, then {DAY_ROWS}; 9 columns), all due at"
        " once on the Airflow of `holdfast up` (SQLite, LocalExecutor, two places, one Spark server for all)."
        " `the tables begin` is the run that falls due by each one's schedule, `a day comes` one asked for with the"
        f" next day's delta; in each tenth that breaks `zip → city`, and {_alerted(settings, numbers)} of"
        f" {len(numbers[::WRONG_EACH])} have an incident. {_versions(settings, numbers)} datasets are at version 2."
    )
    yield table(("night", "runs", "failed", "tasks", "tried again", "longest wait in the queue, s"), map(_ends, nights))
    yield (
        f"In Airflow's logs stand {_lines(settings, TOKENS)} lines with “{TOKENS}” and {_lines(settings, LOCKS)} with"
        f" “{LOCKS}”; {len(told)} times a part of Airflow ended and was started again."
    )
    header = ("night", "clock, min", "a run: median, s", "most, s", "under way at most", "places out of order at most")
    yield table(header, map(_order, nights))
    yield (
        "A run goes from the start of its first task to the end of its last one. Places: by how many the order in"
        " which runs ended differs from that in which they began."
    )
    yield table(("part", *_costs_header(nights)), _costs(nights))
    yield (
        "CPU is in seconds, of the part and of all that it started (tasks are the scheduler's); memory in MiB, what"
        " processes share counted once, looked at every ten seconds."
    )


def _ends(one: Measured) -> tuple[object, ...]:
    failed = sum(run.state != "success" for run in one.night.runs)
    return (
        one.name,
        len(one.night.runs),
        failed,
        f"{one.night.tasks:,}",
        one.night.tried_again,
        seconds(one.night.waited),
    )


def _order(one: Measured) -> tuple[object, ...]:
    lengths = (f"{length:.0f}" for length in one.night.length())
    return one.name, f"{one.clock / 60:.1f}", *lengths, one.night.most_under_way(), one.night.out_of_place()


def _costs_header(nights: list[Measured]) -> list[str]:
    return [f"{one.name}: {what}" for one in nights for what in ("CPU", "memory: median", "most")]


def _costs(nights: list[Measured]) -> Iterator[tuple[object, ...]]:
    for part in nights[0].cpu:
        yield part, *(cell for one in nights for cell in _cost(one.cpu[part], one.memory[part]))
    totals = ([sum(look) for look in zip(*one.memory.values(), strict=False)] for one in nights)
    rows = zip(nights, totals, strict=True)
    yield "all", *(cell for one, memory in rows for cell in _cost(sum(one.cpu.values()), memory))


def _cost(cpu: float, memory: list[float]) -> tuple[str, str, str]:
    return f"{cpu:,.0f}", f"{median(memory):,.0f}", f"{max(memory):,.0f}"


def _versions(settings: Settings, numbers: range) -> int:
    """How many datasets are at version 2."""
    catalog = settings.catalog()
    found = (catalog.current(name_of(number)) for number in numbers)
    return sum(version is not None and version.number == len(("first", "day")) for version in found)


def _alerted(settings: Settings, numbers: range) -> int:
    """How many of the datasets whose day breaks what held have an incident."""
    catalog = settings.catalog()
    return sum(bool(catalog.incidents(name_of(number))) for number in numbers[::WRONG_EACH])


def _lines(settings: Settings, words: str) -> int:
    """How many lines of Airflow's logs, those of its tasks among them, have the words."""
    logs: Iterator[Path] = (path for path in airflow_home(settings).logs.rglob("*.log") if path.is_file())
    return sum(line.count(words) > 0 for path in logs for line in path.open(encoding="utf-8", errors="replace"))


if __name__ == "__main__":
    main()
