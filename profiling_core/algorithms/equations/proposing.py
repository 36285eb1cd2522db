"""The parts that all proposals share: a column, a value, and the check on a sample."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.judging import tolerance
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Expression

# Rows that candidates are checked on first, which rule out nearly all wrong ones.
FIRST_ROWS = 12


class Proposal(NamedTuple):
    """A column, and an expression it may equal."""

    column: str
    value: Expression


def fits(sample: Sample, target: int, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool[m]: which of m value vectors equal a column in the sample's first rows.

    Args:
        sample: the rows.
        target: the column's position.
        values: float64[m, k], what the column may be in the first k rows.
    """
    column = sample.values[target, : values.shape[1]]
    with np.errstate(invalid="ignore", over="ignore"):
        room = tolerance(sample.precision[target], column, 2 * np.abs(values))
        return np.asarray((np.abs(values - column) <= room).all(axis=1))
