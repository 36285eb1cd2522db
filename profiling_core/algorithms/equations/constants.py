"""The constants that people write: the shortest number within the bounds that data allow."""

from fractions import Fraction
from math import ceil, floor, log10

from profiling_core.model.expression import Expression, Linear, Product, RelativeDifference

# Constants with more significant digits are taken as measured, not written.
MOST_DIGITS = 7
# Factors within this distance of 1, but not 1, are rounding errors.
_NEARLY = 1e-3
# Digits of the whole number in 1 / n, at most; decimals this long give way to thirds.
_MOST_INVERSE = 3
# The largest number of thirds (k / 3) that is tried.
_MOST_THIRDS = 100


def simplest(low: float, high: float) -> Fraction | None:
    """The number within bounds that is shortest to write: a decimal, 1 over a whole number, or thirds; or None.

    None also where it is nearly 1 but not 1: such a factor comes from values that were rounded after they were
    computed.

    Args:
        low: the least that it may be.
        high: the most; both of one sign.
    """
    if not low <= high or low * high <= 0 or not (abs(low) < 1e15 and abs(high) < 1e15):
        return None
    if high < 0:
        found = simplest(-high, -low)
        return None if found is None else -found
    if not low <= 1 <= high and max(abs(low - 1), abs(high - 1)) < _NEARLY:
        return None
    written, inverse = _shortest(low, high), _shortest(1 / high, 1 / low)
    if (third := _third(low, high, written)) is not None:
        return third
    if inverse is None or inverse.denominator != 1 or _digits(inverse) > _MOST_INVERSE:
        return written
    return 1 / inverse if written is None or _digits(inverse) < _digits(written) else written


def _third(low: float, high: float, written: Fraction | None) -> Fraction | None:
    """The number in thirds, where a decimal would need three digits or more."""
    thirds = round(1.5 * (low + high))
    within = thirds % 3 and low <= thirds / 3 <= high and (written is None or _digits(written) >= _MOST_INVERSE)
    return Fraction(thirds, 3) if within and 1 < thirds < _MOST_THIRDS else None


def _shortest(low: float, high: float) -> Fraction | None:
    slack = 1e-12 * high
    first = floor(log10(high))
    for digits in range(MOST_DIGITS):
        scale = Fraction(10) ** (digits - first)
        step = ceil((low - slack) * float(scale))
        if step <= floor((high + slack) * float(scale)) and step > 0:
            middle = round((low + high) / 2 * float(scale))
            return Fraction(middle if low - slack <= middle / float(scale) <= high + slack else step) / scale
    return None


def _digits(value: Fraction) -> int:
    """How many significant digits a decimal has."""
    whole = value
    while whole.denominator != 1:
        whole *= 10
    return len(str(int(whole)).strip("0"))


def constants_of(value: Expression) -> list[str]:
    """The constants of an expression except 0 and 1, as written."""
    if isinstance(value, Linear):
        found = [*(factor for factor, _ in value.terms), value.constant]
    else:
        found = [value.factor] if isinstance(value, Product | RelativeDifference) else []
    return [text.strip("-") for text in found if text not in ("0", "1", "-1")]


def written_digits(constant: str) -> int:
    """How many digits a constant has, without zeros at its ends."""
    return len(constant.strip("0").replace(".", "").strip("0"))
