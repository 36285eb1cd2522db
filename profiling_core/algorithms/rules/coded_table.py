"""A table for the searches for short rules: codes for equality, numbers for order, and a few counts."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.ground.hashed_keys import numbered, repeats
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.role import ColumnRole
from profiling_core.model.schema import TableSchema

Codes = NDArray[np.int32]
SAMPLED, SHARING = 20_000, 5_000
"""Rows that propose rules and are scored; and rows that share values, which contradict most dependencies and keys."""
# Up to this many groups may keep gaps in their numbers; with more, empty groups are dropped.
_DIRECT = 1 << 16
# Fewer values are encoded within milliseconds, without threads.
_WORTH_THREADS = 1 << 20


def _codes(column: pa.ChunkedArray) -> Codes:
    return shared_codes([column], ordered=False)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Rows by their values in some columns: int64[n] the group of each row, −1 for a null, and the number of groups."""

    of: NDArray[np.int64]
    count: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """int64[count]: the rows of each group; a group may have none."""
        return np.bincount(self.of[self.of >= 0], minlength=self.count)

    def finer(self, codes: Codes, distinct: int) -> "Groups":
        """The groups split by another column's values."""
        of = self._parted(codes, distinct)
        if self.count * distinct <= max(_DIRECT, 4 * len(of)):
            return Groups(of, self.count * distinct)
        return Groups(*numbered(of))

    def are_told_apart(self, codes: Codes, distinct: int) -> bool:
        """Whether no two rows of a group have the same value of another column."""
        return not repeats(self._parted(codes, distinct))

    def _parted(self, codes: Codes, distinct: int) -> NDArray[np.int64]:
        there = (self.of >= 0) & (codes != NULL)
        return np.where(there, self.of * distinct + codes, NULL)

    def determine(self, codes: Codes) -> bool:
        """Whether all rows of each group have the same value of a column, nulls left out."""
        there = (self.of >= 0) & (codes != NULL)
        of, values = self.of[there], codes[there]
        last = np.zeros(self.count, np.int32)
        last[of] = values
        return bool((last[of] == values).all())

    def agreeing(self, codes: Codes, distinct: int) -> float:
        """The chance that two rows of one group have the same value of a column; 1 if no group has two rows."""
        there = (self.of >= 0) & (codes != NULL)
        whole = Groups(self.of[there], self.count)
        pairs = int((whole.sizes * (whole.sizes - 1)).sum())
        parts = whole.finer(codes[there], distinct).sizes
        return float((parts * (parts - 1)).sum() / pairs) if pairs else 1.0


