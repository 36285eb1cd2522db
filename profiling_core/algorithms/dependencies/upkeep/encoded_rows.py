"""The rows of a tall table as codes, in slots that do not move while a delta is applied.

Unlike DynASt's compressed relation, equal rows keep slots of their own: tall tables have few, and a row is then found
by its id without a dictionary of all rows. A slot whose row went stays empty until most are; then codes that no row has
are given out again too.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.values.column_dictionary import NULL_CODE, ColumnDictionary
from profiling_core.algorithms.values.dictionaries import (
    Arrays,
    check_columns,
    dictionary_arrays,
    encoded_rows,
    stored_dictionaries,
)
from profiling_core.algorithms.values.encoding import NULL, Encoded
from profiling_core.model.errors import InputError, StateError

Ids = NDArray[np.int64]
Slots = NDArray[np.int32]


class EncodedRows:
    """``codes``: int32[columns, slots]; ``ids``: int64[slots]; ``alive``: bool[slots]; ``used`` slots were taken."""

    def __init__(self, dictionaries: Sequence[ColumnDictionary], codes: Codes, ids: Ids) -> None:
        self.dictionaries = list(dictionaries)
        self.codes, self.ids = codes, ids
        self.alive = np.ones(len(ids), np.bool_)
        self.used = self.rows = len(ids)

    @classmethod
    def none(cls, names: Sequence[str], types: pa.Schema) -> Self:
        """No rows, of columns of these Arrow types."""
        dictionaries = [ColumnDictionary(name, types.field(name).type) for name in names]
        return cls(dictionaries, np.empty((len(names), 0), np.int32), np.empty(0, np.int64))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(dictionary.name for dictionary in self.dictionaries)

    def slots(self) -> Slots:
        """The slots that have a row, ascending."""
        return np.flatnonzero(self.alive[: self.used]).astype(np.int32)

    def encoded(self) -> Encoded:
        """The rows as algorithms that work from scratch take them."""
        return Encoded(self.names, np.take(self.codes, self.slots(), axis=1) - np.int32(NULL_CODE - NULL))

    def nulls(self, slots: Slots) -> NDArray[np.int64]:
        """The columns that are null in some of these slots."""
        return np.flatnonzero((self.codes[:, slots] == NULL_CODE).any(axis=1))

    def replace(self, deleted: Sequence[int], inserted: pa.Table | None, ids: Sequence[int]) -> tuple[Slots, Slots]:
        """Marks rows as gone and appends others; the slots of both, their codes still in place.

        Args:
            deleted: ids of rows that the table has.
            inserted: rows with its columns; None: none.
            ids: an id for each of them that no other row has.

        Raises:
            StateError: there is no row of a deleted id, or an inserted id is taken; nothing has changed then.
            InputError: the inserted rows do not have the table's columns; nothing has changed then.
        """
        many = inserted.num_rows if inserted is not None else 0
        if many != len(ids):
            raise InputError(f"{many} rows are inserted, with {len(ids)} ids", remedy="give each row an id")
        gone = self._slots_of(np.asarray(deleted, np.int64))
        own = np.asarray(ids, np.int64)
        self._check_new(own, gone)
        codes = np.empty((0, len(self.dictionaries)), np.int32)
        if inserted is not None:
            check_columns(inserted, self.names)
            codes = encoded_rows(inserted, self.dictionaries)
        self.alive[gone] = False
        come = self._append(codes, own)
        self.rows += many - len(gone)
        return gone, come

    def _slots_of(self, ids: Ids) -> Slots:
        places = np.flatnonzero(self.alive[: self.used] & np.isin(self.ids[: self.used], ids))
        if len(np.unique(ids)) != len(ids):
            raise StateError("a row id comes twice among the deleted ones", remedy="delete each row once")
        if len(places) != len(ids):
            missing = np.setdiff1d(ids, self.ids[places])[0]
            raise StateError(
                f"no row has the id {missing}", remedy="the delta does not follow on this state: check their order"
            )
        return places.astype(np.int32)

    def _check_new(self, ids: Ids, gone: Slots) -> None:
        stays = self.alive[: self.used].copy()
        stays[gone] = False
        taken = np.flatnonzero(stays & np.isin(self.ids[: self.used], ids))
        if len(taken) or len(np.unique(ids)) != len(ids):
            raise StateError(
                f"the row id {self.ids[taken[0]]} is taken already" if len(taken) else "a row id comes twice",
                remedy="give each inserted row an id of its own",
            )

    def _append(self, codes: Codes, ids: Ids) -> Slots:
        start, end = self.used, self.used + len(ids)
        if end > len(self.ids):
            capacity = max(end, self.used + self.used // 8)
            grown = np.zeros((len(self.codes), capacity), np.int32)
            grown[:, :start] = self.codes[:, :start]
            self.codes = grown
            self.ids = np.concatenate([self.ids[:start], np.zeros(capacity - start, np.int64)])
            self.alive = np.concatenate([self.alive[:start], np.zeros(capacity - start, np.bool_)])
        self.codes[:, start:end] = codes.T
        self.ids[start:end] = ids
        self.alive[start:end] = True
        self.used = end
        return np.arange(start, end, dtype=np.int32)

    def tidy(self) -> None:
        """Closes the gaps if they are most slots, and forgets values that no row has."""
        if 2 * self.rows >= self.used:
            return
        kept = self.slots()
        self.codes, self.ids = np.take(self.codes, kept, axis=1), self.ids[kept]
        self.alive, self.used = np.ones(len(kept), np.bool_), len(kept)
        for dictionary, codes in zip(self.dictionaries, self.codes, strict=True):
            dictionary.clean(np.bincount(codes, minlength=dictionary.largest + 1) > 0)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rows as plain arrays, without gaps; :meth:`from_arrays` is the inverse."""
        kept = self.slots()
        codes = np.take(self.codes, kept, axis=1)
        return {"codes": codes, "row_ids": self.ids[kept], **dictionary_arrays(self.dictionaries)}

    @classmethod
    def from_arrays(cls, arrays: Arrays, names: Sequence[str]) -> Self:
        """The rows that :meth:`arrays` was taken of.

        Raises:
            StateError: they have another number of columns.
        """
        if len(arrays["codes"]) != len(names):
            raise StateError(
                f"the stored rows have {len(arrays['codes'])} columns, the space has {len(names)}",
                remedy="rebuild the table's state from its rows",
            )
        codes = np.array(arrays["codes"], order="C")
        return cls(stored_dictionaries(arrays, names), codes, np.array(arrays["row_ids"]))
