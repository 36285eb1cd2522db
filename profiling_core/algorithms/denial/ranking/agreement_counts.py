"""How many pairs satisfy a conjunction of comparisons of columns with themselves, from the pairs that agree.

Pairs that agree on a set of columns are counted by position list indexes, each set once; ≠ follows by inclusion and
exclusion. Two rows that differ in a value are in order one way round, so that one order follows as well. Of two orders
it is counted once how many pairs are in the same order by both, as inversions are: that they are in opposite order,
what three orders give, and what ties do, follows again.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import LEAST_MEMORY, AgreeingPairs
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import NULL, Encoded
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.types import NullSemantics

# Position list indexes kept for other counts take up to 256 bytes per row (10⁶ rows of lineitem, 463 counts: 4.3 CPU
# seconds; a sixth of that 6.0; four times as much 5.4).
_KEPT = 256
# The most ≠ and orders that are counted by them: each ≠ doubles the work, and four orders do not follow from two.
_EXCLUDED = 6
_ORDERED = 3
_WEAK = (Operator.LE, Operator.GE)
_RISING = (Operator.LT, Operator.LE)
# Stretches of 16 values are sorted in place before longer ones are merged.
_SHORT = 16


class AgreementCounts:
    """Counts of the ordered pairs that satisfy conjunctions over one table; for several threads at once.

    Args:
        rows: the rows; all columns that conjunctions speak of are encoded.
        nulls: the null semantics of their predicates.
    """

    def __init__(self, rows: Encoded, nulls: NullSemantics) -> None:
        self._number = {name: i for i, name in enumerate(rows.columns)}
        self._agreeing = AgreeingPairs(rows, nulls, max(LEAST_MEMORY, _KEPT * rows.rows))
        self._bits = [int(codes.max(initial=0)).bit_length() for codes in self._agreeing.codes]
        # Where null = null, rows that differ are in no order if one of them is null. And two values and a class go
        # into a word: those of two million rows always do.
        unordered = (rows.codes == NULL).any(axis=1) & (nulls is NullSemantics.EQUAL)
        spare = 63 - rows.rows.bit_length() - max(self._bits, default=0)
        self._ordered = {c for c, null in enumerate(unordered.tolist()) if not null and self._bits[c] <= spare}
        self._concordant: dict[tuple[int, int, int], int] = {}

    def of(self, predicates: Sequence[Predicate]) -> int | None:
        """The ordered pairs of different rows that satisfy all predicates; None where agreement does not tell it."""
        asked = {self._number[p.left.column]: p.op for p in predicates}
        if len(asked) < len(predicates) or not all(p.is_same_column for p in predicates):
            return None
        agreeing = [column for column, op in asked.items() if op is Operator.EQ]
        different = [column for column, op in asked.items() if op is Operator.NE]
        ordered = {column: op for column, op in asked.items() if op not in (Operator.EQ, Operator.NE)}
        if len(different) > _EXCLUDED or len(ordered) > _ORDERED or not self._ordered >= ordered.keys():
            return None
        total = 0
        for ties, strict in _ways(ordered):
            total += self._in_orders(_as_set([*agreeing, *ties]), different, strict)
        return total

    def _in_orders(self, agreeing: int, different: list[int], strict: list[tuple[int, bool]]) -> int:
        """The ordered pairs that agree, differ, and are in strict orders (rising or not) of up to three columns."""
        columns = [column for column, _ in strict]
        if not columns:
            return 2 * self._differing(agreeing, different)
        differing = self._differing(agreeing, [*different, *columns])
        if len(columns) == 1:
            return differing
        # Each unordered pair that differs in all columns has one of the patterns of rising and falling, up to mirrors.
        # Of three columns these are four; each two columns are as asked in the one asked for and in one of the others,
        # so that the three counts together hold every other pattern once and that one three times.
        found = []
        for first, second in combinations(strict, 2):
            (a, rising), (b, other) = sorted((first, second))
            count = self._in_one_order(agreeing, [*different, *(c for c in columns if c not in {a, b})], a, b)
            found.append(count if rising == other else differing - count)
        return found[0] if len(found) == 1 else (sum(found) - differing) // 2

    def _differing(self, agreeing: int, different: Sequence[int]) -> int:
        """The unordered pairs that agree on some columns and differ in each of others, none of them null there."""
        return self._agreeing.differing(agreeing, _as_set(different))

    def _in_one_order(self, agreeing: int, different: Sequence[int], a: int, b: int) -> int:
        """Those of them that differ in columns a and b as well, and are in the same order by both."""
        agreeing |= self._agreeing.presence(1 << a | 1 << b)
        total = 0
        for sign, columns in self._agreeing.terms(agreeing, _as_set(different)):
            asked = (columns, a, b)
            if asked not in self._concordant:
                lists, codes = self._agreeing.lists(columns), self._agreeing.codes
                keys = _keys(lists.members, lists.bounds, codes[a], codes[b], self._bits[a], self._bits[b])
                keys.sort()
                self._concordant[asked] = int(_inversions(keys, lists.bounds, (1 << self._bits[b]) - 1))
            total += sign * self._concordant[asked]
        return total


def _ways(ordered: Mapping[int, Operator]) -> Iterator[tuple[Sequence[int], list[tuple[int, bool]]]]:
    """In which columns of weak orders two rows may agree, and the strict orders (rising or not) of the others then."""
    weak = [column for column, op in ordered.items() if op in _WEAK]
    for ties in chain.from_iterable(combinations(weak, size) for size in range(len(weak) + 1)):
        yield ties, [(column, op in _RISING) for column, op in ordered.items() if column not in ties]


def _as_set(columns: Sequence[int]) -> int:
    return sum(1 << column for column in columns)


@kernel
def _keys(members: Codes, bounds: Codes, a: Codes, b: Codes, bits_a: int, bits_b: int) -> NDArray[np.int64]:
    """Each member's class, value in a, and value in b counted down, one after the other in a number."""
    keys = np.empty(members.size, np.int64)
    last = (np.int64(1) << bits_b) - 1
    for k in range(bounds.size - 1):
        for i in range(bounds[k], bounds[k + 1]):
            row = members[i]
            keys[i] = ((np.int64(k) << bits_a | np.int64(a[row])) << bits_b) | (last - b[row])
    return keys


@kernel
def _inversions(keys: NDArray[np.int64], bounds: Codes, mask: int) -> np.int64:  # noqa: C901 -- a merge sort in place
    """The pairs of one class whose first has the greater number in the key's last bits; sorts by these."""
    found = np.int64(0)
    for at in range(keys.size):
        keys[at] &= mask
    held = np.empty(keys.size, np.int64)
    for k in range(bounds.size - 1):
        start = bounds[k]
        end = bounds[k + 1]
        for left in range(start, end, _SHORT):
            for i in range(left + 1, min(left + _SHORT, end)):
                value = keys[i]
                j = i
                while j > left and keys[j - 1] > value:
                    keys[j] = keys[j - 1]
                    j -= 1
                keys[j] = value
                found += i - j
        width = _SHORT
        while width < end - start:
            for left in range(start, end - width, 2 * width):
                middle = left + width
                until = min(middle + width, end)
                if keys[middle - 1] <= keys[middle]:
                    continue
                held[left:middle] = keys[left:middle]
                i = left
                j = middle
                for at in range(left, until):
                    if i == middle:
                        break
                    if j < until and keys[j] < held[i]:
                        found += middle - i
                        keys[at] = keys[j]
                        j += 1
                    else:
                        keys[at] = held[i]
                        i += 1
            width *= 2
    return found
