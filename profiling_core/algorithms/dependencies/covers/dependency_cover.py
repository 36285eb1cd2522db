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

Dependency = FunctionalDependency | UniqueColumnCombination


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


class ConstraintNames:
    """Makes constraints of masks; each is made once, so that a cover that hardly changes is listed in no time."""

    def __init__(self, table: str, columns: tuple[str, ...]) -> None:
        self.table = table
        self.columns = columns
        self._made: dict[tuple[bytes, int], Dependency] = {}
        self._names = np.array(columns, object)
        self._rights = [ColumnList(table, (name,)) for name in columns]

    def measured(self, cover: DependencyCover, population: int) -> list[Measured[RowConstraint]]:
        """The cover's constraints with their figures, in ordered pairs.

        Args:
            cover: the cover.
            population: n·(n−1), the ordered pairs of rows.
        """
        width = 8 * cover.lhs.shape[1]
        raw = np.ascontiguousarray(cover.lhs).tobytes()
        keys = [(raw[i * width : (i + 1) * width], rhs) for i, rhs in enumerate(cover.rhs.tolist())]
        known = self._made
        missing = [i for i, key in enumerate(keys) if key not in known]
        with _uncollected():
            self._make(keys, missing, cover.lhs)
            return [
                Measured(known[key], violations, population, support)
                for key, violations, support in zip(
                    keys, (2 * cover.violations).tolist(), (2 * cover.support).tolist(), strict=True
                )
            ]

    def _make(self, keys: list[tuple[bytes, int]], missing: list[int], lhs: Words) -> None:
        # What a table once had is kept only while it is of the size of what it has.
        if len(self._made) > 4 * len(keys) + 10_000:
            self._made.clear()
            missing = list(range(len(keys)))
        for own, left in self._lefts(missing, lhs):
            for i, columns in zip(own, left, strict=True):
                rhs = keys[i][1]
                self._made[keys[i]] = (
                    UniqueColumnCombination(ColumnList(self.table, columns))
                    if rhs == NO_RHS
                    else FunctionalDependency(ColumnList(self.table, columns), self._rights[rhs])
                )

    def _lefts(self, rows: list[int], lhs: Words) -> Iterator[tuple[list[int], Iterator[tuple[str, ...]]]]:
        """The rows of each number of columns, and the names of these columns."""
        chosen = np.array(rows, np.int64)
        sizes = np.bitwise_count(lhs[chosen]).sum(axis=1, dtype=np.int64)
        for size in np.unique(sizes).tolist():
            own = chosen[sizes == size]
            names = self._names[positions(np.ascontiguousarray(lhs[own]), size)]
            yield own.tolist(), map(tuple, names.tolist())
