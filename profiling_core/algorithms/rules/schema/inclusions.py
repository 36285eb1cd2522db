"""Possible references: the exact inclusions of columns in unique columns, and of sets of columns in unique sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.values.comparable_values import comparable
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.constraint import ColumnList

Tables = Mapping[str, CodedTable]
Whole = NDArray[np.int64]
_Both = tuple[Whole, Whole]
# Values that rule out most inclusions.
_TRIED = 100
# Ways to pair the columns of a set that are compared, at most; the likeliest pairs come first.
_MOST_WAYS = 24


@dataclass(frozen=True)
class PossibleReference:
    """Columns whose values are all among those of a unique set of columns."""

    lhs: ColumnList
    rhs: ColumnList

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The compared columns; within a table without those that both sides share."""
        both = zip(self.lhs.columns, self.rhs.columns, strict=True)
        return [(own, far) for own, far in both if own != far or self.lhs.table != self.rhs.table]


class PossibleReferences:
    """The inclusions among some tables; each pair of columns is compared once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[tuple[str, str, str, str], bool] = {}
        self._bounds: dict[tuple[str, str], tuple[Any, Any]] = {}

    def of_one(self, keys: Mapping[str, Sequence[str]], budget: Budget) -> list[PossibleReference]:
        """The columns that are included in a unique column of any table; ``keys``: those of each table."""
        pairs = ((t, c, p, k) for t, table in self._tables.items() for c in table.codes for p in keys for k in keys[p])
        return [
            PossibleReference(ColumnList(t, (c,)), ColumnList(p, (k,)))
            for t, c, p, k in budget.steps(pairs)
            if (t, c) != (p, k) and self.holds((t, c, p, k), budget)
        ]

    def of_several(
        self, key: ColumnList, alike: Mapping[str, Sequence[str]], budget: Budget
    ) -> list[PossibleReference]:
        """The sets of columns that are included in a unique set of several columns.

        Args:
            key: the unique set.
            alike: by table its columns, the likeliest to refer first.
            budget: when to end with what there is.
        """
        found: list[PossibleReference] = []
        for table in alike:
            parts = [[c for c in alike[table] if self.holds((table, c, key.table, k), budget)] for k in key.columns]
            ways = _ways(parts) if table != key.table else _beside_its_own(parts, key.columns)
            cells = len(key.columns) * (self._tables[table].size + self._tables[key.table].size)
            sides = (ColumnList(table, columns) for columns in budget.steps(ways, cells))
            found += [PossibleReference(side, key) for side in sides if self._are_within(side, key)]
        return found

    def holds(self, pair: tuple[str, str, str, str], budget: Budget) -> bool:
        """Whether all values of a table's column, one at least, are among those of another table's column."""
        if pair not in self._known:
            self._known[pair] = self._compared(pair, budget)
        return self._known[pair]

    def _compared(self, pair: tuple[str, str, str, str], budget: Budget) -> bool:
        table, column, parent, key = pair
        own, theirs = self._tables[table], self._tables[parent]
        kinds = [t.schema.column(c).type.type_class for t, c in ((own, column), (theirs, key))]
        if kinds[0] is not kinds[1] or not 0 < own.distinct(column) <= theirs.distinct(key):
            return False
        if table == parent and _repeats(own, column, key):
            return False
        if not self._may_lie_within(own, column, theirs, key):
            return False
        budget.spend(own.size + theirs.size)
        return is_within(own.rows[column], theirs.rows[key])

    def _may_lie_within(self, table: CodedTable, column: str, parent: CodedTable, key: str) -> bool:
        """Whether a column's least and greatest value lie between those of a key of the same type."""
        if table.rows[column].type != parent.rows[key].type:
            return True
        (low, high), (least, greatest) = self._range(table, column), self._range(parent, key)
        return bool(least <= low and high <= greatest)

    def _range(self, table: CodedTable, column: str) -> tuple[Any, Any]:
        at = (table.name, column)
        if at not in self._bounds:
            low, high = pc.min_max(table.rows[column]).as_py().values()
            self._bounds[at] = (low, high)
        return self._bounds[at]

    def _are_within(self, lhs: ColumnList, rhs: ColumnList) -> bool:
        return are_within(self._tables[lhs.table], lhs.columns, self._tables[rhs.table], rhs.columns)


def _repeats(table: CodedTable, column: str, key: str) -> bool:
    """Whether a column repeats the key of its own row, where it has a value."""
    own, other = comparable([table.rows[column], table.rows[key]])
    return bool(pc.all(pc.equal(own, other)).as_py())


def _ways(parts: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Ways to take a different column for each part, the first of each part first."""
    ways = (way for way in product(*parts) if len({*way}) == len(way))
    return (way for way, _ in zip(ways, range(_MOST_WAYS), strict=False))


def _beside_its_own(parts: Sequence[Sequence[str]], key: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A key with another column in place of one of its own: a line names another line of its order."""
    for place, others in enumerate(parts):
        yield from ((*key[:place], other, *key[place + 1 :]) for other in others if other not in key)


def is_within(column: pa.ChunkedArray, key: pa.ChunkedArray) -> bool:
    """Whether all of a column's values are among a key's; a few values rule out most columns."""
    positions = np.linspace(0, len(column) - 1, min(len(column), _TRIED)).astype(np.int64)
    some = column.take(pa.array(positions))
    if not _are_among(*comparable([some, key])):
        return False
    own, theirs = comparable([pa.chunked_array([pc.unique(column)]), key])
    return bool(pc.all(pc.is_in(own.drop_null(), theirs.combine_chunks())).as_py())


def _are_among(few: pa.ChunkedArray, many: pa.ChunkedArray) -> bool:
    """Whether a few values are among many; the many are scanned once."""
    wanted = pc.unique(few).drop_null()
    return len(pc.unique(many.filter(pc.is_in(many, wanted)))) == len(wanted)


def are_within(table: CodedTable, columns: Sequence[str], parent: CodedTable, key: Sequence[str]) -> bool:
    """Whether all combinations of some columns, without nulls and at least one, are among a key's."""
    own, theirs = _numbered_alike(table, columns, parent, key)
    return bool((own >= 0).any() and np.isin(own[own >= 0], theirs).all())


def _numbered_alike(table: CodedTable, columns: Sequence[str], parent: CodedTable, key: Sequence[str]) -> _Both:
    """int64[m] and int64[n]: the combinations of some columns and of a key, numbered alike; −1 for a null."""
    own, theirs = np.zeros(table.size, np.int64), np.zeros(parent.size, np.int64)
    there = np.ones(table.size, np.bool_)
    for column, name in zip(columns, key, strict=True):
        codes, others = shared_codes([table.rows[column], parent.rows[name]], ordered=False)
        there &= codes != NULL
        both = np.concatenate([own * (1 << 31) + codes, theirs * (1 << 31) + others])
        _, numbered = np.unique(both, return_inverse=True)
        own, theirs = numbered[: table.size], numbered[table.size :]
    return np.where(there, own, NULL), theirs
