"""Minimal unique column combinations, exact or with g1 ≤ ε, from agree sets (docs/semantics.md, "Error")."""

from profiling_core.algorithms.dependencies.agree_sets import agree_set_counts
from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import NO_RHS, counts_of
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.search.dependency_search import minimal_sets, violations_limit
from profiling_core.algorithms.ground.bit_words import masks_of
from profiling_core.model.constraint import ColumnList, Measured, RowConstraint, UniqueColumnCombination


def unique_column_combinations(
    agree: AgreeSets, *, max_columns: int | None = None, max_error: float = 0.0, rows: int
) -> list[Measured[RowConstraint]]:
    """All X with error ≤ ``max_error`` of which every proper subset has a greater error.

    Args:
        agree: the table's agree sets.
        max_columns: the greatest number of columns; None: no bound.
        max_error: g1, violating pairs by all pairs; 0: exact.
        rows: the table's number of rows.

    Returns:
        The shorter ones first. Support is the least number of ordered pairs that agree on all columns of X but one.
    """
    population = rows * (rows - 1)
    limit = violations_limit(max_error, population)
    found = [columns for _, sets in minimal_sets(agree, [NO_RHS], max_columns, limit) for columns in sets]
    together, _ = counts_of(agree, found, [NO_RHS] * len(found))
    support = near_misses(agree, found)
    return [
        Measured(_unique(agree, columns), 2 * violations, population, 2 * near)
        for columns, violations, near in zip(found, together.tolist(), support, strict=True)
    ]


def near_misses(agree: AgreeSets, found: list[tuple[int, ...]]) -> list[int]:
    """Per column set the least number of unordered pairs that agree on all of its columns but one; 0 for no columns."""
    counts: list[int] = agree_set_counts.near_misses(agree, masks_of(found, agree.equal.shape[1])).tolist()
    return counts


def _unique(agree: AgreeSets, columns: tuple[int, ...]) -> UniqueColumnCombination:
    return UniqueColumnCombination(ColumnList(agree.table, tuple(agree.columns[i] for i in columns)))
