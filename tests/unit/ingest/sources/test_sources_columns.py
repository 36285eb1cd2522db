"""Columns of sources that widen, are renamed, or have other names in their files; and rows that go unseen easily."""

import json
import uuid
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from databases.orders import Server
from helpers.history import Row
from helpers.ledger import Ledger
from helpers.worlds import IcebergWorld

from profiling_core.model.errors import ConfigurationError, InputError

FOLLOWED = {"schema_changes": "follow"}
DAY = datetime.fromisoformat("2024-01-01")


def rows(ledger: Ledger) -> list[Row]:
    """The rows after applying what is pending; nothing may be rejected, and then nothing is pending."""
    assert ledger.run() == []
    assert ledger.look().pending == ()
    found = sorted(ledger.values(), key=lambda row: row["id"])
    return [{k: v.replace(tzinfo=None) if isinstance(v, datetime) else v for k, v in row.items()} for row in found]


# PostgreSQL


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Server:
    return Server(request, tmp_path)


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("narrow", "old", "wide", "new", "kept"),
    [
        ("int", 2, "numeric(12,2)", Decimal("1.50"), Decimal("2.00")),
        ("int", 2, "float8", 1.5, 2.0),
        ("int", 2, "bigint", 2**40, 2),
        ("numeric(10,2)", Decimal("2.25"), "numeric(12,4)", Decimal("1.2345"), Decimal("2.2500")),
        ("float8", 2.25, "numeric", 1.2345, 2.25),
        ("date", date(2024, 1, 1), "timestamp", datetime.fromisoformat("2024-01-01T10:00"), DAY),
    ],
)
def test_a_type_widens(database: Server, narrow: str, old: Any, wide: str, new: Any, kept: Any) -> None:
    database.run(f"CREATE TABLE orders (id int, x {narrow})", f"INSERT INTO orders VALUES (1, '{old}'), (2, '{old}')")
    ledger = database.ledger()
    assert [row["x"] for row in rows(ledger)] == [old, old]
    database.run(f"ALTER TABLE orders ALTER x TYPE {wide}", f"UPDATE orders SET x = '{new}' WHERE id = 2")
    assert [row["x"] for row in rows(ledger)] == [kept, new]


@pytest.mark.postgres
@pytest.mark.parametrize("watermark", [None, "id"])
def test_numbers_of_any_length_grow_although_the_schema_stays(database: Server, watermark: str | None) -> None:
    database.run("CREATE TABLE orders (id int, x numeric, n numeric(5, 1))")
    ledger = database.ledger(changes="refuse", watermark=watermark)
    assert rows(ledger) == []
    database.run("INSERT INTO orders VALUES (1, 2.25, 1), (2, NULL, 1)")
    assert rows(ledger)[0]["x"] == Decimal("2.25")
    database.run("INSERT INTO orders VALUES (3, 1.2345, 1)")
    assert [row["x"] for row in rows(ledger)] == [Decimal("2.2500"), None, Decimal("1.2345")]


@pytest.mark.postgres
def test_what_is_not_a_number_is_null_beside_infinite_ones_too(database: Server) -> None:
    database.run(
        "CREATE TABLE orders (id int PRIMARY KEY, x numeric)", "INSERT INTO orders VALUES (1, 'NaN'), (2, 1.5)"
    )
    ledger = database.ledger()
    assert rows(ledger) == [{"id": 1, "x": None}, {"id": 2, "x": Decimal("1.5")}]
    database.run("INSERT INTO orders VALUES (3, 'Infinity'), (4, 'NaN'), (5, 2)")
    (rejected,) = ledger.run()
    assert "'Infinity'" in str(rejected)
    assert [row["x"] for row in sorted(ledger.rows.to_pylist(), key=lambda row: row["id"])] == [
        None,
        Decimal("1.5"),
        None,
        2,
    ]


@pytest.mark.postgres
def test_a_type_of_another_class_is_told(database: Server) -> None:
    database.run("CREATE TABLE orders (id int, x int)", "INSERT INTO orders VALUES (1, 1)")
    ledger = database.ledger()
    rows(ledger)
    database.run("ALTER TABLE orders ALTER x TYPE bool USING x > 0")
    with pytest.raises(InputError, match="'x' has the type bool"):
        ledger.run()


