"""Which columns of a load have the values of another one."""

from collections.abc import Iterator
from itertools import permutations

import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import TableSchema

# Two columns are equal if this share of the rows is; a tenth may have been corrected, or cast otherwise.
_EQUAL = 0.9
Pair = tuple[str, str]


def equal_columns(found: Profile, schema: TableSchema) -> Iterator[Pair]:
    """The columns that are equal to another one, and that one, in nine of ten rows of the sample with a value."""
    values = {column.name: present(found.sample[column.name]) for column in schema.profiled}
    for one, other in permutations(schema.profiled, 2):
        if one.type is other.type and found.columns[one.name].rows:
            same = pc.fill_null(pc.equal(values[one.name], values[other.name]), fill_value=False).to_numpy()
            there = values[one.name].is_valid().to_numpy()
            if found.copies[same].sum() >= _EQUAL * found.copies[there].sum():
                yield one.name, other.name
