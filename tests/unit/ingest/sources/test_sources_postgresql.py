"""What tables of other people's PostgreSQL do: odd types, late commits, names that mislead; and tables that move."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from databases.orders import Server
from helpers.history import Row
from helpers.ledger import Ledger, rows
from helpers.worlds import IcebergWorld

from profiling_core.ingest.sources import postgresql_parts
from profiling_core.model.errors import ConfigurationError, UnreachableError


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
def test_times_of_a_day_compare_and_other_odd_types_are_said_to_be_text(
    database: Server, caplog: pytest.LogCaptureFixture
) -> None:
    database.run(
        "CREATE TABLE orders (id int, opens time, shuts time, zoned timetz, took interval, paid money)",
        "INSERT INTO orders VALUES (1, '08:15', '24:00', '08:15+02', '90 min', 9.5)",
        "INSERT INTO orders (id, opens) VALUES (2, '08:15:00.25')",
    )
    ledger = database.ledger()
    found = rows(ledger)
    assert {c.name: str(c.type) for c in ledger.schema.columns} == {
        "id": "integer",
        "opens": "time",
        **dict.fromkeys(("shuts", "zoned", "took", "paid"), "string"),
    }
    assert [row["opens"] for row in found] == ["08:15:00", "08:15:00.25"]
    assert found[0]["shuts"] == "24:00:00"
    said = [record.getMessage().partition(": ")[2] for record in caplog.records]
    odd = {"shuts": "time", "zoned": "timetz", "took": "interval", "paid": "money"}
    assert [text for text in said if "is read as" in text] == [f"{n} ({t}) is read as text" for n, t in odd.items()]


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
        "DELETE FROM orders WHERE id = 1", "INSERT INTO log VALUES (8, 'update', 1, 'Köln'), (12, 'delete', 1, NULL)"
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
    database.run("CREATE TABLE orders (id int, city text)", "INSERT INTO orders VALUES (1, 'Ulm')")
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


_PARTED = "CREATE TABLE orders (id int, city text, price numeric) PARTITION BY RANGE (id)"


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are read by three processes, as those of gigabytes are on a machine with three cores."""
    monkeypatch.setattr(postgresql_parts, "PART_BYTES", 8192)
    monkeypatch.setattr(postgresql_parts.os, "sched_getaffinity", lambda _: {0, 1, 2})


@pytest.mark.postgres
@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize(
    "made",
    [
        ("CREATE TABLE orders (id int, city text, price numeric)",),
        (_PARTED, *(f"CREATE TABLE o{i} PARTITION OF orders FOR VALUES FROM ({i}) TO ({i + 999})" for i in (0, 999))),
    ],
    ids=["table", "partitioned"],
)
def test_a_large_table_is_read_by_several_processes_at_one_moment(database: Server, made: tuple[str, ...]) -> None:
    rows_of = "SELECT i, CASE WHEN i % 7 > 0 THEN 'c' || i % 7 END, i / 8.0 FROM generate_series(0, 1900) i"
    database.run(*made, f"INSERT INTO orders {rows_of}", "DELETE FROM orders WHERE id % 5 = 1")
    ledger = database.ledger()
    written = postgresql_parts.read
    files: list[Path] = []

    def meanwhile(parts: Any, where: str) -> list[Path] | None:
        """Another program changes the table after the moment, and before a process reads."""
        database.run("UPDATE orders SET city = 'later'", "DELETE FROM orders WHERE id < 50")
        assert len(parts) == 3
        found = written(parts, where)
        files.extend(found or [])
        return found

    postgresql_parts.read = meanwhile
    try:
        found = rows(ledger)
    finally:
        postgresql_parts.read = written
    numbers = [i for i in range(1901) if i % 5 != 1]
    assert [row["id"] for row in found] == numbers
    assert [row["city"] for row in found] == [f"c{i % 7}" if i % 7 else None for i in numbers]
    assert [row["price"] for row in found] == [Decimal(i) / 8 for i in numbers]
    assert len(files) == 3
    assert not any(path.exists() for path in files)
    assert len(rows(ledger)) == len(numbers) - 40


@pytest.mark.postgres
@pytest.mark.usefixtures("in_parts")
def test_a_part_that_cannot_be_read_is_told(database: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process whose query outlasts the statement timeout says so; the timeout of the main connection is another."""
    database.run("CREATE TABLE orders (id int, city text)")
    database.run("INSERT INTO orders SELECT i, repeat('x', 100) FROM generate_series(1, 2000) i")
    ledger = database.ledger()
    written = postgresql_parts.read

    def slowly(parts: Any, where: str) -> list[Path] | None:
        database.run("ALTER DATABASE " + database.url.rsplit("/", 1)[-1] + " SET statement_timeout = '300ms'")
        slow = [replace(part, query=f"SELECT own.* FROM ({part.query}) AS own, pg_sleep(30)") for part in parts]
        return written(slow, where)

    monkeypatch.setattr(postgresql_parts, "read", slowly)
    with pytest.raises(UnreachableError, match=r"part of the table broke off.* statement timeout"):
        ledger.run()


@pytest.mark.postgres
@pytest.mark.usefixtures("in_parts")
def test_a_view_and_a_server_that_takes_no_more_connections_are_read_by_one(database: Server) -> None:
    database.run(
        "CREATE TABLE stock (id int, city text)",
        "INSERT INTO stock SELECT i, repeat('x', 100) FROM generate_series(1, 2000) i",
        "CREATE VIEW orders AS SELECT * FROM stock",
        "CREATE ROLE part_reader LOGIN PASSWORD 'p' CONNECTION LIMIT 1",
        "GRANT SELECT ON stock, orders TO part_reader",
    )
    host = database.url.rpartition("@")[2]
    try:
        for table in ("orders", "stock"):
            ledger = database.ledger(table=table, url=f"postgresql://part_reader:p@{host}")
            assert len(rows(ledger)) == 2000
    finally:
        database.run("DROP OWNED BY part_reader", "DROP ROLE part_reader")


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
