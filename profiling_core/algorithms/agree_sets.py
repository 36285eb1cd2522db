"""Agree sets and what follows from them: the façade over the modules that compute it.

One state answers every question about FDs and UCCs: exact, approximate at any threshold, and the errors of given ones.
"""

from collections.abc import Sequence

from profiling_core.algorithms.agree_set_counts import NO_RHS, counts_of
from profiling_core.algorithms.agreement import AgreeSets, agree_sets
from profiling_core.algorithms.functional_dependencies import functional_dependencies
from profiling_core.algorithms.unique_columns import near_misses, unique_column_combinations
from profiling_core.model.constraint import FunctionalDependency, Measured, UniqueColumnCombination

__all__ = ["AgreeSets", "agree_sets", "functional_dependencies", "measure", "unique_column_combinations"]


def measure(agree: AgreeSets, constraints: Sequence[FunctionalDependency | UniqueColumnCombination]) -> list[Measured]:
    """Exact figures of given FDs and UCCs, in ordered pairs.

    Raises:
        KeyError: a constraint speaks of a column that has no agree sets.
    """
    position = {name: i for i, name in enumerate(agree.columns)}
    lhs = [tuple(sorted(position[name] for name in constraint.lhs.columns)) for constraint in constraints]
    rhs = [position[c.rhs.columns[0]] if isinstance(c, FunctionalDependency) else NO_RHS for c in constraints]
    together, apart = (counts.tolist() for counts in counts_of(agree, lhs, rhs))
    near = near_misses(agree, lhs)
    return [
        Measured(constraint, 2 * apart[i], agree.population, 2 * together[i])
        if isinstance(constraint, FunctionalDependency)
        else Measured(constraint, 2 * together[i], agree.population, 2 * near[i])
        for i, constraint in enumerate(constraints)
    ]
