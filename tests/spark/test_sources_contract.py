"""What every source must do: after each run the stored rows are the source's own, whatever happened in between."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from landed.project import Project
from landed.worlds import DebeziumWorld, DeltaLakeWorld, ParquetWorld, World, bag, history

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


@pytest.mark.parametrize("world_in", [delta_with_feed, delta_without_feed, DebeziumWorld, ParquetWorld])
def test_the_rows_are_those_of_the_source(
    spark: "SparkSession", tmp_path: Path, world_in: Callable[[Path], World]
) -> None:
    world = world_in(tmp_path)
    options = {"key": ("id",) if world.keyed else (), "schema_changes": "follow", "max_reject_ratio": 0.0}
    options["columns"] = {"day": {"type": "date"}}
    project = Project(spark, tmp_path, world.source, options)
    for step, (change, rows) in enumerate(history(step_seed := 11, STEPS, NOTED_FROM)):
        world.change(change)
        if world_in is not ParquetWorld:
            assert bag(world.rows()) == bag(list(rows.values())), step_seed
        if step == GAP:
            world.forget()
        if step not in RUNS:
            continue
        if step == KILLED:
            before = project.ingest(kept=False)
            assert project.ingest().to_json() | {"inserted": "", "deleted": "", "quarantine": ""} == (
                before.to_json() | {"inserted": "", "deleted": "", "quarantine": ""}
            )
        else:
            project.ingest()
        assert bag(project.values()) == bag(world.rows()), step
        assert project.pending() == ()
