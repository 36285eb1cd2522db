"""Which columns of a load have the values of another one."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import TableSchema

# Two columns are equal if this share of the rows is; a tenth may have been corrected, or cast otherwise.
_EQUAL = 0.9
Pair = tuple[str, str]


def are_same(found: Profile, one: str, other: str) -> npt.NDArray[np.bool_]:
    """bool[n]: the rows of the sample in which two columns have the same value."""
    return _equal(present(found.sample[one]), present(found.sample[other]))


def equal_columns(found: Profile, schema: TableSchema) -> Iterator[Pair]:
    """The columns that are equal to another one, and that one, in nine of ten rows of the sample with a value."""
    values = {column.name: present(found.sample[column.name]) for column in schema.profiled}
    for one, other in permutations(schema.profiled, 2):
        if one.type is other.type and found.columns[one.name].rows:
            same = _equal(values[one.name], values[other.name])
            there = values[one.name].is_valid().to_numpy()
            if found.copies[same].sum() >= _EQUAL * found.copies[there].sum():
                yield one.name, other.name


def _equal(ours: pa.ChunkedArray, theirs: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    same: npt.NDArray[np.bool_] = pc.fill_null(pc.equal(ours, theirs), fill_value=False).to_numpy()
    return same
