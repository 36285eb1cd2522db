"""The engines that keep a table's row constraints current, as the maintenance step sees them.

An engine owns state files of its own role: the role says which engine maintains a table in a version. Whatever the
engine, its results equal discovery from scratch (docs/semantics.md, "Deltas"); they differ in what they cost.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.constraint import Measured, RowConstraint
from profiling_core.model.dataset import TableConfig
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import FileRef, Version
from profiling_core.spark.evidence import RowDelta
from profiling_core.state.store import Store

RANKED_PER_PRESENTED = 5


@dataclass(frozen=True)
class EngineStep:
    """One step of an engine.

    ``before`` is the version whose state it goes on from (None: it begins with the rows alone, and all of them are
    ``rows.inserted``); ``size`` the number of rows after the step; ``tracked`` the constraints that are followed, all
    of them over the space's predicates; ``effort`` what discovery may cost before another engine is tried (None: no
    matter what).
    """

    files: TableFiles
    options: TableConfig
    schema: TableSchema
    rows: RowDelta
    space: PredicateSpace
    before: Version | None
    size: int
    tracked: Sequence[RowConstraint]
    effort: Effort | None = None

    @property
    def ranked_length(self) -> int:
        """How many constraints the ranked list holds: more than are presented, so that none hops in and out."""
        return RANKED_PER_PRESENTED * self.options.presented


@dataclass(frozen=True)
class EngineResult:
    """What an engine knows after a step.

    ``files`` hold its state; ``counts`` are sizes for people; ``ranked`` the best constraints, best first; ``tracked``
    the figures of the step's tracked constraints, in their order.
    """

    files: tuple[FileRef, ...]
    counts: Mapping[str, int]
    ranked: tuple[Ranked[RowConstraint], ...]
    tracked: tuple[Measured[RowConstraint], ...]


@dataclass(frozen=True)
class StatePart:
    """A part of an engine's state that depends on the rows alone, so that it can be compared with discovery."""

    name: str
    value: object
    detail: str


class RowEngine(Protocol):
    """Keeps the row constraints of one table current."""

    @property
    def role(self) -> str:
        """The role of the engine's state files."""

    @property
    def denies(self) -> bool:
        """Whether it maintains denial constraints over a whole predicate space, or FDs and UCCs alone."""

    def advance(self, step: EngineStep) -> EngineResult:
        """The state after a step. Writes new files only, so that a retry starts from the same base."""

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """What of the state in ``files`` discovery from scratch must give too."""


def kinds_of(found: Sequence[RowConstraint]) -> dict[str, int]:
    """How many constraints there are of each kind."""
    kinds = [constraint.kind.value for constraint in found]
    return {kind: kinds.count(kind) for kind in ("dc", "fd", "ucc")}
