"""Which columns are never above which others in a row, though by chance they often would be.

Examples: the lowest and the highest price of a day; a birth and a death. The rate by chance is measured by comparing
each
row with the row before it. If only the ranges of two columns order them (a rating and a number of votes), they rarely
cross there either, and the order is no rule.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass

# Per column and other column of its type: the number of rows in which it is above the other one's value in the row
# before; −1: it has been above the other one in its own row.
Orders = Mapping[str, Mapping[str, int]]
_ABOVE = -1
# Columns of a type that are compared in pairs, at most; and rows of a batch that the rate by chance is measured in.
_MOST_COLUMNS = 24
_SAMPLE = 1_000
# Rows in which chance would have broken the order, at least, before it is learnt.
_LEAST_EXPECTED = 30


def orders(rows: pa.Table, schema: TableSchema) -> Orders:
    """The orders of the columns of each ordered type in a batch."""
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
    """The combined orders of two batches."""
    return {
        name: {other: _both(some.get(name, {}).get(other, 0), others.get(name, {}).get(other, 0)) for other in known}
        for name in (*some, *(name for name in others if name not in some))
        if (known := {**some.get(name, {}), **others.get(name, {})})
    }


def _both(one: int, other: int) -> int:
    return _ABOVE if _ABOVE in (one, other) else one + other


def never_above(known: Orders, name: str) -> Iterator[str]:
    """The columns that this one has never been above in a row."""
    yield from (other for other, crossed in known.get(name, {}).items() if crossed >= _LEAST_EXPECTED)


def under(known: Orders, named: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """The orders after renaming; ``named`` has the former name by present name."""
    return {
        name: {other: known[former][older] for other, older in named.items() if older in known[former]}
        for name, former in named.items()
        if former in known
    }
