"""Known evidences: those that pin a cover, each with a few witness pairs of row ids."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.mask_table import MaskIndex, MaskTable, enter_all

WITNESSES = 4
NOBODY = -1
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Ordered pairs: ``ids``: int64[p, 2] row ids (t, s); ``masks``: uint64[p, words], what they satisfy."""

    ids: Ids
    masks: Masks


def both_ways(pairs: Ids) -> Ids:
    """Pairs, int64[p, 2], each with its mirror beside it."""
    return np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)


class WitnessedEvidences:
    """A set of evidences that comes and goes: each as a mask, with up to :data:`WITNESSES` pairs that have it.

    Args:
        masks: uint64[e, words], distinct.
        witnesses: int64[e, WITNESSES, 2] row ids (t, s), −1 where none.
    """

    def __init__(self, masks: Masks, witnesses: Ids) -> None:
        self._known = MaskTable(masks, witnesses=witnesses)

    @classmethod
    def nothing(cls, predicates: int) -> "WitnessedEvidences":
        """No evidence."""
        return cls(np.zeros((0, word_count(predicates)), np.uint64), np.empty((0, WITNESSES, 2), np.int64))

    def __len__(self) -> int:
        return self._known.used

    @property
    def masks(self) -> Masks:
        """uint64[e, words]: the evidences."""
        return self._known.masks

    @property
    def witnesses(self) -> Ids:
        """int64[e, WITNESSES, 2]: row ids (t, s) of pairs that have each, −1 where none."""
        return self._known["witnesses"]

    def absorb(self, pairs: Pairs) -> Masks:
        """Adds the evidences of pairs and returns those that are new; old ones gain witnesses."""
        known, before = self._known, self._known.used
        if len(pairs.ids):
            index, beside = known.with_room(len(pairs.ids))
            known.used = int(_absorb(index, beside["witnesses"], before, np.ascontiguousarray(pairs.masks), pairs.ids))
        return known.masks[before:]

    def forget(self, deleted: Ids) -> Masks:
        """Forgets deleted rows (ids, ascending); returns the evidences that lost their last witness."""
        witnesses = self.witnesses.copy()
        bereft = _bereave(witnesses, deleted)
        dead = self.masks[bereft]
        self._known = MaskTable(self.masks[~bereft], witnesses=witnesses[~bereft])
        return dead

    def some_pairs(self) -> Ids:
        """int64[e, 2]: a witness of each evidence."""
        witnesses = self.witnesses
        first = (witnesses[:, :, 0] != NOBODY).argmax(axis=1)
        return np.take_along_axis(witnesses, first[:, None, None], axis=1)[:, 0]


@kernel
def _absorb(index: MaskIndex, witnesses: Ids, used: int, came: Masks, ids: Ids) -> int:
    numbers = np.zeros(ids.shape[0], np.int64)
    more = enter_all(index, came, used, numbers)
    witnesses[used:more] = NOBODY
    for p in range(ids.shape[0]):
        own = witnesses[numbers[p]]
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
    return more


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
