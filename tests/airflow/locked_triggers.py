"""Run as a program: makes runs through Airflow's own API while its SQLite file is locked, at each moment of a request.

The server is Airflow's, in a thread of this process; a second connection takes the lock just before the request's
n-th statement, in each of the ways in which one can, and gives it up when the client tries again. Writes what became
of each try as JSON to the file that the first argument names.
"""

import json
import os
import sqlite3
import sys
import threading
import time
from pathlib import Path

from profiling_core.cli import airflow_client
from profiling_core.cli.airflow_client import AirflowClient

DAG_ID = "lockable"
# How the other connection locks: nobody else may read; nobody else may write; it reads, so nobody may commit.
WAYS = {"exclusive": ["BEGIN EXCLUSIVE"], "write": ["BEGIN IMMEDIATE"], "read": ["BEGIN", "SELECT * FROM dag"]}
MOMENTS = 18  # more than a request has statements


class Locker:
    """Locks the database before the n-th statement of what this process executes."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._left, self._way = -1, ""
        self.locked = False

    def arm(self, statement: int, way: str) -> None:
        self._left, self._way, self.locked = statement, way, False

    def before(self, *_: object) -> None:
        if self._left == 0:
            self._lock()
        self._left -= 1

    def _lock(self) -> None:
        self._connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            for statement in WAYS[self._way]:
                self._connection.execute(statement).fetchone()
        except sqlite3.OperationalError:  # the request has it itself
            self.free()
        else:
            self.locked = True

    def free(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None


def main() -> None:
    os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONNECT_ARGS"] = "locked_triggers.HASTY"
    os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONNECT_ARGS_ASYNC"] = "locked_triggers.HASTY"
    airflow_client._LOCKED_PAUSE = 0.0
    locker = Locker(f"{os.environ['AIRFLOW_HOME']}/airflow.db")
    password = json.loads(Path(os.environ["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"]).read_text())["admin"]
    client = AirflowClient(_serve(locker), "admin", password, tend=locker.free)
    client.trigger(DAG_ID, {})  # what is asked once per process is asked now
    told = []
    for number in range(MOMENTS):
        for way in WAYS:
            locker.arm(number, way)
            run_id = client.trigger(DAG_ID, {"number": number})
            locker.free()
            told.append({"number": number, "way": way, "run": run_id, "locked": locker.locked})
    Path(sys.argv[1]).write_text(json.dumps({"told": told, "runs": _runs()}), "utf-8")


HASTY = {"timeout": 0}


def _serve(locker: Locker) -> str:
    import uvicorn
    from airflow import settings
    from airflow.api_fastapi.app import create_app
    from airflow.dag_processing.bundles.manager import DagBundlesManager
    from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
    from sqlalchemy import event

    folder = Path(__file__).with_name("lockable")
    bag = DagBag(folder, bundle_path=folder, bundle_name="dags-folder")
    DagBundlesManager().sync_bundles_to_db()
    sync_bag_to_db(bag, "dags-folder", None)
    event.listen(settings.engine, "before_cursor_execute", locker.before)
    server = uvicorn.Server(uvicorn.Config(create_app(), host="127.0.0.1", port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


def _runs() -> list[dict[str, object]]:
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from sqlalchemy import select

    with create_session() as session:
        return [
            {"run": run.run_id, "state": str(run.state), "tasks": len(run.get_task_instances(session=session))}
            for run in session.scalars(select(DagRun).where(DagRun.dag_id == DAG_ID))
        ]


if __name__ == "__main__":
    main()
