"""How Airflow's parts open the SQLite file that they share: patiently, but not where all of a server would wait.

Airflow's API server writes the row that logs who unpaused or triggered a DAG within its event loop. Meanwhile a request
in another thread may have the lock, and its commit waits for that loop: nothing would move until the wait for the lock
ends. Whoever asked is told of the lock, and asks again. All else waits: a task whose end cannot be written has failed.
"""

import asyncio
import sqlite3
from typing import Any

PATIENT, BRIEF = 30.0, 1.0
"""Seconds: after the usual five a scheduler would end at a locked file; and in an event loop."""


class PatientConnection(sqlite3.Connection):
    """A connection that waits for a lock for :data:`PATIENT` seconds, in a thread with an event loop :data:`BRIEF`."""

    _waits = PATIENT

    def cursor(self, *arguments: Any, **options: Any) -> Any:
        """A cursor, which waits as it becomes the thread that asks for it."""
        self._settle()
        return super().cursor(*arguments, **options)

    def commit(self) -> None:
        """Commits; waits as it becomes the thread."""
        self._settle()
        super().commit()

    def _settle(self) -> None:
        waits = BRIEF if _in_a_loop() else PATIENT
        if waits != self._waits:
            super().cursor().execute(f"PRAGMA busy_timeout = {waits * 1000:.0f}")
            self._waits = waits


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


SQLITE_ARGUMENTS = {"timeout": PATIENT, "factory": PatientConnection}
PATIENT_SQLITE = f"{__name__}.SQLITE_ARGUMENTS"
"""The name by which Airflow finds them."""
