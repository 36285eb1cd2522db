"""The whole product under faults: a small shop, ``holdfast apply`` and a Spark server, watched by one interposer."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import psutil
from helpers.landing import write_configuration
from helpers.shop import DATASET, DAYS, land
from helpers.webhook import Receiver
from stack.files import REPOSITORY

from faults.interposer import Fault, Page, Point, compiled
from profiling_core.cli.airflow_environment import environment, free_port, spark_server
from profiling_core.cli.airflow_processes import AirflowPart, end, spawn
from profiling_core.pipeline.fsck import fsck
from profiling_core.spark.connection import REMOTE_VARIABLE
from profiling_core.spark.sources import SMALL_BYTES
from profiling_core.state.settings import Settings

SMALL = "spark.driver.memory=1g; spark.sql.shuffle.partitions=2; spark.default.parallelism=2"
LARGE = 2_000  # rows
HOLDFAST = Path(sys.executable).with_name("holdfast")


class Shop:
    """Copies of a project whose first day is applied and whose second, with a break, has landed."""

    def __init__(self, folder: Path, receiver: Receiver) -> None:
        self._folder, self._receiver = folder, receiver
        self.page = Page(folder / "page")
        self._watched = self.page.environment(compiled(folder))
        self._numbers = count()
        self._server: AirflowPart | None = None
        self._variables: dict[str, str] = {}
        self.begun = folder / "begun"
        land(self.begun, DAYS[0])
        self._configure(self.begun, "begun")
        self.serve()
        done = self.apply(self.begun)
        assert done.returncode == 0, done.stderr
        land(self.begun, DAYS[1])

    def close(self) -> None:
        """Ends the server."""
        if self._server:
            end([self._server])

    def serve(self) -> None:
        """Starts the Spark server, where there is none (any more)."""
        if self._server and self._server.process():
            return
        port = free_port(0)
        settings = Settings(REPOSITORY, self._folder / "server", "", self._folder)
        self._variables = spark_server(settings, port)
        here = environment(settings) | self._variables | {"HOLDFAST_SPARK_CONF": SMALL, "TMPDIR": str(self._folder)}
        watched = {name: self._watched[name] for name in ("LD_PRELOAD", "FAULTS_PAGE")}
        arguments = ("profiling_core.spark.server", str(port))
        self._server = spawn("spark-connect", arguments, here | watched, self._folder / "server.log")

    def project(self, *, large: bool = False) -> Path:
        """A copy of what there is to begin with, which tells the receiver under its own name.

        With ``large`` there is a delta large enough for Spark's Python workers to read it.
        """
        root = self._folder / f"shop-{next(self._numbers)}"
        shutil.copytree(self.begun, root)
        self._configure(root, root.name)
        if large:
            lines = [f"insert,o9{i:04}{'x' * (SMALL_BYTES // LARGE)},c{i % 40:02},{i * 3 % 50}" for i in range(LARGE)]
            text = "\n".join(["_op,order,customer,amount", *lines, ""])
            (root / "landing" / "orders" / f"{DAYS[2]}.csv").write_text(text, "utf-8")
        return root

    def _configure(self, root: Path, name: str) -> None:
        tables = {
            table: {"source": {"path": f"landing/{table}"}, "key": [table[:-1]], "max_predicates": 3}
            for table in ("customers", "orders")
        }
        alerts = {"routes": [{"name": "hook", "url": self._receiver.url(name)}], "allow_private": ["127.0.0.0/8"]}
        write_configuration(root, {"dataset": DATASET, "tables": tables, "alerts": alerts})

    def start(self, root: Path, *arguments: str, local: bool = False) -> subprocess.Popen[str]:
        """Begins a command in a project; with ``local`` it has a Java machine of its own."""
        variables = {} if local else self._variables
        own = {"HOLDFAST_ROOT": str(root), "HOLDFAST_SPARK_CONF": SMALL, "TMPDIR": str(self._folder)}
        here = {name: value for name, value in self._watched.items() if name != REMOTE_VARIABLE}
        return subprocess.Popen(
            [HOLDFAST, *arguments],
            env=here | variables | own | {"HOLDFAST_SETTLE_SECONDS": "0"},
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def apply(self, root: Path, *, local: bool = False) -> subprocess.CompletedProcess[str]:
        """Applies what has landed."""
        process = self.start(root, "apply", DATASET, local=local)
        said, errors = process.communicate(timeout=400)
        return subprocess.CompletedProcess(process.args, process.returncode, said, errors)

    def broken(self, root: Path, fault: Fault, at: int) -> tuple[subprocess.CompletedProcess[str], list[Point]]:
        """Applies with a fault; returns how that ended, and the points that there were."""
        self.page.arm(root / ".holdfast", fault, at, [self._receiver.server_port])
        done = self.apply(root)
        return done, self.page.disarm()

    def family(self, named: str, of: int | None = None) -> list[psutil.Process]:
        """What descends from the server (or from a process) and runs this program or module."""
        leader = of or (self._server.pid if self._server else 0)
        found = []
        for process in [psutil.Process(leader), *psutil.Process(leader).children(recursive=True)]:
            try:
                program, *arguments = process.cmdline() or [""]
                if named in (Path(program).name, *arguments):
                    found.append(process)
            except psutil.NoSuchProcess:
                continue
        return found


def seen(root: Path) -> dict[str, Any]:
    """What a person can see of a project, and that nothing in it is damaged."""
    home = root / ".holdfast"
    return seen_of(Settings(root, home, f"sqlite:///{home}/catalog.db", root / "dags" / "datasets"), DATASET)


def seen_of(settings: Settings, dataset: str) -> dict[str, Any]:
    """The same of any dataset."""
    assert fsck(settings).damage == []
    catalog = settings.catalog()
    versions = catalog.versions(dataset)
    return {
        "versions": [(v.number, v.run_id, {name: table.rows for name, table in v.tables.items()}) for v in versions],
        "applied": catalog.applied(dataset),
        "tracked": [catalog.tracked(dataset, version.number) for version in versions],
        "changes": catalog.change_sets(dataset),
        "validated": sorted((v.version, v.table) for v in catalog.validations(dataset)),
        "waiting": catalog.outbox.undelivered(dataset),
    }


def told(receiver: Receiver, root: Path) -> dict[str, str]:
    """By key what the receiver got of a project; each key has one content."""
    return told_at(receiver, f"/{root.name}")


def told_at(receiver: Receiver, path: str) -> dict[str, str]:
    """By key what the receiver got at a path; each key has one content."""
    found: dict[str, str] = {}
    for request in receiver.received:
        if request.path == path:
            text = json.dumps(_plain(request.body), sort_keys=True)
            assert found.setdefault(request.key, text) == text
    return found


def _plain(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name in ("title", "text")}
