"""Which n-ary inclusions hold, found by numbered values in memory before their figures are counted.

Where small whole numbers are everywhere, almost none of the combinations that MIND would count hold. Some rows rule
most of them out; the others are compared with all rows. Only those that hold are then counted with their figures.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.schema import TableSchema

# Rows by which most of what does not hold is told.
_SAMPLED = 64
Numbers = NDArray[np.int64]


class NumberedTables:
    """Tables whose values are numbered, one number for each value of a type class.

    Args:
        codes: by table and column int64[n]: the number of each row's value from 0 on, −1 of null.
        most: a number that none of them is above.
    """

    def __init__(self, codes: Mapping[tuple[str, str], Numbers], most: int) -> None:
        self._codes, self._more = codes, most + 1

    @classmethod
    def of(cls, tables: Mapping[str, pa.Table], schemas: Mapping[str, TableSchema]) -> Self:
        """Tables by name, in the Arrow types of their logical types; only profiled columns take part."""
        found, places = dict[tuple[str, str], Numbers](), defaultdict(list)
        for table, schema in schemas.items():
            for column in schema.profiled:
                places[column.type.type_class].append((table, column.name))
        for of_class in places.values():
            codes = shared_codes([tables[table][name] for table, name in of_class], ordered=False)
            found |= zip(of_class, (one.astype(np.int64) for one in codes), strict=True)
        return cls(found, max((int(codes.max(initial=NULL)) for codes in found.values()), default=NULL))

    def holding(self, sought: Sequence[InclusionDependency]) -> list[InclusionDependency]:
        """The inclusions that hold, one row with values in all included columns at least."""
        by_side, found = defaultdict(list), set[InclusionDependency]()
        for inclusion in sought:
            by_side[inclusion.rhs].append(inclusion)
        for side, inclusions in by_side.items():
            levels = self._levels(side)
            found.update(one for one in inclusions if self._holds(one.lhs, levels))
        return [one for one in sought if one in found]

    def _holds(self, side: ColumnList, levels: Sequence[Numbers]) -> bool:
        size = len(self._codes[side.table, side.columns[0]])
        if not self._are_among(self._rows(side, 1 + size // _SAMPLED), levels):
            return False
        rows = self._rows(side)
        return len(rows[0]) > 0 and self._are_among(rows, levels)

    def _rows(self, side: ColumnList, step: int = 1) -> list[Numbers]:
        """Per column the numbers of each ``step``-th row, of those that have values in all columns."""
        codes = [self._codes[side.table, name][::step] for name in side.columns]
        there = np.logical_and.reduce([one != NULL for one in codes])
        return codes if there.all() else [one[there] for one in codes]

    def _levels(self, side: ColumnList) -> list[Numbers]:
        """The combinations of the first two columns, of these with the third, and so on, as numbers in order."""
        first, *others = self._rows(side)
        found, before = list[Numbers](), first
        for codes in others:
            known, before = np.unique(before * self._more + codes, return_inverse=True)
            found.append(known)
        return found

    def _are_among(self, rows: Sequence[Numbers], levels: Sequence[Numbers]) -> bool:
        before = rows[0]
        for codes, known in zip(rows[1:], levels, strict=True):
            keys = before * self._more + codes
            before = np.searchsorted(known, keys)
            if not len(known) or not (known[np.minimum(before, len(known) - 1)] == keys).all():
                return False
        return True
