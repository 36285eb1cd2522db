"""What tables of other people's sources do: odd types, columns that come, go and change, pasts that are gone."""

import shutil
import uuid
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from databases.catalogs import server
from helpers.history import Row
from helpers.ledger import Ledger
from helpers.worlds import IcebergWorld

from profiling_core.model.errors import ConfigurationError
from profiling_core.model.types import LogicalType


def rows(ledger: Ledger) -> list[Row]:
    """The rows after applying what is pending, of which nothing may be rejected."""
    assert ledger.run() == []
    return sorted(ledger.values(), key=lambda row: row["id"])


# PostgreSQL


class Server:
    """A database, and a ledger of its table ``orders``."""

    def __init__(self, request: pytest.FixtureRequest, root: Path) -> None:
        self.url = server(request.config).new_database()
        self._root = root

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.url) as connection:
            for statement in statements:
                connection.execute(statement)

    def ledger(self, key: tuple[str, ...] = ("id",), **source: Any) -> Ledger:
        options = {"format": "postgresql", "url": self.url, "table": "orders", **source}
        return Ledger(self._root, options, {"key": key, "schema_changes": "follow"})


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Server:
    return Server(request, tmp_path)


@pytest.mark.postgres
def test_values_that_no_type_holds_come_as_text(database: Server) -> None:
    database.run(
        "CREATE TABLE orders (id int, huge numeric, forever date, until timestamptz, small numeric(3, 5))",
        "INSERT INTO orders VALUES (1, 1e60, 'infinity', '-infinity', 0.00123), (2, 1.5, '0044-03-15 BC', now(), NULL)",
    )
    ledger = database.ledger()
    found = rows(ledger)
    assert found[0] == {
        "id": 1,
        "huge": "1" + "0" * 60,
        "forever": "infinity",
        "until": "-infinity",
        "small": Decimal("0.00123"),
    }
    assert found[1]["huge"] == "1.5"
    assert found[1]["forever"] == "0044-03-15 BC"


@pytest.mark.postgres
def test_a_plain_number_may_become_longer_than_those_of_the_first_day(database: Server) -> None:
    database.run("CREATE TABLE orders (id int, price numeric)", "INSERT INTO orders VALUES (1, 9.99)")
    ledger = database.ledger()
    assert rows(ledger) == [{"id": 1, "price": Decimal("9.99")}]
    database.run("INSERT INTO orders VALUES (2, 123456.5)")
    assert rows(ledger)[1]["price"] == Decimal("123456.5")


@pytest.mark.postgres
def test_a_value_that_is_beyond_a_columns_type_is_rejected_by_itself(database: Server) -> None:
    database.run("CREATE TABLE orders (id int, day date)", "INSERT INTO orders VALUES (1, '2024-01-01')")
    ledger = database.ledger()
    assert rows(ledger) == [{"id": 1, "day": date(2024, 1, 1)}]
    database.run("INSERT INTO orders VALUES (2, 'infinity'), (3, '2024-01-03')")
    rejected = ledger.run()
    assert [(row["reason"], row["detail"]) for row in rejected] == [
        ("wrong type", "column 'day' is date, not 'infinity'")
    ]
    assert [row["id"] for row in ledger.values()] == [1, 3]


@pytest.mark.postgres
@pytest.mark.parametrize("key", [("id",), ()])
def test_a_watermark_that_ties_or_lacks_is_followed(database: Server, key: tuple[str, ...]) -> None:
    database.run("CREATE TABLE orders (id int, seen int)", "INSERT INTO orders VALUES (1, 5), (2, NULL)")
    ledger = database.ledger(key, watermark="seen")
    assert len(rows(ledger)) == 2
    for statement in (
        "INSERT INTO orders VALUES (3, 5)",
        "INSERT INTO orders VALUES (4, NULL)",
        "INSERT INTO orders VALUES (5, 6), (6, 5), (7, NULL)",
        "TRUNCATE orders",
        "INSERT INTO orders VALUES (8, 1)",
    ):
        database.run(statement)
        found = rows(ledger)
        with psycopg.connect(database.url) as connection:
            there = connection.execute("SELECT id, seen FROM orders ORDER BY id").fetchall()
        if there:
            assert [(row["id"], row["seen"]) for row in found] == there
        assert ledger.look().pending == ()


