"""Who waits for a lock of SQLite's within an event loop is told of it soon; who waits elsewhere gets it at last."""

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from profiling_core.cli.airflow_sqlite import BRIEF, SQLITE_ARGUMENTS


@pytest.fixture
def locked(tmp_path):
    """A connection to a file that another one has locked, and that other one."""
    path = tmp_path / "airflow.db"
    with (
        closing(sqlite3.connect(path, check_same_thread=False, **SQLITE_ARGUMENTS)) as patient,
        closing(sqlite3.connect(path, check_same_thread=False, isolation_level=None)) as other,
    ):
        patient.cursor().execute("CREATE TABLE log (what TEXT)")
        patient.commit()
        other.execute("BEGIN IMMEDIATE")
        yield patient, other


async def write(connection):
    connection.cursor().execute("INSERT INTO log VALUES ('unpaused')")


def in_a_thread(work, *arguments):
    """Tests of browsers leave the main thread an event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, *arguments).result()


def in_a_loop(connection):
    in_a_thread(lambda: asyncio.run(write(connection)))


def in_none(connection):
    connection.cursor().execute("INSERT INTO log VALUES ('succeeded')")
    connection.commit()


def test_an_event_loop_does_not_stand_still(locked):
    patient, other = locked
    freeing = threading.Timer(15 * BRIEF, other.rollback)
    freeing.start()
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        in_a_loop(patient)
    freeing.cancel()
    other.rollback()
    in_a_loop(patient)


def test_a_thread_waits_until_the_lock_is_free(locked):
    patient, other = locked
    freeing = threading.Timer(2 * BRIEF, other.rollback)
    freeing.start()
    in_a_thread(in_none, patient)
    freeing.join()
    assert other.execute("SELECT what FROM log").fetchall() == [("succeeded",)]
