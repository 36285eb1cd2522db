"""Whether a column has values of its table's key on purpose, whatever its name.

A reference to rows of the same table is rarely named after the key: ``boss``, ``successor``. Its values are the
evidence:
texts equal those of a key on purpose; so do numbers if the key leaves most numbers out, or begins far from zero; and
so do numbers that in each row refer to an earlier row, which small numbers would not do by chance.
"""

from math import log10

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.model.role import Role

# −log₁₀ of the accepted chance, and the fewest distinct values that are evidence.
_SURE, _FEWEST = 6.0, 5
# Characters of texts that do not equal a key by chance.
_LEAST_LENGTH = 4
# Numbers from here on are assigned; smaller ones may count or measure.
_GIVEN_OUT = 1_000
_MEASURED = (Role.CATEGORY, Role.FLAG, Role.CONSTANT, Role.DATE, Role.MOMENT)


def is_on_purpose(table: CodedTable, column: str, key: str) -> bool:
    """Whether a column has only values of its table's key, and would not by chance."""
    role = table.roles[column]
    if role.role in _MEASURED or role.unit or table.distinct(column) < _FEWEST:
        return False
    kind = table.rows[column].type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return bool(pc.min(pc.utf8_length(table.rows[column])).as_py() >= _LEAST_LENGTH)
    return pa.types.is_integer(kind) and _numbers(table, column, key)


def _numbers(table: CodedTable, column: str, key: str) -> bool:
    both = table.rows.select([column, key]).drop_null()
    if not both.num_rows:
        return False  # no row has both: nothing says that one refers to another
    own, keys = (both[name].cast(pa.int64()).to_numpy() for name in (column, key))
    known = table.rows[key].drop_null().cast(pa.int64()).to_numpy()  # all distinct
    low, high = int(own.min()), int(own.max())
    within = int(((known >= low) & (known <= high)).sum())
    left_out = table.distinct(column) * -log10(within / (high - low + 1)) if high > low else 0.0
    if left_out >= _SURE or (known.min() >= _GIVEN_OUT and low >= _GIVEN_OUT):
        return True
    if not (own < keys).all():
        return False
    # By chance a row refers to an earlier one with the share of the earlier rows.
    before = np.searchsorted(np.unique(own), keys) / table.distinct(column)
    tested = before < 1
    return float(-np.log10(np.maximum(before[tested], 1e-3)).sum()) >= _SURE
