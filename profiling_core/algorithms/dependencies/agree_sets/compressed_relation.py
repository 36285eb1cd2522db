"""The compressed relation: rows as codes, equal rows as one with a multiplicity, positions that never move.

A deleted row leaves its position behind with multiplicity zero (a tombstone), which the next new row takes; when most
positions are tombstones the relation is compacted. Beside the codes stand their 16-bit halves column by column, which
is what pairs are compared by, and per position the columns that are null where nulls are incomparable.
Source: DynASt, section 4 (compressed relation, ``getTupleAt``).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.pair_comparison import RightRows
from profiling_core.algorithms.ground.arrays import Codes, Counts, Words
from profiling_core.algorithms.ground.bit_words import word_count
from profiling_core.algorithms.values.column_dictionary import NULL_CODE, UNUSED_HALF
from profiling_core.model.errors import StateError

_FIRST = 64
# Fewer positions than this are never worth compacting.
_COMPACT_FROM = 1024


class CompressedRelation:
    """Rows of ``columns`` columns; ``nullable`` says whether nulls are incomparable and their places kept."""

    def __init__(self, columns: int, *, nullable: bool) -> None:
        self.columns = columns
        self.used = 0
        self.rows = 0
        self._words = word_count(columns) if nullable else 0
        self._free: list[int] = []
        self._position_of: dict[int, int] = {}
        self._content: dict[bytes, int] = {}
        self._allocate(_FIRST)

    def _allocate(self, capacity: int) -> None:
        self.codes = np.zeros((self.columns, capacity), np.int32)
        self.low = np.zeros((self.columns, capacity), np.uint16)
        self.high = np.zeros((0, capacity), np.uint16)
        self.high_of = np.full(self.columns, -1, np.int64)
        self.weights = np.zeros(capacity, np.int32)
        self.nulls = np.zeros((self._words, capacity), np.uint64)
        self.pattern = np.zeros(capacity, np.int32)
        self._pattern_of: dict[bytes, int] = {}

    def _reserve(self, positions: int) -> None:
        capacity = self.weights.size
        if self.used + positions <= capacity:
            return
        capacity = max(2 * capacity, self.used + positions)
        for name in ("codes", "low", "high", "nulls", "weights", "pattern"):
            old = getattr(self, name)
            grown = np.zeros((*old.shape[:-1], capacity), old.dtype)
            grown[..., : self.used] = old[..., : self.used]
            setattr(self, name, grown)

    @property
    def distinct(self) -> int:
        """The number of distinct rows."""
        return len(self._content)

    @property
    def nullable(self) -> bool:
        """Whether nulls are incomparable."""
        return self._words > 0

    @property
    def has_nulls(self) -> bool:
        """Whether some position has a column that is null, where that makes pairs incomparable."""
        return bool(self.nulls[:, : self.used].any())

    @property
    def compared(self) -> RightRows:
        """The rows as the right side of a comparison."""
        return RightRows(self.low, self.high, self.high_of, self.nulls, self.pattern, self.weights)

    @property
    def null_patterns(self) -> Words:
        """uint64[patterns, words]: the sets of columns that are null in some row, by number."""
        return np.frombuffer(b"".join(self._pattern_of), np.uint64).reshape(len(self._pattern_of), self._words)

    def every_row(self) -> Codes:
        """int32[columns, rows]: the rows' codes, equal rows as often as they are there."""
        codes: Codes = np.repeat(self.codes[:, : self.used], self.weights[: self.used], axis=1)
        return codes

    def row_ids(self) -> tuple[Counts, Counts]:
        """The ids of all rows, and the position of each."""
        many = len(self._position_of)
        ids = np.fromiter(self._position_of.keys(), np.int64, many)
        return ids, np.fromiter(self._position_of.values(), np.int64, many)

    def positions_of(self, ids: Sequence[int]) -> list[int]:
        """The positions of rows by their ids.

        Raises:
            StateError: there is no row of one of the ids, or an id comes twice.
        """
        if len(set(ids)) != len(ids):
            raise StateError("a row id comes twice among the deleted ones", remedy="delete each row once")
        try:
            return [self._position_of[row_id] for row_id in ids]
        except KeyError as error:
            raise StateError(
                f"no row has the id {error.args[0]}",
                remedy="the delta does not follow on this state: check their order",
            ) from None

    def check_new(self, ids: Sequence[int], gone: Sequence[int]) -> None:
        """Raises StateError where an id is taken by a row that stays, or comes twice."""
        left = set(gone)
        taken = next((i for i in ids if i in self._position_of and i not in left), None)
        if taken is not None or len(set(ids)) != len(ids):
            raise StateError(
                f"the row id {taken} is taken already" if taken is not None else "a row id comes twice",
                remedy="give each inserted row an id of its own",
            )

    def remove(self, ids: Sequence[int]) -> tuple[Counts, Counts]:
        """Takes rows away; returns the distinct positions that they had, and how many rows went from each."""
        positions, many = np.unique(
            np.array([self._position_of.pop(row_id) for row_id in ids], np.int64), return_counts=True
        )
        self.weights[positions] -= many.astype(np.int32)
        self.rows -= len(ids)
        for position in positions[self.weights[positions] == 0].tolist():
            del self._content[self.codes[:, position].tobytes()]
            self._free.append(position)
        return positions, many

    def insert(self, codes: Codes, ids: Sequence[int]) -> NDArray[np.int64]:
        """Adds rows; returns the positions that were taken for rows not met before.

        Args:
            codes: int32[n, columns], row by row.
            ids: an id per row, none of them taken.
        """
        raw = np.ascontiguousarray(codes).tobytes()
        self._reserve(len(ids))
        step = 4 * self.columns
        fresh: list[int] = []
        rows: list[int] = []
        positions = np.empty(len(ids), np.int64)
        for row, row_id in enumerate(ids):
            key = raw[row * step : (row + 1) * step]
            position = self._content.get(key)
            if position is None:
                position = self._free.pop() if self._free else self._next()
                self._content[key] = position
                fresh.append(position)
                rows.append(row)
            self._position_of[row_id] = position
            positions[row] = position
        np.add.at(self.weights, positions, 1)
        self.rows += len(ids)
        placed = np.array(fresh, np.int64)
        self._place(placed, codes[rows].T)
        return placed

    def _next(self) -> int:
        self.used += 1
        return self.used - 1

    def _place(self, positions: NDArray[np.int64], codes: Codes) -> None:
        if not positions.size:
            return
        self.codes[:, positions] = codes
        self.low[:, positions] = codes & UNUSED_HALF
        for column in np.flatnonzero((codes > UNUSED_HALF).any(axis=1) & (self.high_of < 0)).tolist():
            self.high_of[column] = len(self.high)
            self.high = np.concatenate([self.high, np.zeros((1, self.high.shape[1]), np.uint16)])
        tall = np.flatnonzero(self.high_of >= 0)
        self.high[np.ix_(self.high_of[tall], positions)] = codes[tall] >> 16
        if self._words:
            nulls, known = null_masks(codes.T), self._pattern_of
            raw, step = nulls.tobytes(), 8 * self._words
            self.nulls[:, positions] = nulls.T
            self.pattern[positions] = [
                known.setdefault(raw[row : row + step], len(known)) for row in range(0, len(raw), step)
            ]

    def compact(self) -> None:
        """Closes the gaps if most positions are tombstones."""
        if self.used < _COMPACT_FROM or 2 * self.distinct > self.used:
            return
        kept = np.flatnonzero(self.weights[: self.used])
        codes, weights = self.codes[:, kept].copy(), self.weights[kept].copy()
        target = np.full(self.used, -1, np.int64)
        target[kept] = np.arange(len(kept))
        self._allocate(max(_FIRST, len(kept)))
        self.used = len(kept)
        self.weights[: self.used] = weights
        self._place(np.arange(len(kept)), codes)
        self._free = []
        self._position_of = {row_id: int(target[p]) for row_id, p in self._position_of.items()}
        self._content = {key: int(target[p]) for key, p in self._content.items()}

    def live(self, column: int, codes: int) -> NDArray[np.bool_]:
        """bool[codes]: which codes of a column occur in a row."""
        return np.bincount(self.codes[column, : self.used], self.weights[: self.used], codes) > 0

    @classmethod
    def restored(cls, codes: Codes, ids: Counts, rows: Counts, *, nullable: bool) -> "CompressedRelation":
        """The relation with these distinct rows.

        Args:
            codes: int32[columns, distinct].
            ids: the id of every row.
            rows: for each id the index of its distinct row.
            nullable: whether nulls are incomparable.
        """
        own = cls(codes.shape[0], nullable=nullable)
        many = codes.shape[1]
        own._reserve(many)
        own.used, own.rows = many, len(ids)
        own._place(np.arange(many), codes)
        own.weights[:many] = np.bincount(rows, minlength=many)
        own._position_of = dict(zip(ids.tolist(), rows.tolist(), strict=True))
        raw, step = np.ascontiguousarray(codes.T).tobytes(), 4 * own.columns
        own._content = {raw[row * step : (row + 1) * step]: row for row in range(many)}
        return own


def null_masks(codes: Codes) -> Words:
    """uint64[n, words]: bit c where column c is null, of rows int32[n, columns]."""
    words = word_count(codes.shape[1])
    bits = np.zeros((codes.shape[0], 64 * words), np.bool_)
    bits[:, : codes.shape[1]] = codes == NULL_CODE
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
