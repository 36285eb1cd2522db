"""The compressed relation and the multiset of its agree sets, kept together under batches of deletes and inserts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets import pair_counting, partition_lattice
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetChanges, AgreeSetTable
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation
from profiling_core.algorithms.dependencies.agree_sets.weighted_rows import WeightedRows, distinct_rows
from profiling_core.algorithms.ground.arrays import Codes, Words
from profiling_core.algorithms.ground.bit_words import mask_of, word_count
from profiling_core.algorithms.values.column_dictionary import NULL_CODE, ColumnDictionary
from profiling_core.algorithms.values.dictionaries import (
    Arrays,
    check_columns,
    dictionary_arrays,
    encoded_rows,
    stored_dictionaries,
)
from profiling_core.algorithms.values.encoding import NULL, Encoded, columns_of
from profiling_core.model.errors import InputError, StateError
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

# Dictionaries are cleaned once this number of rows has come since, or as many as the table has.
_CLEAN_AFTER = 10_000


class AgreeSetState:
    """Rows and agree sets of one table over the columns of a space of same-column equality groups."""

    def __init__(
        self, space: PredicateSpace, dictionaries: Sequence[ColumnDictionary], relation: CompressedRelation
    ) -> None:
        self.space = space
        self.columns = columns_of(space)
        self.words = word_count(len(self.columns))
        self.dictionaries = list(dictionaries)
        self.relation = relation
        self.table = AgreeSetTable(self.words * (2 if relation.nullable else 1))
        self._come = 0
        self._agree: AgreeSets | None = None

    @classmethod
    def bootstrapped(cls, rows: pa.Table, row_ids: Sequence[int], space: PredicateSpace) -> Self:
        """The state of a table with these rows.

        Args:
            rows: the rows; has the space's columns.
            row_ids: an id of its own for each.
            space: a space of same-column groups (``predicate_space.equality_only``), with its null semantics.

        Raises:
            InputError: the rows lack columns of the space.
            StateError: an id comes twice.
        """
        names = columns_of(space)
        check_columns(rows, names)
        relation = CompressedRelation(len(names), nullable=space.nulls is NullSemantics.SQL)
        own = cls(space, [ColumnDictionary(name, rows[name].type) for name in names], relation)
        codes = encoded_rows(rows, own.dictionaries)
        # Arrow's dictionaries of whole columns are gone by now; their memory would stay for the life of the state.
        pa.default_memory_pool().release_unused()
        relation.check_new(row_ids, [])
        relation.insert(codes, row_ids)
        own._count_all(codes)
        own.table.take_changes()
        return own

    @property
    def pairs(self) -> int:
        """Unordered pairs of rows."""
        return self.relation.rows * (self.relation.rows - 1) // 2

    @property
    def empty_pairs(self) -> int:
        """Pairs that agree on nothing and have no null that is incomparable: counted, not stored."""
        return self.pairs - int(self.table.counts.sum())

    def apply(
        self, deleted_ids: Sequence[int], inserted: pa.Table | None, inserted_ids: Sequence[int]
    ) -> AgreeSetChanges:
        """Takes rows away, then adds rows; what that changes in the multiset.

        Args:
            deleted_ids: ids of rows that the table has.
            inserted: rows with the space's columns; None: none.
            inserted_ids: an id for each of them that no other row has.

        Raises:
            StateError: there is no row of a deleted id, or an inserted id is taken; nothing has changed then.
            InputError: the inserted rows do not have the table's columns; nothing has changed then.
        """
        rows = inserted.num_rows if inserted is not None else 0
        if rows != len(inserted_ids):
            raise InputError(f"{rows} rows are inserted, with {len(inserted_ids)} ids", remedy="give each row an id")
        nullable, columns = self.relation.nullable, len(self.columns)
        empty = self.empty_pairs
        self.relation.check_new(inserted_ids, deleted_ids)
        self.relation.positions_of(deleted_ids)
        codes = np.empty((0, columns), np.int32)
        if inserted is not None:
            check_columns(inserted, self.columns)
            codes = encoded_rows(inserted, self.dictionaries)
        positions, many = self.relation.remove(deleted_ids)
        gone = WeightedRows(np.ascontiguousarray(self.relation.codes[:, positions].T), -many.astype(np.int64), nullable)
        come = distinct_rows(codes, 1, nullable=nullable)
        pair_counting.count_batch(self.table, self.relation, gone, come)
        self.relation.insert(codes, inserted_ids)
        self._tidy(len(inserted_ids))
        self._agree = None
        return replace(self.table.take_changes(), empty=self.empty_pairs - empty)

    def _count_all(self, codes: Codes) -> None:
        """Counts all pairs, by sizes of partitions where that is cheaper than to compare them."""
        encoded = Encoded(self.columns, np.ascontiguousarray(codes.T - (NULL_CODE - NULL)))
        found = partition_lattice.agree_sets_of(encoded, self.space)
        if found is None:
            pair_counting.count_all(self.table, self.relation)
            return
        keys = found.equal
        if self.relation.nullable:
            every = mask_of(range(len(self.columns)), self.words)
            keys = np.concatenate([keys, every & ~(found.equal | found.different)], axis=1)
        some = keys.any(axis=1)
        self.table.add(keys[some], found.counts[some])

    def _tidy(self, inserted: int) -> None:
        self.relation.compact()
        self._come += inserted
        if self._come > max(_CLEAN_AFTER, self.relation.rows):
            self._come = 0
            for i, dictionary in enumerate(self.dictionaries):
                dictionary.clean(self.relation.live(i, dictionary.largest + 1))

    def clean(self) -> bool:
        """Drops the agree sets that count zero if most do; returns whether it did, which renumbers the others."""
        worth = self.table.worth_cleaning
        if worth:
            self.table = self.table.cleaned()
        return worth

    def agree_sets(self) -> AgreeSets:
        """The multiset as distinct masks with counts, the empty agree set included."""
        if self._agree is None:
            kept = self.table.counts != 0
            self._agree = self._as_masks(self.table.keys[kept], self.table.counts[kept], self.empty_pairs)
        return self._agree

    def entries(self, first: int = 0) -> AgreeSets:
        """The table's entries from a number on, those that count zero included, without the empty agree set."""
        return self._as_masks(self.table.keys[first:], self.table.counts[first:], 0)

    def masks_of_changes(self, changes: AgreeSetChanges) -> AgreeSets:
        """The changes of a batch, as agree sets with the pairs that they gained or lost, the empty one included."""
        return self._as_masks(self.table.keys[changes.entries], changes.after - changes.before, changes.empty)

    def _as_masks(self, keys: Words, counts: NDArray[np.int64], empty: int) -> AgreeSets:
        if empty:
            keys = np.concatenate([keys, np.zeros((1, keys.shape[1]), np.uint64)])
            counts = np.append(counts, empty)
        equal = np.ascontiguousarray(keys[:, : self.words])
        different = mask_of(range(len(self.columns)), self.words) & ~equal
        if self.relation.nullable:
            different &= ~keys[:, self.words :]
        return AgreeSets(self.space.table, self.columns, equal, different, counts)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state as plain arrays; :meth:`from_arrays` is the inverse."""
        kept = self.table.counts != 0
        live = np.flatnonzero(self.relation.weights[: self.relation.used])
        row_of = np.zeros(self.relation.used, np.int64)
        row_of[live] = np.arange(len(live))
        ids, positions = self.relation.row_ids()
        return {
            "codes": np.ascontiguousarray(self.relation.codes[:, live]),
            "row_ids": ids,
            "row_of": row_of[positions],
            "keys": self.table.keys[kept],
            "counts": self.table.counts[kept],
            **dictionary_arrays(self.dictionaries),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, space: PredicateSpace) -> Self:
        """The state that :meth:`arrays` was taken of.

        Raises:
            StateError: the space is not the one of that state.
        """
        names = columns_of(space)
        if len(arrays["codes"]) != len(names):
            raise StateError(
                f"the stored agree sets are of {len(arrays['codes'])} columns, the space has {len(names)}",
                remedy="rebuild the table's state from its rows",
            )
        relation = CompressedRelation.restored(
            arrays["codes"], arrays["row_ids"], arrays["row_of"], nullable=space.nulls is NullSemantics.SQL
        )
        own = cls(space, stored_dictionaries(arrays, names), relation)
        own.table.add(arrays["keys"], arrays["counts"])
        own.table.take_changes()
        return own
