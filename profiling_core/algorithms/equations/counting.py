"""An equation's exact figures: from all rows, or from those before and the rows that come and go."""

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from profiling_core.algorithms.equations.judging import judge
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.equation import Equation


class Figures(NamedTuple):
    """How many rows are judged, and how many of them violate; of a change, how many more."""

    population: int
    violations: int


def figures(equation: Equation, rows: pa.Table) -> Figures:
    """The equation's figures over some rows."""
    found = judge(equation, rows)
    return Figures(int(found.judged.sum()), int(found.violating.sum()))


def count(equation: Equation, rows: pa.Table) -> Measured[Equation]:
    """The equation with its figures on a table."""
    population, violations = figures(equation, rows)
    return Measured(equation, violations, population, population)


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
    population, violations = before.population, before.violations
    for sign, batches in ((1, come), (-1, go)):
        for rows in batches:
            more = figures(equation, rows)
            population, violations = population + sign * more.population, violations + sign * more.violations
    return Measured(equation, violations, population, population)
