"""Counts of agreeing pairs that are kept from delta to delta, by column set."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import NO_RHS, AgreeingPairs
from profiling_core.algorithms.ground.column_sets import columns_in

# A set of columns on which pairs agree, and one of columns in all of which they differ.
Question = tuple[int, int]


class KeptCounts:
    """Exact counts of unordered pairs; a set of columns is an int with bit c for column c, and m + c for its presence.

    Attributes:
        columns: m, the number of columns.
        rows: the number of rows.
        known: the pairs that agree on each set.
        nullable: the columns that have, or had, nulls that agree with nothing.
    """

    def __init__(self, columns: int, rows: int, known: dict[int, int], nullable: int) -> None:
        self.columns, self.rows = columns, rows
        self.known = known
        self.nullable = nullable

    def of(self, columns: int) -> int:
        """The pairs that agree on a set that is kept."""
        return self.known[columns]

    def violations(self, lhs: int, rhs: int) -> int:
        """The pairs that violate lhs → rhs, or the UCC lhs if ``rhs`` is :data:`NO_RHS`; their sets are kept."""
        return self.count(question(lhs, rhs))

    def count(self, asked: Question) -> int:
        """The pairs that agree on all columns of one set and differ in all of another; their sets are kept."""
        return sum(sign * self.known[members] for sign, members in self._terms(asked))

    def sets_of(self, asked: Question) -> set[int]:
        """The sets by which :meth:`count` goes."""
        return {members for _, members in self._terms(asked)}

    def _terms(self, asked: Question) -> Iterator[tuple[int, int]]:
        """Inclusion and exclusion: pairs differ in a column where both have a value and do not agree."""
        equal, different = asked
        if equal & different:
            return
        for size in range(different.bit_count() + 1):
            for chosen in combinations(columns_in(different), size):
                agreeing = sum(1 << column for column in chosen)
                present = different & ~agreeing & self.nullable
                yield (-1) ** size, equal | agreeing | present << self.columns

    def become_nullable(self, columns: int, asked: Iterable[Question]) -> None:
        """Before the first nulls of some columns come, as many pairs agree on a set with their presence as without."""
        new = (columns & ~self.nullable) << self.columns
        if not new:
            return
        self.nullable |= columns
        for every in asked:
            for members in self.sets_of(every):
                if members not in self.known:
                    self.known[members] = self.known[members & ~new]

    def given_to(self, pairs: AgreeingPairs) -> None:
        """Spares a table's fresh counts what is known."""
        pairs.known.update({self._as_in(pairs, members): count for members, count in self.known.items()})

    def taken_from(self, pairs: AgreeingPairs, wanted: Iterable[int]) -> None:
        """Takes the counts of these sets from a table's fresh ones, which find what they do not have."""
        for members in wanted:
            self.known[members] = pairs.of(self._as_in(pairs, members))

    def _as_in(self, pairs: AgreeingPairs, members: int) -> int:
        found = members & (1 << self.columns) - 1
        for column in columns_in(members >> self.columns):
            if column in pairs.presence:
                found |= 1 << pairs.presence[column]
        return found


def question(lhs: int, rhs: int) -> Question:
    """What violates lhs → rhs, or the UCC lhs."""
    return lhs, 0 if rhs == NO_RHS else 1 << rhs
