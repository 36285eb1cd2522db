"""FDs and UCCs, exact and approximate, from docs/semantics.md: "Error of an approximate constraint"."""

import itertools
from collections.abc import Callable, Sequence

from oracle.predicates import Row, satisfied
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

Columns = tuple[str, ...]


def agree(t: Row, s: Row, columns: Columns, nulls: NullSemantics) -> bool:
    """Whether the pair is equal in all columns."""
    for c in columns:  # noqa: SIM110  # a generator for each pair takes twice the time
        if not satisfied(t[c], Operator.EQ, s[c], nulls):
            return False
    return True


def fd_violations(rows: Sequence[Row], lhs: Columns, rhs: str, nulls: NullSemantics) -> int:
    """Ordered pairs that agree on the left side and differ on the right."""
    return sum(
        agree(t, s, lhs, nulls) and satisfied(t[rhs], Operator.NE, s[rhs], nulls)
        for t, s in itertools.permutations(rows, 2)
    )


def ucc_violations(rows: Sequence[Row], columns: Columns, nulls: NullSemantics) -> int:
    """Ordered pairs that agree on the columns."""
    return sum(agree(t, s, columns, nulls) for t, s in itertools.permutations(rows, 2))


def minimal(
    columns: Columns, limit: int | None, rows: int, violations: Callable[[Columns], int], max_error: float
) -> dict[Columns, int]:
    """The minimal column sets, the empty one included, whose g1 does not pass ``max_error``."""
    found: dict[Columns, int] = {}
    for size in range((len(columns) if limit is None else min(limit, len(columns))) + 1):
        for chosen in itertools.combinations(columns, size):
            if not any(set(smaller) < set(chosen) for smaller in found) and g1(violations(chosen), rows) <= max_error:
                found[chosen] = violations(chosen)
    return found


def functional_dependencies(
    rows: Sequence[Row],
    schema: TableSchema,
    nulls: NullSemantics,
    *,
    max_lhs: int | None = None,
    max_error: float = 0.0,
) -> dict[tuple[Columns, str], int]:
    """Minimal (lhs, rhs) with g1 ≤ ``max_error`` → violating ordered pairs; columns in schema order."""
    names = tuple(c.name for c in schema.profiled)
    return {
        (lhs, rhs): count
        for rhs in names
        for lhs, count in minimal(
            tuple(n for n in names if n != rhs),
            max_lhs,
            len(rows),
            lambda lhs, rhs=rhs: fd_violations(rows, lhs, rhs, nulls),
            max_error,
        ).items()
    }


def unique_column_combinations(
    rows: Sequence[Row],
    schema: TableSchema,
    nulls: NullSemantics,
    *,
    max_columns: int | None = None,
    max_error: float = 0.0,
) -> dict[Columns, int]:
    """Minimal column sets with error ≤ ``max_error`` → violating ordered pairs; columns in schema order."""
    names = tuple(c.name for c in schema.profiled)
    return minimal(names, max_columns, len(rows), lambda columns: ucc_violations(rows, columns, nulls), max_error)


def g1(violations: int, rows: int) -> float:
    """Violating ordered pairs of n·(n−1); zero where there are no pairs."""
    return violations / (rows * (rows - 1)) if rows > 1 else 0.0


def usual_bound(columns: int) -> int:
    """The most predicates of a constraint of ``columns`` columns if none are configured, without a formula."""
    found = 1
    combinations = [1] + [0] * 4
    for _ in range(columns):
        combinations = [1] + [combinations[k] + combinations[k - 1] for k in range(1, 5)]
    for k in (2, 3, 4):
        if (k + 1) * combinations[k] <= 5_000_000:
            found = k
    return found
