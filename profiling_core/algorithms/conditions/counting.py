"""A conditional rule's exact figures: from all rows, or from the figures before and the rows that come and go."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.conditions.judging import judge, meets, there
from profiling_core.algorithms.ground.row_figures import RowFigures, changed, measured
from profiling_core.model.consequent import Determines
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.conditional import Conditional


def figures(rule: Conditional, rows: pa.Table) -> RowFigures:
    """The rule's figures over some rows; for a dependency: all rows that agree with one of them on its left side."""
    if isinstance(rule.then, Determines):
        return _pairs(rule, rule.then, rows)
    found = judge(rule, rows)
    return RowFigures.of(found.judged, found.violating)


def count(rule: Conditional, rows: pa.Table) -> Measured[Conditional]:
    """The rule with its figures on a table."""
    return measured(rule, figures(rule, rows))


def recount(
    before: Measured[Conditional],
    come: Iterable[pa.Table],
    go: Iterable[pa.Table],
    beside: pa.Table | None = None,
) -> Measured[Conditional]:
    """The rule with its figures after rows have come and gone.

    Args:
        before: its figures on the rows so far.
        come: the rows that come, in batches.
        go: the rows that go.
        beside: for a dependency, at least the rows that stay and agree on its left side with one that comes or goes.
    """
    rule = before.constraint
    if rule.then.of_pairs:
        stay = [] if beside is None else [beside]
        come, go = ([pa.concat_tables(both)] if both else [] for both in ([*stay, *come], [*stay, *go]))
    return changed(rule, before, (figures(rule, rows) for rows in come), (figures(rule, rows) for rows in go))


def _pairs(rule: Conditional, then: Determines, rows: pa.Table) -> RowFigures:
    category = rows.filter(pa.array(meets(rule, rows)))
    known = np.ones(category.num_rows, np.bool_)
    for name in then.columns:
        known &= there(category[name])
    judged = category.filter(pa.array(known))
    left = group_codes([judged[name] for name in then.lhs])
    agreeing = _ordered_pairs(left)
    same = _ordered_pairs(_joined(left, codes_of(judged[then.column])))
    return RowFigures(agreeing, agreeing - same)


def _ordered_pairs(codes: NDArray[np.int64]) -> int:
    """How many ordered pairs of different rows have the same code."""
    counts = np.unique(codes, return_counts=True)[1]
    return int((counts * (counts - 1)).sum())


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
