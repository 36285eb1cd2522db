"""Functional dependencies that hold in a category and not in the whole table."""

from collections.abc import Iterator, Sequence
from math import log10

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.conditions.categories import MATTERS, Candidate, Categories
from profiling_core.algorithms.conditions.counting import codes_of
from profiling_core.model.consequent import Determines

_MOST_COLUMNS = 16
_MOST_SHARE = 0.5
_FEWEST_GROUPS, _MOST_ALIKE = 20, 0.5


def dependencies(rows: pa.Table, categories: Categories, names: Sequence[str]) -> Iterator[Candidate]:
    """One column that gives another one in some category.

    Args:
        rows: some rows.
        categories: the condition's column.
        names: columns whose values repeat: neither measured numbers nor keys.
    """
    size = rows.num_rows
    columns = {name: codes_of(rows[name]) for name in names if name != categories.column}
    repeating = [n for n, codes in columns.items() if 2 < codes.max(initial=-1) + 1 < _MOST_SHARE * size]
    for left in repeating[:_MOST_COLUMNS]:
        groups = _Groups(categories, columns[left])
        for right, codes in columns.items():
            if right != left and right in repeating[:_MOST_COLUMNS]:
                yield from _within(categories, groups, (left, right), codes)


def _are_varied(codes: NDArray[np.int64]) -> bool:
    """Whether two rows mostly differ, so that agreeing says something."""
    shares = np.bincount(codes) / len(codes)
    return float((shares**2).sum()) <= _MOST_ALIKE


class _Groups:
    """The rows that have category and left side, in runs of equal ones."""

    def __init__(self, categories: Categories, left: NDArray[np.int64]) -> None:
        self.rows = np.flatnonzero((categories.codes >= 0) & (left >= 0))
        both = categories.codes[self.rows] * (int(left.max(initial=0)) + 1) + left[self.rows]
        _, self.group = np.unique(both, return_inverse=True)
        self.category = np.zeros(int(self.group.max(initial=-1)) + 1, np.int64)
        self.category[self.group] = categories.codes[self.rows]


def _within(
    categories: Categories, groups: _Groups, sides: tuple[str, str], right: NDArray[np.int64]
) -> Iterator[Candidate]:
    values = right[groups.rows]
    known = values >= 0
    kinds = int(values.max(initial=0)) + 1
    pairs = np.unique(groups.group[known] * kinds + values[known])
    per_group = np.bincount(pairs // kinds, minlength=len(groups.category))
    rows = np.bincount(groups.group[known], minlength=len(groups.category))
    size = len(categories.labels)
    broken = np.bincount(groups.category[per_group > 1], minlength=size)
    tested = np.bincount(groups.category[rows > 1], minlength=size)
    share = broken.sum() / max(1, tested.sum())
    for v in np.flatnonzero((broken == 0) & (tested >= _FEWEST_GROUPS)):
        outside = broken.sum() / max(1, tested.sum() - tested[v])
        if outside >= MATTERS and share < 1 and _are_varied(values[known & (categories.codes[groups.rows] == v)]):
            # Rows that agree on the left side are often the same otherwise, so that each group counts once.
            improbable = -float(tested[v] * log10(1 - share))
            then, label = Determines((sides[0],), sides[1]), (categories.labels[v],)
            yield Candidate(categories.column, label, then, both_ways=False, surprise=improbable)
