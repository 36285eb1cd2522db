"""What all tests share: one Spark session per run, and a place without leftovers to work in."""

import gc
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from helpers.in_memory import write_in_memory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

# What tests land is complete, and nobody waits for it to settle.
os.environ.setdefault("HOLDFAST_SETTLE_SECONDS", "0")

# The files of this folder share an Airflow: their worker starts it once, and ends it after the last of them.
SHARING = "tests/e2e/"
# These workers take the files of this folder first, and the others take them last: a Spark that two workers share is
# started and warmed twice, not four times, and files that wait for servers run beside files that compute.
SPARK_WORKERS, SPARK_FOLDER = frozenset({"gw0", "gw1"}), "tests/spark/"

# The variables that name a project's places.
PLACES = ("HOLDFAST_ROOT", "HOLDFAST_HOME", "HOLDFAST_CATALOG", "HOLDFAST_DATASETS")

# Hypothesis and Spark both spend long on a first example: tests that use it set deadline=None.
_SMALL = {
    # A JVM of 1 GiB is enough for tests, and leaves the machine to the others.
    "spark.driver.memory": "1g",
    # Every shuffle costs a task per partition; two are enough to see that results do not depend on one.
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    # A failing task fails the test at once, with its own message.
    "spark.task.maxFailures": "1",
}


def pytest_configure(config: pytest.Config) -> None:
    """Lets tests write in memory, and names a module for the frames of a worker that xdist sent as text.

    Great Expectations looks through the call stack for each decimal that it reports. For a frame without a module
    Python goes through all modules, each time: that took a worker six times the CPU seconds of the checks themselves.
    """
    if not hasattr(config, "workerinput"):
        write_in_memory()  # workers inherit the place
    else:
        for frame in inspect.stack(0):
            if inspect.getmodule(frame.frame) is None:
                inspect.modulesbyfile[frame.filename] = "__main__"


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collects no garbage while the tests are collected, and leaves what they import out of every later collection.

    Nearly all objects that are made meanwhile stay: modules, classes, the tests themselves. Each worker makes them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> object:
    """Gives a worker whole files, as ``--dist loadfile`` does, one worker those that share an Airflow, two Spark's."""
    from xdist.scheduler import LoadFileScheduling

    class Sharing(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return SHARING if file.startswith(SHARING) else file

        def _assign_work_unit(self, node: "WorkerController") -> None:
            wants = node.gateway.id in SPARK_WORKERS
            fits = next((file for file in self.workqueue if file.startswith(SPARK_FOLDER) is wants), None)
            if fits is not None:
                self.workqueue.move_to_end(fits, last=False)
            super()._assign_work_unit(node)

    return Sharing(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, in which steps and commands work."""
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    return tmp_path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to work in, as a person does: no variable names a project's places."""
    monkeypatch.chdir(tmp_path)
    for name in PLACES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def without_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets walks write and run no suites, which is half of their time: for tests of what comes before that."""
    from profiling_core.pipeline import steps
    from profiling_core.pipeline.workspace import Workspace

    def publish(dataset: str, run_id: str) -> dict[str, object]:
        work = Workspace.open(dataset)
        version = work.committed(run_id)
        assert version is not None
        work.catalog.mark_published(dataset, version.number)
        return {}

    monkeypatch.setattr(steps, "emit", lambda dataset, run_id: {})
    monkeypatch.setattr(steps, "validate", publish)


class Ended(NamedTuple):
    """What became of a command: its exit code, what it printed, and its errors."""

    code: int
    out: str
    err: str


@pytest.fixture
def holdfast(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs the command in this process with the words that it is given."""
    from profiling_core.cli.main import main

    def run(*words: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["holdfast", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """The Spark session of the whole test run: ours, as the steps start it, only smaller (see ``_SMALL``)."""
    from profiling_core.spark.session import CONF_VARIABLE, spark_session

    before = os.environ.get(CONF_VARIABLE)
    os.environ[CONF_VARIABLE] = ";".join([*(f"{k}={v}" for k, v in _SMALL.items()), before or ""])
    try:
        session = spark_session("tests")
    finally:
        if before is None:
            del os.environ[CONF_VARIABLE]
        else:
            os.environ[CONF_VARIABLE] = before
    yield session
    session.stop()