@pytest.mark.postgres
def test_a_new_name_is_seen_before_any_row_changes(database: Server) -> None:
    database.run("CREATE TABLE orders (id int, x int)", "INSERT INTO orders VALUES (1, 7)")
    ledger = database.ledger()
    rows(ledger)
    database.run("ALTER TABLE orders RENAME x TO y")
    assert rows(ledger) == [{"id": 1, "y": 7}]


@pytest.mark.postgres
def test_a_watermark_that_was_set_back_hides_no_rows(database: Server) -> None:
    database.run("CREATE TABLE orders (id int, seen int)", "INSERT INTO orders VALUES (1, 10), (2, 11)")
    ledger = database.ledger(watermark="seen")
    rows(ledger)
    database.run("TRUNCATE orders", "INSERT INTO orders VALUES (3, 1)")
    assert rows(ledger) == [{"id": 3, "seen": 1}]


@pytest.mark.postgres
@pytest.mark.parametrize(("type_", "value"), [("timestamp", "infinity"), ("numeric", "NaN"), ("float8", "Infinity")])
def test_a_watermark_that_nothing_exceeds_is_told(database: Server, type_: str, value: str) -> None:
    database.run(f"CREATE TABLE orders (id int, seen {type_})", f"INSERT INTO orders VALUES (1, '{value}')")
    with pytest.raises(ConfigurationError, match=f"newest value is '{value}'"):
        database.ledger(watermark="seen").run()


@pytest.mark.postgres
def test_a_name_may_hold_quotes(database: Server) -> None:
    database.run('CREATE TABLE "a ""b"".c" (id int)', 'INSERT INTO "a ""b"".c" VALUES (1)')
    assert rows(database.ledger(table='public."a ""b"".c"')) == [{"id": 1}]


# Delta Lake


class HandMade:
    """A Delta Lake table whose log is written here: as other engines write it, and ``deltalake`` does not."""

    def __init__(self, root: Path, configuration: dict[str, str], protocol: Row) -> None:
        self._path, self._version = root / "lake", 0
        (self._path / "_delta_log").mkdir(parents=True)
        self._metadata = {"id": str(uuid.uuid4()), "format": {"provider": "parquet", "options": {}}}
        self._metadata |= {"partitionColumns": [], "configuration": configuration, "createdTime": 0}
        self._protocol = {"protocol": protocol}
        self.ledger = Ledger(root, {"format": "delta", "path": str(self._path)}, FOLLOWED)

    def named(self, *names: str) -> Row:
        """The action that names the columns of the files, which are called ``col-0`` and so on there."""
        mapping = "delta.columnMapping"
        fields = [
            {"name": name, "type": "long", "nullable": True}
            | {"metadata": {f"{mapping}.id": place, f"{mapping}.physicalName": f"col-{place}"}}
            for place, name in enumerate(names)
        ]
        return {"metaData": {**self._metadata, "schemaString": json.dumps({"type": "struct", "fields": fields})}}

    def file(self, *columns: list[int]) -> Row:
        path = self._path / f"{uuid.uuid4()}.parquet"
        pq.write_table(pa.table({f"col-{place}": values for place, values in enumerate(columns)}), path)
        stats = json.dumps({"numRecords": len(columns[0])})
        more = {"size": path.stat().st_size, "modificationTime": 0, "dataChange": True, "stats": stats}
        return {"add": {"path": path.name, "partitionValues": {}, **more}}

    def commit(self, operation: str, *actions: Row) -> None:
        first = [self._protocol] if not self._version else []
        told = {"commitInfo": {"timestamp": 1_700_000_000_000 + self._version, "operation": operation}}
        text = "\n".join(json.dumps(action) for action in (told, *first, *actions))
        (self._path / "_delta_log" / f"{self._version:020}.json").write_text(text)
        self._version += 1


