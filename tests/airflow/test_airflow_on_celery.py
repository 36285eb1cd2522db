"""A dataset's DAG on Celery: two workers that share a store of objects, databases and a broker, and no disk.

One worker is killed in the middle of a task, with all that it started: Airflow repeats the task on the other one.
"""

import base64
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg
import pytest
from databases.bucket import bucket  # noqa: F401 - fixture
from databases.catalogs import server

from profiling_core.cli.airflow_environment import free_port

pytestmark = [pytest.mark.airflow, pytest.mark.spark, pytest.mark.postgres, pytest.mark.long]
DAG_FILE = 'from profiling_core.airflow import dags\n\ndags("datasets")\n'
DATASET = """\
dataset: shop
schedule: null
retries: 3
retry_delay_seconds: 5
tables:
  customers: {source: {format: postgresql, url_connection: shop_db, table: customers}, key: [customer]}
  orders: {source: {format: postgresql, url_connection: shop_db, table: orders}, key: [id]}
"""
TABLES = """\
CREATE TABLE customers AS
  SELECT 'c' || i AS customer, (10 + i % 7)::text AS zip, 'city' || i % 7 AS city FROM generate_series(1, 40) i;
CREATE TABLE orders AS
  SELECT i AS id, 'c' || 1 + i % 40 AS customer, i::numeric AS net, i * 0.25 AS vat, i * 1.25 AS gross
  FROM generate_series(1, 200) i;
"""
DAY = """\
UPDATE customers SET city = 'Elsewhere' WHERE customer = 'c3';
DELETE FROM orders WHERE id % 50 = 0;
INSERT INTO orders VALUES (999, 'c5', 4, 1, 5);
"""


@dataclass
class Site:
    """An Airflow whose parts have a directory each; ``shared`` are the variables that all have."""

    root: Path
    metadata: str
    shared: dict[str, str]
    parts: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def place(self, name: str) -> dict[str, str]:
        """The variables of a part, whose directories are made."""
        home = self.root / name
        for folder in ("dags/datasets", "person", "temporary", "work"):
            (home / folder).mkdir(parents=True)
        (home / "dags" / "holdfast.py").write_text(DAG_FILE)
        (home / "dags" / "datasets" / "shop.yaml").write_text(DATASET)
        own = {"AIRFLOW_HOME": home, "HOME": home / "person", "TMPDIR": home / "temporary", "XDG_CACHE_HOME": home}
        return self.shared | {name: str(path) for name, path in own.items()}

    def start(self, name: str, variables: dict[str, str], *arguments: str) -> None:
        command = [sys.executable, "-m", "airflow", *arguments]
        with (self.root / f"{name}.log").open("wb") as log:
            self.parts[name] = subprocess.Popen(
                command, env=variables, cwd=variables["TMPDIR"], stdout=log, stderr=log, start_new_session=True
            )

    def worker(self, name: str) -> None:
        self.start(name, self.place(name), "celery", "worker", "--skip-serve-logs", "--celery-hostname", name)

    def kill(self, name: str) -> None:
        """Ends a part as its machine's end would: with all its descendants, and its disk."""
        process = psutil.Process(self.parts.pop(name).pid)
        for one in [process, *process.children(recursive=True)]:
            one.kill()
        process.wait(20)
        shutil.rmtree(self.root / name, ignore_errors=True)

    def started(self) -> dict[str, int]:
        """How many processes each worker has started: more while it works on a task."""
        return {name: len(psutil.Process(self.parts[name].pid).children(recursive=True)) for name in ("one", "two")}

    def asked(self, query: str, *values: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.metadata) as connection:
            return connection.execute(query, values).fetchall()

    def airflow(self, *arguments: str) -> None:
        variables = self.shared | {"AIRFLOW_HOME": str(self.root / "central")}
        subprocess.run([sys.executable, "-m", "airflow", *arguments], env=variables, check=True, timeout=120)

    def wait(self, what: str, query: str, *values: str, seconds: float = 400) -> list[tuple[object, ...]]:
        """The rows that a query of Airflow's database gives at last."""
        deadline = time.monotonic() + seconds
        while not (found := self.asked(query, *values)):
            assert time.monotonic() < deadline, what
            time.sleep(0.5)
        return found

    def run(self, name: str) -> None:
        self.airflow("dags", "trigger", "holdfast.shop", "--run-id", name)

    def ends_well(self, name: str) -> None:
        ended = "SELECT state FROM dag_run WHERE run_id = %s AND state IN ('success', 'failed')"
        assert self.wait(f"{name} does not end", ended, name) == [("success",)]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    """The URL of a Redis of this test's own."""
    pytest.importorskip(
        "airflow.providers.celery", reason="needs apache-airflow-providers-celery and celery[redis]<5.6"
    )
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is missing: apt-get install -y redis-server")
    port = free_port(0)
    process = subprocess.Popen([program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""], cwd=tmp_path)
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait(20)


