"""A table's live rows in a version: its immutable row files without the row ids in its deletion vector.

Rows are never rewritten: a delta's inserted rows become files of the next version as they are, and the rows that go
are noted in a roaring bitmap of row ids, the deletion vector. One bitmap per version holds all that went so far.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID, NormalizedDelta
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import ASIDE, DELETED, KEY_INDEX, QUARANTINED, ROWS, FileRef, Version
from profiling_core.spark.bucket import WrittenPart
from profiling_core.spark.compaction import compacted, union, write_vector
from profiling_core.spark.key_index import PARTS, KeyIndex, by_name, index_name
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def snapshot_rows(spark: "SparkSession", store: Store, version: Version, table: str) -> Rows:
    """The rows of a table in a version.

    Raises:
        KeyError: the version has no such table.
    """
    schema, gone = version.tables[table].schema, read_vector(store, version, table)
    files, known = version.files_of(ROWS, table), _indexes(store, version.files_of(KEY_INDEX, table))
    names = {file: index_name(file, match_of(schema)) for file in files}
    indexed, others = ([file for file in files if (names[file] in known) == there] for there in (True, False))
    parts = (
        RowFiles(partial(store.verified, indexed), gone, tuple(known[names[file]] for file in indexed)),
        RowFiles(partial(store.verified, others), gone),
    )
    return Rows(spark, schema, parts)


def _indexes(store: Store, files: Sequence[FileRef]) -> dict[str, KeyIndex]:
    """The indexes of row files that there are, by their names."""
    stored = store.all_stored(files)
    return {name: KeyIndex(*(stored[parts[part]] for part in PARTS)) for name, parts in by_name(files).items()}


def match_of(schema: TableSchema) -> list[str]:
    """The columns that tell whether two rows are one: the key's, or without a key all."""
    return list(schema.key or schema.names)


def read_snapshot(spark: "SparkSession", store: Store, version: Version, table: str) -> "DataFrame":
    """The rows of a table in a version as Spark reads them: ``_row_id``, then the schema's columns."""
    return snapshot_rows(spark, store, version, table).frame


def read_vector(store: Store, version: Version, table: str) -> BitMap64:
    """The row ids that a version's row files hold, but the version does not."""
    return union(store, version.files_of(DELETED, table))


def next_snapshot_files(
    store: Store, version: Version | None, delta: NormalizedDelta, run_id: str
) -> tuple[FileRef, ...]:
    """The files that hold a table's rows in the next version, with the quarantines and the rows set aside so far.

    The inserted rows' directory becomes a row file as it is; where rows go, a new deletion vector is written. Rows that
    were rewritten under other columns replace the row files so far. Many small row files become one.
    """
    table = delta.table
    roles = (ROWS, QUARANTINED) if delta.releases else (ROWS, QUARANTINED, ASIDE)
    kept = tuple(f for role in roles for f in version.files_of(role, table)) if version else ()
    if delta.rewritten:  # in place of the row files so far, and without what their deletion vector names
        kept = (*_with_rows(store, delta.rewritten), *(f for f in kept if f.role != ROWS))
        version = None
    old_vector = version.files_of(DELETED, table) if version else ()
    inserted = _with_rows(store, delta.inserted)
    rejects = _with_rows(store, delta.quarantine) if delta.rejects else ()
    rejects += _with_rows(store, delta.aside) if delta.set_aside else ()
    gone = _row_ids(store, delta.deleted)
    vector = old_vector
    if len(gone):
        vector = write_vector(store, union(store, old_vector) | BitMap64(gone.tolist()), table, run_id)
    return compacted(store, (*kept, *inserted, *vector, *rejects), table, run_id)


def rows_set_aside(store: Store, version: Version, table: str) -> int:
    """How many rows of a table are set aside in a version."""
    return rows_in(store, version.files_of(ASIDE, table))


def rows_in(store: Store, files: Sequence[FileRef]) -> int:
    """How many rows Parquet files hold together."""
    return sum(pq.read_metadata(path).num_rows for path in store.verified(files))


def _with_rows(store: Store, files: Sequence[FileRef]) -> tuple[FileRef, ...]:
    """The files that hold rows."""
    return tuple(ref for ref in files if rows_in(store, [ref]))


def _row_ids(store: Store, files: Sequence[FileRef]) -> NDArray[np.int64]:
    ids: NDArray[np.int64] = pq.read_table(store.verified(files), columns=[ROW_ID])[ROW_ID].to_numpy()
    return ids


ROLE_OF = {
    WrittenPart.INSERTED: ROWS,
    WrittenPart.DELETED: "gone",
    WrittenPart.QUARANTINE: QUARANTINED,
    WrittenPart.ARRIVED: "arrived",
}
"""The role under which each part of a delta is stored; rows that go, or arrived, are no part of a version."""
