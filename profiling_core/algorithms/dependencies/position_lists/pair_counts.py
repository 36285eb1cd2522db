"""How many pairs of rows agree on sets of columns, and what follows: how many differ, and how many violate.

A UCC's violations are the pairs that agree on its columns; an FD's are those that agree on the left side without those
that also agree on the right. Where nulls are incomparable, a column with nulls has a *presence* beside it, a column
with one value and the same nulls: of the pairs that agree on X and have A present, those violate X → A that do not
agree on A.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from profiling_core.algorithms.ground.column_sets import NO_RHS, columns_in
from profiling_core.model.constraint import RowConstraint, as_denial_constraint
from profiling_core.model.predicate import Operator

# Columns that pairs agree on, and columns in which they all differ.
Pairing = tuple[int, int]
Count = Callable[[Sequence[int]], Sequence[int]]


class PairCounts:
    """Exact counts of unordered pairs, as far as they are known.

    A set of columns is an int with bit c for column c of m, and bit m + c for its presence.

    Attributes:
        columns: m, the number of columns.
        rows: the number of rows.
        nullable: the columns that have, or had, nulls that agree with nothing.
        known: the pairs that agree on each set.
    """

    def __init__(self, columns: int, rows: int, nullable: int, known: dict[int, int]) -> None:
        self.columns, self.rows, self.nullable = columns, rows, nullable
        self.known = known

    def of(self, columns: int) -> int:
        """The pairs that agree on a set."""
        return self.known[columns]

    def violations(self, lhs: int, rhs: int) -> int:
        """The pairs that violate lhs → rhs, or the UCC lhs if ``rhs`` is :data:`NO_RHS`."""
        if rhs == NO_RHS:
            return self.of(lhs)
        right = 1 << rhs
        return 0 if lhs & right else self.of(lhs | self.presence(right)) - self.of(lhs | right)

    def of_each(self, sets: Iterable[int]) -> list[int]:
        """The pairs that agree on each set."""
        return [self.of(columns) for columns in sets]

    def violations_of_each(self, dependencies: Sequence[tuple[int, int]]) -> list[int]:
        """The pairs that violate each left side → right side; :data:`NO_RHS` on the right asks for a UCC."""
        return [self.violations(lhs, rhs) for lhs, rhs in dependencies]

    def differing(self, equal: int, different: int) -> int:
        """The pairs that agree on all columns of one set and differ in all of another."""
        return sum(sign * self.of(columns) for sign, columns in self.terms(equal, different))

    def terms(self, equal: int, different: int) -> Iterator[tuple[int, int]]:
        """The sets by which :meth:`differing` goes, with their signs, by inclusion and exclusion.

        Pairs differ in a column where both have a value and do not agree.
        """
        if equal & different:
            return
        for size in range(different.bit_count() + 1):
            for chosen in combinations(columns_in(different), size):
                agreeing = sum(1 << column for column in chosen)
                yield (-1) ** size, equal | agreeing | self.presence(different & ~agreeing)

    def presence(self, columns: int) -> int:
        """The presence columns of some columns; pairs without nulls in these agree on them."""
        return (columns & self.nullable) << self.columns

    def become_nullable(self, columns: int, asked: Iterable[Pairing]) -> None:
        """Before the first nulls of some columns come, as many pairs agree on a set with their presence as without."""
        new = (columns & ~self.nullable) << self.columns
        if not new:
            return
        self.nullable |= columns
        for pairing in asked:
            for _, members in self.terms(*pairing):
                if members not in self.known:
                    self.known[members] = self.known[members & ~new]


class BatchedCounts(PairCounts):
    """Counts that are had by the batch alone, as from a table that lies on many machines; none is asked for twice."""

    def __init__(self, columns: int, rows: int, nullable: int, count: Count) -> None:
        """Takes a table.

        Args:
            columns: the number of columns.
            rows: the number of rows.
            nullable: the columns that have nulls, where nulls are incomparable; else none.
            count: the unordered pairs that agree on each of some distinct, non-empty sets.
        """
        super().__init__(columns, rows, nullable, {0: rows * (rows - 1) // 2})
        self._count = count

    def of_each(self, sets: Iterable[int]) -> list[int]:
        """The pairs that agree on each set."""
        asked = list(sets)
        missing = sorted(set(asked) - self.known.keys())
        if missing:
            self.known.update(zip(missing, self._count(missing), strict=True))
        return [self.known[columns] for columns in asked]

    def violations_of_each(self, dependencies: Sequence[tuple[int, int]]) -> list[int]:
        """The pairs that violate each left side → right side; :data:`NO_RHS` on the right asks for a UCC."""
        return self.differing_in_each([pairing(lhs, rhs) for lhs, rhs in dependencies])

    def differing_in_each(self, pairings: Sequence[Pairing]) -> list[int]:
        """The pairs that agree on all columns of a set and differ in all of another, for each two sets."""
        self.of_each(columns for asked in pairings for _, columns in self.terms(*asked))
        return [self.differing(*asked) for asked in pairings]


def pairing(lhs: int, rhs: int) -> Pairing:
    """The pairs that violate lhs → rhs, or the UCC lhs."""
    return lhs, 0 if rhs == NO_RHS else 1 << rhs


def pairing_of(constraint: RowConstraint, columns: Sequence[str]) -> Pairing:
    """The pairs that violate a constraint of same-column equality predicates over these columns."""
    at = {name: 1 << i for i, name in enumerate(columns)}
    sides = {Operator.EQ: 0, Operator.NE: 0}
    for predicate in as_denial_constraint(constraint).predicates:
        sides[predicate.op] |= at[predicate.left.column]
    return sides[Operator.EQ], sides[Operator.NE]
