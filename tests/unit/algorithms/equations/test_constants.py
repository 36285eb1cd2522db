"""The shortest number that data allow is the constant that somebody wrote; nearly 1 nobody writes."""

from fractions import Fraction

import pytest

from profiling_core.algorithms.equations.constants import simplest


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (1.000015, 1.000025, None),  # what was computed before a number was rounded
        (0.9995, 0.9996, None),
        (-1.000025, -1.000015, None),
        (0.99999, 1.00001, Fraction(1)),
        (1.18999, 1.19001, Fraction(119, 100)),
        (1.0019, 1.0021, Fraction(1002, 1000)),
    ],
)
def test_a_factor_is_one_that_somebody_writes(low: float, high: float, found: Fraction | None):
    assert simplest(low, high) == found
