"""Secrets of sources are in no message, position or file; and what a source's configuration lacks is told."""

import logging
import re
from pathlib import Path

import duckdb
import pytest
from databases.catalogs import server
from pydantic import ValidationError

from profiling_core.cli.airflow_environment import free_port
from profiling_core.ingest.sources.registry import SOURCES, open_source
from profiling_core.model.dataset import TableConfig
from profiling_core.model.errors import ConfigurationError, UnreachableError
from profiling_core.model.source import FIELDS, Source, SourceFormat
from profiling_core.state.settings import Settings

CANARY = "canary-7f3a"


def settings_in(root: Path) -> Settings:
    (root / "dags" / "datasets").mkdir(parents=True)
    return Settings.discover(root, {})


@pytest.mark.parametrize("address", ["@127.0.0.1:{port}/shop", "@127.0.0.1:{port}/shop?password={canary}", "@[bad"])
def test_a_database_that_does_not_let_in_names_no_secret(tmp_path, monkeypatch, caplog, address):
    url = f"postgresql://ana:{CANARY}/{CANARY}%40" + address.format(port=free_port(0), canary=CANARY)
    monkeypatch.setenv("SHOP_DB", url)
    table = TableConfig(source=Source(format="postgresql", url_env="SHOP_DB", table="orders"))
    source = open_source(settings_in(tmp_path), table)
    with caplog.at_level(logging.DEBUG), pytest.raises(UnreachableError) as raised:
        source.look({}, None)
    assert CANARY not in f"{raised.value} {source.where} {caplog.text} {raised.value.__cause__}"
    assert "orders" in str(raised.value)


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda url: url.replace("@127.0.0.1", "@nowhere.invalid"), "the host is not known"),
        (lambda url: re.sub(r":[0-9]+/", f":{free_port(0)}/", url), "nothing listens there"),
        (lambda url: re.sub(r":[^:@/]+@", f":{CANARY}@", url), "the server refuses the password"),
        (lambda url: f"{url}-{CANARY[:6]}", "there is no such database"),
        (lambda url: f"{url}?sslmode=require", "sslmode asks for TLS"),
    ],
)
def test_why_a_server_does_not_let_in_is_told(tmp_path, request, change, words):
    url = change(server(request.config).new_database())
    source = open_source(
        settings_in(tmp_path), TableConfig(source=Source(format="postgresql", url=url, table="orders"))
    )
    with pytest.raises(UnreachableError, match=f"'holdfast': {words}") as raised:
        source.look({}, None)
    password = url.partition("holdfast:")[2].partition("@")[0]
    assert password not in str(raised.value)
    assert url.partition("@")[2].partition("/")[0] in str(raised.value)


def test_a_delta_table_on_a_store_that_does_not_answer_is_told(tmp_path, monkeypatch):
    for name, value in {"ENDPOINT_URL": f"http://127.0.0.1:{free_port(0)}", "ALLOW_HTTP": "true"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION"):
        monkeypatch.setenv(f"AWS_{name}", CANARY)
    source = open_source(settings_in(tmp_path), TableConfig(source=Source(format="delta", path="s3://shop/orders")))
    with pytest.raises(UnreachableError, match="the object store does not answer") as raised:
        source.look({}, None)
    assert "\x1b" not in str(raised.value)
    assert len(str(raised.value).splitlines()) == 3
    assert CANARY not in str(raised.value)


def test_a_variable_that_is_not_set_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("SHOP_DB", raising=False)
    table = TableConfig(source=Source(format="postgresql", url_env="SHOP_DB", table="orders"))
    with pytest.raises(ConfigurationError, match="SHOP_DB is not set"):
        open_source(settings_in(tmp_path), table).look({}, None)


def test_what_is_read_from_a_database_tells_tasks_no_address(tmp_path):
    with duckdb.connect(tmp_path / f"{CANARY}.duckdb") as connection:
        connection.execute("CREATE TABLE orders AS SELECT 1 AS id")
    url = f"duckdb://{tmp_path}/{CANARY}.duckdb"
    source = open_source(
        settings_in(tmp_path / "project"), TableConfig(source=Source(format="duckdb", url=url, table="orders"))
    )
    batch = source.open(source.look({}, None).pending, {})
    assert CANARY not in repr([part.place for part in batch.parts]) + repr(batch.positions) + repr(batch.reader)
    source.confirm(batch)
    assert not list((tmp_path / "project" / ".holdfast" / "extracts").iterdir())


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"format": "postgresql", "table": "orders"}, "exactly one of url, url_env and url_connection"),
        ({"format": "delta", "path": "x", "kind": "append"}, "kind is not for format: delta"),
        ({"format": "iceberg", "table": "shop.orders"}, "needs catalog"),
        ({"format": "csv"}, "needs path"),
        ({"format": "duckdb", "url": "duckdb:///x", "table": "t", "change_table": "c"}, "needs a watermark"),
    ],
)
def test_what_does_not_fit_a_source_is_told(source, words):
    with pytest.raises(ValidationError, match=words):
        Source.model_validate(source)


def test_every_format_has_its_fields_and_its_module(tmp_path):
    assert set(SourceFormat) == set(FIELDS) == set(SOURCES)
    settings = settings_in(tmp_path)
    filled = {"path": "in", "catalog": "c", "table": "t", "url": "duckdb:///x"}
    for format_, fields in FIELDS.items():
        config = {"format": format_} | {name: value for name, value in filled.items() if name in fields}
        open_source(settings, TableConfig(source=Source.model_validate(config), key=("id",)))
