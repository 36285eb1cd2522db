"""What the page of a night says, and the figures that it is made of, kept per number of datasets."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import datasets
from benchmarks.night_datasets import DAY_ROWS, ROWS, WRONG_EACH, name_of
from benchmarks.night_watch import Night
from benchmarks.pages import seconds, table
from profiling_core.cli.airflow_environment import airflow_home
from profiling_core.state.settings import Settings

KEPT = datasets.WORK / "nights"
TOKENS, LOCKS = "Invalid auth token", "database is locked"
_ENDS = ("runs that ended", "failed", "tasks", "tried again", "longest wait in the queue, s")
_ORDER = ("clock, min", "cores had", "a run: median, s", "most, s", "under way at most", "places out of order at most")
_COSTS = ("part", "CPU", "memory: median", "most")
_LOGS = (f"“{TOKENS}”", f"“{LOCKS}”", "parts started again", "at the second version", "incidents")


@dataclass(frozen=True)
class Measured:
    """A night: its name, what Airflow says of it, seconds by the clock, CPU seconds and MiB of each part."""

    name: str
    night: Night
    clock: float
    cpu: Mapping[str, float]
    memory: Mapping[str, list[float]]


def figures(settings: Settings, numbers: range, nights: Sequence[Measured], told: Sequence[str]) -> dict[str, Any]:
    """The rows of the page's tables for one number of datasets, as plain JSON data."""
    return {
        "ends": [[one.name, *_ends(one, len(numbers))] for one in nights],
        "order": [[one.name, *_order(one)] for one in nights],
        "costs": [[one.name, *cost] for one in nights for cost in _costs(one)],
        "logs": [[_lines(settings, TOKENS), _lines(settings, LOCKS), len(told), *_state(settings, numbers)]],
    }


def keep(number: int, made: Mapping[str, Any]) -> None:
    """Keeps the figures of a number of datasets, in place of earlier ones."""
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{number}.json").write_text(json.dumps(made), "utf-8")


def parts() -> Iterator[str]:
    """The page's parts, from all figures that are kept."""
    yield (
        f"Datasets of one table each ({ROWS} rows to begin with, then {DAY_ROWS}; 9 columns), all due at once on the"
        " Airflow of `holdfast up` (SQLite, LocalExecutor, two places, one Spark server for all). `the tables begin` is"
        " the run that falls due by each one's schedule, `a day comes` one asked for with the next day's delta, which"
        f" breaks what held in one of {WRONG_EACH}. A night that takes longer than it may (`MINUTES`) is ended, and no"
        " other follows it."
    )
    yield table(("datasets", "night", *_ENDS), _rows("ends"))
    yield table(("datasets", "night", *_ORDER), _rows("order"))
    yield (
        "Cores had: CPU by the clock; on a machine with nothing else to do nearly two. A run goes from the start of its"
        " first task to the end of its last one. Places: by how many the order in which runs ended differs from that in"
        " which they began."
    )
    yield "Afterwards, lines with these words in Airflow's logs, those of tasks among them, and what the catalog says:"
    yield table(("datasets", *_LOGS), _rows("logs"))
    yield table(("datasets", "night", *_COSTS), _rows("costs"))
    yield (
        "CPU is in seconds, of the part and of all that it started (tasks are the scheduler's); memory in MiB, what"
        " processes share counted once, looked at every ten seconds."
    )


def _rows(name: str) -> Iterator[list[object]]:
    for path in sorted(KEPT.glob("*.json"), key=lambda path: int(path.stem)):
        for row in json.loads(path.read_text("utf-8"))[name]:
            yield [path.stem, *row]


def _ends(one: Measured, number: int) -> tuple[object, ...]:
    runs, failed = one.night.runs, sum(run.state != "success" for run in one.night.runs)
    ended = f"{len(runs)} of {number}"
    return ended, failed, f"{one.night.tasks:,}", one.night.tried_again, seconds(one.night.waited)


def _order(one: Measured) -> tuple[object, ...]:
    lengths = (f"{length:.0f}" for length in one.night.length())
    cores = seconds(sum(one.cpu.values()) / one.clock)
    return f"{one.clock / 60:.1f}", cores, *lengths, one.night.most_under_way(), one.night.out_of_place()


def _costs(one: Measured) -> Iterator[tuple[str, ...]]:
    for part, cpu in one.cpu.items():
        yield part, *_cost(cpu, one.memory[part])
    yield "all", *_cost(sum(one.cpu.values()), [sum(look) for look in zip(*one.memory.values(), strict=False)])


def _cost(cpu: float, memory: Sequence[float]) -> tuple[str, str, str]:
    return f"{cpu:,.0f}", f"{median(memory):,.0f}", f"{max(memory):,.0f}"


def _state(settings: Settings, numbers: range) -> tuple[str, str]:
    """How many datasets are at version 2, and how many of those whose day is wrong have an incident."""
    catalog = settings.catalog()
    versions = [catalog.current(name_of(number)) for number in numbers]
    second = sum(version is not None and version.number == len(("first", "day")) for version in versions)
    wrong = numbers[::WRONG_EACH]
    told = sum(bool(catalog.incidents(name_of(number))) for number in wrong)
    return f"{second} of {len(numbers)}", f"{told} of {len(wrong)}"


def _lines(settings: Settings, words: str) -> int:
    """How many lines of Airflow's logs, those of its tasks among them, have the words."""
    logs: Iterator[Path] = (path for path in airflow_home(settings).logs.rglob("*.log") if path.is_file())
    return sum(words in line for path in logs for line in path.open(encoding="utf-8", errors="replace"))
