"""What tables of other people's DuckDB files do: names that mislead, types that Arrow lacks."""

from pathlib import Path

from helpers.ledger import Ledger, rows


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
