"""What other people's Delta Lake tables do: cleaned logs, columns that change, pasts that are gone."""

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from helpers.ledger import Ledger, rows


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
