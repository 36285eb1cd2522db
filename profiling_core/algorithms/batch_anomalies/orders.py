"""In how many rows one moment is after another of its type, where it seldom is.

An order that midnight breaks, or that somebody mistyped once, is no rule, since these are exact. Of numbers nothing
follows: a temperature is below a share only as long as it is cold.
"""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# The first columns of a type are compared, up to this number: it bounds the work and the stored history.
_MOST = 8
After = dict[str, tuple[int, int]]


def comparable(schema: TableSchema) -> Iterator[tuple[str, str]]:
    """The ordered pairs of columns of moments, of dates or of times of a day."""
    kinds: dict[LogicalType, list[str]] = {}
    for column in schema.profiled:
        if column.type.type_class in (TypeClass.TEMPORAL, TypeClass.CLOCK) and column.name not in schema.key:
            kinds.setdefault(column.type, []).append(column.name)
    for names in kinds.values():
        yield from permutations(names[:_MOST], 2)


def counted_after(found: Profile, schema: TableSchema) -> dict[str, After]:
    """By column and other one, in how many rows of the sample it is after that, and how many have both."""
    counts: dict[str, After] = {}
    for one, other in comparable(schema):
        both = pc.and_(found.sample[one].is_valid(), found.sample[other].is_valid())
        after = int(are_after(found.sample, one, other).sum())
        counts.setdefault(one, {})[other] = after, pc.sum(both).as_py() or 0
    return counts


def are_after(rows: pa.Table, one: str, other: str) -> npt.NDArray[np.bool_]:
    """bool[n]: the rows in which a moment is after another."""
    later: npt.NDArray[np.bool_] = pc.fill_null(pc.greater(rows[one], rows[other]), fill_value=False).to_numpy()
    return later
