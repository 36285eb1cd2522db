"""IncDC's index for two inequalities, which ours is measured against: exact, as brute force counts.

Sections of the papers: IncDC 5.2, 6.1.
"""

import numpy as np
import pytest
from benchmarks.papers.opt_index import checked, fetched, opt_index


@pytest.mark.parametrize("seed", range(40))
def test_fetch_counts_what_brute_force_counts(seed):
    random = np.random.default_rng(seed)
    a, b, c = random.integers(0, 6, (3, random.integers(0, 30)))
    new_a, new_b, new_c = random.integers(0, 6, (3, 5))
    index = opt_index(a, b)
    for start, end in zip(index.starts, index.starts[1:], strict=False):
        assert (np.diff(index.a[start:end]) > 0).all()
        assert (np.diff(index.b[start:end]) > 0).all()
    lower = [(a < x) & (b < y) for x, y in zip(new_a, new_b, strict=True)]
    upper = [(a > x) & (b > y) for x, y in zip(new_a, new_b, strict=True)]
    assert fetched(*index, new_a, new_b) == (np.sum(lower), np.sum(upper))
    third = [((c < z) & low) | ((c > z) & up) for z, low, up in zip(new_c, lower, upper, strict=True)]
    assert checked(*index, new_a, new_b, c, new_c) == np.sum(third)
