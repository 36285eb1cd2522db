"""Which columns lack their values in the same rows: where one has none, neither have others."""

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.columns.history import ColumnHistory, TableHistory
from profiling_core.model.schema import TableSchema

Parted = Mapping[str, frozenset[str]]
# That there is no violation means something where chance would have brought some in so many deltas: what lacks in one
# delta lacks for one reason, so that its rows say no more than one.
_LEAST_EXPECTED = 20.0
_SELDOM = 25


def parted(rows: pa.Table, schema: TableSchema) -> dict[str, frozenset[str]]:
    """Per column that some rows lack, the columns that some of these rows have."""
    missing = {c.name: pc.is_null(present(rows[c.name])).to_numpy() for c in schema.profiled}
    return {
        name: frozenset(other for other, its in missing.items() if not its[lacking].all())
        for name, lacking in missing.items()
        if lacking.any()
    }


def joined(some: Parted, others: Parted) -> Parted:
    """What two batches say together."""
    return {name: some.get(name, frozenset()) | others.get(name, frozenset()) for name in (*some, *others)}


def companions(history: TableHistory, name: str, least_deltas: int) -> Iterator[str]:
    """The columns that have never had a value where this one had none, though by chance they would have had some."""
    column = history.columns[name]
    lacking = sum(d.nulls > 0 for d in column.deltas)
    # where hardly a delta lacks it, that it lacks on its own would be another event than those there were
    seldom = lacking > 1 and lacking * _SELDOM <= len(column.deltas)
    if lacking < least_deltas and not seldom:
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
