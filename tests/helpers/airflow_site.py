"""An Airflow of several machines: parts with a disk each, which share databases and a store of objects."""

import base64
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from profiling_core.cli.airflow_environment import free_port

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
    catalog: str
    shop: str
    shared: dict[str, str]
    parts: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def place(self, name: str) -> dict[str, str]:
        """The variables of a part, whose directories are made."""
        home = self.root / name
        for folder in ("dags/datasets", "person", "tmp", "work"):
            (home / folder).mkdir(parents=True)
        (home / "dags" / "holdfast_datasets.py").write_text(DAG_FILE)
        (home / "dags" / "datasets" / "shop.yaml").write_text(DATASET)
        own = {"AIRFLOW_HOME": home, "HOME": home / "person", "TMPDIR": home / "tmp", "XDG_CACHE_HOME": home}
        return self.shared | {name: str(path) for name, path in own.items()}

    def start(self, name: str, variables: dict[str, str], *arguments: str) -> None:
        command = [sys.executable, "-m", "airflow", *arguments]
        with (self.root / f"{name}.log").open("wb") as log:
            self.parts[name] = subprocess.Popen(
                command, env=variables, cwd=variables["TMPDIR"], stdout=log, stderr=log, start_new_session=True
            )

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

    def tries(self, name: str) -> object:
        """How often the task of a run that was tried most often was."""
        return self.asked("SELECT max(try_number) FROM task_instance WHERE run_id = %s", name)[0][0]

    def begin(self) -> None:
        """Starts what every Airflow has, and waits until it knows the DAG."""
        central = self.place("central")
        self.airflow("db", "migrate")
        port = central["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"].split(":")[2].partition("/")[0]
        self.start("api", central, "api-server", "--host", "127.0.0.1", "--port", port)
        self.start("scheduler", central, "scheduler", "--skip-serve-logs")
        self.start("processor", central, "dag-processor")
        self.wait("there is no DAG", "SELECT 1 FROM dag WHERE dag_id = 'holdfast.shop'", seconds=200)

    def end(self) -> None:
        for process in self.parts.values():
            os.killpg(process.pid, signal.SIGTERM)
        for process in self.parts.values():
            process.wait(60)

    def change(self, statements: str) -> None:
        """Changes the tables that are profiled."""
        with psycopg.connect(self.shop, autocommit=True) as connection:
            connection.execute(statements)

    def maintaining(self, name: str) -> int:
        """Waits until a run maintains a table; returns that task's place among its like."""
        at_work = (
            "SELECT map_index FROM task_instance"
            " WHERE run_id = %s AND task_id = 'maintain_table' AND state = 'running' ORDER BY start_date"
        )
        (place,) = self.wait("no table is maintained", at_work, name)[0]
        time.sleep(1)  # it has begun to work
        return int(str(place))

    def is_at_the_second_version(self, home: str) -> None:
        """Asserts that whoever looks at the state finds two whole versions, and what :data:`DAY` breaks."""
        variables = os.environ | {"HOLDFAST_HOME": home, "HOLDFAST_CATALOG": self.catalog}
        variables |= {"HOLDFAST_ROOT": str(self.root / "central")}
        for command, words in (
            ("status", "shop is at version 2"),
            ("incidents", "1 new row has another city"),
            ("fsck", "2 versions"),
            ("rebuild shop --verify", "equal"),
        ):
            line = [sys.executable, "-m", "profiling_core.cli.main", *command.split()]
            done = subprocess.run(line, env=variables, capture_output=True, text=True, timeout=300, check=True)
            assert words in done.stdout, command


@contextmanager
def site(root: Path, databases: tuple[str, str, str], home: str, options: Mapping[str, str]) -> Iterator[Site]:
    """An Airflow that is not begun yet.

    Args:
        root: where its parts have their directories.
        databases: URLs of PostgreSQL databases: Airflow's own, the catalog, and the shop, whose tables are made.
        home: HOLDFAST_HOME.
        options: of Airflow's, without the prefix, besides those that each such Airflow has.
    """
    metadata, catalog, shop = databases
    address = metadata.replace("postgresql://", "postgresql+psycopg://")
    secret, port = base64.b64encode(os.urandom(64)).decode(), free_port(0)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HOLDFAST_", "AIRFLOW"))}
    common = {
        "CORE__LOAD_EXAMPLES": "False",
        "CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "DATABASE__SQL_ALCHEMY_CONN": address,
        "DATABASE__SQL_ALCHEMY_CONN_ASYNC": address,
        "API__WORKERS": "1",
        "API__SECRET_KEY": secret,
        "API_AUTH__JWT_SECRET": secret,
        "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "40",
        "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
    }
    shared = kept | {f"AIRFLOW__{name}": value for name, value in (common | dict(options)).items()}
    shared |= {
        "AIRFLOW_CONN_SHOP_DB": shop.replace("postgresql://", "postgres://"),
        "AIRFLOW_CONN_HOLDFAST_CATALOG": catalog.replace("postgresql://", "postgres://"),
        "AIRFLOW_VAR_HOLDFAST_HOME": home,
        "HOLDFAST_SPARK_MASTER": "local[1]",
        "PYTHONWARNINGS": "ignore",
    }
    made = Site(root, metadata, catalog, shop, shared)
    made.change(TABLES)
    try:
        yield made
    finally:
        made.end()
