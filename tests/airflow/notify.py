"""Run as a program: calls the notifier as Airflow's callbacks do, for runs that committed a version, or that failed.

Each argument is a run: the version that it committed (0: none), and ``success`` or ``failure``.
"""

import sys


class CommittedTask:
    """The task instance of a callback's context, as far as the notifier looks at it."""

    task_id = "validate"

    def __init__(self, version: int) -> None:
        self._version = version

    def xcom_pull(self, *, task_ids: str) -> dict | None:
        assert task_ids == "commit"
        return {"version": self._version} if self._version else None


def main() -> None:
    from airflow.sdk import DAG

    from profiling_core.airflow import HoldfastNotifier

    for run in sys.argv[1:]:
        sys.stdout.write(f"RUN {run}\n")
        sys.stdout.flush()
        version, outcome = run.split()
        notifier = HoldfastNotifier(connections=["data_team"], urls=["json://127.0.0.1:1/nobody-listens"])
        context = {
            "dag": DAG("holdfast.nycflights13", schedule=None),
            "run_id": "manual__1",
            "ti": CommittedTask(int(version)),
        }
        if outcome == "failure":
            context["exception"] = RuntimeError("the disk is full")
        notifier(context)


if __name__ == "__main__":
    main()
