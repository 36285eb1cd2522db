"""Compaction: many small row files become one, without the rows that their deletion vector names.

A step of the run that would add one more file does it, so that nothing else may change the table meanwhile, and the
files of earlier versions stay as they are. What it costs is a share of what the deltas since the last time brought.
"""

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyroaring import BitMap64

from profiling_core.model.delta import DELTA_ID, ROW_ID
from profiling_core.model.version import DELETED, ROWS, FileRef
from profiling_core.spark.rows import row_file_writer
from profiling_core.state.store import Store

MOST_SMALL = 48
SMALL_BYTES = 16 << 20
VECTOR = "rows.roaring64"
_ROWS_AT_ONCE = 131_072


def compacted(store: Store, files: Sequence[FileRef], table: str, run_id: str) -> tuple[FileRef, ...]:
    """A table's files in the next version, with its small row files made one where they are many."""
    small = [file for file in files if file.role == ROWS and file.size < SMALL_BYTES]
    if len(small) <= MOST_SMALL:
        return tuple(files)
    vectors = [file for file in files if file.role == DELETED]
    gone = union(store, vectors)
    folder = store.new_dir(run_id, table, ROWS)
    dropped = _merge(map(pq.read_table, store.verified(small)), gone, str(folder / "part-0.parquet"))
    merged = store.publish(folder, table, ROWS)
    others = [file for file in files if file not in small and file not in vectors]
    vector = write_vector(store, gone - dropped, table, run_id) if dropped else tuple(vectors)
    return (*others, *merged, *vector)


def union(store: Store, vectors: Iterable[FileRef]) -> BitMap64:
    """The row ids that deletion vectors hold together."""
    return BitMap64.union(BitMap64(), *(BitMap64.deserialize(store.verify(ref).read_bytes()) for ref in vectors))


def write_vector(store: Store, gone: BitMap64, table: str, run_id: str) -> tuple[FileRef, ...]:
    """Publishes a deletion vector; none where no row is gone."""
    if not gone:
        return ()
    folder = store.new_dir(run_id, table, DELETED)
    (folder / VECTOR).write_bytes(gone.serialize())
    return store.publish(folder, table, DELETED)


def _merge(tables: Iterable[pa.Table], gone: BitMap64, path: str) -> BitMap64:
    """Writes the rows that are not gone to one file; returns the ids of the others."""
    dropped = BitMap64()
    writer: pq.ParquetWriter | None = None
    for rows in _portions(_live(tables, gone, dropped)):
        writer = writer or row_file_writer(path, rows.schema)
        writer.write_table(rows)
    if writer:
        writer.close()
    return dropped


def _live(tables: Iterable[pa.Table], gone: BitMap64, dropped: BitMap64) -> Iterator[pa.Table]:
    schema: pa.Schema | None = None
    for table in tables:
        plain = table.drop_columns([DELTA_ID]) if DELTA_ID in table.column_names else table
        schema = schema or plain.schema.remove_metadata()
        ids = BitMap64(plain[ROW_ID].to_pylist()) & gone if gone else gone
        dropped |= ids
        live = plain.filter(pc.invert(pc.is_in(plain[ROW_ID], pa.array(ids, pa.int64())))) if ids else plain
        yield live.select(schema.names).cast(schema)


def _portions(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The tables, small ones together; at least one, which may have no rows."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= _ROWS_AT_ONCE:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)
