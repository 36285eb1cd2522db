"""Agree sets and what follows from them: the façade over the modules that compute it.

One state answers every question about FDs and UCCs: exact, approximate at any threshold, and the errors of given ones.
"""

import os
from collections.abc import Sequence

from profiling_core.algorithms.dependencies.agree_sets import partition_lattice
from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import NO_RHS, counts_of
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets, agree_sets
from profiling_core.algorithms.dependencies.search.functional_dependencies import functional_dependencies
from profiling_core.algorithms.dependencies.search.unique_columns import near_misses, unique_column_combinations
from profiling_core.algorithms.evidence.multiset import self_evidence
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import FunctionalDependency, Measured, RowConstraint, UniqueColumnCombination
from profiling_core.model.predicate import PredicateSpace

__all__ = [
    "AgreeSets",
    "agree_sets",
    "agree_sets_of_rows",
    "functional_dependencies",
    "measure",
    "unique_column_combinations",
]


def agree_sets_of_rows(rows: Encoded, space: PredicateSpace, *, threads: int = 0) -> AgreeSets:
    """The agree sets of rows whose evidence nobody needs, in whichever way is cheaper.

    Args:
        rows: the rows, encoded for the space.
        space: the space; with groups across columns, these are left aside.
        threads: threads to use; 0: one per processor.
    """
    same_column = all(group.predicates[0].is_same_column for group in space.groups)
    found = partition_lattice.agree_sets_of(rows, space, threads or os.cpu_count() or 1) if same_column else None
    return found or agree_sets(self_evidence(rows, space, threads=threads), space)


def measure(
    agree: AgreeSets, constraints: Sequence[FunctionalDependency | UniqueColumnCombination]
) -> list[Measured[RowConstraint]]:
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
