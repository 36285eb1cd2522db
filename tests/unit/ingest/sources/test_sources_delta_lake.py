"""What other people's Delta Lake tables do: cleaned logs, columns that change, pasts that are gone."""

import base64
import json
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyroaring
import pytest
from helpers.ledger import Ledger, rows

from profiling_core.ingest.sources import delta_lake
from profiling_core.ingest.sources.delta_lake import first_rows, open_table
from profiling_core.model.errors import InputError


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


@pytest.mark.parametrize("partitioned", [False, True])
def test_a_version_of_many_files_is_read_in_parts(tmp_path: Path, monkeypatch, partitioned: bool) -> None:
    monkeypatch.setattr(delta_lake, "_TOGETHER", 1)
    lake = Lake(tmp_path)
    more = {"partition_by": ["day of load"]} if partitioned else {}
    for number in range(4):
        days = ["a b/c", None] if partitioned else ["x", "y"]
        lake.write({"id": [2 * number, 2 * number + 1], "day of load": pa.array(days, pa.string())}, **more)
    source = delta_lake.DeltaLake(lake.ledger.settings, lake.ledger.config)
    batch = source.open(source.look({}, None).pending, {})
    assert [part.number for part in batch.parts] == list(range(len(lake.table.file_uris())))
    assert {part.step for part in batch.parts} == {0}
    assert sum(part.size for part in batch.parts) > 1000
    lake.is_followed()


@pytest.mark.parametrize("feed", ["true", "false"])
def test_a_log_that_was_cleaned_up_hides_no_rows(tmp_path: Path, feed: str) -> None:
    lake = Lake(tmp_path, **{"delta.enableChangeDataFeed": feed, "delta.logRetentionDuration": "interval 0 days"})
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


@pytest.mark.parametrize("feed", ["true", "false"])
def test_rows_that_deletion_vectors_mark_go(tmp_path: Path, feed: str) -> None:
    lake = Lake(tmp_path, **{"delta.enableChangeDataFeed": feed})
    lake.write({"id": list(range(8))})
    assert len(rows(lake.ledger)) == 8
    _mark(lake, [], [3, 7])
    assert [row["id"] for row in rows(lake.ledger)] == [0, 1, 2, 4, 5, 6]
    _mark(lake, [3, 7], [1, 3, 7])
    _mark(lake, [1, 3, 7], [0, 1, 3, 7])
    assert [row["id"] for row in rows(lake.ledger)] == [2, 4, 5, 6]
    assert lake.ledger.look().pending == ()
    assert sorted(first_rows(open_table(str(lake.path)), 10)["id"].to_pylist()) == [2, 4, 5, 6]


def counts(lake: Lake, ledger: Ledger) -> list[tuple[int | None, int]]:
    """Of each part that is pending: the rows that are counted apart, and those that are read."""
    source = delta_lake.DeltaLake(ledger.settings, ledger.config)
    batch = source.open(source.look(ledger.applied, None).pending, ledger.applied)
    names = batch.reader.names(batch.parts[0])
    return [(batch.reader.total(p), sum(map(len, batch.reader.chunks(p, names)))) for p in batch.parts]


@pytest.mark.parametrize("feed", ["true", "false"])
def test_rows_of_each_way_of_reading_are_counted_apart(tmp_path: Path, feed: str) -> None:
    lake = Lake(tmp_path, **{"delta.enableChangeDataFeed": feed})
    lake.write({"id": list(range(8))})
    assert counts(lake, lake.ledger) == [(8, 8)]
    rows(lake.ledger)
    lake.write({"id": [8, 9]})
    lake.table.update({"id": "id + 100"}, predicate="id >= 6")
    lake.table.delete("id < 2")
    found = counts(lake, lake.ledger)
    assert len(found) == 3
    assert [counted for counted, _ in found] == [read for _, read in found]
    assert [counted for counted, _ in found] == ([2, 8, 2] if feed == "true" else [2, 20, 18])
    lake.is_followed()


def test_rows_beside_deletion_vectors_are_counted_by_a_query(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.write({"id": list(range(8))})
    _mark(lake, [], [3, 7])
    assert counts(lake, lake.ledger) == [(6, 6)]


def test_first_rows_may_hold_any_type(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.write(
        {
            "id": [1],
            "seal": [b"x"],
            "place": [{"at": [1.5]}],
            "by": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8())),
        }
    )
    assert first_rows(open_table(str(lake.path)), 10).to_pylist() == [
        {"id": 1, "seal": b"x", "place": '{"at": [1.5]}', "by": '[["k", 1]]'}
    ]


@pytest.mark.parametrize("feed", ["true", "false"])
def test_what_deltalake_does_not_know_is_refused_before_a_row_is_read(tmp_path: Path, feed: str) -> None:
    lake = Lake(tmp_path, **{"delta.enableChangeDataFeed": feed})
    lake.write({"id": [1]})
    assert rows(lake.ledger) == [{"id": 1}]
    _commit(lake, _protocol("sealedRows"))
    with pytest.raises(InputError, match="sealedRows"):
        lake.ledger.look()


def _mark(lake: Lake, before: Sequence[int], after: Sequence[int]) -> None:
    """Marks rows of the only file as deleted, as Spark does: with a deletion vector in the log."""
    log = [json.loads(line) for line in next(lake.path.glob("_delta_log/*.json")).read_text().splitlines()]
    (file,) = (action["add"] for action in log if "add" in action)
    gone = {"path": file["path"], "deletionTimestamp": 0, "dataChange": True} | _vector(before)
    _commit(lake, _protocol("deletionVectors"), {"remove": gone}, {"add": file | _vector(after)})


def _vector(places: Sequence[int]) -> dict[str, Any]:
    bitmap = pyroaring.BitMap(places).serialize()
    bits = struct.pack("<IQI", 1681511377, 1, 0) + bitmap
    encoded = base64.b85encode(bits + bytes(-len(bits) % 4)).translate(_Z85).decode()
    told = {"storageType": "i", "pathOrInlineDv": encoded, "sizeInBytes": len(bits), "cardinality": len(places)}
    return {"deletionVector": told} if places else {}


_Z85 = bytes.maketrans(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
)


def _protocol(feature: str) -> dict[str, Any]:
    versions = {"minReaderVersion": 3, "minWriterVersion": 7}
    writing = [feature, "changeDataFeed"]
    return {"protocol": versions | {"readerFeatures": [feature], "writerFeatures": writing}}


def _commit(lake: Lake, *actions: dict[str, Any]) -> None:
    version = lake.table.version() + 1
    told = {"commitInfo": {"timestamp": 1_900_000_000_000 + version, "operation": "DELETE"}}
    text = "\n".join(json.dumps(action) for action in (told, *actions))
    (lake.path / "_delta_log" / f"{version:020}.json").write_text(text)
