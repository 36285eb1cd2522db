"""What a person reads where Spark's own process is killed under a command."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.model.errors import StateError
from profiling_core.spark.failures import spark_failures_told

pytestmark = pytest.mark.spark

# Kills what its session's workers are forked from, and these, while nothing runs, and asks twice; then kills the Java
# process of the session, while a query is made or runs, and asks once more when nothing listens.
PROGRAM = """
import sys, threading, time
import psutil
from profiling_core.model.errors import UnreachableError
from profiling_core.spark.failures import spark_failures_told
from profiling_core.spark.session import spark_session

session = spark_session("doomed")

def count(seconds=0):
    def slow(batches):
        for batch in batches:
            time.sleep(seconds)
            yield batch

    return session.range(3).mapInArrow(slow, "id long").count()

def is_daemon(process):
    try:
        return "profiling_core.spark.worker_daemon" in process.cmdline()
    except psutil.Error:  # it has ended meanwhile
        return False

def told(query):
    try:
        with spark_failures_told():
            return query()
    except UnreachableError as error:
        return error

if "workers" in sys.argv:
    assert count() == 3
    daemons = [process for process in psutil.Process().children(recursive=True) if is_daemon(process)]
    assert daemons
    for process in daemons:
        process.kill()
    print(told(count))
    print("then", told(count))
java = [child for child in psutil.Process().children(recursive=True) if "java" in child.name()]
threading.Timer(float(sys.argv[1]), java[0].kill).start()
for query in (lambda: count(3), lambda: session.range(3).count()):
    print(told(query))
"""


@pytest.mark.parametrize("arguments", [("0.01",), ("1.5", "workers")])  # seconds: while the query is made, or runs
def test_what_is_killed_is_told_in_words_and_workers_are_begun_again(monkeypatch, arguments):
    monkeypatch.setenv("HOLDFAST_SPARK_CONF", "spark.driver.memory=1g")
    program = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
    workers, then, rest = done.stdout.rpartition("then 3\n")
    assert bool(then) is ("workers" in arguments), done.stdout + done.stderr
    if then:
        assert workers.startswith(("3", "one of Spark's Python workers ended")), done.stdout + done.stderr
    assert rest.count("Spark is gone") == 2, done.stdout + done.stderr
    assert "run it again" in rest


def test_an_error_of_our_own_is_left_as_it_is():
    with pytest.raises(ConnectionRefusedError), spark_failures_told():
        raise ConnectionRefusedError("Connection refused")


def test_a_file_that_somebody_removed_is_named(spark, tmp_path):
    path = tmp_path / "rows 1.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    rows = spark.read.parquet(str(path))
    path.unlink()
    for query in (rows.collect, lambda: spark.read.parquet(str(path))):
        with pytest.raises(StateError, match="is gone since the step began") as caught, spark_failures_told():
            query()
        assert caught.value.where.replace("%20", " ") == str(path)
