"""Exact figures of given dependencies, as covers: from bits of agree sets, or from known counts of pairs."""

from collections.abc import Callable, Sequence

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets import agree_set_counts
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover, in_order
from profiling_core.algorithms.dependencies.position_lists.pair_changes import agreeing_pairs, differing_pairs
from profiling_core.algorithms.dependencies.position_lists.pair_counts import PairCounts
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace
from profiling_core.algorithms.ground.arrays import Codes, Counts, Words
from profiling_core.algorithms.ground.bit_words import WORD, flags
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_sides, columns_in


def by_agree_sets(agree: AgreeSets, lhs: Words, rhs: Counts) -> DependencyCover:
    """Figures of left sides uint64[n, words] and right sides int64[n], by bits of all agree sets."""
    together, violations = agree_set_counts.counts_of(agree, lhs, rhs)
    unique = rhs == NO_RHS
    together[unique] = near_misses(lhs[unique], lambda sets: agree_set_counts.agreeing(agree, sets))
    return DependencyCover(lhs, rhs, violations, together)


def violations_by_rows(codes: Codes, lhs: Words, rhs: Counts, *, comparable: bool) -> Counts:
    """The unordered pairs that violate each dependency, by partitions of the rows int32[columns, n].

    ``comparable`` tells whether nulls agree with each other.
    """
    violations, unique = np.empty(len(lhs), np.int64), rhs == NO_RHS
    violations[unique] = agreeing_pairs(codes, lhs[unique], comparable=comparable)
    violations[~unique] = differing_pairs(codes, lhs[~unique], rhs[~unique], comparable=comparable)
    return violations


def by_counts(spaces: Sequence[SearchSpace], pairs: PairCounts) -> DependencyCover:
    """The dependencies of searched spaces with their figures, in the order in which they are listed."""
    found = [(lhs, space.rhs) for space in spaces for lhs in space.dependencies]
    lhs, rhs = as_sides(found, pairs.columns)
    order = in_order(lhs, rhs)
    found = [found[i] for i in order.tolist()]
    supporting = [support_of(*dependency) for dependency in found]
    counts = iter(pairs.of_each(columns for sets in supporting for columns in sets))
    return DependencyCover(
        lhs[order],
        rhs[order],
        np.array(pairs.violations_of_each(found), np.int64),
        np.array([min((next(counts) for _ in sets), default=0) for sets in supporting], np.int64),
    )


def support_of(lhs: int, rhs: int) -> list[int]:
    """The sets whose fewest agreeing pairs are a dependency's support: its left side, or a UCC's columns but one."""
    return [lhs & ~(1 << column) for column in columns_in(lhs)] if rhs == NO_RHS else [lhs]


def near_misses(sets: Words, together: Callable[[Words], Counts]) -> Counts:
    """Per column set the least number of pairs that agree on all of its columns but one; 0 for no columns.

    Args:
        sets: uint64[n, words].
        together: counts the pairs that agree on each of other column sets.
    """
    rows, columns = np.nonzero(flags(sets))
    parts = sets[rows]
    parts[np.arange(len(rows)), columns // WORD] ^= np.uint64(1) << (columns % WORD).astype(np.uint64)
    found = np.full(len(sets), np.iinfo(np.int64).max)
    np.minimum.at(found, rows, together(parts))
    found[~sets.any(axis=1)] = 0
    return found
