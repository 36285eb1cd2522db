"""How improbable it is that a column has values of its table's key by chance, whatever its name.

A reference to rows of the same table is rarely named after the key: ``boss``, ``successor``. Its values are the
evidence: texts equal those of a key on purpose; so do numbers if the key leaves most numbers out, and numbers that in
each row refer to an earlier row, which small numbers would not do by chance.
"""

from collections.abc import Sequence
from math import log10

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.model.role import Role

# The fewest distinct numbers that are evidence.
_FEWEST = 5
_MEASURED = (Role.CATEGORY, Role.FLAG, Role.CONSTANT, Role.DATE, Role.MOMENT)


def evidence(table: CodedTable, column: str, key: str, shared: Sequence[str] = ()) -> float:
    """The chance of a column having only values of its table's key, as −log₁₀; 0: its values are no evidence.

    ``shared``: the columns in which both rows are equal, if the key has several.
    """
    kind = table.rows[column].type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return of_texts(table.distinct(column), pc.mean(pc.utf8_length(table.rows[column])).as_py() or 0.0)
    role = table.roles[column]
    if role.role in _MEASURED or role.unit or table.distinct(column) < _FEWEST or not pa.types.is_integer(kind):
        return 0.0
    return _of_groups(table, column, key, shared) if shared else _of_numbers(table, column, key)


def of_texts(values: int, length: float) -> float:
    """How improbable it is that texts of a mean length are all among those of a key, as −log₁₀ (a rough scale)."""
    return values * min(2.0, length / 4)


def _of_groups(table: CodedTable, column: str, key: str, shared: Sequence[str]) -> float:
    """The evidence of numbers in a key's groups: by chance they lie anywhere between 0 and the greatest of them."""
    groups = table.grouped(shared).of  # no column of a key has nulls
    own, keys = (table.rows[name].cast(pa.float64()).to_numpy() for name in (column, key))
    low, high = min(0.0, float(np.nanmin(own))), float(np.nanmax(own))
    sizes = np.bincount(groups[(keys >= low) & (keys <= high)], minlength=int(groups.max()) + 1)
    told = np.unique(np.stack([groups, own])[:, ~np.isnan(own)], axis=1)[0].astype(np.int64)
    return float(np.log10((high - low + 1) / np.maximum(1, sizes[told])).sum())


def _of_numbers(table: CodedTable, column: str, key: str) -> float:
    both = table.rows.select([column, key]).drop_null()
    if not both.num_rows:
        return 0.0  # no row has both: nothing says that one refers to another
    own, keys = (both[name].cast(pa.int64()).to_numpy() for name in (column, key))
    known = table.rows[key].drop_null().cast(pa.int64()).to_numpy()  # all distinct
    low, high = min(0, int(own.min())), int(own.max())
    within = int(((known >= low) & (known <= high)).sum())
    left_out = table.distinct(column) * -log10(within / (high - low + 1)) if high > low else 0.0
    if not (own < keys).all():
        return left_out
    # By chance a row refers to an earlier one with the share of the earlier rows.
    before = np.searchsorted(np.unique(own), keys) / table.distinct(column)
    tested = before < 1
    return max(left_out, float(-np.log10(np.maximum(before[tested], 1e-3)).sum()))
