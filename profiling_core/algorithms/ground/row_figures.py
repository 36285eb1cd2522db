"""The figures of rules that single rows obey or violate, and their changes when rows come and go."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from profiling_core.algorithms.ground.arrays import Flags
from profiling_core.model.constraint import Constraint, Measured

Rule = TypeVar("Rule", bound=Constraint)


class RowFigures(NamedTuple):
    """How many rows, or pairs of rows, a rule judges, and how many of them violate it."""

    population: int
    violations: int

    @classmethod
    def of(cls, judged: Flags, violating: Flags) -> "RowFigures":
        """The figures of rows, given which are judged and which of these violate."""
        return cls(int(judged.sum()), int(violating.sum()))


def measured(rule: Rule, figures: RowFigures) -> Measured[Rule]:
    """The rule with its figures; each row that is judged supports it."""
    return Measured(rule, figures.violations, figures.population, figures.population)


def changed(rule: Rule, before: Measured, come: Iterable[RowFigures], gone: Iterable[RowFigures]) -> Measured[Rule]:
    """The rule with its figures ``before``, those of rows that come, and without those of rows that are gone."""
    population, violations = before.population, before.violations
    for sign, parts in ((1, come), (-1, gone)):
        for part in parts:
            population, violations = population + sign * part.population, violations + sign * part.violations
    return measured(rule, RowFigures(population, violations))
