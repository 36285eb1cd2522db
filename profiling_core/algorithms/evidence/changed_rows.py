"""Which deleted row became which inserted one, where an update came as a delete and an insert.

Any pairing is a right one: it only tells which rows are compared together, and the more two rows have in common the
fewer pairs change their evidence. So no key is asked for, and rows are looked for that agree on most columns.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.hashing import hashes

Positions = NDArray[np.int64]

# Columns are dealt to 4 parts; rows that differ in at most 3 columns agree on some part.
_PARTS = 4


def paired(gone: Codes, came: Codes) -> tuple[Positions, Positions]:
    """Orders of deleted and of inserted rows in which rows at the same place belong together.

    Rows that agree on three of four parts of the columns are paired first, then those that agree on two or on one,
    and the rest in their order; what remains of the longer side comes last.

    Args:
        gone: int32[m, d], codes of the deleted rows.
        came: int32[m, i], those of the inserted ones, encoded together with them.
    """
    left, right = np.arange(gone.shape[1]), np.arange(came.shape[1])
    pairs = [(left[:0], right[:0])]
    parts = _parts(gone, came)
    hashed = [(_hashes(gone, part), _hashes(came, part)) for part in parts]
    for agreeing in range(len(parts) - 1, 0, -1):
        for chosen in combinations(hashed, agreeing):
            if not len(left) or not len(right):
                break
            first, second = (hashes([part[side] for part in chosen]) for side in (0, 1))
            at_left, at_right = _equal(first[left], second[right])
            pairs.append((left[at_left], right[at_right]))
            left, right = np.delete(left, at_left), np.delete(right, at_right)
    ends = np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])
    return np.concatenate([ends[0], left]), np.concatenate([ends[1], right])


def changing_share(before: Codes, after: Codes, others: Codes, layout: KeyLayout) -> NDArray[np.float64]:
    """Per changed row the share of other rows that compare differently with it now, as if columns were independent.

    Args:
        before: int32[m, r], codes of the rows before.
        after: int32[m, r], codes of the same rows after.
        others: int32[m, n], the rows that they are compared with, at least one.
        layout: how keys are laid out.
    """
    same = (layout.left_keys(before) == layout.left_keys(after)).all(axis=1).astype(np.float64)
    for slot in layout.compared:
        old, new = before[slot.left] + 1, after[slot.left] + 1
        sizes = np.bincount(others[slot.right] + 1, minlength=int(max(old.max(), new.max())) + 1)
        if slot.ordered:
            up_to = np.cumsum(sizes)
            low, high = np.minimum(old, new), np.maximum(old, new)
            concerned = up_to[high] - up_to[low] + sizes[low]
        else:
            concerned = sizes[old] + sizes[new]
        same *= np.where(old == new, 1.0, 1.0 - concerned / others.shape[1])
    return np.asarray(1.0 - same)


def _parts(gone: Codes, came: Codes) -> list[list[int]]:
    """The columns dealt to parts, those of most values first, so that each part tells rows apart."""
    values = [len(np.unique(np.concatenate(both))) for both in zip(gone, came, strict=True)]
    order = sorted(range(len(values)), key=lambda column: -values[column])
    return [order[part::_PARTS] for part in range(min(_PARTS, len(order)))]


def _hashes(codes: Codes, columns: list[int]) -> NDArray[np.uint64]:
    return hashes([codes[column].astype(np.uint64) for column in columns])


def _equal(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> tuple[Positions, Positions]:
    """Positions of equal values, each used once: the k-th of a value on the left with its k-th on the right."""
    _, numbers = np.unique(np.concatenate([left, right]), return_inverse=True)
    first, second = (_with_rank(side) for side in (numbers[: len(left)], numbers[len(left) :]))
    _, at_left, at_right = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return at_left, at_right


def _with_rank(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct ids of values and of how often each was there before."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else order
    ranks = np.empty(len(numbers), np.int64)
    ranks[order] = np.arange(len(numbers)) - np.repeat(starts, np.diff(starts, append=len(numbers)))
    return numbers << 32 | ranks
