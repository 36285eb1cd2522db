"""A conditional rule's exact figures: from all rows, or from the figures before and the rows that come and go."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.conditions.judging import judge
from profiling_core.algorithms.ground.row_figures import RowFigures, changed, measured
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.conditional import Conditional


def figures(rule: Conditional, rows: pa.Table) -> RowFigures:
    """The rule's figures over some rows."""
    found = judge(rule, rows)
    return RowFigures.of(found.judged, found.violating)


def count(rule: Conditional, rows: pa.Table) -> Measured[Conditional]:
    """The rule with its figures on a table."""
    return measured(rule, figures(rule, rows))


def recount(before: Measured[Conditional], come: Iterable[pa.Table], go: Iterable[pa.Table]) -> Measured[Conditional]:
    """The rule with its figures after rows have come and gone, in batches."""
    rule = before.constraint
    return changed(rule, before, (figures(rule, rows) for rows in come), (figures(rule, rows) for rows in go))


def group_codes(columns: Sequence[pa.ChunkedArray]) -> NDArray[np.int64]:
    """int64[n]: equal where rows agree on all columns."""
    codes = codes_of(columns[0])
    for column in columns[1:]:
        codes = _joined(codes, codes_of(column))
    return codes


def codes_of(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """int64[n]: equal where values are; −1 for null."""
    encoded = column.combine_chunks().dictionary_encode()
    codes: NDArray[np.int64] = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    return codes


def _joined(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    both = left * (int(right.max(initial=0)) + 2) + right + 1
    found: NDArray[np.int64] = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return found
