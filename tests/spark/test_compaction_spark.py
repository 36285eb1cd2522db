"""What compaction leaves is read by Spark as the rows that there were, and an earlier version's files as they were."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from databases.catalogs import make_version, table_state

from profiling_core.model.version import DELETED, ROWS, Version
from profiling_core.spark import compaction
from profiling_core.spark.snapshot import read_snapshot
from profiling_core.state.store import Store

pytestmark = pytest.mark.spark
TABLE, FILES, SIZE = "flights", compaction.MOST_SMALL + 1, 5


def rows(spark: Any, store: Store, version: Version) -> list[tuple[int, ...]]:
    return sorted(tuple(row) for row in read_snapshot(spark, store, version, TABLE).collect())


def test_spark_reads_the_same_rows_before_and_after(spark: Any, tmp_path: Path) -> None:
    store = Store(tmp_path, "nyc")
    files = []
    for number in range(FILES):
        ids = list(range(number * SIZE, (number + 1) * SIZE))
        folder = store.new_dir("run-1", TABLE, ROWS)
        columns = {"_row_id": ids, "a": [i * 2 for i in ids], "b": [None if i % 7 == 0 else i % 3 for i in ids]}
        whole = pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()})
        # as files of deltas: some say which one they came with
        labelled = whole.append_column("_delta_id", pa.array(["d"] * SIZE)) if number % 2 else whole
        pq.write_table(labelled, folder / "part-0.parquet")
        files += store.publish(folder, TABLE, ROWS)
    gone = compaction.BitMap64([3, 17, FILES * SIZE - 1])
    files += compaction.write_vector(store, gone, TABLE, "run-1")
    before = make_version(1, tables={TABLE: table_state(rows=FILES * SIZE - 3)}, files=tuple(files))
    held = rows(spark, store, before)
    assert [row[0] for row in held] == [i for i in range(FILES * SIZE) if i not in gone]

    after = replace(before, number=2, files=compaction.compacted(store, files, TABLE, "run-2"))
    assert len(after.files_of(ROWS, TABLE)) == 1
    assert after.files_of(DELETED, TABLE) == ()
    assert rows(spark, store, after) == held
    assert rows(spark, store, before) == held