@pytest.mark.parametrize("feed", ["true", "false"])
def test_columns_that_have_other_names_in_their_files(tmp_path: Path, feed: str) -> None:
    mapped = {"delta.columnMapping.mode": "name", "delta.enableChangeDataFeed": feed}
    lake = HandMade(tmp_path, mapped, {"minReaderVersion": 2, "minWriterVersion": 5})
    first = lake.file([1, 2], [10, 20])
    lake.commit("WRITE", lake.named("id", "size"), first)
    assert rows(lake.ledger) == [{"id": 1, "size": 10}, {"id": 2, "size": 20}]
    lake.commit("WRITE", lake.file([3], [30]))
    assert rows(lake.ledger)[2] == {"id": 3, "size": 30}
    lake.commit("DELETE", {"remove": {"path": first["add"]["path"], "deletionTimestamp": 0, "dataChange": True}})
    assert rows(lake.ledger) == [{"id": 3, "size": 30}]
    lake.commit("RENAME COLUMN", lake.named("id", "weight"))
    assert rows(lake.ledger) == [{"id": 3, "weight": 30}]


@pytest.mark.parametrize("feed", ["true", "false"])
def test_an_empty_partition_value_is_null(tmp_path: Path, feed: str) -> None:
    from deltalake import DeltaTable, write_deltalake

    ledger = Ledger(tmp_path, {"format": "delta", "path": str(tmp_path / "lake")}, FOLLOWED)
    made = pa.table({"id": [1, 2, 3], "day": ["", "x/y=z", None]})
    configuration = {"delta.enableChangeDataFeed": feed}
    write_deltalake(tmp_path / "lake", made, partition_by=["day"], configuration=configuration)
    assert [row["day"] for row in rows(ledger)] == [None, "x/y=z", None]
    DeltaTable(tmp_path / "lake").delete("id = 1")
    assert [row["id"] for row in rows(ledger)] == [2, 3]


def test_a_log_that_is_damaged_is_told(tmp_path: Path) -> None:
    from deltalake import write_deltalake

    write_deltalake(tmp_path / "lake", pa.table({"id": [1]}))
    (tmp_path / "lake" / "_delta_log" / f"{1:020}.json").write_text('{"add":')
    with pytest.raises(InputError, match="log cannot be read"):
        Ledger(tmp_path, {"format": "delta", "path": str(tmp_path / "lake")}).look()


# Iceberg


def test_a_new_name_of_an_iceberg_column_is_seen_before_any_snapshot(tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    world = IcebergWorld(tmp_path)
    table = world._catalog.create_table(world._name + "_named", pa.schema({"id": pa.int64(), "x": pa.string()}))
    ledger = Ledger(tmp_path, {**world.source, "table": world._name + "_named"}, FOLLOWED)
    assert rows(ledger) == []
    table.append(pa.table({"id": [1, 2], "x": ["a", "b"]}))
    rows(ledger)
    with table.update_schema() as update:
        update.rename_column("x", "y")
    assert rows(ledger) == [{"id": 1, "y": "a"}, {"id": 2, "y": "b"}]
    with table.update_schema() as update:
        update.rename_column("y", "z")
    table.delete("id = 2")
    assert rows(ledger) == [{"id": 1, "z": "a"}]
    world._catalog.drop_table(table.name())
    world._catalog.create_table(table.name(), pa.schema({"id": pa.int64(), "z": pa.string()}))
    assert rows(ledger) == []


def test_files_of_an_iceberg_table_that_are_gone_are_told(tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    world = IcebergWorld(tmp_path)
    table = world._catalog.create_table(world._name + "_gone", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1]}))
    for task in table.scan().plan_files():
        Path(task.file.file_path.removeprefix("file://")).unlink()
    with pytest.raises(InputError, match="a snapshot cannot be read"):
        Ledger(tmp_path, {**world.source, "table": world._name + "_gone"}).run()


# Directories of Parquet files


def test_numbers_of_a_directory_get_fractions(tmp_path: Path) -> None:
    where = tmp_path / "sales"
    where.mkdir()
    ledger = Ledger(tmp_path, {"format": "parquet-table", "path": str(where), "settle_seconds": 0}, FOLLOWED)
    for number, values in enumerate(([1], [2.0, None], [2.5])):
        pq.write_table(pa.table({"id": [number] * len(values), "x": values}), where / f"{number}.parquet")
        found = rows(ledger)
        assert ledger.schema is not None
        assert ledger.schema.column("x").type.value == ("float" if number == 2 else "integer")
    assert [row["x"] for row in found] == [1.0, 2.0, None, 2.5]
