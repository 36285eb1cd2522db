"""Rows that violate a rule beside another row, and did not before: each is shown with the row that it stands beside."""

from collections.abc import Iterable, Iterator

import numpy as np

from profiling_core.algorithms.ground.arrays import Flags
from profiling_core.algorithms.references.joining import Positions, Sides
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.model.change import Witness
from profiling_core.model.delta import ROW_ID
from profiling_core.spark.witnesses import EXAMPLES, row_text

Violating = Iterable[tuple[int, Witness]]


def violating_pairs(
    sides: Sides, joined: tuple[Positions, Positions], violating: Flags
) -> Iterator[tuple[int, Witness]]:
    """The ids of the rows of pairs that violate a rule, each with its pair as a witness."""
    wrong = np.flatnonzero(violating)
    for i, j in zip(joined[0][wrong].tolist(), joined[1][wrong].tolist(), strict=True):
        ids = (sides.child[ROW_ID][i].as_py(), sides.parent[ROW_ID][j].as_py())
        yield ids[0], Witness(row_text(sides.child, i), (row_text(sides.parent, j),), ids=ids)


def broken_anew(earlier: Violating, later: Violating) -> BrokenConstraint:
    """The rows that violate a rule later and did not earlier."""
    before = {row for row, _ in earlier}
    fresh = {row: witness for row, witness in later if row not in before}
    return BrokenConstraint(len(fresh), tuple(fresh.values())[:EXAMPLES])
