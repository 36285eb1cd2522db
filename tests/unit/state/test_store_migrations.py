"""Migrations: they make exactly the tables that the code uses, once, all or nothing."""

import threading

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from databases.catalogs import catalog_url, make_version  # noqa: F401 - fixture
from sqlalchemy import inspect, text

from profiling_core.model.errors import StateError
from profiling_core.state import migrations, models
from profiling_core.state.catalog import Catalog
from profiling_core.state.engine import open_engine, transaction


def test_the_migrated_tables_are_the_models(catalog_url: str) -> None:  # noqa: F811 - pytest's way to ask for a fixture
    Catalog(catalog_url).migrate()
    with transaction(open_engine(catalog_url), write=False) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, models.metadata) == []
        assert migrations.revision(connection) == migrations.HEAD
        scripts = ScriptDirectory.from_config(migrations.configuration(connection))
        assert scripts.get_heads() == [migrations.HEAD]


def test_migrating_keeps_what_is_there(catalog_url: str) -> None:  # noqa: F811 - pytest's way to ask for a fixture
    catalog = Catalog(catalog_url)
    catalog.migrate()
    version = catalog.commit(make_version(1))
    catalog.migrate()
    assert catalog.current("nyc") == version


def test_down_and_up_again(catalog_url: str) -> None:  # noqa: F811 - pytest's way to ask for a fixture
    Catalog(catalog_url).migrate()
    engine = open_engine(catalog_url)
    with transaction(engine, write=True) as connection:
        command.downgrade(migrations.configuration(connection), "base")
    with transaction(engine, write=False) as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
    Catalog(catalog_url).migrate()
    assert Catalog(catalog_url).datasets() == []


def test_a_failing_migration_leaves_nothing(catalog_url: str) -> None:  # noqa: F811 - pytest's way to ask for a fixture
    engine = open_engine(catalog_url)
    with transaction(engine, write=True) as connection:
        connection.execute(text("CREATE TABLE alerts (x INTEGER)"))
    with pytest.raises(StateError, match="alerts"):
        Catalog(catalog_url).migrate()
    with transaction(engine, write=False) as connection:
        assert inspect(connection).get_table_names() == ["alerts"]


def test_a_catalog_of_a_newer_version_is_left_alone(catalog_url: str) -> None:  # noqa: F811 - pytest's way to ask for a fixture
    Catalog(catalog_url).migrate()
    with transaction(open_engine(catalog_url), write=True) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StateError, match="newer version of holdfast"):
        Catalog(catalog_url).migrate()


def test_several_processes_may_migrate_at_once(catalog_url: str) -> None:  # noqa: F811 - pytest's way to ask for a fixture
    failures: list[Exception] = []

    def migrate() -> None:
        try:
            Catalog(catalog_url).migrate()
        except StateError as error:
            failures.append(error)

    threads = [threading.Thread(target=migrate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert Catalog(catalog_url).datasets() == []
