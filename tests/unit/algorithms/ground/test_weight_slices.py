"""Weighted sums by intersecting words, against sums over the masks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.ground.weight_slices import weight_slices

BITS = 70
ONE = st.tuples(st.integers(0, (1 << BITS) - 1), st.integers(-9, 9))


@settings(deadline=None)
@given(st.lists(ONE, max_size=200))
def test_the_weights_of_places_that_have_a_bit_add_up_to_the_counts_of_masks_that_have_it(counted):
    masks = np.array([[mask >> 64 * word & (1 << 64) - 1 for word in range(2)] for mask, _ in counted], np.uint64)
    counts = np.array([count for _, count in counted], np.int64)
    slices = weight_slices(masks.reshape(-1, 2), counts, BITS)
    assert _weight(slices, slices.every) == counts.sum()
    for bit in range(BITS):
        expected = sum(count for mask, count in counted if mask >> bit & 1)
        assert _weight(slices, slices.bits[bit] & slices.every) == expected


def _weight(slices, places) -> int:
    places_of = np.bitwise_count(places).astype(np.int64)
    blocks = zip(slices.bounds, slices.bounds[1:], slices.weights, strict=False)
    return sum(int(places_of[first:last].sum()) * int(weight) for first, last, weight in blocks)
