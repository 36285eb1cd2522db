"""Logarithms are judged to their last digits, and wrong ones are mended."""

from decimal import Decimal

import pyarrow as pa

from profiling_core.algorithms.equations.judging import judge
from profiling_core.algorithms.equations.repairs import wanted
from profiling_core.model.expression import Logarithm, Precision
from profiling_core.model.kinds.equation import Equation


def test_a_logarithm_of_one_is_nought_to_the_last_digits_of_its_argument():
    equation = Equation("t", "odds", Logarithm("yes", "no"), Precision(8, 7))
    rows = pa.table({"odds": [0.0, 3e-8, 1e-3], "yes": [2.0, 2.0, 2.0], "no": [2.0, 2.0, 2.0]})
    assert judge(equation, rows).violating.tolist() == [False, False, True]


def test_a_wrong_logarithm_is_mended_by_what_it_is_of():
    equation = Equation("t", "lwage", Logarithm("wage"), Precision(4))
    rows = pa.table({"lwage": [1.0, 2.0, 3.0], "wage": pa.array([Decimal(5), Decimal(0), None], pa.decimal128(9, 2))})
    assert judge(equation, rows).judged.tolist() == [True, False, False]
    assert wanted(equation, rows)[0] == "1.6094"
