"""An equation's exact figures: from all rows, or from the figures before and the rows that come and go."""

from collections.abc import Iterable

import pyarrow as pa

from profiling_core.algorithms.equations.judging import judge
from profiling_core.algorithms.ground.row_figures import RowFigures, changed, measured
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.equation import Equation


def figures(equation: Equation, rows: pa.Table) -> RowFigures:
    """The equation's figures over some rows."""
    found = judge(equation, rows)
    return RowFigures.of(found.judged, found.violating)


def count(equation: Equation, rows: pa.Table) -> Measured[Equation]:
    """The equation with its figures on a table."""
    return measured(equation, figures(equation, rows))


def recount(
    before: Measured, equation: Equation, come: Iterable[pa.Table], go: Iterable[pa.Table]
) -> Measured[Equation]:
    """The equation with its figures after rows have come and gone.

    Args:
        before: its figures on the rows so far.
        equation: the equation.
        come: the rows that come, in batches.
        go: the rows that go.
    """
    come_and_gone = ((figures(equation, rows) for rows in batches) for batches in (come, go))
    return changed(equation, before, *come_and_gone)
