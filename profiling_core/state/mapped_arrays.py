"""Arrays of the state, mapped: proven by a sum over their bytes, which costs a fraction of what a digest does.

The sums of a role's arrays stand in a small file among them, which is proven by its digest like any other; so what a
version says of that one proves the arrays. A step maps hundreds of megabytes and looks up places that kernels
compute from what they have just read: bytes must be proven before.
"""

import io
import mmap
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.state.array_folder import PARSING, SUFFIX
from profiling_core.state.proof import FROM_BACKUP, StoredFile, is_settled, named

SUMS = "sums"
_SUM = np.dtype([("name", "S64"), ("sum", "<u8")])
_LONGEST_HEADER = 4096
_REMEMBERED = 1 << 12
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class SummedFile:
    """A file of one array, and the sum that its bytes must have."""

    file: StoredFile
    sum: int


def array_name(file: FileRef) -> str:
    """The name of the array that a file holds."""
    return Path(file.path).name.removesuffix(SUFFIX)


def sums_file(files: Iterable[FileRef]) -> FileRef | None:
    """Of the files of a role, the one that holds the others' sums; an earlier release wrote none."""
    return next((file for file in files if array_name(file) == SUMS), None)


def sums_as_array(sums: Mapping[str, int]) -> NDArray[Any]:
    """Sums by the names of arrays as one array, which is stored among them under :data:`SUMS`."""
    return np.array([(name.encode("ascii"), value) for name, value in sorted(sums.items())], _SUM)


def sums_from(path: Path) -> dict[str, int]:
    """The inverse of :func:`sums_as_array`, from its file, proven."""
    stored = np.load(path, allow_pickle=False)
    return {name.decode("ascii"): int(value) for name, value in stored.tolist()}


def sum_of(path: Path) -> tuple[int, int]:
    """The sum of a file's bytes, and their number."""
    from profiling_core.algorithms.ground.byte_sums import byte_sum

    # Read, not mapped: a file that is cut off meanwhile would end the process.
    with path.open("rb", buffering=0) as file:
        return byte_sum(file)


def map_array(wanted: SummedFile) -> NDArray[Any]:
    """The array of a file, read-only, its bytes proven.

    Raises:
        StateError: the file is missing, unreadable or damaged.
    """
    with named(wanted.file) as path:
        found, size = _known(path)()
        data = _mapped(path) if (found, size) == (wanted.sum, wanted.file.size) else None
    if data is None or len(data) != size:
        raise StateError(
            f"a file of the state is damaged: {size} bytes with sum {found:x}, "
            f"where {wanted.file.size} bytes with {wanted.sum:x} were published",
            where=wanted.file.path,
            remedy=FROM_BACKUP,
        )
    header = io.BytesIO(data[:_LONGEST_HEADER].tobytes())
    np.lib.format.read_magic(header)
    with PARSING:
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(header)
    return data[header.tell() :].view(dtype).reshape(shape, order="F" if by_columns else "C")


def map_ahead(files: Iterable[SummedFile]) -> None:
    """Begins to sum files in a thread of its own, the largest first: whoever maps one waits for the rest at most."""
    largest = sorted((summed.file for summed in files), key=lambda file: -file.size)
    if largest:
        threading.Thread(target=_take, args=(largest,), name="sums", daemon=True).start()


def _take(files: Iterable[StoredFile]) -> None:
    for file in files:
        with suppress(OSError):  # told when it is mapped
            _known(Path(file.path))()


@dataclass
class _Summed:
    """The sum of a file as it is, and its size, taken when they are first asked for; whoever asks meanwhile waits."""

    path: Path
    taking: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> tuple[int, int]:
        with self.taking:
            return self._taken

    @cached_property
    def _taken(self) -> tuple[int, int]:
        return sum_of(self.path)


def _known(path: Path) -> _Summed:
    found = path.stat()
    if not is_settled(found):
        return _Summed(path)
    return _remembered(str(path), found.st_size, found.st_mtime_ns, found.st_ino)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(path: str, _size: int, _mtime_ns: int, _inode: int) -> _Summed:
    return _Summed(Path(path))


def _mapped(path: Path) -> Bytes:
    with path.open("rb") as file:
        size = path.stat().st_size
        if not size:
            return np.empty(0, np.uint8)  # which no map can be of
        # All pages at once: one by one they cost more than the sum.
        flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, flags=flags, prot=mmap.PROT_READ), np.uint8)
