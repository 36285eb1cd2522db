"""Agree sets of few rows with many by evidence vectors: which rows have a value is looked up, not compared.

Per column and value a roaring bitmap of the positions that have it: it is the attribute-value evidence vector and the
inverted attribute index in one (DynASt, sections 4.1 and 4.3). The agree sets of a tuple with all rows are the zip-bit
product of the vectors of its values (section 4.2); rows that are in none of them agree on nothing. The work goes with
the rows that share a value, whatever the size of the table.
"""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from pyroaring import BitMap

from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetTable
from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation
from profiling_core.algorithms.dependencies.agree_sets.shared_products import EvidenceVector, Positions, share_products
from profiling_core.algorithms.dependencies.agree_sets.weighted_rows import WeightedRows
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import mask_of, word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.column_dictionary import NULL_CODE


class EvidenceVectors:
    """The attribute-value evidence vectors of a relation, kept up to date by :meth:`place` and :meth:`drop`."""

    def __init__(self, relation: CompressedRelation) -> None:
        self._relation = relation
        self._words = word_count(relation.columns)
        self._bits = [mask_of([column], self._words)[None] for column in range(relation.columns)]
        self._nulls = _NullPatterns(relation) if relation.nullable else None
        self._vectors: list[dict[int, BitMap]] = [{} for _ in range(relation.columns)]
        live = np.flatnonzero(relation.weights[: relation.used])
        for column, vectors in enumerate(self._vectors):
            codes = relation.codes[column, live]
            order = np.argsort(codes, kind="stable")
            ends = np.flatnonzero(np.diff(codes[order])) + 1
            for start, end in pairwise([0, *ends.tolist(), len(live)] if len(live) else []):
                vectors[int(codes[order[start]])] = BitMap(live[order[start:end]].astype(np.uint32))

    def place(self, positions: Counts) -> None:
        """Takes in the rows at positions that were free."""
        for vectors, position, code in self._values(positions):
            vectors.setdefault(code, BitMap()).add(position)
        if self._nulls is not None:
            self._nulls.place(positions)

    def drop(self, positions: Counts) -> None:
        """Forgets the rows at positions that became free."""
        for vectors, position, code in self._values(positions):
            vectors[code].discard(position)
            if not vectors[code]:
                del vectors[code]

    def _values(self, positions: Counts) -> Iterable[tuple[dict[int, BitMap], int, int]]:
        for vectors, codes in zip(self._vectors, self._relation.codes[:, positions].tolist(), strict=True):
            for position, code in zip(positions.tolist(), codes, strict=True):
                yield vectors, position, code

    def count(self, table: AgreeSetTable, rows: WeightedRows) -> None:
        """Adds the pairs of weighted rows with all rows of the relation to the table."""
        relation = self._relation
        vectors, chains = self._factors(rows)
        agreed = np.zeros((relation.used, self._words), np.uint64)
        touched = np.empty(relation.used, np.int64)
        nulls = rows.nulls
        for row, chain in enumerate(chains):
            many = 0
            for vector in chain:
                many = _scatter(agreed, touched, many, vectors[vector].positions, vectors[vector].patterns)
            own = touched[:many]
            weights = rows.weights[row] * relation.weights[own]
            keys = np.zeros((many, table.words), np.uint64)
            keys[:, : self._words] = agreed[own]
            agreed[own] = 0
            if self._nulls is not None:
                keys[:, self._words :] = nulls[row] | relation.nulls[:, own].T
                self._nulls.count(table, rows.weights[row], nulls[row], own)
            table.add(keys, weights)

    def _factors(self, rows: WeightedRows) -> tuple[list[EvidenceVector], list[list[int]]]:
        """The vectors of the rows' values and of products that several share; per row the numbers of its own."""
        vectors: list[EvidenceVector] = []
        number: dict[tuple[int, int], int] = {}
        chains: list[list[int]] = []
        # Columns of few values beside each other: their products are shared by most.
        order = sorted(range(len(self._vectors)), key=lambda column: len(self._vectors[column]))
        for codes in rows.codes.tolist():
            chain = []
            for column in order:
                code = codes[column]
                found = self._vectors[column].get(code)
                if found is None or (rows.nullable and code == NULL_CODE):
                    continue
                if (column, code) not in number:
                    number[column, code] = len(vectors)
                    positions: Positions = np.frombuffer(found.to_array(), np.uint32)
                    vectors.append(EvidenceVector(positions, self._bits[column]))
                chain.append(number[column, code])
            chains.append(chain)
        return vectors, share_products(chains, vectors)


class _NullPatterns:
    """Which columns are null at each position, numbered: for the rows that a tuple agrees with on nothing.

    Where one of both is null they are incomparable, not different, so such pairs are counted by pattern.
    """

    def __init__(self, relation: CompressedRelation) -> None:
        self._relation = relation
        self._number: dict[bytes, int] = {}
        self._of = np.zeros(relation.weights.size, np.int64)
        self.place(np.arange(relation.used))

    def place(self, positions: Counts) -> None:
        """Takes in the rows at positions."""
        if self._relation.weights.size > self._of.size:
            self._of = np.append(self._of, np.zeros(self._relation.weights.size - self._of.size, np.int64))
        raw = np.ascontiguousarray(self._relation.nulls[:, positions].T).tobytes()
        step = 8 * self._relation.nulls.shape[0]
        for i, position in enumerate(positions.tolist()):
            pattern = raw[i * step : (i + 1) * step]
            self._of[position] = self._number.setdefault(pattern, len(self._number))

    def count(self, table: AgreeSetTable, weight: np.int64, own: Words, touched: Counts) -> None:
        """Adds the pairs of a tuple, null in the columns ``own``, with the rows that were not touched."""
        weights = self._relation.weights
        used = self._relation.used
        totals = np.bincount(self._of[:used], weights[:used], len(self._number))
        rest = totals - np.bincount(self._of[touched], weights[touched], len(self._number))
        nulls = np.frombuffer(b"".join(self._number), np.uint64).reshape(-1, own.size) | own
        keys = np.concatenate([np.zeros((len(nulls), table.words - nulls.shape[1]), np.uint64), nulls], axis=1)
        table.add(keys, weight * rest.astype(np.int64))


@kernel
def _scatter(agreed: Words, touched: Counts, many: int, positions: Positions, patterns: Words) -> int:
    """Adds a vector's columns at its positions; positions met for the first time are noted in ``touched``."""
    for i in range(positions.size):
        at = np.int64(positions[i])
        before = np.uint64(0)
        for w in range(patterns.shape[1]):
            before |= agreed[at, w]
            agreed[at, w] |= patterns[i if patterns.shape[0] > 1 else 0, w]
        if before == 0:
            touched[many] = at
            many += 1
    return many
