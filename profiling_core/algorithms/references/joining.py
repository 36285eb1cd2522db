"""Children and their parents, joined by the columns of a reference."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.conditions.counting import group_codes
from profiling_core.algorithms.conditions.judging import there
from profiling_core.model.kinds.relation import ON_THE_WAY

Positions = NDArray[np.int64]


class Sides(NamedTuple):
    """Rows of the referring table and of the one that it refers to, with all columns that a rule speaks of."""

    child: pa.Table
    parent: pa.Table


class Keys(NamedTuple):
    """int64 per row of each side: equal where the reference's values are; −1 where one of them is missing."""

    child: Positions
    parent: Positions


def comparable_types(child: pa.Table, parent: pa.Table, columns: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Whether the columns of a reference have the same types on both sides."""
    return all(child[a].type == parent[b].type for a, b in zip(*columns, strict=True))


def keys(sides: Sides, child: Sequence[str], parent: Sequence[str]) -> Keys:
    """What rows of both sides are joined by."""
    joined = [
        pa.chunked_array([*sides.child[a].chunks, *sides.parent[b].chunks], sides.child[a].type)
        for a, b in zip(child, parent, strict=True)
    ]
    known = np.logical_and.reduce([there(column) for column in joined])
    codes = np.where(known, group_codes(joined), -1)
    return Keys(codes[: sides.child.num_rows], codes[sides.child.num_rows :])


def pairs(found: Keys) -> tuple[Positions, Positions]:
    """The positions of each child and of each of its parents."""
    order = np.argsort(found.parent, kind="stable")
    ordered = found.parent[order]
    first, last = (np.searchsorted(ordered, found.child, side) for side in ("left", "right"))
    many = np.where(found.child >= 0, last - first, 0)
    child = np.repeat(np.arange(len(found.child)), many)
    within = np.arange(len(child)) - np.repeat(np.cumsum(many) - many, many)
    return child, order[np.repeat(first, many) + within]


def widened(sides: Sides, child: Sequence[str], parent: Sequence[str]) -> pa.Table:
    """Children with their parents' columns, as further references of theirs may use: one row for each pair."""
    own, others = pairs(keys(sides, child, parent))
    left, right = sides.child.take(pa.array(own)), sides.parent.take(pa.array(others))
    return pa.table(
        [*left.columns, *right.columns], names=[*left.column_names, *(ON_THE_WAY + n for n in right.column_names)]
    )
