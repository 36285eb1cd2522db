"""Sets of columns as ints, bit c for column c, as searches use them; kernels and files take words."""

from collections.abc import Iterator, Sequence

import numpy as np

from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import word_count

# The right side of a unique column combination: none.
NO_RHS = -1


def columns_in(columns: int) -> Iterator[int]:
    """The columns of a set, ascending."""
    while columns:
        yield (columns & -columns).bit_length() - 1
        columns &= columns - 1


def as_masks(sets: Sequence[int], columns: int) -> Words:
    """uint64[sets, words], of sets among ``columns`` columns; :func:`as_ints` is the inverse."""
    words = word_count(columns)
    raw = b"".join(columns.to_bytes(8 * words, "little") for columns in sets)
    return np.frombuffer(raw, np.uint64).reshape(len(sets), words)


def as_ints(masks: Words) -> list[int]:
    """Masks uint64[sets, words] as ints, in their order."""
    return [int.from_bytes(mask.tobytes(), "little") for mask in masks]


def as_sides(dependencies: Sequence[tuple[int, int]], columns: int) -> tuple[Words, Counts]:
    """Left sides uint64[n, words] and right sides int64[n] of dependencies among ``columns`` columns."""
    return as_masks([lhs for lhs, _ in dependencies], columns), np.array([rhs for _, rhs in dependencies], np.int64)


def smallest_first(masks: Words) -> list[int]:
    """Masks as ints, the smaller sets first, then lexicographically by their columns."""
    return sorted(as_ints(masks), key=lambda columns: (columns.bit_count(), tuple(columns_in(columns))))
