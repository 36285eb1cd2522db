"""Distinct masks under the numbers in which they came: which of very many are new costs no more than a look at each."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import grown
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.hashing import binary_logarithm, search_start
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
        """What kernels enter masks into, with room for so many more, and the arrays beside it."""
        needed, masks, places = self.used + more, self._index.masks, self._index.places
        if needed > len(masks) or not masks.flags.writeable:
            room = max(needed, 2 * self.used)
            masks = grown(self.masks, room)
            self._beside = {name: grown(self[name], room) for name in self._beside}
            self._index = MaskIndex(masks, places)
        if 2 * needed > len(places):
            self._index = MaskIndex(masks, np.zeros(1 << (3 * needed).bit_length(), np.int32))
            fill(self._index, self.used)
        return self._index, self._beside


def _filled(array: NDArray[Any], used: int) -> NDArray[Any]:
    return array if used == len(array) else array[:used]


@kernel
def place(index: MaskIndex, mask: Masks, start: np.uint64) -> np.uint64:
    """Where a mask is, or the empty place where it belongs; ``start``: where its search begins."""
    masks, places = index
    wrap = np.uint64(places.size - 1)
    at = start
    while places[at] != 0:
        number = np.int64(places[at]) - 1
        different = np.uint64(0)
        for w in range(mask.size):
            different |= masks[number, w] ^ mask[w]
        if different == 0:
            break
        at = (at + np.uint64(1)) & wrap
    return at


@kernel
def number_of(index: MaskIndex, mask: Masks, start: np.uint64, used: int | np.int64) -> np.int64:
    """The number of a mask; one that is not there is entered as number ``used``, for which there must be room."""
    at = place(index, mask, start)
    if index.places[at] == 0:
        for w in range(mask.size):
            index.masks[used, w] = mask[w]
        index.places[at] = used + 1
    return np.int64(index.places[at]) - 1


@kernel
def fill(index: MaskIndex, used: int) -> None:
    """Enters the first ``used`` masks into empty places."""
    bits = binary_logarithm(index.places)
    for number in range(used):
        mask = index.masks[number]
        index.places[place(index, mask, search_start(mask, bits))] = number + 1


def only_in(some: Masks, others: Masks) -> Masks:
    """The masks of the first array that are not in the second, whose masks are distinct."""
    index = MaskIndex(others, np.zeros(1 << (2 * len(others) + 1).bit_length(), np.int32))
    fill(index, len(others))
    return some[~_present(index, some)]


@kernel
def _present(index: MaskIndex, some: Masks) -> NDArray[np.bool_]:
    bits = binary_logarithm(index.places)
    found = np.empty(some.shape[0], np.bool_)
    for row in range(some.shape[0]):
        found[row] = index.places[place(index, some[row], search_start(some[row], bits))] != 0
    return found
