"""Live rows of versions: files of all deltas so far without the rows that went, however columns are called."""

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.project import TABLE, Project

from profiling_core.model.errors import StateError
from profiling_core.spark.snapshot import next_snapshot_files, read_snapshot, read_vector

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ODD = ["a.b", "a b", "a`b", "A", "a", 'q"u', "ü", "line", "c0", "match", "bucket", "step", "_hidden"]


def test_columns_may_have_any_name_also_those_that_we_use_inside(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {}, {"key": ("a.b",)})
    rows = [{"_op": "insert", **{name: f"{name}{i}" for name in ODD}} for i in range(4)]
    project.land("d1", rows)
    project.ingest()
    project.land("d2", [{**rows[1], "_op": "delete"}, {**rows[2], "_op": "update", "bucket": "new"}])
    project.ingest()
    assert [list(row) for row in project.values()] == [ODD] * 3
    assert [(row["a.b"], row["bucket"]) for row in project.values()] == [
        ("a.b0", "bucket0"),
        ("a.b3", "bucket3"),
        ("a.b2", "new"),
    ]


def test_every_version_keeps_its_own_rows(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {}, {"key": ("id",)})
    generator, state, history = random.Random(3), dict[int, int](), []
    for number in range(6):
        rows: list[dict[str, Any]] = []
        for key in generator.sample(range(40), 20):
            op = "insert" if key not in state else generator.choice(["update", "delete"])
            value = generator.randrange(5)
            rows.append({"_op": op, "id": key, "v": value})
            state = {**state, key: value} if op != "delete" else {k: v for k, v in state.items() if k != key}
        project.land(f"d{number}", rows)
        project.ingest()
        history.append((project.version, state))
    for version, expected in history:
        assert version is not None
        found = read_snapshot(spark, project.store, version, TABLE).select("id", "v").toArrow()
        assert dict(zip(found["id"].to_pylist(), found["v"].to_pylist(), strict=True)) == expected
        assert len(version.files_of("deleted", TABLE)) <= 1, "one deletion vector holds all that went so far"


def test_a_delta_without_new_rows_adds_no_row_file(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {}, {"key": ("id",)})
    project.land("d1", [{"_op": "insert", "id": i} for i in range(5)])
    project.ingest()
    before = project.version
    project.land("d2", [{"_op": "delete", "id": 3}])
    project.ingest()
    assert before is not None
    assert project.version is not None
    assert project.version.files_of("rows", TABLE) == before.files_of("rows", TABLE)
    assert list(read_vector(project.store, project.version, TABLE)) == [3]


def test_a_table_that_lost_all_rows_takes_new_ones(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {"kind": "snapshot"}, {})
    project.land("d1", [{"a": 1}, {"a": 1}, {"a": None}])
    project.ingest()
    project.land_text("d2", "a\n")
    done = project.ingest()
    assert (done.deletes, project.live()) == (3, [])
    project.land("d3", [{"a": 1}])
    project.ingest()
    assert project.live() == [{"_row_id": 3, "a": 1}]


def test_files_for_the_next_version_are_the_same_when_asked_again(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {}, {})
    project.land("d1", [{"_op": "insert", "a": 1}])
    done = project.ingest()
    first = next_snapshot_files(project.store, None, done, "run-0")
    assert first == next_snapshot_files(project.store, None, done, "run-0")
    assert [ref.role for ref in first] == ["rows"]
    table = pq.read_table(project.store.verify(first[0]))
    assert table.schema.types == [pa.int64(), pa.int64(), pa.string()]


def test_a_damaged_deletion_vector_is_found_out(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {}, {})
    project.land("d1", [{"_op": "insert", "a": 1}, {"_op": "insert", "a": 2}])
    project.ingest()
    project.land("d2", [{"_op": "delete", "a": 1}])
    project.ingest()
    assert project.version is not None
    (ref,) = project.version.files_of("deleted", TABLE)
    (project.store.home / ref.path).write_bytes(b"\0" * ref.size)
    with pytest.raises(StateError, match="damaged"):
        project.live()
