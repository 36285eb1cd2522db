"""The results of the searches for short rules, as input of the choice among them."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from operator import attrgetter
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, PlainSerializer

from profiling_core.algorithms.denial.ranking.score import Ranked, surprise
from profiling_core.algorithms.equations.chance import TestedRule
from profiling_core.model.constraint import Measured
from profiling_core.model.stored import Sparse, Stored

LEAST = -math.log(19)
"""The log-odds of one in twenty; a rule with a lower score of its search is no candidate for a line."""
# A rule of this worth is dropped: its constants have ten digits too many, beyond three each.
_LEAST_PLAIN = -1.0
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class Family(IntEnum):
    """Kinds of rules that say similar things, in the order in which people read them."""

    KEY = 0
    REFERENCE = 1
    ORDER = 2
    UNEQUAL = 3
    SEQUENCE = 4
    EQUATION = 5
    ALONG_REFERENCES = 6
    CONDITIONAL = 7
    DEPENDENCY = 8
    RARE = 9
    COLUMN = 10


@dataclass(frozen=True, slots=True)
class Candidate(Stored):
    """A rule that holds on all rows.

    ``strength`` is the surprise against chance, in powers of ten: how improbable it is that unrelated rows obey the
    rule; of equations, conditional rules and rules along references less the logarithm of how many were tried.
    ``worth`` is further evidence, such as names and roles (0: none); for an order within a row it is the log-odds that
    a person would sign it.
    ``expected`` is how many violations of a row constraint chance would make (0: it is not tested against chance).
    ``told`` are further features of the score that chooses lines.
    """

    measured: Measured
    family: Annotated[Family, BeforeValidator(Family.__getitem__), PlainSerializer(attrgetter("name"))]
    strength: float
    worth: float = 0.0
    expected: float = 0.0
    told: Sparse[Mapping[str, float]] = field(default_factory=dict, compare=False)

    @property
    def constraint(self) -> Any:
        """The constraint."""
        return self.measured.constraint

    @property
    def ranked(self) -> Ranked:
        """The rule with the score that it has once it is followed."""
        if not self.expected:
            return Ranked(self.measured, math.log10(1 + self.measured.support))
        of_rows = all(p.is_single_row for p in self.constraint.denied)
        return Ranked(self.measured, surprise(self.expected, self.measured.violations, single_row=of_rows))

    def with_figures(self, now: Measured) -> Self:
        """The same rule with other figures."""
        return replace(self, measured=now)


def tested(rules: Iterable[TestedRule], family: Family) -> list[Candidate]:
    """Rules that were tested against chance where they were found."""
    return plain(Candidate(one.measured, family, one.evidence, told=one.told) for one in rules)


def plain(found: Iterable[Candidate]) -> list[Candidate]:
    """Rules, how plain their constants are as their worth; without those whose constants have too many digits."""
    worth = ((one, _plain(one.measured)) for one in found)
    return [replace(one, worth=of_constants) for one, of_constants in worth if of_constants > _LEAST_PLAIN]


def _plain(rule: Measured) -> float:
    """1, less 0.2 for each digit beyond three of a constant: 0.159664 is no rate that people set."""
    constants = rule.constraint.text
    for name in sorted({c for side in rule.constraint.sides for c in side.columns}, key=len, reverse=True):
        constants = constants.replace(name, "")
    numbers = _NUMBER.findall(constants)
    return 1.0 - 0.2 * sum(max(0, sum(map(str.isdigit, number)) - 3) for number in numbers)
