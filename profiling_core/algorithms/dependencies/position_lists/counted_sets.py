"""Counts of agreeing pairs that are had by the batch alone, as from a table that lies on many machines.

Sets of columns are ints as in :mod:`agreeing_pairs`, presences behind the columns. A batch of questions becomes one
batch of counts, and no count is asked for twice.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import NO_RHS
from profiling_core.algorithms.ground.column_sets import columns_in

Count = Callable[[Sequence[int]], Sequence[int]]


class CountedSets:
    """Counts of one table.

    Attributes:
        columns: the number of columns.
        rows: the number of rows.
    """

    def __init__(self, columns: int, rows: int, nullable: int, count: Count) -> None:
        """Takes a table.

        Args:
            columns: the number of columns.
            rows: the number of rows.
            nullable: the columns that have nulls, where nulls are incomparable; else none.
            count: the unordered pairs that agree on each of some distinct, non-empty sets of columns and presences; the
                presence of column i is i + ``columns``.
        """
        self.columns = columns
        self.rows = rows
        self._nullable = nullable
        self._count = count
        self._known = {0: rows * (rows - 1) // 2}

    def of(self, sets: Iterable[int]) -> list[int]:
        """The unordered pairs that agree on each set."""
        asked = list(sets)
        missing = sorted({columns for columns in asked if columns not in self._known})
        if missing:
            self._known.update(zip(missing, self._count(missing), strict=True))
        return [self._known[columns] for columns in asked]

    def violations(self, questions: Sequence[tuple[int, int]]) -> list[int]:
        """The unordered pairs that violate each left side → right side; :data:`NO_RHS` on the right asks for a key."""
        return self.differing([(lhs, 0 if rhs == NO_RHS else 1 << rhs) for lhs, rhs in questions])

    def differing(self, questions: Sequence[tuple[int, int]]) -> list[int]:
        """The unordered pairs that agree on all columns of a set and differ in all of another, per question.

        Those that differ follow from those that agree, by inclusion and exclusion.
        """
        terms = [list(self._terms(equal, different)) for equal, different in questions]
        self.of(columns for own in terms for _, columns in own)
        return [sum(sign * self._known[columns] for sign, columns in own) for own in terms]

    def _terms(self, equal: int, different: int) -> Iterable[tuple[int, int]]:
        if equal & different:
            return
        present = equal | (different & self._nullable) << self.columns
        members = list(columns_in(different))
        for size in range(len(members) + 1):
            for chosen in combinations(members, size):
                agreeing = sum(1 << column for column in chosen)
                # A column that two rows agree on is present in both.
                yield (-1) ** size, (present | agreeing) & ~((agreeing & self._nullable) << self.columns)
