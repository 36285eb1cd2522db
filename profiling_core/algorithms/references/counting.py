"""The exact figures of a rule along a reference: from all rows, or from those that share a value with what changed."""

from profiling_core.algorithms.ground.row_figures import RowFigures, changed, measured
from profiling_core.algorithms.references.joining import Keys, Sides
from profiling_core.algorithms.references.judging import judge
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.reference import ReferenceRule


def figures(rule: ReferenceRule, sides: Sides, joined: Keys | None = None) -> RowFigures:
    """The rule's figures over some rows of both tables; ``joined``: by what they are joined, if that is known."""
    found = judge(rule, sides, joined)
    return RowFigures.of(found.judged, found.violating)


def count(rule: ReferenceRule, sides: Sides) -> Measured:
    """The rule with its figures on two tables."""
    return measured(rule, figures(rule, sides))


def recount(before: Measured, earlier: Sides, later: Sides) -> Measured:
    """The rule with its figures after rows of either table have come and gone.

    Args:
        before: its figures on the rows so far.
        earlier: of these at least those with the reference's values of a row that comes or goes, on either side.
        later: the rows with the same values afterwards.
    """
    rule = before.constraint
    if not isinstance(rule, ReferenceRule):
        raise TypeError(f"no rule along a reference: {rule.text}")
    return changed(rule, before, [figures(rule, later)], [figures(rule, earlier)])
