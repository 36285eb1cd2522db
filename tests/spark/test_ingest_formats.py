"""Ingest through Spark equals applying the operations one by one: every format, every kind, with a key and without."""

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from helpers.project import TABLE, Project
from oracle.deltas import (
    Folded,
    fold_bag_changes,
    fold_bag_snapshots,
    fold_keyed_changes,
    fold_keyed_snapshots,
    fold_versioned_changes,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

COLUMNS = pa.schema(
    {
        "shop": pa.string(),
        "number": pa.int64(),
        "price": pa.decimal128(38, 2),
        "weight": pa.float64(),
        "sold": pa.date32(),
        "paid at": pa.timestamp("us", tz="UTC"),
        "gift": pa.bool_(),
        "Shop": pa.string(),
    }
)
TYPES = {"price": {"type": "decimal", "scale": 2}, "sold": {"type": "date"}, "paid at": {"type": "timestamp"}}
KEY = ("shop", "number")
KINDS = ("changes", "append", "snapshot")
Operation = tuple[str, dict[str, Any]]
Deltas = list[list[Operation]]


def a_row(random: random.Random) -> dict[str, Any]:
    """A row out of few, so that operations meet; values are awkward on purpose."""
    shop, number = random.choice(["Zürich", 'a "b",\nc', "  "]), random.randrange(60)
    variant = random.randrange(3)
    return {
        "shop": shop,
        "number": number,
        "price": [None, Decimal("1.10"), Decimal("99999999999999999999.99")][variant],
        "weight": [0.0, None, 1e-300][variant],
        "sold": [date(1500, 2, 28), None, date(2013, 3, 1)][variant],
        "paid at": [datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(2013, 3, 1, tzinfo=UTC), None][variant],
        "gift": [True, False, None][variant],
        "Shop": ["x", None, "é"][variant],
    }


def make_deltas(kind: str, *, keyed: bool) -> Deltas:
    generator = random.Random(f"{kind} {keyed}")
    operations = {"changes": ["insert", "delete", *(["update", "upsert"] if keyed else [])]}.get(kind, ["insert"])
    return [[(generator.choice(operations), a_row(generator)) for _ in range(150)] for _ in range(5)]


def as_value(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in COLUMNS.names)


def version_of(value: tuple[Any, ...]) -> int | None:
    paid = value[COLUMNS.names.index("paid at")]
    return None if paid is None else paid.year


def fold(kind: str, deltas: Deltas, *, keyed: bool, versioned: bool = False) -> Folded:
    rows = [[(op, tuple(row[k] for k in KEY), as_value(row)) for op, row in delta] for delta in deltas]
    if kind == "snapshot":
        return fold_keyed_snapshots({}, rows) if keyed else fold_bag_snapshots([], rows)
    if versioned:
        rows = [[("delete" if op == "delete" else "upsert", *row) for op, *row in delta] for delta in rows]
        return fold_versioned_changes({}, rows, version_of)
    return fold_keyed_changes({}, rows) if keyed else fold_bag_changes([], rows)


@pytest.mark.parametrize(
    ("form", "kind", "keyed", "versioned"),
    [
        *((form, kind, True, False) for form in ("csv", "jsonl", "parquet") for kind in KINDS),
        *(("csv", kind, False, False) for kind in KINDS),
        ("csv", "changes", True, True),
    ],
)
def test_runs_of_several_deltas_equal_a_fold(
    spark: "SparkSession", tmp_path: Path, form: str, kind: str, *, keyed: bool, versioned: bool
) -> None:
    project = Project(
        spark,
        tmp_path,
        {"format": form, "kind": kind, **({"version": "paid at"} if versioned else {})},
        {"key": KEY if keyed else (), "columns": TYPES, "max_reject_ratio": 1.0},
    )
    deltas = make_deltas(kind, keyed=keyed)
    types = COLUMNS.insert(0, pa.field("_op", pa.string())) if kind == "changes" else COLUMNS
    for number, delta in enumerate(deltas):
        rows = [({"_op": op} if kind == "changes" else {}) | row for op, row in delta]
        project.land(f"d{number}", rows, types)
    found: Counter[str] = Counter()
    rejects: Counter[tuple[str, str]] = Counter()
    for label in ("d1", "d4"):  # two deltas make the table, then three come at once
        done = project.ingest(label)
        found.update(insert=done.inserts, delete=done.deletes, update=done.updates)
        found.update(superseded=done.superseded, unchanged=done.unchanged)
        rejects.update((row["delta_id"], row["reason"]) for row in project.quarantine(done))
        assert done.rejects == len(project.quarantine(done))

    expected = fold(kind, deltas, keyed=keyed, versioned=versioned)
    assert Counter(as_value(row) for row in project.values()) == expected.rows
    assert +found == +expected.counts
    delta_of = [f"d{number}" for number, delta in enumerate(deltas) for _ in delta]
    assert rejects == Counter((delta_of[place], reason.value) for place, reason in expected.rejects.items())


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("words", ["IUDR", "iudr", "+~-r", ("INSERT", "Update", " deleted ", "Merge")])
def test_operations_in_a_column_of_another_name_count_however_they_are_written(
    spark: "SparkSession", tmp_path: Path, form: str, words: Sequence[str]
) -> None:
    options = {"key": KEY, "columns": TYPES, "max_reject_ratio": 1.0}
    project = Project(spark, tmp_path, {"format": form, "operation": "change type"}, options)
    written = dict(zip(("insert", "update", "delete", "upsert"), words, strict=True))
    deltas = make_deltas("changes", keyed=True)[:2]
    for number, delta in enumerate(deltas):
        rows = [{"change type": written[op]} | row for op, row in delta]
        project.land(f"d{number}", rows, COLUMNS.insert(0, pa.field("change type", pa.string())))
    done = project.ingest()
    expected = fold("changes", deltas, keyed=True)
    assert Counter(as_value(row) for row in project.values()) == expected.rows
    assert done.rejects == len(expected.rejects)


def test_row_ids_ascend_in_the_order_of_landing(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {"kind": "append"}, {})
    for delta in range(5):
        project.land(f"d{delta}", [{"n": delta * 100 + i} for i in range(30)])
    project.ingest("d2")
    first = project.live()
    assert [row["n"] for row in first] == [d * 100 + i for d in range(3) for i in range(30)]
    assert [row["_row_id"] for row in first] == list(range(90))
    done = project.ingest()
    assert [row["n"] for row in project.live()] == [d * 100 + i for d in range(5) for i in range(30)]
    assert done.next_row_id == 150
    assert {row["_delta_id"] for row in project.rows_of(done.inserted)} == {"d3", "d4"}


def test_deleted_rows_carry_the_ids_and_values_that_the_base_has(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {}, {"key": ("id",)})
    project.land("d1", [{"_op": "insert", "id": i, "v": i * i} for i in range(6)])
    project.ingest()
    project.land("d2", [{"_op": "delete", "id": 4, "v": None}, {"_op": "update", "id": 2, "v": 7}])
    project.land("d3", [{"_op": "update", "id": 2, "v": 8}, {"_op": "update", "id": 5, "v": 25}])
    done = project.ingest()
    assert sorted(map(str, project.rows_of(done.deleted))) == [
        "{'_row_id': 2, 'id': 2, 'v': 4}",
        "{'_row_id': 4, 'id': 4, 'v': 16}",
    ]
    assert project.rows_of(done.inserted) == [{"_row_id": 8, "id": 2, "v": 8, "_delta_id": "d3"}]
    assert (done.inserts, done.deletes, done.updates) == (0, 1, 2)  # the update of 5 changes nothing


def test_a_directory_of_part_files_is_one_delta(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {}, {"key": ("id",)})
    folder = project.directory / "2013-03-01"
    folder.mkdir()
    (folder / "part-0.csv").write_text("_op,id,v\ninsert,1,a\ninsert,2,b\n")
    (folder / "part-1.csv").write_text("v,_op,id\nA,insert,1\n")
    (folder / "_SUCCESS").write_text("")
    done = project.ingest()
    assert done.delta_ids == ("2013-03-01",)
    assert done.superseded == 1
    assert [(row["id"], row["v"]) for row in project.live()] == [(2, "b"), (1, "A")]


def test_nan_is_null_and_minus_zero_is_zero(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {"format": "parquet", "kind": "snapshot"}, {})
    project.land("d1", [{"x": float("nan")}, {"x": -0.0}, {"x": None}], pa.schema({"x": pa.float64()}))
    project.ingest()
    assert [str(row["x"]) for row in project.live()] == ["None", "0.0", "None"]
    project.land("d2", [{"x": 0.0}, {"x": None}, {"x": float("nan")}], pa.schema({"x": pa.float64()}))
    done = project.ingest()
    assert (done.inserts, done.deletes) == (0, 0)


def test_rows_that_a_whole_table_lacks_are_told_and_stated_deletes_are_not(
    spark: "SparkSession", tmp_path: Path
) -> None:
    for kind in ("snapshot", "changes"):
        root = tmp_path / kind
        root.mkdir()
        project = Project(spark, root, {"kind": kind}, {"key": ("number",)})
        first = [{"number": i, "price": i} for i in range(30)]
        project.land("1", [{"_op": "insert"} | row for row in first] if kind == "changes" else first)
        assert project.ingest().findings == ()
        gone = [{"_op": "delete"} | row for row in first[5:]] if kind == "changes" else first[:5]
        project.land("2", gone)
        done = project.ingest()
        assert (done.deletes, [f["kind"] for f in done.findings]) == (25, ["shrunk"] if kind == "snapshot" else [])
        if kind == "snapshot":
            project.land_text("3", "number,price\n")
            assert project.ingest().findings == ()  # five rows more are too few to be told


def test_moments_finer_than_microseconds_are_applied_as_texts(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {"format": "parquet", "kind": "append"}, {})
    types = pa.schema({"at": pa.timestamp("ns"), "whole": pa.timestamp("ns")})
    for delta, nanoseconds in (("1", 7), ("2", 0)):
        project.land(delta, [{"at": 10**9 + nanoseconds, "whole": 10**9}], types)
        project.ingest()
    assert [tuple(row.values()) for row in project.values()] == [
        (f"1970-01-01 00:00:01.00000000{nanoseconds}", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
        for nanoseconds in (7, 0)
    ]


def test_whole_numbers_of_a_wider_type_fit_a_decimal_column(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {"format": "parquet", "kind": "append"}, {"max_reject_ratio": 1.0})
    project.land("1", [{"a": Decimal("1.50")}], pa.schema({"a": pa.decimal128(5, 2)}))
    project.ingest()
    project.land("2", [{"a": 7}, {"a": None}, {"a": 1000}], pa.schema({"a": pa.int64()}))
    done = project.ingest()
    assert [row["detail"] for row in project.quarantine(done)] == ["column 'a' is decimal(5, 2), not '1000'"]
    assert [row["a"] for row in project.values()] == [Decimal("1.50"), Decimal("7.00"), None]


def test_a_snapshots_rejected_row_leaves_the_stored_one(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {"kind": "snapshot"}, {"key": ("id",), "max_reject_ratio": 0.5})
    project.land("d1", [{"id": 1, "v": 1}, {"id": 2, "v": 2}, {"id": 3, "v": 3}])
    project.ingest()
    project.land("d2", [{"id": 1, "v": "what"}, {"id": 3, "v": 33}])
    done = project.ingest()
    assert [(row["id"], row["v"]) for row in project.live()] == [(1, 1), (3, 33)]
    assert (done.deletes, done.updates, done.rejects) == (1, 1, 1)


def test_a_rebuild_without_deltas_is_an_empty_delta_with_the_present_configuration(
    spark: "SparkSession", tmp_path: Path
) -> None:
    project = Project(spark, tmp_path, {"kind": "append"}, {})
    project.land("d1", [{"a": 1, "b": "x"}])
    project.ingest()
    project.config = project.configured(leave_out=("b",), columns={"a": {"operators": "equality"}})
    done = project.ingest(rebuild=True)
    assert (done.inserts, done.deletes, done.updates) == (0, 0, 0)
    assert [(c["name"], c["ordered"], c["profiled"]) for c in done.schema["columns"]] == [
        ("a", False, True),
        ("b", False, False),
    ]
    assert [row["a"] for row in project.live()] == [1]


def test_quarantines_stay_with_the_versions(spark: "SparkSession", tmp_path: Path) -> None:
    project = Project(spark, tmp_path, {"kind": "append"}, {"max_reject_ratio": 1.0})
    project.land_text("d1", "a,b\n1,2\n1\n")
    project.land_text("d2", "a,b\n3,4\n5\n")
    project.ingest("d1")
    project.ingest("d2")
    assert project.version is not None
    found = [pa.parquet.read_table(project.store.verify(ref)) for ref in project.version.files_of("quarantine", TABLE)]
    assert [row["line"] for table in found for row in table.to_pylist()] == [3, 3]


@pytest.mark.parametrize("kind", ["changes", "snapshot"])
def test_many_buckets_say_what_one_says(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    found = []
    for rows in (1_000_000, 7):
        monkeypatch.setattr("profiling_core.spark.delta.BUCKET_ROWS", rows)
        project = Project(
            spark, tmp_path / str(rows), {"kind": kind}, {"key": KEY, "columns": TYPES, "max_reject_ratio": 1.0}
        )
        for number, delta in enumerate(make_deltas(kind, keyed=True)[:3]):
            project.land(f"d{number}", [({"_op": op} if kind == "changes" else {}) | row for op, row in delta])
        made = [project.ingest("d1"), project.ingest("d2")]
        counts = [(d.inserts, d.deletes, d.updates, d.superseded, d.rejects, d.next_row_id) for d in made]
        found.append((counts, project.live(), [project.quarantine(d) for d in made]))
        assert (len(made[0].inserted) > 1) == (rows == 7)
    assert found[0] == found[1]
