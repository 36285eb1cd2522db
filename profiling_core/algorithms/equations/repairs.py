"""The values that the cells of violating rows should have."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pyarrow as pa

from profiling_core.algorithms.equations.judging import computed, is_number
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.equations.other_values import values_of_expression
from profiling_core.model.expression import Elapsed, constant_text
from profiling_core.model.kinds.equation import Equation

# Significant digits of a repaired value.
_DIGITS = 12


def wanted(equation: Equation, rows: pa.Table) -> list[str | None]:
    """The value that the equation gives its column in each row, as text; None where it gives none."""
    value = equation.value
    numeric = isinstance(value, Elapsed) or all(is_number(rows[name].type) for name in equation.columns)
    if not value.is_numeric or not numeric:
        return [None if found is None else str(found) for found in values_of_expression(value, rows).to_pylist()]
    numbers = {name: numbers_of(rows[name]) for name in value.columns}
    return [_written(found, equation.precision.decimals) for found in computed(value, numbers).values.tolist()]


def _written(value: float, decimals: int | None) -> str | None:
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - not a number
        return None
    exact = Decimal(f"{value:.{_DIGITS}g}")
    if decimals is None:
        return constant_text(Fraction(exact))
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"