@pytest.mark.postgres
def test_changes_that_are_committed_late_are_found_within_the_overlap(database: Server) -> None:
    database.run(
        "CREATE TABLE orders (id int, city text)",
        "CREATE TABLE log (seq int, _op text, id int, city text)",
        "INSERT INTO orders VALUES (1, 'Ulm')",
        "INSERT INTO log VALUES (10, 'insert', 1, 'Ulm')",
    )
    ledger = database.ledger(change_table="log", watermark="seq", overlap=5)
    assert rows(ledger) == [{"id": 1, "city": "Ulm"}]
    database.run(
        "INSERT INTO orders VALUES (2, 'Bonn')",
        "INSERT INTO log VALUES (9, 'insert', 2, 'Rom'), (11, 'update', 2, 'Bonn')",
    )
    assert rows(ledger) == [{"id": 1, "city": "Ulm"}, {"id": 2, "city": "Bonn"}]
    database.run(
        "DELETE FROM orders WHERE id = 1",
        "INSERT INTO log VALUES (8, 'update', 1, 'Köln'), (12, 'delete', 1, NULL)",
    )
    assert rows(ledger) == [{"id": 2, "city": "Bonn"}]


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"table": "nothing"}, 'relation "nothing" does not exist'),
        ({"watermark": "nothing"}, 'column "nothing" does not exist'),
        ({"watermark": "city", "overlap": 5}, "neither a number nor a time"),
    ],
)
def test_what_the_configuration_names_wrongly_is_told(database: Server, source: Row, words: str) -> None:
    database.run(
        "CREATE TABLE orders (id int, city text)",
        "INSERT INTO orders VALUES (1, 'Ulm')",
    )
    ledger = database.ledger(**source)
    with pytest.raises(ConfigurationError, match=words):
        ledger.run()


@pytest.mark.postgres
def test_a_table_of_changes_that_lacks_a_column_is_told(database: Server) -> None:
    database.run(
        "CREATE TABLE orders (id int, city text)",
        "CREATE TABLE log (seq int, _op text, id int)",
        "INSERT INTO log VALUES (1, 'insert', 1)",
    )
    ledger = database.ledger(change_table="log", watermark="seq")
    ledger.run()
    database.run("INSERT INTO log VALUES (2, 'insert', 2)")
    with pytest.raises(ConfigurationError, match="no column 'city'"):
        ledger.run()


@pytest.mark.postgres
def test_a_name_with_a_point_is_quoted(database: Server) -> None:
    database.run(
        'CREATE SCHEMA "a.b"', 'CREATE TABLE "a.b"."Or.ders" (id int)', 'INSERT INTO "a.b"."Or.ders" VALUES (1)'
    )
    assert rows(database.ledger(table='"a.b"."Or.ders"')) == [{"id": 1}]


@pytest.mark.postgres
def test_a_column_of_the_tables_name_hides_no_change(database: Server) -> None:
    database.run("CREATE TABLE orders (id int, orders int)", "INSERT INTO orders VALUES (1, 1)")
    ledger = database.ledger(key=("orders",))
    assert rows(ledger) == [{"id": 1, "orders": 1}]
    database.run("UPDATE orders SET id = 2")
    assert rows(ledger) == [{"id": 2, "orders": 1}]


# DuckDB


def test_a_column_of_a_duckdb_tables_name_hides_no_change(tmp_path: Path) -> None:
    import duckdb

    ledger = Ledger(tmp_path, {"format": "duckdb", "url": f"duckdb://{tmp_path}/f.duckdb", "table": "orders"})
    for number in (1, 2):
        with duckdb.connect(tmp_path / "f.duckdb") as connection:
            connection.execute(f"CREATE OR REPLACE TABLE orders AS SELECT {number} AS id, 7 AS orders")
        assert rows(ledger) == [{"id": number, "orders": 7}]


