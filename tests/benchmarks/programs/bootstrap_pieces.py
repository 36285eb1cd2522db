"""A bootstrap and its rounds of pieces: ``bootstrap_pieces.py root dataset delta apart|together``; prints their costs.

``apart``: the pieces run one after the other in this process, and each has its CPU seconds. ``together``: Spark's tasks
run them, and each round has the seconds at which it begins and ends, by the clock: some rounds run beside others.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from report import report

Work = Callable[[Any], Any]
Run = Callable[[Work, Sequence[Any]], list[Any]]
rounds: list[tuple[str, list[float]]] = []


def apart(work: Work, items: Sequence[Any]) -> list[Any]:
    """Runs pieces in this process, as one worker would."""
    found, spent = [], []
    for item in items:
        began = time.process_time()
        found.append(work(item))
        spent.append(time.process_time() - began)
    rounds.append((_name(work), spent))
    return found


def together(run: Run) -> Run:
    """Has pieces run as they do, a round at a time."""

    def timed(work: Work, items: Sequence[Any]) -> list[Any]:
        began = time.monotonic()
        found = run(work, items)
        rounds.append((_name(work), [began, time.monotonic()]))
        return found

    return timed


@contextmanager
def in_turn(_: int, work: Callable[[], Any]) -> Iterator[Callable[[], Any]]:
    """Does first what otherwise runs beside the engine."""
    found = work()
    yield lambda: found


def _name(work: Any) -> str:
    while isinstance(work, partial):
        work = work.func
    return getattr(work, "__name__", type(work).__name__).strip("_")


class Steps:
    """Seconds of each step: CPU and by the clock."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.wall: dict[str, float] = {}

    def planned(self, plan: Mapping[str, Any]) -> None:
        """Nothing is told of the plan."""

    @contextmanager
    def during(self, step: str, table: str) -> Iterator[dict[str, Any]]:
        """Around a step of a table."""
        cpu, wall = time.process_time(), time.monotonic()
        yield {}
        self.cpu[step] = self.cpu.get(step, 0.0) + time.process_time() - cpu
        self.wall[step] = self.wall.get(step, 0.0) + time.monotonic() - wall


def main(root: str, dataset: str, delta: str, how: str) -> None:
    os.environ["HOLDFAST_ROOT"] = root
    from profiling_core.maintain import columns, indexed, key_indexes, table
    from profiling_core.pipeline.walk import walk
    from profiling_core.spark import tasks

    by_tasks = tasks.by_tasks
    for module in (indexed, tasks):
        module.by_tasks = lambda spark: apart if how == "apart" else together(by_tasks(spark))
    if how == "apart":
        columns.by_spare_tasks = key_indexes.by_spare_tasks = lambda spark: apart
        table.beside = in_turn
    steps = Steps()
    walk(dataset, label=delta, progress=steps)
    report(rounds=rounds, cpu=steps.cpu, wall=steps.wall)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), *sys.argv[2:])
