"""How many rows of a table have each value of its columns with few values, kept from delta to delta."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.sketch import MOST_CATEGORIES, values_counted
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Ended:
    """The values that no row of the table has any more, with how many had them, by column; and the rows of all.

    ``distinct`` is the number of values that each counted column had.
    """

    size: int
    values: Mapping[str, Counts]
    distinct: Mapping[str, int]


NOTHING_ENDED = Ended(0, {}, {})


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """Rows by value for each column; None: its values are too many, are no names (numbers, times), or are unknown."""

    columns: Mapping[str, Counts | None]

    @classmethod
    def of(cls, batches: Iterable[pa.Table], schema: TableSchema) -> Self:
        """The counts of some rows."""
        named = {c.name for c in schema.profiled if c.type.type_class in (TypeClass.STRING, TypeClass.BOOLEAN)}
        counts: dict[str, Counts | None] = {c.name: {} if c.name in named else None for c in schema.profiled}
        for rows in batches:
            for column in schema.profiled:
                known = counts[column.name]
                if known is not None:
                    more = values_counted(present(rows[column.name]).drop_null(), column)
                    counts[column.name] = None if more is None else _few(_sum(known, more))
        return cls(counts)

    def plus(self, other: "ValueCounts", times: int = 1) -> "ValueCounts":
        """The counts of these rows and others; without these others for −1 times."""
        both = {}
        for name, more in other.columns.items():
            known = self.columns.get(name, {})
            unknown = known is None or more is None
            both[name] = None if unknown else _few(_sum(known or {}, {v: times * n for v, n in (more or {}).items()}))
        return ValueCounts(both)

    def having(self, name: str, value: str | None) -> tuple[int, int] | None:
        """How many rows have a value in a column, and how many have any; None where they are not counted."""
        known = self.columns.get(name)
        return None if known is None or value is None else (known.get(value, 0), sum(known.values()))

    def ended(self, after: "ValueCounts", changed: Mapping[str, int], size: int) -> Ended:
        """The values without a row left that more rows had than cells of their column changed.

        Args:
            after: the counts with a delta.
            changed: how many cells of each column the delta changed.
            size: the table's rows before it.
        """
        known = {name: counts for name, counts in self.columns.items() if counts and after.columns.get(name)}
        values = {}
        for name, counts in known.items():
            gone = {value: counts[value] for value in sorted(counts.keys() - (after.columns[name] or {}))}
            if sum(gone.values()) > changed.get(name, 0):
                values[name] = gone
        return Ended(size, values, {name: len(counts) for name, counts in known.items()})


UNCOUNTED = ValueCounts({})


def _sum(one: Counts, other: Counts) -> Counts:
    return {value: count for value in one | other if (count := one.get(value, 0) + other.get(value, 0))}


def _few(counts: Counts) -> Counts | None:
    return counts if len(counts) <= MOST_CATEGORIES else None