def test_types_of_duckdb_that_arrow_lacks_come_as_text(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(tmp_path / "f.duckdb") as connection:
        connection.execute(
            "CREATE TABLE orders AS SELECT 1 AS id, INTERVAL 1 MONTH AS span, DATE 'infinity' AS forever, "
            "170141183460469231731687303715884105727::HUGEINT AS huge, [1, 2] AS list, '101'::BIT AS bits"
        )
    ledger = Ledger(tmp_path, {"format": "duckdb", "url": f"duckdb://{tmp_path}/f.duckdb", "table": "orders"})
    (row,) = rows(ledger)
    assert row["span"] == "1 month"
    assert row["forever"] == "infinity"
    assert row["list"] == "[1, 2]"
    assert row["bits"] == "101"


# Delta Lake


class Lake:
    def __init__(self, root: Path, **configuration: str) -> None:
        self.path = root / "lake"
        self._configuration = configuration
        self.ledger = Ledger(root, {"format": "delta", "path": str(self.path)}, {"schema_changes": "follow"})

    def write(self, table: dict[str, Any], mode: str = "append", **more: Any) -> None:
        from deltalake import write_deltalake

        write_deltalake(self.path, pa.table(table), mode=mode, configuration=self._configuration or None, **more)

    @property
    def table(self) -> Any:
        from deltalake import DeltaTable

        return DeltaTable(self.path)

    def is_followed(self) -> None:
        """The rows are the table's own, and nothing is pending after."""
        found = rows(self.ledger)
        there = sorted(self.table.to_pyarrow_table().to_pylist(), key=lambda row: row["id"])
        assert found == there
        assert self.ledger.look().pending == ()


@pytest.mark.parametrize("feed", ["true", "false"])
def test_a_log_that_was_cleaned_up_hides_no_rows(tmp_path: Path, feed: str) -> None:
    lake = Lake(
        tmp_path,
        **{"delta.enableChangeDataFeed": feed, "delta.logRetentionDuration": "interval 0 days"},
    )
    lake.write({"id": [0]})
    lake.is_followed()
    for number in range(1, 6):
        lake.write({"id": [number]})
    lake.table.create_checkpoint()
    lake.table.cleanup_metadata()
    lake.write({"id": [6]})
    assert len(lake.table.history()) < 7  # else this shows nothing
    lake.is_followed()


@pytest.mark.parametrize("feed", ["true", "false"])
def test_columns_of_a_delta_table_change_places_types_and_go(tmp_path: Path, feed: str) -> None:
    lake = Lake(tmp_path, **{"delta.enableChangeDataFeed": feed})
    lake.write({"id": [1, 2], "city": ["Ulm", None], "cents": pa.array([1, 2], pa.int32())})
    lake.is_followed()
    lake.write({"cents": pa.array([3], pa.int32()), "city": ["Bonn"], "id": [3]})
    lake.is_followed()
    lake.write({"id": [4], "cents": [2**40], "note": ["x"], "city": [None]}, "overwrite", schema_mode="overwrite")
    lake.is_followed()
    lake.write({"id": [5], "note": ["y"]}, "overwrite", schema_mode="overwrite")
    lake.is_followed()


@pytest.mark.parametrize("feed", ["true", "false"])
def test_a_delta_table_is_restored_rewritten_and_made_anew(tmp_path: Path, feed: str) -> None:
    lake = Lake(tmp_path, **{"delta.enableChangeDataFeed": feed})
    lake.write({"id": [1, 2], "day": ["a", "b"]}, partition_by=["day"])
    lake.is_followed()
    lake.write({"id": [3], "day": ["c"]})
    lake.write({"id": [4], "day": ["b"]}, "overwrite", predicate="day = 'b'")
    lake.is_followed()
    lake.table.restore(0)
    lake.is_followed()
    lake.table.optimize.compact()
    assert lake.ledger.look().pending == ()
    lake.table.delete()
    lake.is_followed()
    shutil.rmtree(lake.path)
    for number in range(8):  # beyond the versions of the one before, whose times may be the same
        lake.write({"id": [number], "day": ["z"]})
    lake.is_followed()


@pytest.mark.parametrize("feed", ["true", "false"])
def test_a_delta_table_begins_with_its_history(tmp_path: Path, feed: str) -> None:
    lake = Lake(tmp_path, **{"delta.enableChangeDataFeed": feed})
    lake.write({"id": [0], "old": [1]})
    lake.write({"id": [1]}, "overwrite", schema_mode="overwrite")
    for number in range(2, 6):
        lake.write({"id": [number]})
    lake.table.delete("id = 2")
    lake.ledger.source = {**lake.ledger.source, "history": 60}
    assert [delta_id.rpartition(".")[2] for delta_id in lake.ledger.look().pending] == [
        "v1",
        "v2",
        "v3",
        "v4",
        "v5",
        "v6",
    ]
    batch = lake.ledger.batch()
    assert [part.step for part in batch.parts] == [0, 1, 2, 3, 4, 5]
    assert len(batch.deltas) == 6
    lake.is_followed()
    lake.table.optimize.compact()
    lake.table.vacuum(0, enforce_retention_duration=False, dry_run=False)
    later = Ledger(tmp_path / "later", lake.ledger.source)
    assert len(rows(later)) == 4
    assert len(later.applied) < 6


# Iceberg


def test_columns_of_an_iceberg_table_are_renamed_moved_and_widened(tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    from pyiceberg.types import LongType

    world = IcebergWorld(tmp_path)
    table = world._catalog.create_table(
        world._name + "_odd", pa.schema({"id": pa.int64(), "city": pa.string(), "cents": pa.int32()})
    )
    options: dict[str, Any] = {"schema_changes": "follow"}
    ledger = Ledger(tmp_path, {**world.source, "table": world._name + "_odd"}, options)
    table.append(pa.table({"id": [1], "city": ["Ulm"], "cents": pa.array([5], pa.int32())}))
    assert rows(ledger) == [{"id": 1, "city": "Ulm", "cents": 5}]
    table.append(pa.table({"id": [4], "city": ["Rom"], "cents": pa.array([6], pa.int32())}))
    table.delete("id = 4")
    walked = Ledger(tmp_path / "walked", {**ledger.source, "history": 2})
    assert len(walked.look().pending) == 2
    assert rows(walked) == rows(ledger) == [{"id": 1, "city": "Ulm", "cents": 5}]
    with table.update_schema() as update:
        update.rename_column("city", "town")
        update.update_column("cents", LongType())
        update.move_first("cents")
    table.append(pa.table({"cents": [2**40], "id": [2], "town": ["Bonn"]}))
    options["columns"] = {"town": {"renamed_from": "city"}}
    expected = [{"cents": 5, "id": 1, "town": "Ulm"}, {"cents": 2**40, "id": 2, "town": "Bonn"}]
    assert rows(ledger) == expected
    table.overwrite(pa.table({"cents": [7], "id": [3], "town": [None]}, table.schema().as_arrow()))
    assert rows(ledger) == [{"cents": 7, "id": 3, "town": None}]
    table.manage_snapshots().rollback_to_snapshot(table.history()[0].snapshot_id).commit()
    assert rows(ledger) == expected[:1]
    assert ledger.look().pending == ()


# Files of Parquet


def test_values_that_no_column_has_come_as_text(tmp_path: Path) -> None:
    code = uuid.UUID(int=7)
    table = {
        "id": [1],
        "code": pa.array([code], pa.uuid()),
        "spent": pa.array([timedelta(hours=1)]),
        "huge": pa.array([Decimal("1.5")], pa.decimal256(50, 2)),
        "items": [[{"a": 1}]],
        "kind": pa.array(["x"]).dictionary_encode(),
    }
    for name, format_, kind in (("whole", "parquet-table", {}), ("landed", "parquet", {"kind": "append"})):
        where = tmp_path / name
        where.mkdir()
        pq.write_table(pa.table(table), where / "a.parquet")
        (row,) = rows(Ledger(tmp_path / f"{name}-project", {"format": format_, "path": str(where), **kind}))
        assert row["code"] == str(code)
        assert row["spent"] == "3600000000"
        assert row["huge"] == "1.50"
        assert row["items"] == '[{"a": 1}]'
        assert row["kind"] == "x"


# Directories of Parquet files


def test_files_of_a_directory_lack_columns_and_partitions_go(tmp_path: Path) -> None:
    where = tmp_path / "sales"
    ledger = Ledger(
        tmp_path,
        {"format": "parquet-table", "path": str(where), "settle_seconds": 0},
        {"schema_changes": "follow"},
    )

    def write(name: str, table: dict[str, Any]) -> None:
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(table), where / name)

    write("day=2024-01-01/a.parquet", {"id": pa.array([1], pa.int32()), "tags": [["x"]]})
    assert rows(ledger) == [{"id": 1, "tags": '["x"]', "day": date(2024, 1, 1)}]
    write("day=2024-01-02/a.parquet", {"note": ["new"], "id": pa.array([2])})
    second = {"id": 2, "tags": None, "note": "new", "day": date(2024, 1, 2)}
    assert rows(ledger)[1] == second
    write("day=2024-01-03/a.parquet", {"id": [3]})
    assert rows(ledger)[2] == {"id": 3, "tags": None, "note": None, "day": date(2024, 1, 3)}
    (where / "day=2024-01-01/a.parquet").unlink()
    assert [row["id"] for row in rows(ledger)] == [2, 3]
    other = where / "day=2024-01-04/a.parquet"
    before = ledger.values()
    for _ in range(2):  # what the directory was, it may be again
        write("day=2024-01-04/a.parquet", {"id": [4]})
        assert len(rows(ledger)) == 3
        other.unlink()
        other.parent.rmdir()
        assert rows(ledger) == before
        assert ledger.look().pending == ()
    (where / "day=2024-01-03/a.parquet").unlink()
    (where / "day=2024-01-02/a.parquet").unlink()
    assert rows(ledger) == []
    assert ledger.schema is not None
    assert ledger.schema.column("day").type is LogicalType.DATE


def test_a_directory_begins_with_its_history(tmp_path: Path) -> None:
    where = tmp_path / "sales"
    for day in range(1, 8):
        (where / f"day=2024-01-0{day}").mkdir(parents=True)
        pq.write_table(pa.table({"id": [day]}), where / f"day=2024-01-0{day}" / "a.parquet")
    source = {"format": "parquet-table", "path": str(where), "settle_seconds": 0, "history": 3}
    ledger = Ledger(tmp_path, source)
    batch = ledger.batch()
    assert [part.step for part in batch.parts] == [0, 0, 0, 0, 0, 1, 2]
    assert len(rows(ledger)) == 7
    assert ledger.look().pending == ()
    (where / "day=2024-01-03/a.parquet").unlink()
    assert [row["id"] for row in rows(ledger)] == [1, 2, 4, 5, 6, 7]


@pytest.mark.postgres
def test_a_table_that_comes_from_another_source_from_now_on_is_compared_whole(database: Server, tmp_path: Path) -> None:
    import duckdb
    from deltalake import write_deltalake

    number, odd = 0, IcebergWorld(tmp_path)
    table = odd._catalog.create_table(f"{odd._name}_any", pa.schema({"id": pa.int64()}))

    def server_has() -> None:
        database.run("CREATE TABLE IF NOT EXISTS orders (id bigint)", "TRUNCATE orders")
        database.run(f"INSERT INTO orders VALUES ({number}), ({number + 1})")

    def file_has() -> None:
        with duckdb.connect(tmp_path / "f.duckdb") as connection:
            connection.execute(f"CREATE OR REPLACE TABLE orders AS SELECT unnest([{number}, {number + 1}]) AS id")

    def lake_has() -> None:
        write_deltalake(tmp_path / "lake", pa.table({"id": [number]}), mode="overwrite")
        write_deltalake(tmp_path / "lake", pa.table({"id": [number + 1]}), mode="append")

    def snapshot_has() -> None:
        table.overwrite(pa.table({"id": [number, number + 1]}))

    def directory_has() -> None:
        (tmp_path / "sales").mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": [number, number + 1]}), tmp_path / "sales" / "a.parquet")

    ways: list[tuple[Any, Row]] = [
        (server_has, {"format": "postgresql", "url": database.url, "table": "orders"}),
        (server_has, {"format": "postgresql", "url": database.url, "table": "orders", "watermark": "id"}),
        (lake_has, {"format": "delta", "path": str(tmp_path / "lake"), "history": 9}),
        (snapshot_has, {**odd.source, "table": f"{odd._name}_any", "history": 9}),
        (
            directory_has,
            {"format": "parquet-table", "path": str(tmp_path / "sales"), "settle_seconds": 0, "history": 9},
        ),
        (file_has, {"format": "duckdb", "url": f"duckdb://{tmp_path}/f.duckdb", "table": "orders", "watermark": "id"}),
    ]
    ledger = Ledger(tmp_path / "project", ways[0][1])
    for change, source in [*ways, *ways[-2::-1], *ways[1:]]:
        number += 1
        change()
        ledger.source = source
        assert [row["id"] for row in rows(ledger)] == [number, number + 1], source
        assert ledger.look().pending == ()
