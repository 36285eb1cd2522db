"""What every source must do: after each run the stored rows are the source's own, whatever happened in between.

Sources with types go the same way without Spark in ``test_sources_follow.py``; here are those whose types
are inferred in tasks, one of each other kind, and (``long``) all of them through the whole pipeline.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from databases.bucket import bucket, on_store  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.database_world import DatabaseWorld
from helpers.history import TYPES, World, bag, history
from helpers.landing import write_configuration
from helpers.project import Project
from helpers.spark_world import SparkWorld
from helpers.text_worlds import DebeziumWorld, FilesWorld
from helpers.worlds import DeltaLakeWorld, IcebergWorld, ParquetWorld

from profiling_core.pipeline import arriving
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STEPS, NOTED_FROM, GAP, KILLED = 10, 5, 8, 3
RUNS = (0, 1, KILLED, 4, NOTED_FROM, 7, 9, STEPS)
"""After which steps there is a run: most take one change; some take two, and the second forgets the first."""
KILLER = Path(__file__).parents[1] / "helpers" / "killed_walk.py"

Making = Callable[[Path, pytest.FixtureRequest], World]


def spark_table(root: Path, request: pytest.FixtureRequest) -> World:
    return SparkWorld(request.getfixturevalue("spark"), root)


def files(format_: str, kind: str) -> Making:
    return lambda root, _: FilesWorld(root, format_, kind)


def delta(*, feed: bool) -> Making:
    return lambda root, _: DeltaLakeWorld(root, feed=feed, keyed=feed)


def duckdb_file(way: str) -> Making:
    return lambda root, _: DatabaseWorld(f"duckdb://{root}/file.duckdb", way)


def postgresql(way: str) -> Making:
    return lambda _, request: DatabaseWorld(server(request.config).new_database(), way)


def stored(made: Callable[[Path], World]) -> Making:
    return lambda root, request: on_store(request, root, made)


HERE = [
    pytest.param(files("csv", "changes"), id="csv-changes"),
    pytest.param(files("jsonl", "snapshot"), id="jsonl-snapshot"),
    pytest.param(lambda root, _: DebeziumWorld(root), id="debezium"),
    pytest.param(stored(lambda place: FilesWorld(place, "csv", "changes")), id="csv-changes-on-a-store"),
    pytest.param(delta(feed=True), id="delta-feed"),
    pytest.param(postgresql("whole"), id="postgresql-whole", marks=pytest.mark.postgres),
]
OF_THIS_PROCESS = [pytest.param(spark_table, id="spark-table")]  # another process does not have this one's catalog
OTHERS = [
    pytest.param(files("csv", "snapshot"), id="csv-snapshot"),
    pytest.param(files("jsonl", "changes"), id="jsonl-changes"),
    pytest.param(files("parquet", "changes"), id="parquet-changes"),
    pytest.param(files("parquet", "snapshot"), id="parquet-snapshot"),
    pytest.param(stored(DebeziumWorld), id="debezium-on-a-store"),
    pytest.param(stored(ParquetWorld), id="parquet-table-on-a-store"),
    pytest.param(stored(lambda place: DeltaLakeWorld(place, feed=True, keyed=True)), id="delta-on-a-store"),
    pytest.param(delta(feed=False), id="delta-files"),
    pytest.param(lambda root, _: IcebergWorld(root), id="iceberg"),
    pytest.param(lambda root, _: ParquetWorld(root), id="parquet-table"),
    pytest.param(postgresql("watermark"), id="postgresql-watermark", marks=pytest.mark.postgres),
    pytest.param(postgresql("changes"), id="postgresql-changes", marks=pytest.mark.postgres),
    *(pytest.param(duckdb_file(way), id=f"duckdb-{way}") for way in ("whole", "watermark", "changes")),
]


@pytest.mark.parametrize("making", [*HERE, *OF_THIS_PROCESS])
def test_the_rows_are_those_of_the_source(
    spark: "SparkSession", tmp_path: Path, request: pytest.FixtureRequest, making: Making
) -> None:
    world = making(tmp_path, request)
    project = Project(spark, tmp_path, world.source, table_options(world))
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


@pytest.mark.long
@pytest.mark.parametrize("making", [*HERE, *OTHERS])
def test_what_is_maintained_is_what_discovery_finds_in_the_sources_rows(
    spark: "SparkSession",
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    making: Making,
) -> None:
    world = making(tmp_path, request)
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    table = {"source": world.source, "space": "same-column", "max_predicates": 3, **table_options(world)}
    write_configuration(tmp_path, {"dataset": "shop", "tables": {"orders": table}})
    for step, change in enumerate(history(12, STEPS, NOTED_FROM)):
        world.change(change)
        if step == GAP:
            world.forget()
        if step == KILLED:
            for last in ("plan", "ingest", "maintain_table", "commit"):
                assert killed_after(last) == -signal.SIGKILL
        walk("shop")
        work = Workspace.open("shop")
        version = work.catalog.current("shop")
        assert version is not None
        rows = read_snapshot(spark, work.store, version, "orders").drop("_row_id").toArrow().to_pylist()
        assert bag(rows) == bag(world.rows()), step
        assert arriving.overview(work)["pending"] == {"orders": []}
    assert [finding for finding in verify(work) if not finding.equal] == []


def table_options(world: World) -> dict[str, object]:
    """The table's configuration, its source apart."""
    texts = world.source["format"] in ("csv", "jsonl", "debezium")
    return {
        "key": ["id"] if world.keyed else [],
        "schema_changes": "follow",
        "max_reject_ratio": 0.0,
        "columns": TYPES if texts else {},
    }


def killed_after(last: str) -> int:
    """The exit code of a process that walks, and is killed after a step."""
    path = os.pathsep.join([str(KILLER.parent.parent), *sys.path])
    return subprocess.run(
        [sys.executable, str(KILLER), "shop", last], env=os.environ | {"PYTHONPATH": path}, timeout=300, check=False
    ).returncode
