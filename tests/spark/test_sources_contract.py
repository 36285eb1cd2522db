"""What every source must do: after each run the stored rows are the source's own, whatever happened in between."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from databases.catalogs import server
from helpers.project import Project
from helpers.worlds import DatabaseWorld, DebeziumWorld, DeltaLakeWorld, IcebergWorld, ParquetWorld, World, bag, history

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STEPS, NOTED_FROM, GAP, KILLED = 10, 5, 8, 3
RUNS = (0, 1, KILLED, 4, NOTED_FROM, 7, 9, STEPS)
"""After which steps there is a run: most take one change, some two, of which the second forgets the first."""


def delta_with_feed(root: Path) -> World:
    pytest.importorskip("deltalake")
    return DeltaLakeWorld(root, feed=True, keyed=True)


def delta_without_feed(root: Path) -> World:
    pytest.importorskip("deltalake")
    return DeltaLakeWorld(root, feed=False, keyed=False)


def duckdb_file(way: str) -> Callable[[Path], World]:
    return lambda root: DatabaseWorld(f"duckdb://{root}/file.duckdb", way)


def test_the_rows_are_those_of_an_iceberg_table(spark: "SparkSession", tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    follows(spark, tmp_path, IcebergWorld(tmp_path))


@pytest.mark.parametrize(
    "world_in",
    [
        pytest.param(delta_with_feed, id="delta-feed"),
        pytest.param(delta_without_feed, id="delta-files"),
        pytest.param(DebeziumWorld, id="debezium"),
        pytest.param(ParquetWorld, id="parquet-table"),
        *(pytest.param(duckdb_file(way), id=f"duckdb-{way}") for way in ("whole", "watermark", "changes")),
    ],
)
def test_the_rows_are_those_of_the_source(
    spark: "SparkSession", tmp_path: Path, world_in: Callable[[Path], World]
) -> None:
    follows(spark, tmp_path, world_in(tmp_path))


@pytest.mark.postgres
@pytest.mark.parametrize("way", ["whole", "watermark", "changes"])
def test_the_rows_are_those_of_a_postgresql_table(
    spark: "SparkSession", tmp_path: Path, request: pytest.FixtureRequest, way: str
) -> None:
    follows(spark, tmp_path, DatabaseWorld(server(request.config).new_database(), way))


def follows(spark: "SparkSession", root: Path, world: World) -> None:
    """Walks a world through its history and asks after each run whether the stored rows are its own."""
    options = {"key": ("id",) if world.keyed else (), "schema_changes": "follow", "max_reject_ratio": 0.0}
    options["columns"] = {"day": {"type": "date"}}
    project = Project(spark, root, world.source, options)
    for step, change in enumerate(history(11, STEPS, NOTED_FROM)):
        world.change(change)
        if step == GAP:
            world.forget()
        if step not in RUNS:
            continue
        if step == KILLED:
            before = project.ingest(kept=False)
            again = project.ingest()
            assert (again.inserts, again.deletes, again.updates) == (before.inserts, before.deletes, before.updates)
        else:
            project.ingest()
        assert bag(project.values()) == bag(world.rows()), step
        assert project.pending() == ()
