"""Which columns are null in the same rows: where one is null, others are too."""

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.bounds import LEAST_DELTAS
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.columns.history import ColumnHistory, TableHistory
from profiling_core.model.schema import TableSchema

Parted = Mapping[str, frozenset[str]]
# Deltas in which chance would have brought a violation, at least, so that none is evidence. All nulls of one delta may
# have one cause, so that they count as one.
_LEAST_EXPECTED = 20.0
# A column is rarely null if at most one in this many deltas has a null.
_SELDOM = 25


def parted(rows: pa.Table, schema: TableSchema) -> dict[str, frozenset[str]]:
    """Per column with nulls, the columns that have a value in some of these rows."""
    missing = {c.name: pc.is_null(present(rows[c.name])).to_numpy() for c in schema.profiled}
    return {
        name: frozenset(other for other, its in missing.items() if not its[lacking].all())
        for name, lacking in missing.items()
        if lacking.any()
    }


def joined(some: Parted, others: Parted) -> Parted:
    """The union of two batches' results."""
    return {name: some.get(name, frozenset()) | others.get(name, frozenset()) for name in (*some, *others)}


def companions(history: TableHistory, name: str) -> Iterator[str]:
    """The columns that are null wherever this one is, although chance would have given them values."""
    column = history.columns[name]
    lacking = sum(d.nulls > 0 for d in column.deltas)
    # if nulls are this rare, a null of this column alone would be a new kind of event
    seldom = lacking > 1 and lacking * _SELDOM <= len(column.deltas)
    if lacking < LEAST_DELTAS and not seldom:
        return
    for other, its in history.columns.items():
        apart = other == name or other in history.parted.get(name, frozenset())
        chance = 1 - _share(its)
        tested = sum(1 - chance**d.nulls for d in column.deltas)
        if not apart and tested >= (lacking / 2 if seldom else _LEAST_EXPECTED):
            yield other


def _share(column: ColumnHistory) -> float:
    """The share of rows that have a value."""
    return column.rows / max(1, column.rows + column.nulls)
