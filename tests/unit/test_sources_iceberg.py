"""What other people's Iceberg tables do: columns that are renamed, moved and widened, values without a type."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from helpers.ledger import Ledger, rows
from helpers.worlds import IcebergWorld


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
