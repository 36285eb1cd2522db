"""The agree-set engine over Spark: FDs, UCCs and errors of wide tables that no process holds (DynASt, over tasks).

Tasks compare the delta with the partitions of the kept rows, and pairs of blocks of a bootstrap; the process that leads
them holds the agree sets with their counts, and no rows. A space of same-column groups has agree sets for evidences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.maintain.agreeing import agree_set_part, standing
from profiling_core.maintain.counted import evidence_of
from profiling_core.maintain.covers import bounds_of
from profiling_core.maintain.engine import EngineResult, EngineStep, StatePart
from profiling_core.maintain.state_files import write_table
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef
from profiling_core.spark.evidence import empty_evidence, evidence_after, to_arrow
from profiling_core.state.store import Store

ROLE = "agree_sets_spark"


@dataclass(frozen=True)
class AgreeingSparkEngine:
    """Counts agree sets in tasks: FDs and UCCs of tables whose rows are too many cells for one process."""

    role: str = ROLE
    denies: bool = False

    def advance(self, step: EngineStep) -> EngineResult:
        """Adds the delta's signed counts; the dependencies are read off."""
        store, table = step.files.store, step.files.table
        before = (
            evidence_of(store, step.before.files, table, ROLE, step.space)
            if step.before
            else empty_evidence(step.space)
        )
        evidence = evidence_after(before, step.rows, step.space, step.size)
        agree = from_agree_sets.agree_sets(evidence, step.space)
        found = from_agree_sets.dependencies(agree, bounds_of(step.options, step.space))
        return standing(step, write_table(step.files, ROLE, to_arrow(evidence)), agree, found)

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """The multiset of agree sets: all else follows from it."""
        yield agree_set_part(from_agree_sets.agree_sets(evidence_of(store, files, table, ROLE, space), space))
