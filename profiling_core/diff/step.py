"""The step from one version to the next, and what is asked of it wherever lifecycles are decided."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from profiling_core.algorithms.rules.rejection import Rejections
from profiling_core.maintain.results import Results
from profiling_core.model.change import LifecycleState
from profiling_core.model.constraint import ColumnList, Constraint, Measured
from profiling_core.model.decision import UNDECIDED, Decided, rejected
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Predicate

# A break is news if the rule held in this many deltas for each break so far.
LONG = 50
_ROUNDING = 1e-6
PROVEN = (LifecycleState.ACTIVE, LifecycleState.RECOVERED)
HOLDING = (LifecycleState.CANDIDATE, *PROVEN)


@dataclass(frozen=True)
class Step:
    """The step from one version to the next, as far as lifecycles depend on it.

    ``deltas`` gives for a constraint how many deltas of its tables the step applied; ``since`` the first of them;
    ``threshold`` the error that an approximate constraint of its kind may have; ``decided`` what people have decided,
    by fingerprint; ``least_surprise`` the score from which on a row constraint may alert; ``arrived`` how many new rows
    the table received. With ``bootstrap`` the table
    is new: what holds on all that it has is active at once. ``listed`` are columns whose new values another table
    lists.
    """

    version: int
    label: str
    results: Results
    presented: int
    min_held_deltas: int
    max_rank: int
    deltas: Callable[[Constraint], int]
    since: Callable[[Constraint], str]
    threshold: Callable[[Constraint], float] = lambda _: 0.0
    least_surprise: float = 0.0
    arrived: int = 0
    bootstrap: bool = False
    decided: Mapping[str, Decided] = field(default_factory=dict)
    listed: Collection[ColumnList] = ()

    def is_listed(self, constraint: Constraint) -> bool:
        """Whether a rule on new values broke by values that another table lists."""
        return constraint.excused_by_lists and constraint.sides[0] in self.listed

    def decided_on(self, fingerprint: str) -> Decided:
        """What stands for a constraint."""
        return self.decided.get(fingerprint, UNDECIDED)

    @cached_property
    def rejections(self) -> Rejections:
        """What people want to hear no more of."""
        return Rejections(rejected(self.decided))

    def may_alert(self, known: Tracked) -> bool:
        """Whether news of a constraint is a person's business: it ranks high or is wanted, and is not muted.

        A rule of a single column needs no rank: it was taken up only because the table's history supports it. What
        compares different columns of two rows is a person's business only where one wants it.
        """
        decided, constraint = self.decided_on(known.fingerprint), known.measured.constraint
        ranks = not constraint.needs_rank or (known.rank is not None and known.rank <= self.max_rank)
        surprises = not constraint.needs_surprise or known.score >= self.least_surprise
        tells = ranks and surprises and constraint.reads_plainly
        return (tells or decided.wanted) and not decided.muted(self.label)

    def shown(self, rank: int | None) -> int | None:
        """The place in the presented list, which ends before most of the ranked one."""
        return rank if rank is not None and rank <= self.presented else None

    def state_after(self, before: LifecycleState, held: int) -> LifecycleState:
        """The state of a constraint that nobody has signed and that has held for ``held`` deltas."""
        proven = before is LifecycleState.ACTIVE or held >= self.min_held_deltas or self.bootstrap
        return LifecycleState.ACTIVE if proven else before


def within(now: Measured, error: float) -> bool:
    """Whether no more than this share of the population violates a constraint."""
    # a threshold such as 1 − 0.9 is a little less than what it stands for, and counts are whole
    return now.violations <= error * now.population + _ROUNDING


def predicates_of(constraint: Constraint) -> frozenset[Predicate]:
    """What a row constraint denies; empty for other kinds, since none of them generalises another."""
    return frozenset(constraint.denied)
