"""The generator's files: what they are, how they are written, and how they are read, whole or where a value stands.

A bucket has a *base* and *deltas* on it; a *log* holds what came of any bucket, until it is folded into the buckets.
Each is an uncompressed Arrow file of :data:`SORTED` rows in one batch, which is mapped: what is looked up in it costs
what it finds, and is proven row by row; what is read whole is proven by the file's checksum.
"""

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.sorted_entries import (
    SORTED,
    DamagedEntriesError,
    entries_of,
    look_up,
    sorted_entries,
)
from profiling_core.algorithms.inclusions.value_generator import joined
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.version import FileRef
from profiling_core.state.proof import StoredFile

BASE, DELTA, LOG = "base.arrow", "delta.arrow", "log.arrow"


@dataclass(frozen=True, slots=True)
class Generator:
    """The stored generator: number of buckets, how values compare, and what there is.

    ``files`` are those of each bucket, ``logs`` those of all. Files to be ``moved`` were made for another number of
    buckets, or are logs to be folded in, or to be made one: they are needed no more. Entries of attributes that are
    ``gone`` are passed over. ``is_small`` says that the delta is: it is merged here, without a job, and becomes a log.
    """

    buckets: int
    values: Values
    files: Mapping[int, tuple[StoredFile, ...]]
    max_files: int
    logs: tuple[StoredFile, ...] = ()
    moved: tuple[StoredFile, ...] = ()
    gone: tuple[int, ...] = ()
    is_small: bool = False


def is_log(ref: FileRef) -> bool:
    """Whether a generator file holds entries of any bucket."""
    return Path(ref.path).name == LOG


def is_base(ref: FileRef) -> bool:
    """Whether a generator file stands for all that its bucket held when it was written."""
    return Path(ref.path).name == BASE


def bucket_of(ref: FileRef) -> int:
    """The bucket that a base or delta belongs to."""
    return int(Path(ref.path).parent.name.removeprefix("bucket="))


def bucket_folder(into: Path, bucket: int) -> Path:
    """Where the files of a bucket lie in a directory of the generator."""
    return into / f"bucket={bucket:04}"


def write_entries(entries: pa.Table, folder: Path, name: str) -> None:
    """Writes a file whole or not at all: a task that is tried again, or twice, leaves the same file."""
    folder.mkdir(exist_ok=True)
    temporary = folder / f".{uuid.uuid4().hex}"
    table = sorted_entries(entries)
    with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, SORTED) as writer:
        writer.write_table(table)
    temporary.replace(folder / name)


def read_entries(file: StoredFile) -> pa.Table:
    """All entries of a file.

    Raises:
        OSError: it is missing or damaged; the message is its path.
    """
    data = Path(file.path).read_bytes()
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise OSError(file.path)
    return entries_of(pa.ipc.open_file(pa.BufferReader(data)).read_all())


def find_entries(files: Iterable[StoredFile], wanted: NDArray[np.uint64]) -> pa.Table:
    """The entries of the values of these hashes (ascending) in any of the files, not added up.

    Raises:
        OSError: a file is missing, or damaged where it was looked at; the message is its path.
    """
    return joined(_find(file, wanted) for file in files)


def _find(file: StoredFile, wanted: NDArray[np.uint64]) -> pa.Table:
    try:
        with pa.memory_map(file.path) as mapped:
            return look_up(_mapped_entries(mapped, file.size), wanted)
    except (OSError, pa.ArrowException, DamagedEntriesError) as error:  # Arrow's own name no path
        raise OSError(file.path) from error


def _mapped_entries(mapped: pa.MemoryMappedFile, size: int) -> pa.Table:
    stored = pa.ipc.open_file(mapped).read_all()
    if mapped.size() != size or stored.schema != SORTED:
        raise DamagedEntriesError
    stored.validate()
    return stored


def without(entries: pa.Table, gone: Sequence[int]) -> pa.Table:
    """The entries without those of some attributes."""
    if not gone:
        return entries
    return entries.filter(pc.invert(pc.is_in(entries["attribute"], pa.array(gone, pa.int32()))))