@dataclass(frozen=True)
class CodedTable:
    """A table's rows with its schema and the roles of its profiled columns.

    ``codes``: per profiled column int32[n]; equal values and no others have equal codes from 0 on, −1 is null.
    """

    schema: TableSchema
    rows: pa.Table
    roles: Mapping[str, ColumnRole]
    codes: Mapping[str, Codes]

    @classmethod
    def of(cls, rows: pa.Table, schema: TableSchema, roles: Mapping[str, ColumnRole], budget: Budget = ENDLESS) -> Self:
        """A table, encoded column by column; columns that the budget does not suffice for are not profiled."""
        names = [c.name for c in schema.profiled]
        threads = 1 if rows.num_rows * len(names) < _WORTH_THREADS else pa.cpu_count()
        codes: dict[str, Codes] = {}
        with ThreadPoolExecutor(threads) as pool:  # Arrow encodes without Python's lock
            for place in budget.steps(range(0, len(names), threads), threads * rows.num_rows):
                some = names[place : place + threads]
                codes |= zip(some, pool.map(lambda name: _codes(rows[name]), some), strict=True)
        columns = tuple(replace(c, profiled=c.name in codes) for c in schema.columns)
        roles = {name: role for name, role in roles.items() if name in codes}
        return cls(replace(schema, columns=columns), rows, roles, codes)

    def with_roles(self, roles: Mapping[str, ColumnRole]) -> "CodedTable":
        """The same rows in other roles."""
        return replace(self, roles=roles)

    @property
    def name(self) -> str:
        """The table's name."""
        return self.schema.table

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.rows.num_rows)

    @cached_property
    def counts(self) -> Mapping[str, NDArray[np.int64]]:
        """Per profiled column the number of rows with each code."""
        return {name: np.bincount(codes[codes != NULL]) for name, codes in self.codes.items()}

    def distinct(self, column: str) -> int:
        """How many distinct values a column has."""
        return len(self.counts[column])

    def present(self, column: str) -> int:
        """How many rows have a value in a column."""
        return int(self.counts[column].sum())

    def present_together(self, columns: Sequence[str]) -> int:
        """How many rows have a value in each of some columns."""
        some = [self.codes[name] != NULL for name in columns if self.present(name) < self.size]
        return int(np.logical_and.reduce(some).sum()) if some else self.size

    def is_unique(self, column: str) -> bool:
        """Whether a column has at least two values, all distinct."""
        return self.distinct(column) == self.present(column) > 1

    def alike(self, column: str) -> float:
        """The chance that two rows with a value in a column have the same value."""
        counts, present = self.counts[column], self.present(column)
        return float((counts * (counts - 1)).sum() / (present * (present - 1))) if present > 1 else 1.0

    def grouped(self, columns: Sequence[str], rows: NDArray[np.int64] | None = None) -> Groups:
        """The rows by their values in some columns; ``rows``: int64[s], the positions of the rows to look at."""
        first, *others = (self.codes[name] if rows is None else self.codes[name][rows] for name in columns)
        groups = Groups(first.astype(np.int64), self.distinct(columns[0]))
        for name, codes in zip(columns[1:], others, strict=True):
            groups = groups.finer(codes, self.distinct(name))
        return groups

    def is_key(self, columns: Sequence[str], rows: NDArray[np.int64] | None = None) -> bool:
        """Whether no two rows have the same values in some columns; ``rows`` as for :meth:`grouped`."""
        *others, last = columns
        codes = self.codes[last] if rows is None else self.codes[last][rows]
        groups = self.grouped(others, rows) if others else Groups(np.zeros(len(codes), np.int64), 1)
        return groups.are_told_apart(codes, self.distinct(last))

    def sharing(self, column: str, size: int) -> NDArray[np.int64]:
        """int64[s]: the positions of about ``size`` rows, all rows with some of a column's values.

        Rows that agree on one column show soonest that others do not follow from it; rows from all over a tall table
        rarely
        agree.
        """
        if column not in self._shared:
            order = np.random.default_rng(0).permutation(self.distinct(column))
            often = self.counts[column][order]
            chosen = np.zeros(self.distinct(column) + 1, np.bool_)  # the last place is for null
            chosen[order[: int(np.searchsorted(np.cumsum(often), size)) + 1]] = True
            self._shared[column] = np.flatnonzero(chosen[self.codes[column]])[: 4 * size]
        return self._shared[column]

    @cached_property
    def _shared(self) -> dict[str, NDArray[np.int64]]:
        return {}

    def sampled(self, size: int) -> "CodedTable":
        """At most ``size`` of the rows, the same each time; half of them in runs, since rows stored together are alike.

        Codes, and counts per column, stay those of the whole table.
        """
        if self.size <= size:
            return self
        rng = np.random.default_rng(0)
        run = 50
        starts = rng.choice(self.size - run, size // (2 * run), replace=False)
        runs = (starts[:, None] + np.arange(run)).ravel()
        chosen = np.unique(np.concatenate([runs, rng.choice(self.size, size - len(runs), replace=False)]))
        part = replace(self, rows=self.rows.take(chosen), codes={n: codes[chosen] for n, codes in self.codes.items()})
        vars(part)["counts"] = self.counts  # in place of the property's own count
        return part
