"""What maintaining a table comes to: its cover, its ranked constraints, the figures of tracked ones, and what broke."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.model.change import Witness
from profiling_core.model.constraint import ColumnList, Measured
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.diagnosis import NO_DIAGNOSIS, Diagnosis
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.stored import Readable, Stored
from profiling_core.model.version import Arrival, FileRef, TableState, Version
from profiling_core.state.store import Store


@dataclass(frozen=True, slots=True)
class BrokenConstraint(Stored):
    """How many rows of the delta violate a constraint that held, some with rows that they contradict, and why.

    ``delta`` is the first delta of the run that brought one of them; empty: that is not known.
    ``by_chance``: that they do is no news, since nothing but chance has kept the rows before.
    """

    violating_rows: int
    witnesses: tuple[Witness, ...]
    diagnosis: Annotated[Diagnosis, Field(alias="reading")] = NO_DIAGNOSIS
    by_chance: bool = False
    delta: str = ""


@dataclass(frozen=True, slots=True)
class Results(Stored):
    """Results of one table, or of the dataset's inclusions.

    ``counts`` are sizes for people (rows, distinct evidences, constraints by kind). ``ranked`` are the best
    constraints, best first; the first ``shown`` of them were chosen for people to see; ``kept_away`` are those that
    nobody is to be told, since what they are like was rejected; ``tracked`` the figures of constraints that are
    followed, whether or not they still hold; ``breaks`` goes by fingerprint, for tracked constraints that held before.
    ``readings`` tells by fingerprint how inclusions read as foreign keys; ``successors`` what took the place of rules
    that a person accepted as they were broken ("": nothing); ``listed`` the columns with a rule on new values whose
    values that are new are all in a key of another table.
    """

    counts: Mapping[str, int]
    ranked: tuple[Readable[Ranked], ...]
    tracked: tuple[Readable[Measured], ...]
    breaks: Mapping[str, BrokenConstraint]
    readings: Mapping[str, KeyReading] = field(default_factory=dict)
    successors: Mapping[str, str] = field(default_factory=dict)
    shown: int = 0
    kept_away: tuple[Readable[KeptAway], ...] = ()
    listed: tuple[ColumnList, ...] = ()


NOTHING = Results({}, (), (), {})


@dataclass(frozen=True, slots=True)
class StagedTable(Stored):
    """A table of the next version, ready to be committed: its state, all of its files, and what arrived."""

    table: str
    state: TableState
    files: tuple[FileRef, ...]
    arrival: Arrival


def arrival_of(delta: NormalizedDelta) -> Arrival:
    """What the delta brought."""
    return Arrival(
        delta.delta_ids,
        delta.inserts,
        delta.deletes,
        delta.updates,
        delta.superseded,
        delta.rejects,
        delta.set_aside,
        delta.unchanged,
        delta.positions,
        delta.rejected_for,
    )


def read_results(store: Store, version: Version, table: str) -> Results:
    """The results of a table in a version (``DATASET``: of its inclusions)."""
    (ref,) = version.files_of("results", table)
    kept = store.read_json(ref)
    return Results.from_json({"shown": len(kept["ranked"])} | kept)  # 0.1 showed all that it ranked
