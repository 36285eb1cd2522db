"""What a person reads where Spark's own process is killed under a command."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.model.errors import StateError
from profiling_core.spark.failures import spark_failures_told

pytestmark = pytest.mark.spark

# Kills the Java process of its own session, while a query runs there and once more when nothing listens.
PROGRAM = """
import sys, threading, time
import psutil
from profiling_core.model.errors import UnreachableError
from profiling_core.spark.failures import spark_failures_told
from profiling_core.spark.session import spark_session

session = spark_session("doomed")
java = [child for child in psutil.Process().children(recursive=True) if "java" in child.name()]

def slow(batches):
    for batch in batches:
        time.sleep(3)
        yield batch

threading.Timer(float(sys.argv[1]), java[0].kill).start()
for query in (lambda: session.range(3).mapInArrow(slow, "id long").count(), lambda: session.range(3).count()):
    try:
        with spark_failures_told():
            query()
    except UnreachableError as error:
        print(error)
"""


@pytest.mark.parametrize("after", [0.01, 1.5])  # seconds: while the query is made, or runs
def test_a_java_process_that_is_killed_is_told_in_words(monkeypatch, after):
    monkeypatch.setenv("HOLDFAST_SPARK_CONF", "spark.driver.memory=1g")
    program = [sys.executable, "-c", PROGRAM, str(after)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.count("Spark is gone") == 2, done.stdout + done.stderr
    assert "run it again" in done.stdout


# Kills what the session's workers are forked from, and these, while nothing runs; then asks twice.
WORKERS = """
import psutil
from profiling_core.model.errors import UnreachableError
from profiling_core.spark.failures import spark_failures_told
from profiling_core.spark.session import spark_session

session = spark_session("doomed")

def count():
    with spark_failures_told():
        return session.range(3).mapInArrow(lambda batches: batches, "id long").count()

assert count() == 3

def is_daemon(process):
    try:
        return "profiling_core.spark.worker_daemon" in process.cmdline()
    except psutil.Error:  # it has ended meanwhile
        return False

daemons = [process for process in psutil.Process().children(recursive=True) if is_daemon(process)]
assert daemons
for process in daemons:
    process.kill()
try:
    print(count())
except UnreachableError as error:
    print(error)
print("then", count())
"""


def test_workers_that_are_killed_while_nothing_runs_are_told_or_begun_again(monkeypatch):
    monkeypatch.setenv("HOLDFAST_SPARK_CONF", "spark.driver.memory=1g")
    done = subprocess.run([sys.executable, "-c", WORKERS], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.startswith(("3", "one of Spark's Python workers ended")), done.stdout + done.stderr
    assert done.stdout.endswith("then 3\n"), done.stdout + done.stderr


def test_an_error_of_our_own_is_left_as_it_is():
    from profiling_core.spark.failures import spark_failures_told

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
