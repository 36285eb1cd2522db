"""Which columns are never above which others in a row, though by chance they often would be.

So are the lowest price of a day and its highest one, or a birth and a death. Chance is seen by comparing each row with
the row before it: what only the ranges of two columns order (a rating and a number of votes) hardly ever crosses there
either, and is no news.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass

# Per column, per other column of its type: in how many rows it is above the other one of the row before; -1: it has
# been above the one in its own row.
Orders = Mapping[str, Mapping[str, int]]
_ABOVE = -1
# All pairs of the first so many columns of a type are compared, and chance is taken from so many rows of a batch.
_MOST_COLUMNS = 24
_SAMPLE = 1_000
# Where chance would have brought so many rows and there is none.
_LEAST_EXPECTED = 30


def orders(rows: pa.Table, schema: TableSchema) -> Orders:
    """What a batch says of how the columns of each ordered type stand to each other."""
    ordered = [c for c in schema.profiled if c.type.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL)]
    found: dict[str, dict[str, int]] = {}
    for kind in {c.type for c in ordered}:
        names = [c.name for c in ordered if c.type is kind][:_MOST_COLUMNS]
        values = {name: present(rows[name]) for name in names}
        for one, other in combinations(names, 2):
            if values[one].type == values[other].type:
                found.setdefault(one, {})[other] = _above(values[one], values[other])
                found.setdefault(other, {})[one] = _above(values[other], values[one])
    return found


def _above(one: pa.ChunkedArray, other: pa.ChunkedArray) -> int:
    some, others = one.slice(0, _SAMPLE), other.slice(0, _SAMPLE)
    if _count_above(some, others) or (len(one) > _SAMPLE and _count_above(one, other)):
        return _ABOVE
    return _count_above(some.slice(1), others.slice(0, max(0, len(others) - 1)))


def _count_above(one: pa.ChunkedArray, other: pa.ChunkedArray) -> int:
    return int(pc.sum(pc.greater(one, other)).as_py() or 0)


def joined(some: Orders, others: Orders) -> dict[str, dict[str, int]]:
    """What two batches say together."""
    return {
        name: {other: _both(some.get(name, {}).get(other, 0), others.get(name, {}).get(other, 0)) for other in known}
        for name in (*some, *(name for name in others if name not in some))
        if (known := {**some.get(name, {}), **others.get(name, {})})
    }


def _both(one: int, other: int) -> int:
    return _ABOVE if _ABOVE in (one, other) else one + other


def never_above(known: Orders, name: str) -> Iterator[str]:
    """The columns that one has never been above in a row."""
    yield from (other for other, crossed in known.get(name, {}).items() if crossed >= _LEAST_EXPECTED)


def under(known: Orders, named: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """The same where columns are called otherwise: per name that there is now the former one."""
    return {
        name: {other: known[former][older] for other, older in named.items() if older in known[former]}
        for name, former in named.items()
        if former in known
    }
