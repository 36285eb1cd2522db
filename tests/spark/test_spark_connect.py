"""A dataset walked through a Spark Connect server, as ``holdfast up`` starts it: the client has no Java machine."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest
from helpers.shop import DATASET, DAYS, land, make_shop

from profiling_core.cli.airflow_environment import environment, free_port, spark_server
from profiling_core.cli.airflow_processes import AirflowPart, end, spawn
from profiling_core.cli.ending import PATIENCE
from profiling_core.spark import connection
from profiling_core.spark.connection import REMOTE_VARIABLE
from profiling_core.spark.delta import BUCKET_ROWS

pytestmark = [pytest.mark.spark, pytest.mark.slow]
BIN = Path(sys.executable).parent
SMALL = "spark.driver.memory=1g; spark.sql.shuffle.partitions=2; spark.default.parallelism=2"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    place = tmp_path_factory.mktemp("connected")
    return place, make_shop(place, DAYS[:1])


@pytest.fixture(scope="module")
def server(project) -> Iterator[tuple[AirflowPart, Mapping[str, str]]]:
    """The server's process, and the environment of its clients."""
    place, settings = project
    port = free_port(0)
    here = environment(settings) | spark_server(settings, port) | {"HOLDFAST_SPARK_CONF": SMALL, "TMPDIR": str(place)}
    started = spawn("spark-connect", ("profiling_core.spark.server", str(port)), here, place / "server.log")
    try:
        yield started, here
    finally:
        end([started])


