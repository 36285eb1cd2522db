"""A cover of minimal FDs and UCCs as arrays with exact figures, and the constraints that it stands for."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import flags, positions
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.model.constraint import (
    ColumnList,
    FunctionalDependency,
    Measured,
    RowConstraint,
    UniqueColumnCombination,
)


@dataclass(frozen=True, slots=True, eq=False)
class DependencyCover:
    """``lhs``: uint64[n, words] column sets; ``rhs``: int64[n], a column or :data:`NO_RHS`.

    ``violations`` and ``support`` count unordered pairs: those that violate, and those that agree on the left side (for
    a unique column combination: the least number that agree on all of its columns but one).
    """

    lhs: Words
    rhs: Counts
    violations: Counts
    support: Counts

    def __len__(self) -> int:
        return len(self.rhs)


def in_order(lhs: Words, rhs: Counts) -> Counts:
    """The order in which dependencies are listed: by right side, then the shorter first, then by their columns."""
    sizes = np.bitwise_count(lhs).sum(axis=1, dtype=np.int64)
    # Of two sets of one size the first in lexicographic order has the lowest differing column: as bytes read backwards,
    # with their bits reversed, it is the greater one.
    bits = np.packbits(flags(lhs), axis=1)
    words = bits.view(">u8").astype(np.uint64)
    return np.lexsort([*(~words[:, w] for w in range(words.shape[1] - 1, -1, -1)), sizes, rhs])


def concatenated(parts: Sequence[DependencyCover]) -> DependencyCover:
    """Covers of different right sides as one, in the order in which they are listed."""
    lhs, rhs, violations, support = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("lhs", "rhs", "violations", "support")
    )
    order = in_order(lhs, rhs)
    return DependencyCover(lhs[order], rhs[order], violations[order], support[order])


@contextmanager
def _uncollected() -> Iterator[None]:
    """Objects that all live on are made without a collector that looks for garbage among them: that takes longer."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def constraints_of(
    cover: DependencyCover, table: str, columns: Sequence[str], population: int
) -> list[Measured[RowConstraint]]:
    """A cover's constraints with their figures, in ordered pairs.

    Args:
        cover: the cover.
        table: the table's name.
        columns: the names of its columns.
        population: n·(n−1), the ordered pairs of rows.
    """
    rights = [ColumnList(table, (name,)) for name in columns]
    figures = zip(cover.rhs.tolist(), (2 * cover.violations).tolist(), (2 * cover.support).tolist(), strict=True)
    with _uncollected():
        lefts = [ColumnList(table, names) for names in _left_sides(cover.lhs, columns)]
        return [
            Measured(
                UniqueColumnCombination(left) if rhs == NO_RHS else FunctionalDependency(left, rights[rhs]),
                violations,
                population,
                support,
            )
            for left, (rhs, violations, support) in zip(lefts, figures, strict=True)
        ]


def _left_sides(lhs: Words, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of each column set's columns."""
    names, sizes = np.array(columns, object), np.bitwise_count(lhs).sum(axis=1, dtype=np.int64)
    found: list[tuple[str, ...]] = [()] * len(lhs)
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        for i, left in zip(own.tolist(), names[positions(lhs[own], size)].tolist(), strict=True):
            found[i] = tuple(left)
    return found
