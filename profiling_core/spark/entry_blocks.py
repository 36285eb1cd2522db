"""Generator entries on their way to their buckets, in files: each holds one block per bucket, in Arrow's stream format.

Whoever gathers a bucket reads its blocks alone. What travels between processes, or waits in one, is where they lie.
"""

import itertools
import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from profiling_core.algorithms.inclusions.value_generator import ENTRY, joined, partitioned

HELD_BYTES = 64 << 20
"""How many bytes of entries wait in memory for the next file."""


@dataclass(frozen=True, slots=True)
class EntryFile:
    """A file of entries: those of bucket b lie from ``offsets[b]`` to ``offsets[b + 1]``."""

    path: str
    offsets: tuple[int, ...]


def write_entries(entries: pa.Table, count: int, folder: Path) -> EntryFile:
    """Writes entries to a new file in ``count`` buckets."""
    path, ends = folder / uuid.uuid4().hex, [0] * (count + 1)
    with path.open("wb") as file:
        for bucket, part in partitioned(entries, count):
            with pa.ipc.new_stream(file, ENTRY) as writer:
                writer.write_table(part.combine_chunks())
            ends[bucket + 1] = file.tell()
    return EntryFile(str(path), tuple(itertools.accumulate(ends, max)))


def read_bucket(files: Iterable[EntryFile], bucket: int) -> pa.Table:
    """The entries of one bucket, not added up."""
    places = ((file.path, file.offsets[bucket], file.offsets[bucket + 1]) for file in files)
    return joined(_read(path, first, end) for path, first, end in places if first < end)


def _read(path: str, first: int, end: int) -> pa.Table:
    with Path(path).open("rb") as file:
        file.seek(first)
        return pa.ipc.open_stream(file.read(end - first)).read_all()


class FileSpool:
    """Keeps entries in files of a folder, so that of the values of all tables only a few are in memory at once."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folder, self._count = folder, count
        self._lock = threading.Lock()
        self._held: list[pa.Table] = []
        self._bytes = 0
        self._files: list[EntryFile] = []

    def put(self, entries: pa.Table) -> None:
        """Adds entries of any buckets; now and then writes what waits."""
        with self._lock:
            self._held.append(entries)
            self._bytes += entries.nbytes
            if self._bytes < HELD_BYTES:
                return
        self._write()

    def _write(self) -> None:
        with self._lock:
            taken, self._held, self._bytes = self._held, [], 0
        self._files.append(write_entries(joined(taken), self._count, self._folder))

    def buckets(self) -> Sequence[Callable[[], pa.Table]]:
        """The entries that were put, bucket by bucket."""
        self._write()
        return [partial(read_bucket, self._files, bucket) for bucket in range(self._count)]