def holdfast(here: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [BIN / "holdfast", *arguments], env=here, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def daemons(part: AirflowPart) -> set[int]:
    """The processes that the server forks its Python workers from."""
    return {p.pid for p in psutil.Process(part.pid).children() if "profiling_core.spark.worker_daemon" in command(p)}


def command(process: psutil.Process) -> list[str]:
    """The command line of a process; that of one that has ended meanwhile is empty."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def test_a_bootstrap_and_a_delta_leave_the_state_that_this_process_finds(project, server):
    place, _ = project
    _, here = server
    without_java = here | {"JAVA_HOME": str(place / "nowhere")}
    holdfast(without_java, "apply", DATASET)
    land(place, DAYS[1])
    told = json.loads(holdfast(without_java, "apply", DATASET, "--json"))
    assert told["version"] == 2
    assert "{zip} → city" in told["broken"]
    local = {name: value for name, value in here.items() if name != REMOTE_VARIABLE}
    checks = json.loads(holdfast(local, "rebuild", "--verify", "--json"))
    assert {check["subject"] for check in checks} > {"customers: cover", "orders: cover", "inclusions"}
    assert all(check["equal"] for check in checks)


@pytest.mark.long
def test_a_table_of_more_rows_than_one_task_takes_begins_on_the_server(project, server):
    place, settings = project
    _, here = server
    readings = ["_op,reading,sensor,value\n"]
    readings += [f"insert,{i},{i % 50},{i * 7 % 1000}\n" for i in range(BUCKET_ROWS + 10_000)]
    landed = place / "readings" / "2024-01-01.csv"
    landed.parent.mkdir()
    landed.write_text("".join(readings), "utf-8")
    dataset = {
        "dataset": "sensors",
        "tables": {"readings": {"source": {"path": str(landed.parent), "format": "csv"}, "key": ["reading"]}},
    }
    (settings.datasets_dir / "sensors.yaml").write_text(json.dumps(dataset), "utf-8")
    told = json.loads(holdfast(here, "apply", "sensors", "--json"))
    assert told["arrived"]["readings"]["inserts"] == BUCKET_ROWS + 10_000


def test_a_process_finds_the_python_workers_of_the_one_before(server):
    part, here = server
    program = (
        "from profiling_core.spark.session import spark_session;"
        "print(spark_session('again').range(3).mapInArrow(lambda batches: batches, 'id long').count())"
    )
    warm = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], env=here, capture_output=True, text=True, check=False)
        assert done.stdout == "3\n", done.stderr
        warm.append(daemons(part))
    assert warm[0]
    assert warm[0] == warm[1]


def test_rules_of_a_data_frame_on_the_server_are_found_in_the_client(server):
    program = f"""
import os
from pyspark.sql import SparkSession
import profiling_core as hf
spark = SparkSession.builder.remote(os.environ[{REMOTE_VARIABLE!r}]).getOrCreate()
frame = spark.range(300).selectExpr("id + 7 AS part_id", "id % 24 AS shelf", "id % 24 div 6 AS aisle")
print([one["text"] for one in hf.discover(frame)])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=server[1], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "unique {part_id}" in done.stdout


def test_who_does_not_know_the_token_is_refused(server):
    _, here = server
    program = "from profiling_core.spark.session import spark_session; spark_session('stranger').range(3).count()"
    stranger = here | {"SPARK_CONNECT_AUTHENTICATE_TOKEN": "guessed"}
    done = subprocess.run([sys.executable, "-c", program], env=stranger, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "UNAUTHENTICATED" in done.stderr
    by_number = here | {REMOTE_VARIABLE: here[REMOTE_VARIABLE].replace("localhost", "127.0.0.1")}
    subprocess.run([sys.executable, "-c", program], env=by_number, check=True, timeout=240)


@pytest.mark.parametrize(
    ("remote", "said"), [("spark://here:7077", "not the address"), ("sc://localhost:1", "no Spark Connect server")]
)
def test_an_address_that_leads_nowhere_is_told(remote, said, tmp_path, monkeypatch):
    from profiling_core.model.errors import HoldfastError

    monkeypatch.setattr(connection, "_PATIENCE", 0.1)
    with pytest.raises(HoldfastError, match=said):
        connection.connected(remote, {}, tmp_path)


def test_a_token_goes_to_no_other_machine_without_tls(tmp_path, monkeypatch):
    from profiling_core.model.errors import UnreachableError
    from profiling_core.spark.connection import connected

    monkeypatch.delenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", raising=False)
    with socket.create_server(("127.0.0.2", 0)) as listening:

        def answer() -> None:
            line, _ = listening.accept()
            line.recv(1000)
            line.sendall(b"\0\0\0\4\0\0\0\0\0")  # settings, as HTTP/2 begins
            line.close()

        threading.Thread(target=answer, daemon=True).start()
        port = listening.getsockname()[1]
        with pytest.raises(UnreachableError, match="does not speak TLS") as told:
            connected(f"sc://127.0.0.2:{port}/;token=canary8c1f", {}, tmp_path)
    assert "canary8c1f" not in str(told.value)


def test_two_processes_never_have_one_session(tmp_path):
    program = (
        "import sys; from pathlib import Path; from profiling_core.spark.connection import _kept_id;"
        f"print(_kept_id('sc://localhost:1', Path({str(tmp_path)!r})), flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": dict(os.environ)}
    first = subprocess.Popen(command, **pipes)
    one = first.stdout.readline()
    second = subprocess.Popen(command, **pipes)
    two = second.stdout.readline()
    first.communicate("")
    third = subprocess.Popen(command, **pipes)
    again = third.stdout.readline()
    for process in (second, third):
        process.communicate("")
    assert one != two
    assert again == one


AT_THE_END = """
import os, signal, sys
from profiling_core.cli.ending import ending
from profiling_core.spark.session import spark_session

def command():
    assert spark_session("ending").range(3).count() == 3
    os.kill(int(sys.argv[1]), signal.SIGSTOP)
    print("committed")

ending(command)
"""


def test_a_server_that_answers_no_more_does_not_hold_a_command_that_is_done(server):
    started, here = server
    try:
        done = subprocess.run(
            [sys.executable, "-c", AT_THE_END, str(started.pid)],
            env=here,
            capture_output=True,
            text=True,
            timeout=PATIENCE + 60,
            check=False,
        )
    finally:
        os.kill(started.pid, signal.SIGCONT)
    assert (done.returncode, done.stdout) == (0, "committed\n"), done.stderr


def test_a_process_whose_server_is_killed_ends(server):
    """The last test of this file, as the others need the server."""
    started, here = server
    program = (
        "import sys; from profiling_core.spark import connection; connection._LONGEST_PAUSE_MS = 100;"
        "from profiling_core.spark.failures import spark_failures_told;"
        "from profiling_core.spark.session import spark_session; s = spark_session('orphan');"
        "print(s.range(3).count(), flush=True); sys.stdin.readline();"
        "exec('with spark_failures_told(): s.range(3).count()')"
    )
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            env=here,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "3\n"
    finally:
        end([started])
    # The client would wait ten minutes for the answer and as long for its end by its own settings; ours are a minute.
    assert connection._TRIES * connection._LONGEST_PAUSE_MS <= 60_000
    _, said = process.communicate("go on\n", timeout=30)
    assert process.returncode == 1
    assert "UnreachableError: Spark is gone" in said
