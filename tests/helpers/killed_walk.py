"""A program that applies what is pending of a dataset, and is killed after the step that it is told."""

import os
import signal
import sys

from profiling_core.pipeline import steps


def main(dataset: str, last: str) -> None:
    plan = steps.plan(dataset)
    run_id = plan["run_id"]
    for name, each in (
        ("plan", ()),
        ("ingest", plan["pending"]),
        ("maintain_table", plan["pending"]),
        ("maintain_inclusions", ()),
        ("commit", ()),
    ):
        for table in each:
            getattr(steps, name)(dataset, run_id, table)
        if not each and name != "plan":
            getattr(steps, name)(dataset, run_id)
        if name == last:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
