"""The rows that a table begins with: labelled column by column, and indexed order by order, in a place of arrays.

Each step is made of pieces that need a few columns, or one segment, and leave arrays for the next; so no process holds
the table, and what a piece leaves does not depend on where it runs. Values are labelled as :mod:`labels` says. While a
table begins its columns stand aside as ranks, too: what checks compare.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.labels import coded_values, empty_dictionary, ranked_together
from profiling_core.algorithms.denial.indexed.rows import TableRows, different
from profiling_core.algorithms.denial.indexed.segments import LEAF, Order, Rows, build_index, sort_order
from profiling_core.algorithms.denial.indexed.stored_arrays import of_dictionary, of_index, rows_from
from profiling_core.algorithms.denial.indexed.stored_values import holds_plainly, stored_values
from profiling_core.algorithms.ground.array_place import ArrayPlace
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.values.encoding import NULL, Encoded, columns_of, domains
from profiling_core.model.errors import HoldfastError
from profiling_core.model.predicate import PredicateSpace

Ids = NDArray[np.int64]
_RANKS, _BY_ID = "ranks", "by_id"


class ColumnByColumn(Protocol):
    """Rows whose columns are read when they are asked for, wherever that is."""

    @property
    def schema(self) -> pa.Schema:
        """The columns' types."""

    @property
    def num_rows(self) -> int:
        """How many rows there are."""

    def ids(self) -> Ids:
        """int64[n]: the rows' ids, at least 0 and all different."""

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        """A column."""


class IndexPiece(NamedTuple):
    """An index of a segment, by number: the order that it has."""

    segment: int
    number: int
    order: Order


