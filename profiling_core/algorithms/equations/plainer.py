"""Of lines that follow from each other the plainer ones: ``hours = 4·credits`` beside ``fee = 85·credits``.

``fee = 21.25·hours`` may be surer than ``hours = 4·credits``, since fees have more values that it could have been. It
says no more than the other two, though, and nobody reckons so.
"""

from collections.abc import Callable, Sequence
from typing import Any

from profiling_core.model.constraint import Measured
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.equation import Equation


def is_line(equation: Equation) -> bool:
    """Whether one column gives the other, exactly: times a constant, plus a constant."""
    value = equation.value
    return (
        isinstance(value, Linear) and len(value.terms) == 1 and not value.optional and not equation.precision.is_loose
    )


def plainer(
    told: Sequence[Measured[Equation]], weak: Sequence[Measured[Equation]], simplicity: Callable[[Equation], Any]
) -> list[Measured[Equation]]:
    """The equations, some lines of which are exchanged for plainer ones that two of them give.

    Args:
        told: what is beyond chance.
        weak: lines that hold and are not, by themselves.
        simplicity: what sorts the plainer ones first.
    """
    found = list(told)
    for line in sorted(weak, key=lambda one: simplicity(one.constraint)):
        lines = [one for one in found if is_line(one.constraint)]
        pairs = ((a, b) for a in lines for b in lines if a is not b and _lead(a, b, line))
        worse = [a for a, _ in pairs if simplicity(line.constraint) < simplicity(a.constraint)]
        if worse:
            last = max(worse, key=lambda one: simplicity(one.constraint))
            found[found.index(last)] = line
    return found


def _lead(one: Measured[Equation], other: Measured[Equation], line: Measured[Equation]) -> bool:
    """Whether two lines lead from one column of a third to the other, by way of another column."""
    own = {*line.constraint.columns}
    first, second = {*one.constraint.columns}, {*other.constraint.columns}
    return first ^ second == own and len(first & second) == 1
