"""Named arrays in a place that pieces of work share: this process, or one that other processes reach too."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray


class ArrayPlace(Protocol):
    """Arrays by name. Pieces of work that run at once write to different arrays, or to different parts of one."""

    def make(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        """A new array of zeros."""

    def put(self, name: str, array: NDArray[Any]) -> None:
        """An array as it is."""

    def write(self, name: str, where: Any, values: NDArray[Any]) -> None:
        """Writes a part of an array: ``where`` is what it is indexed by."""

    def get(self, name: str) -> NDArray[Any]:
        """The array of that name, to read."""

    def names(self) -> list[str]:
        """The names of all arrays."""


@dataclass(frozen=True, slots=True)
class HeldArrays:
    """Arrays in this process's memory."""

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def make(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        """A new array of zeros."""
        self.arrays[name] = np.zeros(shape, dtype)

    def put(self, name: str, array: NDArray[Any]) -> None:
        """An array as it is."""
        self.arrays[name] = array

    def write(self, name: str, where: Any, values: NDArray[Any]) -> None:
        """Writes a part of an array."""
        self.arrays[name][where] = values

    def get(self, name: str) -> NDArray[Any]:
        """The array of that name."""
        return self.arrays[name]

    def names(self) -> list[str]:
        """The names of all arrays."""
        return list(self.arrays)
