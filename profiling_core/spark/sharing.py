"""Rows shared out by a hash of some columns: tasks write them to files by slot, and each slot is read alone.

It stands in for a shuffle: rows stay Arrow's from the reader to whoever works on them, and no process holds them all.
Executors reach the folder, as they do the folders that they leave row files in.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.columns.repeats import Hashes, combined_hashes

# The highest bits of a hash are its slot: few enough that a file's batches have some rows each.
_BITS = 9
SLOTS = 1 << _BITS
_HASH = "match"
# Bytes of rows that a task holds before it writes a file.
_AT_ONCE = 64 << 20


@dataclass(frozen=True, slots=True)
class SharedRows:
    """A file with a batch of rows per slot: ``slots`` are those that have rows, ascending, as the batches are."""

    path: str
    slots: tuple[int, ...]


def share_out(tables: Iterable[pa.Table], match: Sequence[str], folder: Path) -> Iterator[SharedRows]:
    """Writes rows to files of their own; those that are the same in the columns ``match`` have one slot."""
    waiting: list[pa.Table] = []
    size = 0
    for table in tables:
        waiting.append(table)
        size += table.nbytes
        if size >= _AT_ONCE:
            yield from _written(pa.concat_tables(waiting), match, folder)
            waiting, size = [], 0
    if waiting:
        yield from _written(pa.concat_tables(waiting), match, folder)


def _written(rows: pa.Table, match: Sequence[str], folder: Path) -> Iterator[SharedRows]:
    if not len(rows):
        return
    hashes = hashes_of(rows, match)
    slots = (hashes >> np.uint64(64 - _BITS)).astype(np.int64)
    order = np.argsort(slots, kind="stable")
    by_slot = rows.append_column(_HASH, pa.array(hashes)).take(order).combine_chunks()
    found, starts = np.unique(slots[order], return_index=True)
    path = str(folder / f"{uuid.uuid4().hex}.arrow")
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, by_slot.schema, options=options) as writer:
        for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
            writer.write_table(by_slot.slice(start, stop - start))
    yield SharedRows(path, tuple(found.tolist()))


def hashes_of(rows: pa.Table, match: Sequence[str]) -> Hashes:
    """uint64[n]: the same for rows that are the same in the columns."""
    return combined_hashes([rows[name] for name in match], len(rows))


def rows_in(files: Iterable[SharedRows], slots: range, schema: pa.Schema) -> pa.Table:
    """The rows of some slots, of this schema."""
    found = [schema.empty_table()]
    for file in files:
        wanted = [place for place, slot in enumerate(file.slots) if slot in slots]
        if wanted:
            with pa.memory_map(file.path) as source, pa.ipc.open_file(source) as reader:
                batches = [reader.get_batch(place) for place in wanted]
                found.append(pa.Table.from_batches(batches).drop_columns([_HASH]).cast(schema))
    return pa.concat_tables(found)


def all_hashes(files: Sequence[SharedRows]) -> NDArray[np.uint64]:
    """uint64[d], ascending: the hashes of all rows, each once."""
    found = [np.empty(0, np.uint64)]
    for file in files:
        with pa.memory_map(file.path) as source, pa.ipc.open_file(source) as reader:
            last = pa.ipc.IpcReadOptions(included_fields=[len(reader.schema) - 1])
        with pa.memory_map(file.path) as source, pa.ipc.open_file(source, options=last) as reader:
            found.append(np.unique(reader.read_all()[_HASH].to_numpy()))
    return np.unique(np.concatenate(found))
