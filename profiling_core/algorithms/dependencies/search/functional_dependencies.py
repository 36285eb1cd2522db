"""Minimal functional dependencies, exact or with g1 ≤ ε, from agree sets (docs/semantics.md, "Error")."""

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import counts_of
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.search.dependency_search import minimal_sets, violations_limit
from profiling_core.model.constraint import ColumnList, FunctionalDependency, Measured, RowConstraint


def functional_dependencies(
    agree: AgreeSets, *, max_lhs: int | None = None, max_error: float = 0.0, rows: int
) -> list[Measured[RowConstraint]]:
    """All X → A with error ≤ ``max_error`` of which every generalisation has a greater error.

    Args:
        agree: the table's agree sets.
        max_lhs: the greatest number of columns on the left; None: no bound.
        max_error: g1, violating pairs by all pairs; 0: exact.
        rows: the table's number of rows.

    Returns:
        Right sides in column order, for each the shorter left sides first. Support counts the ordered pairs that agree
        on the left side.
    """
    population = rows * (rows - 1)
    limit = violations_limit(max_error, population)
    found = [(lhs, rhs) for rhs, sets in minimal_sets(agree, range(len(agree.columns)), max_lhs, limit) for lhs in sets]
    together, apart = counts_of(agree, [lhs for lhs, _ in found], [rhs for _, rhs in found])
    return [
        Measured(_dependency(agree, lhs, rhs), 2 * violations, population, 2 * support)
        for (lhs, rhs), violations, support in zip(found, apart.tolist(), together.tolist(), strict=True)
    ]


def _dependency(agree: AgreeSets, lhs: tuple[int, ...], rhs: int) -> FunctionalDependency:
    return FunctionalDependency(
        ColumnList(agree.table, tuple(agree.columns[i] for i in lhs)), ColumnList(agree.table, (agree.columns[rhs],))
    )
