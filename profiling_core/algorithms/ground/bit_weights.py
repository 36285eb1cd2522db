"""Weights of masks, added up by bit: in one pass over the masks, however many bits they have."""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, lowest
from profiling_core.algorithms.ground.kernel import kernel


@kernel
def weights_of_bits(masks: Masks, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[64 · words]: for each bit, the weights of the masks that have it, added up."""
    totals = np.zeros(64 * masks.shape[1], np.int64)
    for e in range(masks.shape[0]):
        for k in range(masks.shape[1]):
            word = masks[e, k]
            while word != 0:
                totals[64 * k + lowest(word)] += weights[e]
                word &= word - np.uint64(1)
    return totals
