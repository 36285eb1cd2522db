"""Whether values that a table's key has as well are there on purpose, whatever the column is called.

What refers to rows of its own table is seldom named after the key: ``boss``, ``successor``. Its values tell instead:
texts are not by chance those of a key; numbers are not where the key leaves most of them out, or begins far from zero;
and where each row refers to one that was there before it, numbers that merely happen to be small would not.
"""

from math import log10

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.model.role import Role

# Powers of ten that chance must have against it, and the fewest values that tell.
_SURE, _FEWEST = 6.0, 5
_LEAST_LENGTH = 4
# Numbers from here on are given out; smaller ones count or measure as well.
_GIVEN_OUT = 1_000
_MEASURED = (Role.CATEGORY, Role.FLAG, Role.CONSTANT, Role.DATE, Role.MOMENT)


def is_on_purpose(table: CodedTable, column: str, key: str) -> bool:
    """Whether a column whose values are among those of its table's key would hardly have them by chance."""
    role = table.roles[column]
    if role.role in _MEASURED or role.unit or table.distinct(column) < _FEWEST:
        return False
    kind = table.rows[column].type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return bool(pc.min(pc.utf8_length(table.rows[column])).as_py() >= _LEAST_LENGTH)
    return pa.types.is_integer(kind) and _numbers(table, column, key)


def _numbers(table: CodedTable, column: str, key: str) -> bool:
    both = table.rows.select([column, key]).drop_null()
    own, keys = (both[name].cast(pa.int64()).to_numpy() for name in (column, key))
    known = table.rows[key].drop_null().cast(pa.int64()).to_numpy()  # none of them twice
    low, high = int(own.min()), int(own.max())
    within = int(((known >= low) & (known <= high)).sum())
    left_out = table.distinct(column) * -log10(within / (high - low + 1)) if high > low else 0.0
    if left_out >= _SURE or (known.min() >= _GIVEN_OUT and low >= _GIVEN_OUT):
        return True
    if not (own < keys).all():
        return False
    # By chance a row would refer to one before it as often as there are such.
    before = np.searchsorted(np.unique(own), keys) / table.distinct(column)
    tested = before < 1
    return float(-np.log10(np.maximum(before[tested], 1e-3)).sum()) >= _SURE
