"""Addresses that a dataset's file only names: from the environment, a connection, or an error that tells no secret."""

import json

import pytest

from profiling_core.model.dataset import AlertRoute
from profiling_core.model.errors import ConfigurationError
from profiling_core.state.connections import address, looked_up_by
from profiling_core.state.settings import Settings, using

ROUTE = AlertRoute(url_connection="shop_db")


@pytest.mark.parametrize(
    ("kept", "url"),
    [
        ("postgres://ana:s%40crét@db:5432/shop", "postgresql://ana:s%40crét@db:5432/shop"),
        (
            {"conn_type": "postgres", "login": "ana", "password": "s@/c", "host": "db", "port": 5432, "schema": "shop"},
            "postgresql://ana:s%40%2Fc@db:5432/shop",
        ),
        ({"conn_type": "sqlite", "host": "", "schema": "x.db"}, "sqlite:///x.db"),
        ({"conn_type": "http", "extra": {"apprise_url": "https://hooks.example/x"}}, "https://hooks.example/x"),
        ({"conn_type": "http", "extra": '{"apprise_url": "slack://a/b/c"}'}, "slack://a/b/c"),
    ],
)
def test_a_connection_is_what_airflow_would_read(monkeypatch, kept, url):
    monkeypatch.setenv("AIRFLOW_CONN_SHOP_DB", kept if isinstance(kept, str) else json.dumps(kept))
    assert address(ROUTE) == url


def test_a_connection_that_is_missing_or_no_json_is_told_without_its_text(monkeypatch):
    monkeypatch.delenv("AIRFLOW_CONN_SHOP_DB", raising=False)
    with pytest.raises(ConfigurationError, match="no connection 'shop_db'") as caught:
        address(ROUTE)
    assert "AIRFLOW_CONN_SHOP_DB" in caught.value.remedy
    monkeypatch.setenv("AIRFLOW_CONN_SHOP_DB", '{"password": "canary"')
    with pytest.raises(ConfigurationError, match="neither a URL nor JSON") as caught:
        address(ROUTE)
    assert "canary" not in str(caught.value)


def test_whoever_runs_the_library_may_look_connections_up(monkeypatch):
    monkeypatch.setenv("AIRFLOW_CONN_SHOP_DB", "postgres://outside")
    with looked_up_by({"shop_db": "postgresql://inside"}.get):
        assert address(ROUTE) == "postgresql://inside"
    assert address(ROUTE) == "postgresql://outside"


def test_settings_that_are_given_are_those_that_are_discovered(tmp_path):
    given = Settings(tmp_path, tmp_path / "home", "sqlite:///x", tmp_path / "datasets")
    with using(given):
        assert Settings.discover() is given
        with pytest.raises(ConfigurationError, match="no project"):
            Settings.discover(tmp_path, {})
