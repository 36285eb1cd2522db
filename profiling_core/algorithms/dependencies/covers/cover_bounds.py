"""Which FDs and UCCs of a table are wanted, and kept current."""

from dataclasses import dataclass

from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.ground.limits import greatest_count


@dataclass(frozen=True, slots=True)
class CoverBounds:
    """The most columns on an FD's left side and in a UCC (None: any number), and the greatest error (g1)."""

    max_lhs: int | None = None
    max_columns: int | None = None
    fd_error: float = 0.0
    ucc_error: float = 0.0

    def limits(self, pairs: int) -> tuple[int, int]:
        """The greatest number of violating unordered pairs of an FD, and of a UCC, among ``pairs`` pairs."""
        return violations_limit(self.fd_error, 2 * pairs), violations_limit(self.ucc_error, 2 * pairs)

    def longest(self, columns: int) -> tuple[int, int]:
        """The greatest number of columns of an FD's left side, and of a UCC, in a table of ``columns`` columns."""
        return (
            columns if self.max_lhs is None else self.max_lhs,
            columns if self.max_columns is None else self.max_columns,
        )

    def of(self, rhs: int, columns: int, rows: int) -> tuple[int, int]:
        """Both for one right side, or :data:`NO_RHS`: the most columns, and the most violating unordered pairs."""
        unique = rhs == NO_RHS
        return self.longest(columns)[unique], self.limits(rows * (rows - 1) // 2)[unique]


def violations_limit(max_error: float, population: int) -> int:
    """The greatest v with 2·v / population ≤ ``max_error``, by the same division as the error; v in unordered pairs."""
    return greatest_count(max_error, population, each=2)
