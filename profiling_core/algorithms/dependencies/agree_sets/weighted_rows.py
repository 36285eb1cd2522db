"""Rows as one side of a comparison: distinct, with a weight that says how many they are and whether they come or go."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation, null_masks
from profiling_core.algorithms.dependencies.agree_sets.pair_comparison import Halves, LeftRows
from profiling_core.algorithms.ground.arrays import Codes, Counts, Words
from profiling_core.algorithms.values.column_dictionary import NULL_CODE, UNUSED_HALF


@dataclass(frozen=True, slots=True, eq=False)
class WeightedRows:
    """Distinct rows, int32[n, columns], and how many rows each stands for, int64[n]: negative where they go."""

    codes: Codes
    weights: Counts
    nullable: bool

    @property
    def low(self) -> Halves:
        """uint16[n, columns], the lower halves; of a null that is incomparable one that no row has."""
        halves = (self.codes & UNUSED_HALF).astype(np.uint16)
        if self.nullable:
            halves[self.codes == NULL_CODE] = UNUSED_HALF
        return halves

    @property
    def high(self) -> Halves:
        """uint16[n, columns], the upper halves."""
        return (self.codes >> 16).astype(np.uint16)

    @property
    def nulls(self) -> Words:
        """uint64[n, words], the null columns; of no words where nulls are values."""
        return null_masks(self.codes) if self.nullable else np.zeros((len(self.codes), 0), np.uint64)

    def before(self, positions: Counts) -> LeftRows:
        """The rows as the left side of a comparison, each with the positions before one of its own, int64[n]."""
        return LeftRows(self.low, self.high, self.nulls, self.weights, positions)

    def relation(self) -> CompressedRelation:
        """The rows as the other side of a comparison, with positive weights."""
        own = CompressedRelation.restored(
            np.ascontiguousarray(self.codes.T), np.empty(0, np.int64), np.empty(0, np.int64), nullable=self.nullable
        )
        own.weights[: len(self.codes)] = np.abs(self.weights)
        return own


def distinct_rows(codes: Codes, sign: int, *, nullable: bool) -> WeightedRows:
    """Rows int32[n, columns] as distinct ones, weighted with their number times the sign."""
    raw, step = np.ascontiguousarray(codes).tobytes(), 4 * codes.shape[1]
    found = Counter(raw[row * step : (row + 1) * step] for row in range(len(codes)))
    rows = np.frombuffer(b"".join(found), np.int32).reshape(len(found), codes.shape[1])
    return WeightedRows(rows, sign * np.fromiter(found.values(), np.int64, len(found)), nullable)
