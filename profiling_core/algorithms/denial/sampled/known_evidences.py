"""The evidences known so far, each with one pair of rows that has it: what Hydra's sampling and completion fill.

Evidences are kept as predicate masks of ordered pairs; a pair brings its mirror with it. An open-addressing table finds
out which masks are new, so that millions of sampled pairs cost no more than comparing their rows.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.pair_masks import SpaceGroups, groups_of, write_mask
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.bit_weights import weights_of_bits
from profiling_core.algorithms.ground.bit_words import Masks, word_count
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.mask_table import MaskIndex, MaskTable, enter_all
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.predicate import PredicateSpace

Pairs = NDArray[np.int64]
# Pairs looked at per call of the kernel, before which the table is made large enough for all of them to be new.
_BATCH = 1 << 16
# Pairs whose evidences are looked up at once.
_BLOCK = 512
# Seconds of a core that comparing two rows by a group takes.
PAIR_AND_GROUP = 5e-9


@kernel
def _observe(
    rows: Codes, pairs: Pairs, groups: SpaceGroups, index: MaskIndex, witnesses: Pairs, seen: Pairs, used: int
) -> int:
    """Adds the evidences of pairs and of their mirrors; ``rows`` is int32[n, m]. Returns how many are known then."""
    masks = np.empty((2 * _BLOCK, index.masks.shape[1]), np.uint64)
    for start in range(0, pairs.shape[0], _BLOCK):
        block = pairs[start : start + _BLOCK]
        numbers = np.zeros(2 * block.shape[0], np.int64)
        for k in range(numbers.size):
            write_mask(rows[block[k // 2, k % 2]], rows[block[k // 2, 1 - k % 2]], groups, masks[k])
        more = enter_all(index, masks[: numbers.size], used, numbers)
        for k in range(numbers.size):
            if numbers[k] == used:
                witnesses[used, 0] = block[k // 2, k % 2]
                witnesses[used, 1] = block[k // 2, 1 - k % 2]
                used += 1
            seen[numbers[k]] += 1
        used = more
    return used


class KnownEvidences:
    """A growing set of evidences of one table's ordered pairs.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        effort: what comparing pairs may cost; None: no matter what.
    """

    def __init__(self, rows: Encoded, space: PredicateSpace, effort: Effort | None = None) -> None:
        self.rows, self.space = rows, space
        self._effort, self._each = effort, 2 * len(space.groups) * PAIR_AND_GROUP
        self._rows = np.ascontiguousarray(rows.codes.T)
        self._groups = groups_of(space)
        self._known = MaskTable(
            np.empty((0, word_count(len(space.predicates))), np.uint64),
            witnesses=np.empty((0, 2), np.int64),
            seen=np.empty(0, np.int64),
        )

    def __len__(self) -> int:
        return self._known.used

    @property
    def masks(self) -> Masks:
        """uint64[e, w]: the predicates that each evidence satisfies, in order of discovery."""
        return self._known.masks

    @property
    def witnesses(self) -> Pairs:
        """int64[e, 2]: for each evidence, positions (t, s) of a pair that has it."""
        return self._known["witnesses"]

    @property
    def seen(self) -> Pairs:
        """int64[e]: how many of the ordered pairs looked at had each evidence."""
        return self._known["seen"]

    def shares(self) -> NDArray[np.float64]:
        """Per predicate the share of the ordered pairs looked at that satisfy it."""
        satisfied = weights_of_bits(self.masks, self.seen)[: len(self.space.predicates)]
        return satisfied / max(1, int(self.seen.sum()))

    def observe(self, pairs: Pairs) -> int:
        """Look at pairs of row positions, int64[k, 2], both ways; returns how many evidences were new."""
        known, before = self._known, len(self)
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            if self._effort:
                self._effort.spend(len(batch) * self._each)
            index, beside = known.with_room(2 * len(batch))
            known.used = int(
                _observe(self._rows, batch, self._groups, index, beside["witnesses"], beside["seen"], known.used)
            )
        return len(self) - before
