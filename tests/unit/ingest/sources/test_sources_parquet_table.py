"""What other people's directories of Parquet files do: columns that lack, partitions that go, pasts to begin with."""

import uuid
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from helpers.ledger import Ledger, rows

from profiling_core.model.types import LogicalType


def test_files_of_a_directory_lack_columns_and_partitions_go(tmp_path: Path) -> None:
    where = tmp_path / "sales"
    ledger = Ledger(
        tmp_path, {"format": "parquet-table", "path": str(where), "settle_seconds": 0}, {"schema_changes": "follow"}
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
        assert row["spent"] == Decimal(3600)
        assert row["huge"] == "1.50"
        assert row["items"] == '[{"a": 1}]'
        assert row["kind"] == "x"
