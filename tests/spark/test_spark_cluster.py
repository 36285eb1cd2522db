"""A dataset walked on a standalone Spark cluster: master and two workers as the compose stack starts them.

Only the addresses differ: everything listens on 127.0.0.1. The driver is a process of its own, as a task of Airflow is.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest
from helpers.shop import DATASET, DAYS, make_shop
from stack.files import DOCKER, compose

from profiling_core.cli.airflow_environment import free_port
from profiling_core.cli.airflow_processes import AirflowPart, end

pytestmark = [pytest.mark.spark, pytest.mark.slow]
BIN = Path(sys.executable).parent
SERVICES = compose()["services"]
CONF = SERVICES["scheduler"]["environment"]["HOLDFAST_SPARK_CONF"]
WORKERS = ("spark-worker-1", "spark-worker-2")


class Cluster:
    """Starts services of the compose file on the loopback interface, each Java machine a small one."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.port, self.ui = free_port(0), free_port(0)
        self.parts: list[AirflowPart] = []

    def start(self, name: str, ui: int) -> None:
        words = {"spark-master": "127.0.0.1", "7077": str(self.port), "8080": str(ui), "8081": str(ui)}
        words |= {"spark://spark-master:7077": self.address, "/tmp/spark-work": str(self.work(name)), "2g": "1g"}
        program, service, *rest = [words.get(word, word) for word in SERVICES[name]["command"]]
        host = [] if name == "spark-master" else ["--host", "127.0.0.1"]
        # Spark's scripts ask the python3 of the path where they are installed.
        path = f"{BIN}:{os.environ['PATH']}"
        options = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1", "PATH": path}
        process = subprocess.Popen(
            [BIN / program, service, *host, *rest],
            env={**os.environ, **SERVICES[name]["environment"], **options},
            stdout=(self.place / f"{name}.log").open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.parts.append(AirflowPart(name, process.pid, psutil.Process(process.pid).create_time()))

    def work(self, name: str) -> Path:
        return self.place / f"{name}-work"

    @property
    def address(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def awaited(self, check: Callable[[dict], object]) -> dict:
        """The master's report, once the stack's own health check passes and the report is as it should be."""
        url = f"http://127.0.0.1:{self.ui}/json/"
        deadline = time.monotonic() + 180
        while True:
            healthy = subprocess.run([DOCKER / "healthy", url], capture_output=True, check=False)
            if healthy.returncode == 0:
                with urlopen(url, timeout=10) as answer:
                    report = json.load(answer)
                if check(report):
                    return report
            assert time.monotonic() < deadline, (self.place / "spark-master.log").read_text("utf-8")
            time.sleep(0.3)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        started.start("spark-master", started.ui)
        started.awaited(lambda state: state["status"] == "ALIVE")
        for name in WORKERS:
            started.start(name, free_port(0))
        started.awaited(lambda state: state["aliveworkers"] == len(WORKERS))
        yield started
    finally:
        end(started.parts)


@pytest.mark.long
def test_a_walk_on_the_cluster_leaves_the_state_that_discovery_here_finds(cluster, tmp_path):
    settings = make_shop(tmp_path, DAYS[:1])
    here = {
        **os.environ,
        "HOLDFAST_ROOT": str(settings.root),
        "HOLDFAST_HOME": str(settings.home),
        "HOLDFAST_DATASETS": str(settings.datasets_dir),
        "HOLDFAST_SPARK_MASTER": "local[2]",
    }
    there = here | {
        "HOLDFAST_SPARK_MASTER": cluster.address,
        "HOLDFAST_SPARK_CONF": f"{CONF}; spark.executor.memory=512m; spark.driver.memory=512m",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    holdfast(there, "apply", DATASET)
    report = cluster.awaited(lambda report: report["completedapps"])
    assert {app["state"] for app in report["completedapps"]} == {"FINISHED"}
    for name in WORKERS:
        assert list(cluster.work(name).glob("app-*/*/stderr")), f"{name} ran nothing"
    checks = json.loads(holdfast(here, "rebuild", "--verify", "--json"))
    assert {check["subject"] for check in checks} > {"customers: cover", "orders: cover", "inclusions"}
    assert all(check["equal"] for check in checks)
    followed = json.loads(holdfast(here, "constraints", "--json"))["constraints"]
    assert "unique {order}" in [constraint["measured"]["text"] for constraint in followed]


PIECES = """
import os, signal, sys
from functools import partial
from pathlib import Path

import numpy as np

from profiling_core.spark.session import spark_session
from profiling_core.spark.tasks import by_tasks
from profiling_core.state.array_folder import ArrayFolder


def piece(folder, number):
    killed = folder / "killed"
    if number == 5 and not killed.exists():
        killed.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    ArrayFolder(folder).put(f"part{number}", np.arange(number))
    return number * number


folder = Path(sys.argv[1])
found = by_tasks(spark_session("pieces"))(partial(piece, folder), range(12))
print(found, sum(len(ArrayFolder(folder).get(name)) for name in ArrayFolder(folder).names()))
"""


def test_a_piece_is_worked_on_again_where_its_process_is_killed(cluster, tmp_path):
    environment = {
        **os.environ,
        "HOLDFAST_SPARK_MASTER": cluster.address,
        "HOLDFAST_SPARK_CONF": f"{CONF}; spark.executor.memory=512m; spark.driver.memory=600m; "
        f"spark.cores.max={len(WORKERS)}",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-c", PIECES, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (tmp_path / "killed").exists(), done.stderr
    assert done.stdout.strip() == f"{[n * n for n in range(12)]} {sum(range(12))}", done.stderr


def holdfast(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [BIN / "holdfast", *arguments], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
