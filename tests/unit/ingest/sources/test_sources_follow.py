"""Sources with types, followed step by step without Spark: after each step the rows are the source's own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from databases.bucket import bucket, on_store  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.database_world import DatabaseWorld
from helpers.history import World, bag, history
from helpers.ledger import Ledger
from helpers.worlds import DeltaLakeWorld, IcebergWorld, ParquetWorld

STEPS, NOTED_FROM, GAPS = 10, 5, (4, 8)
RUNS = (0, 1, 3, 4, NOTED_FROM, 7, 9, STEPS)
"""After which steps there is a run: most take one change; some take two, and the second forgets the first."""


def delta(*, feed: bool, keyed: bool) -> Callable[[Path], World]:
    return lambda root: DeltaLakeWorld(root, feed=feed, keyed=keyed)


def duckdb_file(way: str) -> Callable[[Path], World]:
    return lambda root: DatabaseWorld(f"duckdb://{root}/file.duckdb", way)


@pytest.mark.slow
@pytest.mark.parametrize("keyed", [True, False])
def test_an_iceberg_table(tmp_path: Path, keyed: bool) -> None:
    pytest.importorskip("pyiceberg")
    follows(tmp_path, IcebergWorld(tmp_path, keyed=keyed))


@pytest.mark.parametrize(
    "world_in",
    [
        pytest.param(delta(feed=True, keyed=True), id="delta-feed"),
        pytest.param(delta(feed=True, keyed=False), id="delta-feed-unkeyed"),
        pytest.param(delta(feed=False, keyed=True), id="delta-files"),
        pytest.param(delta(feed=False, keyed=False), id="delta-files-unkeyed"),
        pytest.param(ParquetWorld, id="parquet-table"),
        *(pytest.param(duckdb_file(way), id=f"duckdb-{way}") for way in ("whole", "watermark", "changes")),
    ],
)
def test_a_table_in_files(tmp_path: Path, world_in: Callable[[Path], World]) -> None:
    follows(tmp_path, world_in(tmp_path))


@pytest.mark.parametrize(
    "world_in",
    [
        pytest.param(ParquetWorld, id="parquet-table"),
        pytest.param(delta(feed=True, keyed=True), id="delta-feed", marks=pytest.mark.long),
        pytest.param(delta(feed=False, keyed=False), id="delta-files-unkeyed", marks=pytest.mark.long),
    ],
)
def test_a_table_on_an_object_store(
    tmp_path: Path, request: pytest.FixtureRequest, world_in: Callable[[Path], World]
) -> None:
    follows(tmp_path, on_store(request, tmp_path, world_in))


@pytest.mark.postgres
@pytest.mark.parametrize("way", ["whole", "watermark", "changes"])
def test_a_postgresql_table(tmp_path: Path, request: pytest.FixtureRequest, way: str) -> None:
    follows(tmp_path, DatabaseWorld(server(request.config).new_database(), way))


def follows(root: Path, world: World) -> None:
    """Walks a world through its history and asks after each run whether the rows are its own."""
    ledger = Ledger(root, world.source, {"key": ("id",) if world.keyed else (), "schema_changes": "follow"})
    for step, change in enumerate(history(11, STEPS, NOTED_FROM)):
        world.change(change)
        if step in GAPS:
            world.forget()
        if step in RUNS:
            assert ledger.run() == []
            assert bag(ledger.values()) == bag(world.rows()), step
            assert ledger.look().pending == ()