@pytest.fixture
def site(tmp_path: Path, request: pytest.FixtureRequest, broker: str, bucket: str) -> Iterator[Site]:  # noqa: F811
    metadata, results, catalog, shop = (server(request.config).new_database() for _ in range(4))
    with psycopg.connect(shop, autocommit=True) as connection:
        connection.execute(TABLES)
    secret, port = base64.b64encode(os.urandom(64)).decode(), free_port(0)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HOLDFAST_", "AIRFLOW"))}
    driver = "postgresql+psycopg2://"
    options = {
        "CORE__LOAD_EXAMPLES": "False",
        "CORE__EXECUTOR": "CeleryExecutor",
        "CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "DATABASE__SQL_ALCHEMY_CONN": metadata.replace("postgresql://", driver),
        "CELERY__BROKER_URL": broker,
        "CELERY__RESULT_BACKEND": f"db+{results.replace('postgresql://', driver)}",
        "CELERY__WORKER_CONCURRENCY": "1",
        "CELERY__WORKER_PREFETCH_MULTIPLIER": "1",
        "API__WORKERS": "1",
        "API__SECRET_KEY": secret,
        "API_AUTH__JWT_SECRET": secret,
        "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "40",
        "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
    }
    shared = kept | {f"AIRFLOW__{name}": value for name, value in options.items()}
    shared |= {
        "AIRFLOW_CONN_SHOP_DB": shop.replace("postgresql://", "postgres://"),
        "AIRFLOW_CONN_HOLDFAST_CATALOG": catalog.replace("postgresql://", "postgres://"),
        "AIRFLOW_VAR_HOLDFAST_HOME": f"{bucket}/home",
        "HOLDFAST_SPARK_MASTER": "local[1]",
        "PYTHONWARNINGS": "ignore",
    }
    made = Site(tmp_path, metadata, shared)
    central = made.place("central")
    made.airflow("db", "migrate")
    try:
        made.start("api", central, "api-server", "--host", "127.0.0.1", "--port", str(port))
        made.start("scheduler", central, "scheduler", "--skip-serve-logs")
        made.start("processor", central, "dag-processor")
        for name in ("one", "two"):
            made.worker(name)
        made.wait("there is no DAG", "SELECT 1 FROM dag WHERE dag_id = 'holdfast.shop'", seconds=200)
        shared |= {"SHOP": shop, "CATALOG": catalog}
        yield made
    finally:
        for process in made.parts.values():
            os.killpg(process.pid, signal.SIGTERM)
        for process in made.parts.values():
            process.wait(60)


def test_a_run_ends_well_though_a_worker_is_killed(site: Site, bucket: str) -> None:  # noqa: F811
    site.run("first")
    site.ends_well("first")
    idle = site.started()
    with psycopg.connect(site.shared["SHOP"], autocommit=True) as connection:
        connection.execute(DAY)
    site.run("second")
    at_work = "SELECT 1 FROM task_instance WHERE run_id = 'second' AND task_id = 'maintain_table' AND state = 'running'"
    site.wait("no table is maintained", at_work)
    time.sleep(1)
    site.kill(next(name for name, count in site.started().items() if count > idle[name]))
    site.ends_well("second")
    tries = site.asked("SELECT max(try_number) FROM task_instance WHERE run_id = 'second'")
    assert tries == [(2,)], "else nothing was killed"
    shared = {"HOLDFAST_HOME": f"{bucket}/home", "HOLDFAST_CATALOG": site.shared["CATALOG"]}
    variables = os.environ | shared | {"HOLDFAST_ROOT": str(site.root / "central")}
    for command, words in (
        (("status",), "shop is at version 2"),
        (("incidents",), "1 new row has another city"),
        (("fsck",), "2 versions"),
        (("rebuild", "shop", "--verify"), "equal"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "profiling_core.cli.main", *command],
            env=variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        assert words in done.stdout
