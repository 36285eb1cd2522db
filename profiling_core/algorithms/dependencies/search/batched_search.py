"""The search for minimal dependencies where counts come in batches (Pyro, section 6; Toivonen 1996 for the sample).

What is known of a part of the rows, or was true before a delta, is a frontier of presumed non-dependencies. One batch
tells which of them are any. The least column sets that none of these contains are asked for in the next batch; those
that fail are non-dependencies themselves, so the search ends after at most as many batches as a left side has columns,
and one. What decides is an exact count throughout.
"""

from collections.abc import Sequence

from profiling_core.algorithms.dependencies.position_lists.pair_counts import BatchedCounts
from profiling_core.algorithms.dependencies.search.search_space import Findings, Task, maximal


def search(tasks: Sequence[Task], pairs: BatchedCounts, *, certain: bool = False) -> None:
    """Finds all minimal dependencies of each space, going on from its presumed non-dependencies.

    Args:
        tasks: the spaces; what they know as dependencies is not looked at.
        pairs: the table's counts.
        certain: the non-dependencies are known not to hold, and are not counted again.
    """
    searches = [(task, Findings(task, pairs.columns)) for task in tasks]
    presumed = [maximal(task.space.non_dependencies) for task in tasks]
    if certain:
        for (_, found), known in zip(searches, presumed, strict=True):
            found.exclude(known)
    else:
        _ask(searches, presumed, pairs)
    while any(asked := [found.unconfirmed() for _, found in searches]):
        _ask(searches, asked, pairs)
    for _, found in searches:
        found.keep()


def _ask(searches: Sequence[tuple[Task, Findings]], asked: Sequence[list[int]], pairs: BatchedCounts) -> None:
    """Counts what violates the sets asked of each space, in one batch, and learns from it."""
    questions = [(lhs, task.space.rhs) for (task, _), sets in zip(searches, asked, strict=True) for lhs in sets]
    counts = iter(pairs.violations_of_each(questions))
    for (task, found), sets in zip(searches, asked, strict=True):
        violations = {lhs: next(counts) for lhs in sets}
        found.confirmed.update(lhs for lhs in sets if violations[lhs] <= task.limit)
        found.exclude([lhs for lhs in sets if violations[lhs] > task.limit])
