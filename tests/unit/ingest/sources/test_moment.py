"""All tables of a database are read at one moment, and a run that is killed takes the same rows again."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pyarrow.parquet as pq
import pytest
from databases.catalogs import server
from helpers.landing import write_configuration
from stack.files import REPOSITORY

from profiling_core.ingest.pending import look
from profiling_core.ingest.sources.extracts import Extract
from profiling_core.ingest.sources.moment import Moment
from profiling_core.ingest.sources.registry import open_source
from profiling_core.model.dataset import DatasetConfig
from profiling_core.pipeline import extraction, steps
from profiling_core.pipeline.workspace import Workspace

pytestmark = pytest.mark.postgres

KILLER = REPOSITORY / "tests" / "helpers" / "killed_walk.py"
TABLES = ("customers", "orders")


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A shop with one customer and one order; a dataset that reads it."""
    url = server(request.config).new_database()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE customers (id int PRIMARY KEY)")
        connection.execute("CREATE TABLE orders (id int, customer int REFERENCES customers)")
    sell(url, 1)
    tables = {name: {"source": {"format": "postgresql", "url_env": "SHOP_DB", "table": name}} for name in TABLES}
    write_configuration(tmp_path, {"dataset": "shop", "tables": tables})
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.setenv("SHOP_DB", url)
    return url


def sell(url: str, number: int) -> None:
    """A new customer with an order, in one transaction."""
    with psycopg.connect(url) as connection:
        connection.execute(f"INSERT INTO customers VALUES ({number})")
        connection.execute(f"INSERT INTO orders VALUES ({number}, {number})")


def read(work: Workspace, run_id: str) -> dict[str, list[dict[str, int]]]:
    """The rows that a run has read, by table."""
    found = {}
    for table in TABLES:
        batch = extraction.extracted(work, run_id, table)
        assert batch is not None
        found[table] = [row for part in batch.parts for row in pq.read_table(part.place).to_pylist()]
    return found


def test_no_order_is_read_without_its_customer(url: str, tmp_path: Path) -> None:
    work = Workspace.open("shop")
    config: DatasetConfig = work.config
    with Moment() as moment:
        found = look(work.settings, config, {}, None, moment)
        batches = {}
        for table in TABLES:
            source = open_source(work.settings, config.tables[table])
            source.read_at(moment)
            batches[table] = source.extract(found[table].pending, {}, Extract(tmp_path / table, source.where))
            sell(url, 2 + len(batches))
    rows = {table: pq.read_table(batch.parts[0].place).to_pylist() for table, batch in batches.items()}
    assert rows == {"customers": [{"id": 1}], "orders": [{"id": 1, "customer": 1}]}
    snapshots = {position["snapshot"] for batch in batches.values() for position in batch.positions.values()}
    assert len(snapshots) == 1


def test_a_run_that_is_killed_takes_the_same_rows_again(url: str, tmp_path: Path) -> None:
    path = os.pathsep.join([str(KILLER.parent.parent), *sys.path])
    command = [sys.executable, str(KILLER), "shop", "plan"]
    killed = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, timeout=120, check=False)
    assert killed.returncode == -signal.SIGKILL
    sell(url, 2)
    work = Workspace.open("shop")
    (run_id,) = (path.name for path in (work.settings.home / "state" / "shop" / "_staging").iterdir())
    assert read(work, run_id) == {"customers": [{"id": 1}], "orders": [{"id": 1, "customer": 1}]}
    planned = steps.plan("shop")
    assert planned["run_id"] != run_id
    assert [len(rows) for rows in read(work, planned["run_id"]).values()] == [2, 2]


def test_what_a_run_has_read_names_no_secret_and_goes_with_it(url: str) -> None:
    secret = url.split(":")[2].partition("@")[0]
    work = Workspace.open("shop")
    run_id = steps.plan("shop")["run_id"]
    written = [path for path in work.settings.home.rglob("*") if path.is_file()]
    assert any("extract" in str(path) for path in written)
    assert not any(secret.encode() in path.read_bytes() for path in written)
    steps.discard("shop", run_id)
    assert not [path for path in work.settings.home.rglob("*extract*") if path.is_file()]
