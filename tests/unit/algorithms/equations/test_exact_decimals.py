"""Equations are looked for among decimals of any scale that Arrow has."""

from decimal import Decimal

import pyarrow as pa
import pytest

from profiling_core.algorithms.equations.discovery import _share_that_divides


@pytest.mark.parametrize("scale", [2, 21, 38])
def test_share_of_values_that_are_not_zero_is_told_at_any_scale(scale: int):
    least = Decimal(1).scaleb(-scale)
    values = pa.array([Decimal(0), least, None, least, least], pa.decimal128(38, scale))
    assert _share_that_divides(pa.chunked_array([values])) == 0.75
