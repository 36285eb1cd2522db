"""Deltas of a table: ``growing_table.py table.parquet rows days directory [columns left out]``.

``000`` inserts that many rows, in random order; each day after it inserts 400 others, deletes 300 of the first ones and
updates 300 more. DuckDB orders the rows on disk, so that tables larger than memory can be made.
"""

import sys
import tempfile
from pathlib import Path

import duckdb
from report import report

INSERTED, DELETED, UPDATED = 400, 300, 300
CHANGED = "l_extendedprice"
MEMORY = "4GB"


def main(source: str, rows: int, days: int, out: Path, *left_out: str) -> None:
    kept = f"* EXCLUDE ({', '.join(left_out)})" if left_out else "*"
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch, duckdb.connect(f"{scratch}/whole.duckdb") as db:
        db.execute(f"SET memory_limit = '{MEMORY}'")
        db.execute("SET temp_directory = ?", [scratch])
        db.execute(
            f"CREATE TABLE whole AS SELECT {kept} FROM read_parquet(?) ORDER BY hash(l_orderkey, l_linenumber)",
            [source],
        )
        ((whole,),) = db.sql("SELECT count(*) FROM whole").fetchall()
        rows = min(rows, whole - days * INSERTED)
        _write(db, out / "000.parquet", _part("insert", 0, rows))
        for day in range(days):
            coming, going = rows + day * INSERTED, day * (DELETED + UPDATED)
            changing = going + DELETED
            parts = [
                _part("insert", coming, coming + INSERTED),
                _part("delete", going, changing),
                _part("update", changing, changing + UPDATED, f"REPLACE ({CHANGED} + 1 AS {CHANGED})"),
            ]
            _write(db, out / f"{day + 1:03}.parquet", " UNION ALL ".join(parts))
    report(rows=rows)


def _part(operation: str, begin: int, end: int, changed: str = "") -> str:
    return f"SELECT * {changed}, '{operation}' AS _op FROM whole WHERE rowid >= {begin} AND rowid < {end}"


def _write(db: duckdb.DuckDBPyConnection, path: Path, query: str) -> None:
    db.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), *sys.argv[5:])
