"""Results of a version with a few constraints in them, and the step that leads to it."""

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.diff.step import Step
from profiling_core.maintain.results import Results
from profiling_core.model.change import LifecycleState
from profiling_core.model.constraint import ColumnList, FunctionalDependency, Measured
from profiling_core.model.lifecycle import Tracked


def fd(lhs: str, rhs: str, violations: int = 0) -> Measured:
    constraint = FunctionalDependency(ColumnList("flights", tuple(lhs.split())), ColumnList("flights", (rhs,)))
    return Measured(constraint, violations, 9900, 500)


def step(
    ranked: list[Measured], tracked: list[Measured] = (), *, deltas: int = 1, version: int = 2, breaks=None
) -> Step:
    results = Results(
        {}, tuple(Ranked(m, float(len(ranked) - i)) for i, m in enumerate(ranked)), tuple(tracked), breaks or {}
    )
    return Step(
        version=version,
        label=f"day {version}",
        results=results,
        presented=2,
        min_held_deltas=3,
        max_rank=2,
        deltas=lambda _: deltas,
        since=lambda _: "day 1",
    )


def followed(tracked: list[Tracked]) -> list[Tracked]:
    """Those that have not retired."""
    return [t for t in tracked if t.state is not LifecycleState.RETIRED]


DISTANCE = fd("origin dest", "distance")
HOUR = fd("sched_dep_time", "hour")
NAME = fd("carrier", "name")
