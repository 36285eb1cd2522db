"""What a delta makes of the distinct evidences: which came and which are gone, from the multisets before and after."""

import numpy as np

from profiling_core.algorithms.evidence.keyed import KeyedEvidences
from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.evidence.masks import ordered_masks
from profiling_core.algorithms.ground.arrays import Flags
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.mask_table import only_in
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace


def changed_masks(
    before: EvidenceSet, after: EvidenceSet, space: PredicateSpace
) -> tuple[Masks, Masks, KeyedEvidences]:
    """The predicate masks of ordered pairs that only the second multiset has, those that only the first has; all now.

    Args:
        before: the evidence multiset before a delta, sorted by key.
        after: the one after it, likewise.
        space: the predicate space of both.
    """
    now = KeyedEvidences(after, space)
    if KeyLayout(space).of_right:
        # Keys tell more of row s than masks do.
        old, _ = ordered_masks(before, space)
        return only_in(now.masks, old), only_in(old, now.masks), now
    gone, came = _apart(before.keys, after.keys)
    parts = (EvidenceSet(part.keys[alone], part.counts[alone]) for part, alone in ((after, came), (before, gone)))
    new, old = (ordered_masks(part, space)[0] for part in parts)
    return new, old, now


def are_mostly_gone(kept: int, gone: int) -> bool:
    """Whether fewer than half of a table's pairs are left: then all pairs after a delta are fewer than it changes.

    Inserted rows have as many pairs either way.
    """
    return 2 * kept**2 < (kept + gone) ** 2


@kernel
def _apart(first: Masks, second: Masks) -> tuple[Flags, Flags]:
    """Which rows of two sorted arrays of distinct rows are not in the other one."""
    alone = np.ones(first.shape[0], np.bool_), np.ones(second.shape[0], np.bool_)
    i = j = 0
    while i < first.shape[0] and j < second.shape[0]:
        k = 0
        while k < first.shape[1] and first[i, k] == second[j, k]:
            k += 1
        if k == first.shape[1]:
            alone[0][i] = alone[1][j] = False
            i += 1
            j += 1
        elif first[i, k] < second[j, k]:
            i += 1
        else:
            j += 1
    return alone
