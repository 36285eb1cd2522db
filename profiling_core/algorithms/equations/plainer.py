"""Exchanges a line for a plainer one that follows: ``hours = 4·credits`` beside ``fee = 85·credits``.

``fee = 21.25·hours`` may score higher than ``hours = 4·credits``, since fees have more possible values. It follows from
the other two, though, and people do not think of it in this way.
"""

from collections.abc import Callable, Sequence
from typing import Any

from profiling_core.model.constraint import Measured
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.equation import Equation


def is_line(equation: Equation) -> bool:
    """Whether one column gives the other exactly: times a constant, plus a constant."""
    value = equation.value
    return (
        isinstance(value, Linear) and len(value.terms) == 1 and not value.optional and not equation.precision.is_loose
    )


def plainer(
    told: Sequence[Measured[Equation]], weak: Sequence[Measured[Equation]], simplicity: Callable[[Equation], Any]
) -> list[Measured[Equation]]:
    """The equations, in which some lines are exchanged for plainer ones that follow from two of them.

    Args:
        told: equations beyond chance.
        weak: lines that hold but that chance could explain.
        simplicity: the sort key; plainer equations first.
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
    """Whether two lines together connect the columns of the third, by way of another column."""
    own = {*line.constraint.columns}
    first, second = {*one.constraint.columns}, {*other.constraint.columns}
    return first ^ second == own and len(first & second) == 1
