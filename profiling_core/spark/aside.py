"""Rows of a delta that are set aside before they count, and their release into the table.

A row that is set aside keeps its row id. Where it was to update another one, that one stays; where it comes back, the
row that has its key by then goes, unless that is a newer one. Keys compare by hashes of 64 bits.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID
from profiling_core.spark.row_groups import hashes_of
from profiling_core.spark.rows import Rows, row_file_writer


@dataclass(frozen=True)
class Portions:
    """Rows that are read a row group at a time, and their columns."""

    schema: pa.Schema
    read: Callable[[], Iterable[pa.Table]]

    @classmethod
    def of(cls, paths: Sequence[str]) -> "Portions":
        """The rows of files with the same columns; there is at least one file."""
        return cls(pq.read_schema(paths[0]), lambda: _row_groups(paths))

    @classmethod
    def once(cls, rows: pa.Table) -> "Portions":
        """Rows that are in memory."""
        return cls(rows.schema, lambda: [rows])

    def those(self, keeps: Callable[[pa.Table], NDArray[np.bool_]]) -> "Portions":
        """Some of the rows."""
        return Portions(self.schema, lambda: (rows.filter(pa.array(keeps(rows))) for rows in self.read()))

    def whole(self) -> pa.Table:
        """All rows."""
        return pa.concat_tables([self.schema.empty_table(), *self.read()])

    def write(self, folder: Path) -> None:
        """Writes the rows to a file in the folder."""
        with row_file_writer(folder / "part-0.parquet", self.schema) as writer:
            for rows in self.read():
                writer.write_table(rows)


@dataclass(frozen=True)
class Split:
    """A delta's rows without those set aside: what comes and goes still, and what does not come for now."""

    inserted: Portions
    deleted: Portions
    aside: pa.Table


def _row_groups(paths: Iterable[str]) -> Iterator[pa.Table]:
    for path in paths:
        with pq.ParquetFile(path) as file:
            yield from map(file.read_row_group, range(file.num_row_groups))


def split(inserted: Portions, deleted: Portions, rows: BitMap64, key: Sequence[str]) -> Split:
    """Takes rows out of a delta.

    Args:
        inserted: the rows that come, with ``_row_id``.
        deleted: the rows that go, with the table's columns.
        rows: the ids of the inserted rows to set aside.
        key: the table's key; without one every row is set aside by itself.
    """
    ids = np.fromiter(rows, np.int64, len(rows))
    aside = inserted.those(lambda some: np.isin(some[ROW_ID], ids)).whole()
    left = inserted.those(lambda some: ~np.isin(some[ROW_ID], ids))
    if not key:
        return Split(left, deleted, aside)
    keys = hashes_of(aside.select(key))
    return Split(left, deleted.those(lambda some: ~np.isin(hashes_of(some.select(key)), keys)), aside)


def returning(aside: pa.Table, current: Rows, key: Sequence[str]) -> Split:
    """The delta that brings rows back which had been set aside.

    Args:
        aside: those rows; of several with one key, the newest comes.
        current: the table's rows now.
        key: the table's key.

    Returns:
        ``aside`` are the rows that stay away for good: a newer row has their key.
    """
    columns = [ROW_ID, *current.schema.names]
    if not key:
        return Split(Portions.once(aside), Portions.once(current.arrow(columns).empty_table()), aside.slice(0, 0))
    aside = aside.sort_by([(ROW_ID, "descending")])
    keys, first = np.unique(hashes_of(aside.select(key)), return_index=True)
    present = pa.concat_tables(
        [current.arrow(columns).empty_table(), *current.with_keys(aside.take(first).select(key), columns)]
    )
    theirs = hashes_of(present.select(key))
    newest = aside[ROW_ID].to_numpy()[first]
    newer = present[ROW_ID].to_numpy() > newest[np.searchsorted(keys, theirs)] if len(present) else np.empty(0, bool)
    comes = np.zeros(len(aside), bool)
    comes[first[~np.isin(keys, theirs[newer])]] = True
    goes = present.filter(pa.array(~newer))
    return Split(Portions.once(aside.filter(pa.array(comes))), Portions.once(goes), aside.filter(pa.array(~comes)))
