"""Codes with check digits: a linear system modulo a number gives the weights, and all rows obey them."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.sample import spread
from profiling_core.algorithms.equations.weighted_digits import Digits, digits_of, doubled, number
from profiling_core.model.expression import CheckDigits

# Codes that are looked at; those that weights are solved from; and of these the first, which rule out nearly all codes
# without check digits.
_LOOKED, _ROWS, _FIRST = 20_000, 500, 64
# By number of check digits the moduli that use all of their values: what they can say, and the primes on either side.
_MODULI = {1: (10, 11, 7), 2: (97, 101)}
MODULI = sum(map(len, _MODULI.values()))
"""The number of moduli that are tried."""
_DECIMAL, _PRIMES_OF_DECIMAL = 10, (2, 5)


class _Way(NamedTuple):
    """Where the check digits may begin, how many they are, the modulus, and whether others are doubled."""

    start: int
    size: int
    modulus: int
    doubled: bool


def check_digits(codes: pa.Table, budget: Budget = ENDLESS) -> Iterator[Proposal]:
    """Proposals of codes with check digits: of each length those that the digits before them give.

    Args:
        codes: columns of texts and whole numbers.
        budget: when to end.
    """
    for name in budget.steps(codes.column_names, codes.num_rows + _ROWS * _FIRST):
        there = codes[name].unique().drop_null()
        texts = there.take(pa.array(spread(len(there), _LOOKED))).cast(pa.string()).to_pylist()
        for length, rows in Counter(map(len, texts)).items():
            if rows > length:
                digits = digits_of([text for text in texts if len(text) == length], length)
                yield from (Proposal(name, value) for value in _of_length(name, digits[_telling(digits)]))


def _telling(digits: Digits) -> Digits:
    """int64[m]: the positions of some codes, among them one with each digit at each place."""
    each = (np.unique(of_place, return_index=True)[1] for of_place in digits.T)
    return np.unique(np.concatenate([spread(len(digits), _ROWS), *each]))


def _of_length(name: str, digits: Digits) -> Iterator[CheckDigits]:
    """The check digits of codes of one length, from the end on."""
    written = np.asarray((digits >= 0).all(axis=0), np.bool_)
    varied = np.asarray(written & (digits.max(axis=0) > digits.min(axis=0)), np.bool_)
    for end in range(digits.shape[1], 0, -1):
        ways = (
            _Way(end - size, size, modulus, luhn)
            for size, moduli in _MODULI.items()
            if size <= end and varied[end - size] and written[end - size : end].all()
            if np.count_nonzero(varied[: end - size]) > size
            for modulus in moduli
            for luhn in ((True, False) if modulus == _DECIMAL else (False,))
        )
        found = (_weighed(name, digits, np.flatnonzero(written[: way.start]), way) for way in ways)
        yield from (value for value in [next((value for value in found if value), None)] if value)


def _weighed(name: str, digits: Digits, used: Digits, way: _Way) -> CheckDigits | None:
    """The check digits by the weights that the rows give; None: no check digits.

    As many digits as there are check digits may be counted on in these, and numbers in steps below ten.
    """
    solved = (_luhn if way.doubled else _solved)(digits, used, way)
    if solved is None or np.count_nonzero(solved[1:]) <= way.size or _is_in_steps(digits, used, way):
        return None
    weights = np.zeros(digits.shape[1], np.int64)
    weights[used] = _plainest(solved[1:], way.modulus)
    return CheckDigits(name, tuple(weights.tolist()), int(solved[0]), way.modulus, way.start, way.size, way.doubled)


def _is_in_steps(digits: Digits, used: Digits, way: _Way) -> bool:
    """Whether the codes are numbers that leave the same by a modulus below ten."""
    whole = number(digits[:, [*used, way.start]]) % way.modulus
    return way.modulus < _DECIMAL and bool((whole == whole[0]).all())


def _luhn(digits: Digits, used: Digits, way: _Way) -> Digits | None:
    """The constant and Luhn's weights, 0 for some leading digits at most; None: the rows contradict them."""
    summed = np.cumsum(doubled(digits, used[::-2].tolist())[:, used[::-1]], axis=1)[:, ::-1]
    rest = (digits[:, way.start : way.start + 1] + summed) % way.modulus
    right = np.flatnonzero((rest == rest[0]).all(axis=0))
    if not len(right):
        return None
    weights = np.where(np.arange(len(used)) < right[0], 0, way.modulus - 1)
    return np.asarray([rest[0, right[0]], *weights], np.int64)


def _plainest(weights: Digits, modulus: int) -> Digits:
    """Weights modulo a number, none below 0 or none above it: those that add up to less."""
    below = np.where(weights > 0, weights - modulus, 0)
    return below if -below.sum() < weights.sum() else weights


def _solved(digits: Digits, used: Digits, way: _Way) -> Digits | None:
    """int64[1 + used]: the constant and the weights; None: no weights fit all rows.

    Where the modulus has more values than the digits, 0 stands for the greatest, too: such rows tell nothing.
    """
    given = number(digits[:, way.start : way.start + way.size])
    own = np.column_stack([np.ones(len(digits), np.int64), digits[:, used]])
    if way.modulus > 10**way.size:
        own, given = own[given > 0], given[given > 0]
    if len(own) <= own.shape[1]:
        return None
    found = np.zeros(own.shape[1], np.int64)
    for prime in _PRIMES_OF_DECIMAL if way.modulus == _DECIMAL else (way.modulus,):
        few = _solution(own[:_FIRST], given[:_FIRST], prime)
        one = few if few is None else _solution(own, given, prime)
        if one is None:
            return None
        others = way.modulus // prime  # the other primes' product (Chinese remainders)
        found = (found + one * others * pow(others, -1, prime)) % way.modulus
    return found


def _solution(rows: Digits, given: Digits, prime: int) -> Digits | None:
    """The solution of a linear system modulo a prime in which what the rows leave open is 0; None: there is none."""
    system = np.column_stack([rows, given]) % prime
    pivots: list[int] = []
    for column in range(rows.shape[1]):
        at = len(pivots)
        below = np.flatnonzero(system[at:, column])
        if len(below):
            system[[at, at + below[0]]] = system[[at + below[0], at]]
            system[at] = system[at] * pow(int(system[at, column]), -1, prime) % prime
            factors = system[:, column].copy()
            factors[at] = 0
            system = (system - np.outer(factors, system[at])) % prime
            pivots.append(column)
    if system[len(pivots) :, -1].any():
        return None
    found = np.zeros(rows.shape[1], np.int64)
    found[pivots] = system[: len(pivots), -1]
    return found
