"""What a night costs and how its runs end, read from the kernel's accounts and from Airflow's own database."""

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import psutil  # type: ignore[import-untyped] # comes without types

from profiling_core.cli.airflow_processes import AirflowPart

_MIB = 2**20


@dataclass
class Watch:
    """CPU seconds and memory of Airflow's parts with all that they started, by the parts' names.

    Memory is in MiB, pages that processes share counted once in all (PSS), at each look.
    """

    cpu: dict[str, float] = field(default_factory=dict)
    memory: dict[str, list[float]] = field(default_factory=dict)

    def look(self, parts: Iterable[AirflowPart]) -> None:
        for part in parts:
            family = _family(part)
            self.cpu[part.name] = sum(map(_cpu, family))
            self.memory.setdefault(part.name, []).append(sum(map(_memory, family)))

    def since(self, before: Mapping[str, float]) -> dict[str, float]:
        """The CPU seconds of each part since its were ``before``."""
        return {name: cpu - before.get(name, 0.0) for name, cpu in self.cpu.items()}


def _family(part: AirflowPart) -> list[psutil.Process]:
    leader = part.process()
    with contextlib.suppress(psutil.NoSuchProcess):
        return [leader, *leader.children(recursive=True)] if leader else []
    return []


def _cpu(process: psutil.Process) -> float:
    """Of the process and of those that it started and that have ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return float(sum(process.cpu_times()[:4]))
    return 0.0


def _memory(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.NoSuchProcess):
        return float(process.memory_full_info().pss / _MIB)
    return 0.0


@dataclass(frozen=True)
class Run:
    """A run: when its first task started and its last one ended, in seconds from when the night began."""

    dataset: str
    state: str
    began: float
    ended: float


@dataclass(frozen=True)
class Night:
    """What Airflow's database says of a night: the runs that have ended, and all tasks that have begun."""

    runs: list[Run]
    tasks: int
    tried_again: int
    waited: float
    """The longest that a task waited between queueing, from which on its token lives, and its start, in seconds."""

    def most_under_way(self) -> int:
        """The most runs that had begun and not ended at one time."""
        steps = sorted([(run.began, 1) for run in self.runs] + [(run.ended, -1) for run in self.runs])
        open_runs = most = 0
        for _, step in steps:
            open_runs += step
            most = max(most, open_runs)
        return most

    def out_of_place(self) -> int:
        """By how many places the order in which runs ended differs from that in which they began, at most."""
        ended = {run.dataset: place for place, run in enumerate(sorted(self.runs, key=lambda run: run.ended))}
        began = sorted(self.runs, key=lambda run: run.began)
        return max(abs(ended[run.dataset] - place) for place, run in enumerate(began))

    def length(self) -> tuple[float, float]:
        """Seconds from a run's first task to its last one's end: the median, and the most."""
        lengths = [run.ended - run.began for run in self.runs]
        return median(lengths), max(lengths)


def unfinished(database: Path, since: datetime) -> int:
    """How many runs made since then have not ended."""
    asked = "SELECT count(*) FROM dag_run WHERE created_at >= ? AND state NOT IN ('success', 'failed')"
    return int(_asked(database, asked, _text(since))[0][0])


def made(database: Path, since: datetime) -> int:
    """How many runs were made since then."""
    return int(_asked(database, "SELECT count(*) FROM dag_run WHERE created_at >= ?", _text(since))[0][0])


def night(database: Path, since: datetime) -> Night:
    """The runs made since then."""
    runs = _asked(
        database,
        "SELECT r.dag_id, r.state, min(t.start_date), max(t.end_date) FROM dag_run r JOIN task_instance t"
        " ON t.dag_id = r.dag_id AND t.run_id = r.run_id WHERE r.created_at >= ? AND t.start_date IS NOT NULL"
        " AND r.state IN ('success', 'failed') GROUP BY r.dag_id, r.run_id, r.state",
        _text(since),
    )
    tasks = _asked(
        database,
        "SELECT t.try_number, t.queued_dttm, t.start_date FROM dag_run r JOIN task_instance t"
        " ON t.dag_id = r.dag_id AND t.run_id = r.run_id WHERE r.created_at >= ? AND t.start_date IS NOT NULL",
        _text(since),
    )
    spans = [(dag, state, *((_time(at) - since).total_seconds() for at in ends)) for dag, state, *ends in runs]
    waits = [(_time(start) - _time(queued)).total_seconds() for _, queued, start in tasks if queued]
    return Night(
        [Run(*span) for span in spans],
        len(tasks),
        sum(tries > 1 for tries, _, _ in tasks),
        max(waits, default=0.0),
    )


def _asked(database: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=60)) as connection:
        return connection.execute(query, values).fetchall()


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
