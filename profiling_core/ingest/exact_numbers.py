"""Decides which texts of digits are numbers without loss: no codes (01234), and no more digits than the type keeps.

A column is of floats if doubles keep all of its texts, or one of them has an exponent, as only measured numbers have;
else it is of decimals. The rule also holds for later texts, unless the column's type is given.
"""

from collections.abc import Collection
from decimal import Decimal
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.arrow_types import MAX_DIGITS

Bools = NDArray[np.bool_]
_ZERO, _NINE, _PLUS, _MINUS, _BLANK = b"09+- "
_BEYOND_ASCII = 0x80
_BEFORE_DIGITS = " \u00a0\u2007\u2009\u202f\u2212"
# A text of at most 15 digits with a sign or a point is kept by its double: IEEE 754 has 53 bits.
_KEPT_LENGTH = 16
# 17 significant digits tell each double from all others.
_DIGITS_OF_DOUBLES = 17


class Exactly(StrEnum):
    """Properties that all texts of a column of numbers may have, beside their type."""

    KEPT = "numbers that doubles keep"
    PLAIN = "numbers without exponents"


Fitting = StrEnum(  # type: ignore[misc]  # one member per scale
    "Fitting", {f"SCALE_{scale}": f"decimals with at most {scale} digits after the point" for scale in range(39)}
)
"""That all numbers of a column fit decimals of 38 digits with this scale, in the order of scales."""
WHOLE = next(iter(Fitting))
EXACT = frozenset((*Exactly, *Fitting))


def scale_of(possible: Collection[str]) -> int | None:
    """The least scale of decimals that hold all numbers of a column; None: no scale does."""
    return next((scale for scale, fits in enumerate(Fitting) if fits in possible), None)


def exactness(numbers: pa.Array) -> set[Exactly | Fitting]:
    """The properties that some numbers, written plainly, have."""
    exponents = pc.or_(pc.match_substring(numbers, "e"), pc.match_substring(numbers, "E"))
    found: set[Exactly | Fitting] = set() if digits_lost(numbers, numbers.cast(pa.float64())).any() else {Exactly.KEPT}
    if pc.any(exponents).as_py():
        return found
    unsigned = pc.utf8_ltrim(numbers, characters="+-")
    lengths, point = pc.binary_length(unsigned), pc.find_substring(unsigned, ".")
    whole = pc.if_else(pc.less(point, 0), lengths, point)
    scale = pc.max(pc.subtract(lengths, pc.add(whole, pc.if_else(pc.less(point, 0), 0, 1)))).as_py()
    fits = list(Fitting)[scale : MAX_DIGITS - pc.max(whole).as_py() + 1]
    return found | {Exactly.PLAIN, *fits}


def codes(texts: pa.Array) -> Bools:
    """bool[n]: which texts begin with a zero before another digit, as codes do."""
    found, are_plain = _codes(texts)
    return found if are_plain else _codes(pc.utf8_ltrim(texts, characters=_BEFORE_DIGITS))[0]


def _codes(texts: pa.Array) -> tuple[Bools, bool]:
    """The codes among texts that begin with no blank, and whether no text begins with one."""
    size = len(texts)
    _, offsets, data = texts.buffers()
    letters = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    if not len(letters):
        return np.zeros(size, bool), True
    bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + size + 1]
    begin, end = bounds[:-1].astype(np.int64), bounds[1:]
    first = letters.take(begin, mode="clip")
    are_plain = not ((first == _BLANK) | (first >= _BEYOND_ASCII)).any()
    begin += (first == _PLUS) | (first == _MINUS)
    found = np.asarray((letters.take(begin, mode="clip") == _ZERO) & (begin + 1 < end))
    if found.any():
        second = letters.take(begin + 1, mode="clip")
        found &= (second >= _ZERO) & (second <= _NINE)
    return found, are_plain


def digits_lost(texts: pa.Array, values: pa.Array) -> Bools:
    """bool[n]: which texts without an exponent differ from the doubles that they are read as.

    Args:
        texts: numbers, written plainly; null stays null.
        values: the doubles.
    """
    lost = np.zeros(len(texts), bool)
    if (pc.max(pc.binary_length(texts)).as_py() or 0) <= _KEPT_LENGTH:
        return lost
    long = pc.fill_null(pc.greater(pc.binary_length(texts), _KEPT_LENGTH), False)  # noqa: FBT003 -- a value
    shortest = pc.if_else(long, values, pa.nulls(1, values.type)[0]).cast(pa.string())
    at = np.flatnonzero(pc.not_equal(texts, shortest).fill_null(False).to_numpy(zero_copy_only=False))  # noqa: FBT003 -- a value
    pairs = zip(*(array.take(pa.array(at)).to_pylist() for array in (texts, values)), strict=True)
    lost[at] = [_loses(text, value) for text, value in pairs]
    return lost


def _loses(text: str, value: float) -> bool:
    """Whether a text differs from its double, in its shortest form and with the text's number of digits, 17 at most.

    Programs write doubles with 17 digits, too: 0.10000000000000001 is the double 0.1.
    """
    if "e" in text or "E" in text:
        return False
    number = Decimal(text.replace("\u2212", "-"))
    digits = min(len(number.as_tuple().digits), _DIGITS_OF_DOUBLES)
    return number not in (Decimal(repr(value)), Decimal(f"{value:.{max(digits, 1)}g}"))
