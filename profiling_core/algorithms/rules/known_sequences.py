"""What follows from rules along a sequence: weaker steps, and orders between the rows of a group."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction

from profiling_core.model.constraint import Constraint, DenialConstraint, SequenceRule
from profiling_core.model.expression import Linear, Shifted
from profiling_core.model.kinds.relation import OF_PARENT, Beside
from profiling_core.model.predicate import Operator

# By table, group (a set) and order: which rows follow each other.
_Sequence = tuple[str, frozenset[str], str]
# A column that is at least another one of the row before, and whether it is above it.
_Step = tuple[str, str, bool]


class KnownSequences:
    """The steps of each sequence that are known."""

    def __init__(self) -> None:
        self._steps: defaultdict[_Sequence, set[_Step]] = defaultdict(set)

    def add(self, rule: Constraint) -> None:
        """Adds a rule that holds."""
        if isinstance(rule, SequenceRule) and (step := _rises(rule)):
            self._steps[rule.table, frozenset(rule.group), rule.by].add(step)

    def imply(self, rule: Constraint, at_most: Callable[[str, str], bool]) -> bool:
        """Whether a rule follows.

        Args:
            rule: a step ``a ≥ previous b`` follows from a stricter one; ``value never falls as by rises`` from a step
                between it and a column that it is never below, or never above.
            at_most: whether one column is known to be at most another one in each row.
        """
        if isinstance(rule, SequenceRule):
            return self._implies_step(rule)
        if not isinstance(rule, DenialConstraint) or rule.sequence is None or rule.sequence.does != "never falls":
            return False
        said = rule.sequence
        known = self._steps.get((rule.table, frozenset(said.alike), said.by), ())
        return any(said.value in (own, other) and (own == other or at_most(own, other)) for own, other, _ in known)

    def _implies_step(self, rule: SequenceRule) -> bool:
        known = self._steps.get((rule.table, frozenset(rule.group), rule.by), ())
        step = rule.step
        if not isinstance(step, Beside):
            return False
        above = {Operator.GE: (False, True), Operator.GT: (True,)}.get(Operator(step.op), ())
        return any((step.column, step.other, strict) in known for strict in above)


def _rises(rule: SequenceRule) -> _Step | None:
    """The column that is at least another one of the row before, if the rule says that."""
    step = rule.step
    if isinstance(step, Beside):
        told = step.op in (Operator.EQ, Operator.GE, Operator.GT) and not step.day_of
        return (step.column, step.other, step.op == Operator.GT) if told else None
    value = step.value
    if isinstance(value, Shifted):
        return (step.column, value.column.removeprefix(OF_PARENT), True) if value.amount > 0 else None
    if isinstance(value, Linear) and len(value.terms) == 1 and not step.precision.is_loose:
        (factor, other), grows = value.terms[0], Fraction(value.constant) > 0
        return (step.column, other.removeprefix(OF_PARENT), True) if factor == "1" and grows else None
    return None
