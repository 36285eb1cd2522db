"""Known evidences: those that pin a cover, each with a few witness pairs of row ids."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.keys import KeyLayout, outcomes
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.bit_words import Masks, word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.mask_table import fill, place

WITNESSES = 4
NOBODY = -1
Ids = NDArray[np.int64]


def pair_masks(left: Ids | Codes, right: Ids | Codes, layout: KeyLayout) -> Masks:
    """The predicates that ordered pairs satisfy, uint64[p, words], from their labels, int64[m, p] each."""
    bits = layout.predicate_bits()
    masks = np.zeros((left.shape[1], bits.shape[2]), np.uint64)
    for slots, other in ((layout.compared, right), (layout.of_left, left)):
        for slot in slots:
            found = outcomes(left[slot.left], other[slot.right], layout.nulls, ordered=slot.ordered)
            masks |= bits[slot.index][found]
    return masks


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Ordered pairs: ``ids``: int64[p, 2] row ids (t, s); ``masks``: uint64[p, words], what they satisfy."""

    ids: Ids
    masks: Masks


class Known:
    """A set of evidences that comes and goes: each as a mask, with up to :data:`WITNESSES` pairs that have it.

    Args:
        masks: uint64[e, words], distinct.
        witnesses: int64[e, WITNESSES, 2] row ids (t, s), −1 where none.
    """

    def __init__(self, masks: Masks, witnesses: Ids) -> None:
        self._masks, self._witnesses, self._used = masks, witnesses, len(masks)
        self._table: NDArray[np.int32] | None = None

    @classmethod
    def nothing(cls, predicates: int) -> "Known":
        """No evidence."""
        return cls(np.zeros((0, word_count(predicates)), np.uint64), np.empty((0, WITNESSES, 2), np.int64))

    @property
    def masks(self) -> Masks:
        """uint64[e, words]: the evidences."""
        return self._masks if self._used == len(self._masks) else self._masks[: self._used]

    @property
    def witnesses(self) -> Ids:
        """int64[e, WITNESSES, 2]: row ids (t, s) of pairs that have each, −1 where none."""
        return self._witnesses if self._used == len(self._witnesses) else self._witnesses[: self._used]

    def absorb(self, pairs: Pairs) -> Masks:
        """Adds the evidences of pairs and returns those that are new; old ones gain witnesses."""
        before = self._used
        if not len(pairs.ids):
            return self.masks[before:]
        table = self._with_room(len(pairs.ids))
        masks = np.ascontiguousarray(pairs.masks)
        self._used = int(_absorb(table, self._masks, self._witnesses, before, masks, pairs.ids))
        return self.masks[before:]

    def forget(self, deleted: Ids) -> Masks:
        """Forgets deleted rows (ids, ascending); returns the evidences that lost their last witness."""
        witnesses = self.witnesses.copy()
        bereft = _bereave(witnesses, deleted)
        dead = self.masks[bereft]
        self._masks, self._witnesses = self.masks[~bereft], witnesses[~bereft]
        self._used, self._table = len(self._masks), None
        return dead

    def some_pairs(self) -> Ids:
        """int64[e, 2]: a witness of each evidence."""
        witnesses = self.witnesses
        first = (witnesses[:, :, 0] != NOBODY).argmax(axis=1)
        return np.take_along_axis(witnesses, first[:, None, None], axis=1)[:, 0]

    def _with_room(self, more: int) -> NDArray[np.int32]:
        """Makes room for so many more evidences and returns the table that finds them."""
        needed = self._used + more
        if needed > len(self._masks) or not self._masks.flags.writeable:
            size = max(needed, self._used * 5 // 4)
            masks, witnesses = (
                np.empty((size, self._masks.shape[1]), np.uint64),
                np.empty((size, WITNESSES, 2), np.int64),
            )
            masks[: self._used], witnesses[: self._used] = self.masks, self.witnesses
            self._masks, self._witnesses = masks, witnesses
        if self._table is None or 2 * needed > len(self._table):
            self._table = np.zeros(max(1 << 10, 1 << (3 * needed).bit_length()), np.int32)
            fill(self._table, self._masks, self._used)
        return self._table


@kernel
def _absorb(table: NDArray[np.int32], masks: Masks, witnesses: Ids, used: int, came: Masks, ids: Ids) -> int:
    for p in range(ids.shape[0]):
        at = place(table, masks, came[p])
        if table[at] == 0:
            masks[used] = came[p]
            witnesses[used] = NOBODY
            used += 1
            table[at] = used
        own = witnesses[table[at] - 1]
        free = -1
        for k in range(WITNESSES):
            if own[k, 0] == ids[p, 0] and own[k, 1] == ids[p, 1]:
                free = -1
                break
            if own[k, 0] == NOBODY and free < 0:
                free = k
        if free >= 0:
            own[free, 0] = ids[p, 0]
            own[free, 1] = ids[p, 1]
    return used


@kernel
def _bereave(witnesses: Ids, deleted: Ids) -> NDArray[np.bool_]:
    """Strikes witness pairs of deleted rows, in place; which evidences have none left."""
    bereft = np.ones(witnesses.shape[0], np.bool_)
    for e in range(witnesses.shape[0]):
        for k in range(WITNESSES):
            if witnesses[e, k, 0] == NOBODY:
                continue
            gone = False
            for side in range(2):
                at = np.searchsorted(deleted, witnesses[e, k, side])
                gone |= at < deleted.size and deleted[at] == witnesses[e, k, side]
            if gone:
                witnesses[e, k] = NOBODY
            else:
                bereft[e] = False
    return bereft
