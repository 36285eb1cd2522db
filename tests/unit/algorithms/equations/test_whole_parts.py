"""Whole and begun parts of decimals are judged exactly."""

from decimal import Decimal

import pyarrow as pa

from profiling_core.algorithms.equations.judging import judge
from profiling_core.algorithms.equations.repairs import wanted
from profiling_core.model.expression import Precision, WholeParts
from profiling_core.model.kinds.equation import Equation


def test_decimals_are_parted_exactly_and_rows_say_what_they_should_be():
    rows = pa.table(
        {
            "paid": pa.array([Decimal("0.30"), Decimal("0.31"), Decimal("0.30"), None], pa.decimal128(5, 2)),
            "coins": pa.array([3, 4, 4, 1]),
        }
    )
    coins = Equation("t", "coins", WholeParts("paid", "", "0.1"), Precision(0))
    found = judge(coins, rows)
    assert found.judged.tolist() == [True, True, True, False]
    assert found.violating.tolist() == [False, False, True, False]
    assert wanted(coins, rows)[:2] == ["3", "4"]
