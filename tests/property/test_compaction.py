"""Compaction leaves a table's live rows as they are, and the files of earlier versions alone."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.model.errors import StateError
from profiling_core.model.version import DELETED, QUARANTINED, ROWS, FileRef
from profiling_core.spark import compaction
from profiling_core.state.store import Store

TABLE = "orders"
SIZES = st.lists(st.integers(0, 6), min_size=1, max_size=9)


def rows_of(store: Store, files: tuple[FileRef, ...]) -> dict[int, str]:
    """The live rows that these files hold: their oracle, row by row."""
    gone = compaction.union(store, [file for file in files if file.role == DELETED])
    tables = [pq.read_table(store.verify(file)) for file in files if file.role == ROWS]
    rows = [row for table in tables for row in table.to_pylist() if row["_row_id"] not in gone]
    assert len({row["_row_id"] for row in rows}) == len(rows)
    return {row["_row_id"]: row["text"] for row in rows}


def written(store: Store, role: str, first: int, size: int, *, labelled: bool) -> tuple[FileRef, ...]:
    ids = list(range(first, first + size))
    table = pa.table({"_row_id": pa.array(ids, pa.int64()), "text": pa.array([f"row {i}" for i in ids], pa.string())})
    if labelled:
        table = table.append_column("_delta_id", pa.array(["d"] * size, pa.string()))
    folder = store.new_dir("run-1", TABLE, role)
    pq.write_table(table, folder / "part-0.parquet")
    return store.publish(folder, TABLE, role)


@given(SIZES, st.data())
@settings(deadline=None, max_examples=examples(40))
def test_live_rows_stay_and_earlier_files_too(tmp_path_factory: pytest.TempPathFactory, sizes, data) -> None:
    home = tmp_path_factory.mktemp("home")
    store = Store(home, "shop")
    files: tuple[FileRef, ...] = written(store, QUARANTINED, 0, 2, labelled=False)
    total = 0
    for number, size in enumerate(sizes):
        files += written(store, ROWS, total, size, labelled=bool(number % 2))
        total += size
    gone = data.draw(st.sets(st.integers(0, max(0, total - 1))))
    files += compaction.write_vector(store, compaction.BitMap64(gone), TABLE, "run-1")
    before = rows_of(store, files)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compaction, "MOST_SMALL", data.draw(st.integers(0, 9)))
        patch.setattr(compaction, "SMALL_BYTES", data.draw(st.sampled_from([0, 800, 1 << 20])))
        after = compaction.compacted(store, files, TABLE, "run-2")
        small = [file for file in after if file.role == ROWS and file.size < compaction.SMALL_BYTES]
        assert len(small) <= max(compaction.MOST_SMALL, 1)
    assert rows_of(store, after) == before
    assert [file for file in after if file.role == QUARANTINED] == list(files[:1])
    assert rows_of(store, files) == before


def test_a_damaged_file_is_not_compacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "MOST_SMALL", 1)
    store = Store(tmp_path, "shop")
    files = (*written(store, ROWS, 0, 3, labelled=False), *written(store, ROWS, 3, 3, labelled=False))
    (tmp_path / files[0].path).write_bytes(b"x")
    with pytest.raises(StateError, match="damaged"):
        compaction.compacted(store, files, TABLE, "run-2")
