"""Run as a program: calls the notifier as Airflow's callbacks do, for a run that committed a version, or that failed.

Arguments: the version that the run committed (0: none), and ``success`` or ``failure``.
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

    notifier = HoldfastNotifier(connections=["data_team"], urls=["json://127.0.0.1:1/nobody-listens"])
    context = {
        "dag": DAG("holdfast.nycflights13", schedule=None),
        "run_id": "manual__1",
        "ti": CommittedTask(int(sys.argv[1])),
    }
    if sys.argv[2] == "failure":
        context["exception"] = RuntimeError("the disk is full")
    notifier(context)


if __name__ == "__main__":
    main()
