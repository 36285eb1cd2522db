"""What a maintenance step changed: constraints that appeared, broke, recovered or moved in error, with witnesses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from profiling_core.model.constraint import Measured
from profiling_core.model.diagnosis import NO_DIAGNOSIS, Diagnosis
from profiling_core.model.finding import Finding
from profiling_core.model.stored import Readable, Sparse, Stored


class Transition(StrEnum):
    """The kinds of change of a constraint from one version to the next."""

    APPEARED = "appeared"
    BROKE = "broke"
    RECOVERED = "recovered"
    GENERALISED = "generalised"
    ERROR_CHANGED = "error changed"
    ERROR_JUMPED = "error jumped"
    RETIRED = "retired"
    SPARED = "rows set aside"


class LifecycleState(StrEnum):
    """Where a tracked constraint stands. Active ones alert, and recovered ones, which have been violated lately."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    VIOLATED = "violated"
    RECOVERED = "recovered"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Witness(Stored):
    """One violation by its actual rows, column name → text of the value (None: null).

    ``broken_by`` is the row of the delta; ``contradicts`` the rows of the table that it violates the constraint with
    (empty for single-row constraints and for INDs), which came with the same delta where ``both_new``. ``ids`` are the
    row ids of all of them in this order until it is known where they came from, which ``places`` then say.
    """

    broken_by: Mapping[str, str | None]
    contradicts: tuple[Mapping[str, str | None], ...] = ()
    both_new: bool = False
    ids: Sparse[tuple[int, ...]] = ()
    places: Sparse[tuple[str, ...]] = ()

    @property
    def place(self) -> str:
        """Where ``broken_by`` came from; empty: not known."""
        return self.places[0] if self.places else ""


@dataclass(frozen=True, slots=True)
class Change(Stored):
    """One constraint's change.

    ``table`` is the table whose run reports it (the included side's for an IND). ``before`` and ``after`` are the
    figures in the two versions (None: not in that version's list). ``held_deltas`` is how many versions it had held;
    ``violating_rows`` counts distinct delta rows in a violation. ``replaced_by`` are the texts of the constraints that
    take its place in the cover. ``alerts`` says whether it is a person's business (lifecycle and rank), ``signed``
    whether a person has asked for the constraint; ``delta`` is the first of the step that brought a row at fault.
    """

    transition: Transition
    table: str
    before: Measured | None
    after: Measured | None
    held_deltas: int = 0
    since: str = ""
    violating_rows: int = 0
    rank: int | None = None
    alerts: bool = False
    replaced_by: tuple[str, ...] = ()
    witnesses: tuple[Witness, ...] = field(default_factory=tuple)
    diagnosis: Annotated[Diagnosis, Field(alias="reading")] = NO_DIAGNOSIS
    signed: bool = False
    delta: str = ""

    @property
    def measured(self) -> Measured:
        """The figures after the step, or before it where the constraint is gone."""
        chosen = self.after or self.before
        if chosen is None:
            raise ValueError("a change speaks of a constraint before or after the step")
        return chosen


@dataclass(frozen=True, slots=True)
class ChangeSet(Stored):
    """All changes of one run over a dataset, what arrived, and what checks of the deltas found."""

    dataset: str
    version: int
    run_id: str
    arrived: Mapping[str, Mapping[str, int]]
    changes: tuple[Readable[Change], ...]
    findings: tuple[Finding, ...] = ()

    def of(self, table: str) -> tuple[Change, ...]:
        """The changes that the table's part of the run reports."""
        return tuple(change for change in self.changes if change.table == table)
