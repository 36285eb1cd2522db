"""Named arrays as files of a folder, each mapped where it is used; processes that reach the folder share them."""

import uuid
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

SUFFIX = ".npy"
# Bytes of such a file before its first value.
HEADER = 128
# NumPy parses a file's header as Python, which CPython 3.11 may fail to do in two threads at once (its issue 106905).
PARSING = Lock()


def open_array(path: Path) -> NDArray[Any]:
    """The array in a file, mapped; one without values, which cannot be mapped, as it is. Safe in threads."""
    with PARSING:
        return np.asarray(np.load(path, mmap_mode="r" if path.stat().st_size > HEADER else None, allow_pickle=False))


@dataclass(frozen=True, slots=True)
class ArrayFolder:
    """A place for arrays (:class:`~profiling_core.algorithms.ground.array_place.ArrayPlace`) that is a folder."""

    path: Path

    def make(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        """A new array of zeros: a file with a hole, which takes room as it is written to."""
        if 0 in shape:
            np.save(self.file(name), np.zeros(shape, dtype))
        else:
            np.lib.format.open_memmap(self.file(name), "w+", np.dtype(dtype), shape)

    def put(self, name: str, array: NDArray[Any]) -> None:
        """An array as it is; another one of that name that is mapped somewhere stays what it was."""
        part = self.path / f".{uuid.uuid4().hex}"
        with part.open("wb") as file:
            np.save(file, array, allow_pickle=False)
        part.replace(self.file(name))

    def write(self, name: str, where: Any, values: NDArray[Any]) -> None:
        """Writes a part of an array, so that other machines see it."""
        if not values.size:
            return
        with PARSING:
            mapped = np.lib.format.open_memmap(self.file(name), "r+")
        mapped[where] = values
        mapped.flush()

    def get(self, name: str) -> NDArray[Any]:
        """The array of that name, mapped."""
        return open_array(self.file(name))

    def names(self) -> list[str]:
        """The names of all arrays, sorted."""
        return sorted(path.name.removesuffix(SUFFIX) for path in self.path.glob(f"*{SUFFIX}"))

    def file(self, name: str) -> Path:
        """Where the array of that name lies."""
        return self.path / f"{name}{SUFFIX}"
