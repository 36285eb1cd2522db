"""The evidences known so far, each with one pair of rows that has it: what Hydra's sampling and completion fill.

Evidences are kept as predicate masks of ordered pairs; a pair brings its mirror with it. An open-addressing table finds
out which masks are new, so that millions of sampled pairs cost no more than comparing their rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.mask_table import fill, place
from profiling_core.algorithms.values.encoding import Encoded, columns_of
from profiling_core.model.evidence import EQUAL, GREATER, INCOMPARABLE, LESS
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

Pairs = NDArray[np.int64]
# Pairs looked at per call of the kernel, before which the table is made large enough for all of them to be new.
_BATCH = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class GroupTable:
    """The groups of a space as arrays.

    ``sides`` int64[g, 3]: both columns and whether they are of one row; ``ordered`` bool[g]; ``bits`` uint64[g, 4, w]:
    the predicates that each outcome satisfies.
    """

    sides: Pairs
    ordered: NDArray[np.bool_]
    bits: Masks
    nulls_equal: int

    @classmethod
    def of(cls, space: PredicateSpace) -> "GroupTable":
        """The groups of a space over rows encoded for it."""
        number = {name: i for i, name in enumerate(columns_of(space))}
        sides = [(number[g.left.column], number[g.right.column], g.left.tuple == g.right.tuple) for g in space.groups]
        ordered = np.array([g.ordered for g in space.groups], np.bool_)
        bits = KeyLayout(space).predicate_bits()
        equal = int(space.nulls is NullSemantics.EQUAL)
        return cls(np.array(sides, np.int64).reshape(len(sides), 3), ordered, bits, equal)


@kernel
def _outcome(a: int, b: int, ordered: bool, nulls_equal: int) -> int:  # noqa: FBT001 -- numba takes no keyword-only ones
    if a < 0 or b < 0:
        if nulls_equal == 0:
            return INCOMPARABLE
        if a == b:
            return EQUAL
        return INCOMPARABLE if ordered else LESS
    if a == b:
        return EQUAL
    return LESS if a < b or not ordered else GREATER


@kernel
def mask_of(
    t: Codes | Pairs,
    s: Codes | Pairs,
    sides: Pairs,
    ordered: NDArray[np.bool_],
    bits: Masks,
    nulls_equal: int,
    mask: Masks,
) -> None:
    """Writes the predicates that a pair of rows satisfies, from their codes or labels, and a space's groups."""
    mask[:] = 0
    for g in range(ordered.size):
        other = t if sides[g, 2] else s
        outcome = _outcome(t[sides[g, 0]], other[sides[g, 1]], ordered[g], nulls_equal)
        for k in range(mask.size):
            mask[k] |= bits[g, outcome, k]


@kernel
def _observe(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    rows: NDArray[np.int32],
    pairs: Pairs,
    sides: Pairs,
    ordered: NDArray[np.bool_],
    bits: Masks,
    nulls_equal: int,
    table: NDArray[np.int32],
    masks: Masks,
    witnesses: Pairs,
    seen: Pairs,
    used: int,
) -> int:
    """Adds the evidences of pairs and of their mirrors; ``rows`` is int32[n, m]. Returns how many are known then."""
    mask = np.empty(masks.shape[1], np.uint64)
    for p in range(pairs.shape[0]):
        for way in range(2):
            t = pairs[p, way]
            s = pairs[p, 1 - way]
            mask_of(rows[t], rows[s], sides, ordered, bits, nulls_equal, mask)
            at = place(table, masks, mask)
            if table[at] == 0:
                masks[used] = mask
                witnesses[used, 0] = t
                witnesses[used, 1] = s
                seen[used] = 0
                used += 1
                table[at] = used
            seen[table[at] - 1] += 1
    return used


class KnownEvidences:
    """A growing set of evidences of one table's ordered pairs.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
    """

    def __init__(self, rows: Encoded, space: PredicateSpace) -> None:
        self._rows = np.ascontiguousarray(rows.codes.T)
        self._groups = GroupTable.of(space)
        words = self._groups.bits.shape[2]
        self._masks = np.empty((0, words), np.uint64)
        self._witnesses = np.empty((0, 2), np.int64)
        self._seen = np.empty(0, np.int64)
        self._table = np.zeros(1 << 10, np.int32)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def masks(self) -> Masks:
        """uint64[e, w]: the predicates that each evidence satisfies, in order of discovery."""
        return self._masks[: self._used]

    @property
    def witnesses(self) -> Pairs:
        """int64[e, 2]: for each evidence, positions (t, s) of a pair that has it."""
        return self._witnesses[: self._used]

    @property
    def seen(self) -> Pairs:
        """int64[e]: how many of the ordered pairs looked at had each evidence."""
        return self._seen[: self._used]

    def observe(self, pairs: Pairs) -> int:
        """Look at pairs of row positions, int64[k, 2], both ways; returns how many evidences were new."""
        before = self._used
        g = self._groups
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            self._reserve(2 * len(batch))
            arrays = self._table, self._masks, self._witnesses, self._seen
            self._used = int(
                _observe(self._rows, batch, g.sides, g.ordered, g.bits, g.nulls_equal, *arrays, self._used)
            )
        return self._used - before

    def _reserve(self, more: int) -> None:
        """Make room for so many more evidences."""
        needed = self._used + more
        if needed > len(self._masks):
            size = max(needed, 2 * len(self._masks))
            grown = np.empty((size, self._masks.shape[1]), np.uint64), np.empty((size, 2), np.int64)
            grown[0][: self._used], grown[1][: self._used] = self.masks, self.witnesses
            self._seen = np.concatenate([self.seen, np.zeros(size - self._used, np.int64)])
            self._masks, self._witnesses = grown
        if 2 * needed > len(self._table):
            self._table = np.zeros(1 << (2 * needed).bit_length(), np.int32)
            fill(self._table, self._masks, self._used)
