"""The features that tell an order which somebody sees to from one that is so by chance."""

import numpy as np
import pytest

from profiling_core.algorithms.rules.order_features import Pair, surprise


def test_surprise_counts_the_pairs_of_rows_that_would_be_the_wrong_way_round():
    lows, highs = np.array([1.0, 3.0, 5.0]), np.array([2.0, 4.0, 6.0])
    crossed, strength = surprise(Pair("a", "b", lows, highs))
    # 3 > 2, 5 > 2 and 5 > 4, of nine pairs of rows.
    assert crossed == pytest.approx(3 / 9)
    assert strength == pytest.approx(-3 * np.log10(6 / 9))


def test_surprise_is_the_same_in_whatever_order_rows_come():
    rng = np.random.default_rng(1)
    lows = rng.integers(0, 50, 500).astype(float)
    highs = lows + rng.integers(0, 9, 500)
    turned = rng.permutation(500)
    assert surprise(Pair("a", "b", lows, highs)) == surprise(Pair("a", "b", lows[turned], highs[turned]))


def test_ranges_that_do_not_overlap_surprise_nobody():
    assert surprise(Pair("a", "b", np.arange(5.0), np.arange(10.0, 15.0))) == (0.0, 0.0)
