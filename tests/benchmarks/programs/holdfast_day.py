"""One day, as `holdfast apply` does it: ``holdfast_day.py root dataset delta``; prints each step's seconds."""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from peaks import own_memory
from report import report


class Timed:
    """Seconds of each step, of all tables together; what comes before the first is the plan's."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.wall: dict[str, float] = {}
        self._began = self._now()

    def planned(self, plan: Mapping[str, Any]) -> None:
        self._note("plan", self._began)

    @contextmanager
    def during(self, step: str, table: str) -> Iterator[dict[str, Any]]:
        began = self._now()
        yield {}
        self._note(step, began)

    def _note(self, step: str, began: tuple[float, float]) -> None:
        cpu, wall = self._now()
        self.cpu[step] = self.cpu.get(step, 0.0) + cpu - began[0]
        self.wall[step] = self.wall.get(step, 0.0) + wall - began[1]

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.process_time(), time.monotonic()


def main(root: str, dataset: str, delta: str) -> None:
    os.environ["HOLDFAST_ROOT"] = root
    from profiling_core.cli.running_server import join_running_server
    from profiling_core.pipeline.arrow_alone import arrow_alone
    from profiling_core.pipeline.walk import walk
    from profiling_core.state.settings import Settings

    arrow_alone()
    join_running_server(Settings.discover())
    own, timed = own_memory(), Timed()
    outcome = walk(dataset, label=delta, progress=timed)
    arrived = outcome.get("arrived", {})
    rows = sum(counts["inserts"] + counts["deletes"] + counts["updates"] for counts in arrived.values())
    stored = sum(counts["rows"] for counts in arrived.values())
    session = "pyspark" in sys.modules
    counts = {"rows": rows, "stored": stored, "alerts": outcome.get("alerts", 0)}
    report(cpu=timed.cpu, wall=timed.wall, own=own(), session=session, **counts)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), *sys.argv[2:])
