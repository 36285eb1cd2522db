"""Known evidences: those that pin a cover, each with a few witness pairs of row ids."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks, word_count
from profiling_core.algorithms.evidence.keys import KeyLayout, outcomes

WITNESSES = 4
NOBODY = -1
Ids = NDArray[np.int64]


def pair_masks(left: Ids, right: Ids, layout: KeyLayout) -> Masks:
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


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """``masks``: uint64[e, words], distinct; ``witnesses``: int64[e, WITNESSES, 2] row ids (t, s), −1 where none."""

    masks: Masks
    witnesses: Ids

    @classmethod
    def nothing(cls, predicates: int) -> "Known":
        """No evidence."""
        return cls(np.zeros((0, word_count(predicates)), np.uint64), np.empty((0, WITNESSES, 2), np.int64))

    def absorbed(self, pairs: Pairs) -> tuple["Known", Masks]:
        """These evidences with those of the pairs, and the masks that are new; old ones gain witnesses."""
        place = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(self.masks))}
        before = len(place)
        fresh: list[int] = []
        found: dict[int, list[tuple[int, int]]] = {}
        texts = np.ascontiguousarray(pairs.masks)
        for p, (t, s) in enumerate(pairs.ids.tolist()):
            key = texts[p].tobytes()
            if key not in place:
                place[key] = len(place)
                fresh.append(p)
            found.setdefault(place[key], []).append((t, s))
        masks = pairs.masks[fresh]
        added = np.full((len(fresh), WITNESSES, 2), NOBODY, np.int64)
        witnesses = np.concatenate([self.witnesses, added])
        for i, candidates in found.items():
            held = [(t, s) for t, s in witnesses[i].tolist() if t != NOBODY] if i < before else []
            held = list(dict.fromkeys([*held, *candidates]))[:WITNESSES]
            witnesses[i, : len(held)] = held
        return Known(np.concatenate([self.masks, masks]), witnesses), masks

    def bereft(self, deleted: Ids) -> tuple["Known", "Known"]:
        """The evidences that keep a witness when these rows go, and those that lose their last, as they were."""
        lost = np.isin(self.witnesses, deleted).any(axis=2)
        dead = (lost | (self.witnesses[:, :, 0] == NOBODY)).all(axis=1)
        witnesses = self.witnesses.copy()
        witnesses[lost] = NOBODY
        return Known(self.masks[~dead], witnesses[~dead]), Known(self.masks[dead], self.witnesses[dead])
