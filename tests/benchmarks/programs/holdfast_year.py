"""Some days in turn, as `holdfast apply` does them: ``holdfast_year.py root dataset delta…``; prints their costs."""

import os
import sys
import time
from pathlib import Path

from report import report


def main(root: str, dataset: str, *deltas: str) -> None:
    os.environ["HOLDFAST_ROOT"] = root
    from profiling_core.cli.running_server import join_running_server
    from profiling_core.pipeline.walk import walk
    from profiling_core.state.settings import Settings

    join_running_server(Settings.discover())
    cpu, wall, alerts = [], [], 0
    for delta in deltas:
        before = time.process_time(), time.monotonic()
        alerts += walk(dataset, label=delta).get("alerts", 0)
        cpu.append(time.process_time() - before[0])
        wall.append(time.monotonic() - before[1])
    report(cpu=cpu, wall=wall, alerts=alerts)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), *sys.argv[2:])
