"""Which columns of a load have the values of another one."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import compress

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.encoding import NULL
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType

# Two columns count as equal if they agree in this share of the rows; the others may be corrected or cast differently.
_EQUAL = 0.9
Pair = tuple[str, str]


def are_same(found: Profile, one: str, other: str) -> npt.NDArray[np.bool_]:
    """bool[n]: the rows of the sample in which two columns have the same value."""
    return _equal(present(found.sample[one]), present(found.sample[other]))


def equal_columns(found: Profile, schema: TableSchema) -> Iterator[Pair]:
    """The columns that are equal to another one, and that one, in nine of ten rows of the sample with a value."""
    codes = {kind: _coded(found, [*same]) for kind, same in _by_type(schema).items()}
    for one in schema.profiled:
        names, all_codes = codes[one.type]
        own = all_codes[names.index(one.name)]
        there = own != NULL
        if there.any():
            most = (all_codes[:, there] == own[there]).mean(axis=1) >= _EQUAL
            yield from ((one.name, other) for other in compress(names, most) if other != one.name)


def _by_type(schema: TableSchema) -> dict[LogicalType, list[str]]:
    """The names of the profiled columns of each type."""
    names: dict[LogicalType, list[str]] = defaultdict(list)
    for column in schema.profiled:
        names[column.type].append(column.name)
    return names


def _coded(found: Profile, names: list[str]) -> tuple[list[str], npt.NDArray[np.int32]]:
    """int32[columns, n]: the sample's values of columns of one type, in which equal values have equal codes."""
    columns = [pa.table({"": present(found.sample[name])}) for name in names]
    values = pa.concat_tables(columns, promote_options="permissive").column(0)
    if pa.types.is_floating(values.type):
        values = pc.add(values, 0.0)  # one zero, not two
    encoded = values.combine_chunks().dictionary_encode().indices
    return names, encoded.fill_null(NULL).to_numpy().reshape(len(names), -1)


def _equal(ours: pa.ChunkedArray, theirs: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    same: npt.NDArray[np.bool_] = pc.fill_null(pc.equal(ours, theirs), fill_value=False).to_numpy()
    return same
