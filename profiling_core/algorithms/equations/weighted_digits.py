"""The digits of codes, weighted and added up: which check digits they should have."""

from collections.abc import Sequence
from math import log10

import numpy as np
from numpy.typing import NDArray

from profiling_core.model.expression import CheckDigits

Digits = NDArray[np.int64]


def with_right_digits(value: CheckDigits, codes: Sequence[str | None]) -> list[str | None]:
    """The codes with the check digits that they should have; None where one is of another length, or has no digits."""
    length, end = len(value.weights), value.start + value.size
    long = [place for place, code in enumerate(codes) if code is not None and len(code) == length]
    digits = digits_of([codes[place] or "" for place in long], length)
    given, right = number(digits[:, value.start : end]), _rest(value, digits) % 10**value.size
    wrong = (given - right) % value.modulus != 0
    there = np.asarray((digits[:, value.places] >= 0).all(axis=1), np.bool_)
    found: list[str | None] = [None] * len(codes)
    for row, place in enumerate(long):
        code = codes[place] or ""
        told = f"{code[: value.start]}{right[row]:0{value.size}}{code[end:]}" if wrong[row] else code
        found[place] = told if there[row] else None
    return found


def surprise_of(value: CheckDigits, codes: Sequence[str]) -> float:
    """How improbable it is that chance made the check digits of all codes right, in powers of ten.

    As many codes as there are weights tell nothing. Of the others, two whose check digits are exchanged have the same
    ones by chance.
    """
    long = digits_of([code for code in {*codes} if len(code) == len(value.weights)], len(value.weights))
    check = slice(value.start, value.start + value.size)
    given = number(long[:, check]) % value.modulus
    told = len(np.unique(long[:, value.places], axis=0)) - 1 - sum(map(bool, value.weights))
    return max(0, told) * -log10(((np.bincount(given) / len(given)) ** 2).sum()) if len(given) else 0.0


def digits_of(codes: Sequence[str], length: int) -> Digits:
    """int64[n, length]: the digits of codes of one length, −1 for other characters."""
    if not codes or not length:
        return np.zeros((len(codes), length), np.int64)
    characters = np.array(codes, f"<U{length}").view(np.uint32).reshape(len(codes), length).astype(np.int64)
    return np.where((characters >= ord("0")) & (characters <= ord("9")), characters - ord("0"), -1)


def number(digits: Digits) -> Digits:
    """int64[n]: the digits of each row as one number."""
    tens: Digits = 10 ** np.arange(digits.shape[1] - 1, -1, -1)
    return np.asarray(digits @ tens, np.int64)


def _rest(value: CheckDigits, digits: Digits) -> Digits:
    """int64[n]: what the weighted sum leaves by the modulus."""
    return (value.plus + doubled(digits, value.doubled_places) @ np.array(value.weights, np.int64)) % value.modulus


def doubled(digits: Digits, places: Sequence[int]) -> Digits:
    """The digits, doubled at some places; of a double of two digits these are added."""
    found, at = digits.copy(), list(places)
    found[:, at] = 2 * digits[:, at] - 9 * (digits[:, at] >= 5)
    return found
