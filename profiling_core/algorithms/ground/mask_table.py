"""Distinct masks numbered in the order in which they came: finding the new ones costs one look at each mask."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import grown
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.hashing import binary_logarithm, search_starts
from profiling_core.algorithms.ground.kernel import kernel


class MaskIndex(NamedTuple):
    """``masks``: uint64[room, words]; ``places``: int32[2^k], one more than the number of a mask, 0 where none is."""

    masks: Masks
    places: NDArray[np.int32]


class MaskTable:
    """Distinct masks that become more, and arrays with an entry for each.

    Args:
        masks: uint64[n, words], distinct.
        beside: arrays of n entries by name; they grow with the masks, by zeros.
    """

    def __init__(self, masks: Masks, **beside: NDArray[Any]) -> None:
        self.used = len(masks)
        self._beside = beside
        self._index = MaskIndex(masks, np.zeros(0, np.int32))

    @property
    def masks(self) -> Masks:
        """uint64[n, words], in the order in which they came."""
        return _filled(self._index.masks, self.used)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An array's entries, one per mask."""
        return _filled(self._beside[name], self.used)

    def with_room(self, more: int) -> tuple[MaskIndex, dict[str, NDArray[Any]]]:
        """The table that kernels enter masks into, with room for ``more`` masks, and the arrays beside it."""
        needed, masks, places = self.used + more, self._index.masks, self._index.places
        if needed > len(masks) or not masks.flags.writeable:
            # Powers of two: who asks for room again and again, and fills little of it, is given the same arrays.
            room = 1 << (needed - 1).bit_length()
            masks = grown(self.masks, room)
            self._beside = {name: grown(self[name], room) for name in self._beside}
            self._index = MaskIndex(masks, places)
        if 2 * needed > len(places):
            self._index = MaskIndex(masks, np.zeros(1 << (3 * needed).bit_length(), np.int32))
            enter_all(self._index, masks, 0, np.zeros(self.used, np.int64))
        return self._index, self._beside


def _filled(array: NDArray[Any], used: int) -> NDArray[Any]:
    return array if used == len(array) else array[:used]


@kernel
def enter(index: MaskIndex, some: Masks, starts: Masks, used: int | np.int64, numbers: NDArray[np.int64]) -> int:
    """Finds masks, or enters them behind the first ``used``, in their order; returns how many there are then.

    A whole block at once: a call for each mask would cost several times what looking it up does.

    Args:
        index: has room for all of them to be new.
        some: uint64[m, words], the masks; the first n count.
        starts: where the search for each begins.
        used: how many there are.
        numbers: int64[n], takes the number of each; one that is -1 beforehand is passed over.
    """
    masks, places = index
    words = masks.shape[1]
    wrap = np.uint64(places.size - 1)
    for row in range(numbers.size):
        if numbers[row] < 0:
            continue
        at = starts[row]
        while places[at] != 0:
            number = np.int64(places[at]) - 1
            different = np.uint64(0)
            for w in range(words):
                different |= masks[number, w] ^ some[row, w]
            if different == 0:
                break
            at = (at + np.uint64(1)) & wrap
        if places[at] == 0:
            for w in range(words):
                masks[used, w] = some[row, w]
            places[at] = used + 1
            used += 1
        numbers[row] = np.int64(places[at]) - 1
    return int(used)


@kernel
def enter_all(index: MaskIndex, some: Masks, used: int, numbers: NDArray[np.int64]) -> int:
    """As :func:`enter`, for masks whose search was not begun."""
    starts = np.empty(numbers.size, np.uint64)
    search_starts(some.T, binary_logarithm(index.places), starts)
    return enter(index, some, starts, used, numbers)


def only_in(some: Masks, others: Masks) -> Masks:
    """The masks of the first array that are not in the second, whose masks are distinct."""
    known = MaskTable(others)
    index, _ = known.with_room(len(some))
    numbers = np.zeros(len(some), np.int64)
    enter_all(index, some, len(others), numbers)
    return some[numbers >= len(others)]