@dataclass(frozen=True)
class FirstRows:
    """The rows and where their arrays lie.

    ``kept``: the arrays that a version keeps, named as :mod:`stored_arrays` has them; ``aside``: those that are needed
    only while the table begins; ``segment_rows``: how many rows a segment has at most.
    """

    space: PredicateSpace
    coming: ColumnByColumn
    kept: ArrayPlace
    aside: ArrayPlace
    segment_rows: int

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order of the labels."""
        return columns_of(self.space)

    @property
    def schema(self) -> pa.Schema:
        """The columns' types."""
        return pa.schema([self.coming.schema.field(name) for name in self.columns])

    @cached_property
    def bounds(self) -> list[int]:
        """Where each segment begins among the rows, and where the last one ends: all have about as many."""
        rows = self.coming.num_rows
        segments = -(-rows // self.segment_rows)
        return [rows * k // segments for k in range(segments + 1)] if segments else [0]

    @property
    def sizes(self) -> list[int]:
        """How many rows each segment has."""
        return [last - first for first, last in pairwise(self.bounds)]

    def prepare(self) -> None:
        """Makes room for what the pieces write."""
        self.kept.put("schema", np.frombuffer(self.schema.serialize(), np.uint8))
        self.kept.put("segments", np.array([len(self.sizes)], np.int64))
        for k, size in enumerate(self.sizes):
            self.kept.make(f"segment{k}.ids", (size,), np.int64)
            self.kept.make(f"segment{k}.codes", (len(self.columns), size), np.int64)
            self.kept.put(f"segment{k}.alive", np.ones(size, np.bool_))
        self.aside.make(_RANKS, (len(self.columns), self.coming.num_rows), np.int32)

    def number_rows(self, _: int) -> None:
        """A piece: the rows' ids, ascending.

        Raises:
            HoldfastError: an id is repeated, or there are more or fewer rows than said.
        """
        ids = self.coming.ids()
        if not (ids[1:] > ids[:-1]).all():
            by_id = np.argsort(ids, kind="stable")
            self.aside.put(_BY_ID, by_id)
            ids = ids[by_id]
        if len(ids) != self.coming.num_rows or not (ids[1:] > ids[:-1]).all():
            raise HoldfastError(
                f"some of the {len(ids)} ids of inserted rows are taken or repeated",
                where=f"table {self.space.table}",
                remedy="give each inserted row an id that no row of the table has",
            )
        for k, (first, last) in enumerate(pairwise(self.bounds)):
            self.kept.write(f"segment{k}.ids", slice(None), ids[first:last])

    def label(self, number: int) -> dict[str, int]:
        """A piece: a domain's dictionary, and its columns' labels and ranks; how many values each column has."""
        domain, _ = domains(self.space)[number]
        types = [self.coming.schema.field(name).type for name in domain]
        plain = holds_plainly(types)
        empty = empty_dictionary(types, plain=plain)
        # The values of a column are coded before the next one is read; only the different ones are compared.
        codes, values = zip(*(self._coded(name, empty.type, plain=plain) for name in domain), strict=True)
        distinct, places = ranked_together(values)
        dictionary, labels, _ = empty.with_distinct(distinct)
        for name, array in of_dictionary(number, dictionary).items():
            self.kept.put(name, array)
        by_id = self.aside.get(_BY_ID) if _BY_ID in self.aside.names() else slice(None)
        labels = np.append(labels, NULL)
        ranks = (own[of_rows[by_id]] for own, of_rows in zip(places, codes, strict=True))
        return {name: self._place(name, own, labels) for name, own in zip(domain, ranks, strict=True)}

    def _coded(self, name: str, type_: pa.DataType, *, plain: bool) -> tuple[Codes, pa.Array]:
        """A column: int32, each row's place among its values, −1 for null; these as a dictionary of a type has them."""
        column = self.coming[name]
        # All chunks have one dictionary.
        chunks = column.dictionary_encode().chunks
        codes = [coded_values(chunk.indices) for chunk in chunks]
        values = pa.chunked_array([chunk.dictionary for chunk in chunks[-1:]], column.type)
        stored = stored_values(values, plain=plain)
        return np.concatenate([np.empty(0, np.int32), *codes]), stored if stored.type == type_ else stored.cast(type_)

    def _place(self, name: str, ranks: Codes, labels: Rows) -> int:
        """Writes a column; how many values it has, null as one."""
        column = self.columns.index(name)
        self.aside.write(_RANKS, column, ranks)
        for k, (first, last) in enumerate(pairwise(self.bounds)):
            self.kept.write(f"segment{k}.codes", column, labels[ranks[first:last]])
        return different(ranks)

    @property
    def encoded(self) -> Encoded:
        """All rows, each column by its ranks, mapped where the place maps them."""
        return Encoded(self.columns, self.aside.get(_RANKS))

    def ranks_at(self, places: Ids, column: int) -> Codes:
        """A piece: a column's ranks in some rows."""
        return np.asarray(self.aside.get(_RANKS)[column, places])

    def ids_at(self, places: Ids) -> Ids:
        """The ids of rows by their places."""
        found = np.empty(places.shape, np.int64)
        for k, (first, last) in enumerate(pairwise(self.bounds)):
            inside = (places >= first) & (places < last)
            found[inside] = self.kept.get(f"segment{k}.ids")[places[inside] - first]
        return found

    def pieces_of(self, orders: Sequence[Order]) -> list[IndexPiece]:
        """The indexes that the segments get; a segment of few rows needs no order."""
        wanted = [orders if size > LEAF else [()] for size in self.sizes]
        for k, some in enumerate(wanted):
            self.kept.put(f"segment{k}.indexes", np.array([len(some)], np.int64))
        return [IndexPiece(k, i, order) for k, some in enumerate(wanted) for i, order in enumerate(some)]

    def index(self, piece: IndexPiece) -> None:
        """A piece: an index."""
        codes = self.kept.get(f"segment{piece.segment}.codes")
        built = build_index(codes, sort_order(codes, piece.order))
        for name, array in of_index(piece.segment, piece.number, piece.order, built).items():
            self.kept.put(name, array)

    @property
    def table_rows(self) -> TableRows:
        """The arrays that the pieces left, once all of them have run."""
        return rows_from(self.space, {name: self.kept.get(name) for name in self.kept.names()})
