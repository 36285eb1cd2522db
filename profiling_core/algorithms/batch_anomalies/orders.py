"""In how many rows one column is above another of its type: most that nearly always are below keep an order.

An order that midnight breaks, or that somebody mistyped once, is no rule, since these are exact.
"""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.sources import numbers_of
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# A bound of work and of what is kept: the columns of a type that are compared, the first ones.
_MOST = 8
Above = dict[str, tuple[int, int]]


def comparable(schema: TableSchema) -> Iterator[tuple[str, str]]:
    """The ordered pairs of columns whose values compare: numbers, or moments, dates or times of one type."""
    kinds: dict[LogicalType | TypeClass, list[str]] = {}
    for column in schema.profiled:
        of_class = column.type.type_class
        if of_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL, TypeClass.CLOCK) and column.name not in schema.key:
            kinds.setdefault(of_class if of_class is TypeClass.NUMERIC else column.type, []).append(column.name)
    for names in kinds.values():
        yield from permutations(names[:_MOST], 2)


def counted_above(found: Profile, schema: TableSchema) -> dict[str, Above]:
    """By column and other one, in how many rows of the sample it is above that, and how many have both."""
    counts: dict[str, Above] = {}
    for one, other in comparable(schema):
        both = pc.and_(found.sample[one].is_valid(), found.sample[other].is_valid())
        above = int(are_above(found.sample, one, other).sum())
        counts.setdefault(one, {})[other] = above, pc.sum(both).as_py() or 0
    return counts


def are_above(rows: pa.Table, one: str, other: str) -> npt.NDArray[np.bool_]:
    """bool[n]: the rows in which a column has a greater value than another."""
    ours, theirs = (present(rows[name]) for name in (one, other))
    if pa.types.is_floating(ours.type) or ours.type != theirs.type:
        greater: npt.NDArray[np.bool_] = numbers_of(ours) > numbers_of(theirs)
    else:
        greater = pc.fill_null(pc.greater(ours, theirs), fill_value=False).to_numpy()
    return greater
