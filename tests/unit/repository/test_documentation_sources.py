"""The pages of sources: each configuration there is followed by a table that it names, each package there exists."""

import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.ledger import Ledger
from helpers.worlds import IcebergWorld
from stack.files import REPOSITORY

from profiling_core.model.dataset import TableConfig
from profiling_core.model.source import SourceFormat

PAGES = {path.stem: path.read_text("utf-8") for path in (REPOSITORY / "docs" / "sources").glob("*.md")}
TYPES = {"columns": {"order": {"type": "integer"}, "id": {"type": "integer"}}}


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGES[page], re.DOTALL)


def configured(page: str) -> dict:
    """The one table that a page configures."""
    (block,) = blocks(page, "yaml")
    (table,) = yaml.safe_load(block).values()
    return table


def test_every_format_and_every_page_is_listed() -> None:
    linked = set(re.findall(r"\]\(([a-z-]+)\.md\)", PAGES["README"]))
    assert linked == PAGES.keys() - {"README"}
    listed = set(re.findall(r"^\| \[.*?\| (.*?) \|", PAGES["README"], re.MULTILINE))
    assert {name for cell in listed for name in re.findall("`([a-z-]+)`", cell)} == set(SourceFormat)


def test_the_packages_exist() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {extra for page in PAGES.values() for extra in re.findall(r"holdfast\[(\w+)\]", page)}
    assert extras == {"delta", "iceberg", "postgres", "duckdb"}
    assert extras <= project["optional-dependencies"].keys()


@pytest.mark.parametrize("page", sorted(PAGES.keys() - {"README"}))
def test_a_configuration_is_valid(page: str) -> None:
    TableConfig.model_validate(configured(page))


def files(root: Path) -> None:
    path = root / "landing" / "orders" / "2024-05-01.csv"
    path.parent.mkdir(parents=True)
    path.write_text("_op,order\ninsert,1\n", "utf-8")


def debezium(root: Path) -> None:
    path = root / "landing" / "orders" / "1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"op": "c", "after": {"id": 1}, "source": {"lsn": 1}}\n', "utf-8")


def parquet(root: Path) -> None:
    path = root / "data" / "sales" / "day=2024-05-01" / "part-0.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"id": [1]}), path)


def delta(root: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(root / "data" / "lake" / "orders", pa.table({"order": [1]}))


@pytest.mark.parametrize(
    ("page", "make"), [("files", files), ("debezium", debezium), ("parquet-table", parquet), ("delta", delta)]
)
def test_what_a_page_configures_in_files_is_read(tmp_path: Path, page: str, make: Callable[[Path], None]) -> None:
    table = configured(page)
    make(tmp_path)
    if table["source"]["path"].startswith("/"):
        table["source"]["path"] = str(tmp_path) + table["source"]["path"]
    followed(tmp_path, table)


def test_what_the_page_of_object_stores_configures_is_read(bucket: str, tmp_path: Path) -> None:  # noqa: F811 - fixture
    path = tmp_path / "store" / BUCKET / "landing" / "orders" / "2024-05-01.csv"
    path.parent.mkdir(parents=True)
    path.write_text("_op,order\ninsert,1\n", "utf-8")
    named = re.findall(r"(AWS_\w+)=", blocks("object-stores", "sh")[0])
    assert all(os.environ.get(name) for name in named)
    followed(tmp_path / "project", configured("object-stores"))


def test_what_the_page_of_iceberg_configures_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    table = configured("iceberg")
    catalog = IcebergWorld._load()
    name = table["source"]["table"]
    if not catalog.table_exists(name):
        catalog.create_table(name, pa.schema({"id": pa.int64()})).append(pa.table({"id": [1]}))
    table["source"]["catalog"] = "worlds"
    followed(tmp_path, table)


@pytest.mark.postgres
def test_what_the_page_of_databases_configures_is_read(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, url = configured("databases"), server(request.config).new_database()
    (variable,) = re.findall(r"export (\w+)=", blocks("databases", "sh")[0])
    monkeypatch.setenv(variable, url)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE public.orders AS SELECT 1 AS id")
    followed(tmp_path / "postgres", table)
    with duckdb.connect(tmp_path / "shop.duckdb") as other:
        other.execute("CREATE TABLE orders AS SELECT 1 AS id")
    (written,) = re.findall(r"duckdb:///[\w/.]+", PAGES["databases"])
    source = {"format": "duckdb", "url": written.replace("/data", str(tmp_path)), "table": "orders"}
    followed(tmp_path / "duckdb", {"source": source, "key": ["id"]})


def followed(root: Path, table: dict) -> None:
    """Reads a table with one row as it is configured."""
    options = {name: value for name, value in table.items() if name != "source"}
    text = table["source"]["format"] in ("csv", "debezium")
    types = {name: kind for name, kind in TYPES["columns"].items() if name in options.get("key", ())} if text else {}
    ledger = Ledger(root, table["source"], {**options, "columns": types})
    assert ledger.run() == []
    (row,) = ledger.values()
    assert row.get("id", row.get("order")) == 1
