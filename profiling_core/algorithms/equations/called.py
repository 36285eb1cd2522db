"""Evidence from column names for an equation: a total is a sum, and days are a time between dates."""

from fractions import Fraction

from profiling_core.algorithms.roles.names import bare, unit_of, words
from profiling_core.algorithms.roles.vocabulary import PERIODS, TOTALLING
from profiling_core.model.expression import Completed, Elapsed, Linear, Product, Stamped
from profiling_core.model.kinds.equation import Equation

# Added to an equation's surprise, in powers of ten: if a column called a total is proposed as a sum, and if a column
# called days or a year is proposed as that time or part of a date.
_CALLED_SUM, _CALLED_TIME = 4.0, 6.0
# The same, if two columns whose names share a word are proposed as proportional; the shared word needs this many
# letters.
_CALLED_ALIKE, _TELLING_WORD = 3.0, 4
# The constants of percentages.
_HUNDRED, _HUNDREDTH = 100, "0.01"
_UNITS = {
    "days": "days nights",
    "calendar days": "days nights",
    "years": "years age",
    "months": "months",
    "hours": "hours",
    "minutes": "minutes",
}
_PARTS = {"%q": "quarter", "%V": "week", "%m": "month", "%Y": "year", "%y": "year", "%N": "year"}


def called_so(equation: Equation, names: tuple[str, ...]) -> float:
    """Evidence from names for an equation, in powers of ten: a total, a time, or a word that two columns share.

    Args:
        equation: the equation.
        names: those of all columns of the table; a prefix that all share tells nothing.
    """
    if _is_called_sum(equation):
        return _CALLED_SUM
    if _is_called_time(equation):
        return _CALLED_TIME
    if _is_called_rate(equation):
        return _CALLED_ALIKE
    value = equation.value
    times = isinstance(value, Linear | Product) and len(equation.columns) == 2 and not equation.precision.is_loose
    own, other = (set(words(bare(name, names))) for name in (equation.column, equation.columns[-1]))
    alike = any(len(word) >= _TELLING_WORD for word in own & other)
    return _CALLED_ALIKE * (times and not equation.is_copy and alike)


def _is_called_sum(equation: Equation) -> bool:
    """Whether the equation is a plain sum and its column is called a total."""
    value = equation.value
    plain = isinstance(value, Linear) and len(value.terms) > 1 and {factor for factor, _ in value.terms} == {"1"}
    return plain and not TOTALLING.isdisjoint(words(equation.column))


def _is_called_rate(equation: Equation) -> bool:
    """Whether a column called percent is used as one: as a rate, times a hundredth, or as a share times a hundred."""
    value = equation.value
    if not isinstance(value, Product) or len(equation.columns) <= 2:
        return False
    parts = [value.rate] if abs(Fraction(value.base)) == _HUNDRED and value.rate else []
    parts += value.over if value.factor == _HUNDREDTH and not value.under else ()
    parts += [equation.column] if value.factor == str(_HUNDRED) and value.under else []
    return any(unit_of(words(name)) == "%" for name in parts)


def _is_called_time(equation: Equation) -> bool:
    """Whether a time between dates is called by its unit, or the date in a code by its part or as a period."""
    value, own = equation.value, set(words(equation.column))
    if isinstance(value, Stamped):
        parts = {_PARTS[part] for part in _PARTS if part in value.pattern}
        return bool(own & (parts | PERIODS))
    return isinstance(value, Elapsed | Completed) and bool(own & {*_UNITS.get(value.unit, "").split()})
