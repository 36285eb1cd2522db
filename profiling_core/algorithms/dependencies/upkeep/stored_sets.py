"""Sets of columns as arrays of words, for a state's files."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import word_count


def as_words(sets: Sequence[int], columns: int) -> NDArray[np.uint64]:
    """uint64[sets, words], of sets among so many columns; :func:`as_sets` is the inverse."""
    words = word_count(columns)
    raw = b"".join(members.to_bytes(8 * words, "little") for members in sets)
    return np.frombuffer(raw, np.uint64).reshape(len(sets), words)


def as_sets(words: NDArray[np.uint64]) -> list[int]:
    """Masks uint64[sets, words] as ints."""
    return [int.from_bytes(mask.tobytes(), "little") for mask in words]
