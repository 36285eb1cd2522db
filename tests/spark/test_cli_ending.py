"""A command that has said its last word ends within seconds, with its exit code, whatever hangs."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from profiling_core.cli.ending import PATIENCE

pytestmark = pytest.mark.spark
WITHIN = PATIENCE + 20  # of a machine that is busy
HANGS = 120  # seconds after which a test that fails ends what it began

JAVA = """
import os, signal, sys
from profiling_core.cli.ending import ending
from profiling_core.spark.scratch import own_scratch
from profiling_core.spark.session import spark_session
from profiling_core.spark.tasks import start_workers

def command():
    # By Python's workers, whose driver listens to Java from then on.
    assert spark_session("ending").range(3).mapInArrow(lambda batches: batches, "id long").count() == 3
    from pyspark import SparkContext
    machine = SparkContext._gateway.proc
    print(machine.pid, own_scratch(), flush=True)
    start_workers(spark_session("ending"))  # in a thread, which Java's end finds in the middle of its work
    if sys.argv[1] == "stopped":
        os.kill(machine.pid, signal.SIGSTOP)
    print("x" * 300_000)
    sys.exit(3)

ending(command)
"""
THREADS = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
from profiling_core.cli.ending import ending

def command():
    ThreadPoolExecutor(1).submit(time.sleep, 600)
    threading.Thread(target=time.sleep, args=(600,)).start()
    print("committed")

ending(command)
"""


def run(program: str, *arguments: str) -> tuple[int, bytes, float]:
    """Exit code, output, and the seconds until nobody has the output open any more."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        hangs = threading.Timer(HANGS, _end_all, [process.pid])
        hangs.start()
        said, began = process.stdout.readline(), time.monotonic()
        said += process.stdout.read()
        process.wait()
        hangs.cancel()
        return process.returncode, said, time.monotonic() - began


def _end_all(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


@pytest.mark.parametrize("how", ["well", "stopped"])
def test_a_java_machine_holds_nobody(how: str) -> None:
    code, said, seconds = run(JAVA, how)
    first, *rest = said.decode().splitlines()
    machine, scratch = first.split(" ", 1)
    assert (code, rest) == (3, ["x" * 300_000])
    assert seconds < WITHIN
    with pytest.raises(ProcessLookupError):
        os.kill(int(machine), signal.SIGCONT)
    assert not Path(scratch).exists()


def test_nor_do_threads_that_go_on() -> None:
    code, said, seconds = run(THREADS)
    assert (code, said) == (0, b"committed\n")
    assert seconds < WITHIN


def test_output_that_nobody_reads_is_no_reason_to_wait_or_to_say_all_is_well() -> None:
    program = "from profiling_core.cli.ending import ending; ending(lambda: print('word'))"
    with Path("/dev/full").open("wb") as full:
        buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
        call = [sys.executable, "-c", program]
        done = subprocess.run(call, env=buffered, stdout=full, stderr=subprocess.PIPE, timeout=WITHIN, check=False)
    assert done.returncode == 120
