"""What maintaining a table comes to: its cover, its ranked constraints, the figures of tracked ones, and what broke."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.model.change import Witness
from profiling_core.model.constraint import Measured
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.diagnosis import NO_DIAGNOSIS, Diagnosis
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.version import Arrival, FileRef, TableState, Version
from profiling_core.state.store import Store


@dataclass(frozen=True, slots=True)
class BrokenConstraint:
    """How many rows of the delta violate a constraint that held, some with rows that they contradict, and why.

    ``delta`` is the first delta of the run that brought one of them; empty: that is not known.
    ``by_chance``: that they do is no news, since nothing but chance has kept the rows before.
    """

    violating_rows: int
    witnesses: tuple[Witness, ...]
    diagnosis: Diagnosis = NO_DIAGNOSIS
    by_chance: bool = False
    delta: str = ""

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        return {
            "violating_rows": self.violating_rows,
            "witnesses": [w.to_json() for w in self.witnesses],
            "reading": self.diagnosis.to_json(),
            "by_chance": self.by_chance,
            "delta": self.delta,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        witnesses = tuple(Witness.from_json(w) for w in data["witnesses"])
        by_chance, delta = data.get("by_chance", False), data.get("delta", "")
        return cls(data["violating_rows"], witnesses, Diagnosis.from_json(data["reading"]), by_chance, delta)


@dataclass(frozen=True, slots=True)
class Results:
    """Results of one table, or of the dataset's inclusions.

    ``counts`` are sizes for people (rows, distinct evidences, constraints by kind). ``ranked`` are the best
    constraints, best first; the first ``shown`` of them were chosen for people to see; ``kept_away`` are those that
    nobody is to be told, since what they are like was rejected; ``tracked`` the figures of constraints that are
    followed, whether or not they still hold; ``breaks`` goes by fingerprint, for tracked constraints that held before.
    ``readings`` tells by fingerprint how inclusions read as foreign keys; ``successors`` what took the place of rules
    that a person accepted as they were broken ("": nothing).
    """

    counts: Mapping[str, int]
    ranked: tuple[Ranked, ...]
    tracked: tuple[Measured, ...]
    breaks: Mapping[str, BrokenConstraint]
    readings: Mapping[str, KeyReading] = field(default_factory=dict)
    successors: Mapping[str, str] = field(default_factory=dict)
    shown: int = 0
    kept_away: tuple[KeptAway, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The results as plain JSON data."""
        return {
            "counts": dict(self.counts),
            "ranked": [{"measured": r.measured.to_json(), "score": r.score} for r in self.ranked],
            "tracked": [m.to_json() for m in self.tracked],
            "breaks": {fingerprint: b.to_json() for fingerprint, b in self.breaks.items()},
            "readings": {fingerprint: r.to_json() for fingerprint, r in self.readings.items()},
            "successors": dict(self.successors),
            "shown": self.shown,
            "kept_away": [kept.to_json() for kept in self.kept_away],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        return cls(
            data["counts"],
            tuple(Ranked(Measured.from_json(r["measured"]), r["score"]) for r in data["ranked"]),
            tuple(Measured.from_json(m) for m in data["tracked"]),
            {fingerprint: BrokenConstraint.from_json(b) for fingerprint, b in data["breaks"].items()},
            {fingerprint: KeyReading.from_json(r) for fingerprint, r in data["readings"].items()},
            data.get("successors", {}),
            data.get("shown", len(data["ranked"])),
            tuple(KeptAway.from_json(kept) for kept in data.get("kept_away", ())),
        )


NOTHING = Results({}, (), (), {})


@dataclass(frozen=True, slots=True)
class StagedTable:
    """A table of the next version, ready to be committed: its state, all of its files, and what arrived."""

    table: str
    state: TableState
    files: tuple[FileRef, ...]
    arrival: Arrival

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        return {
            "table": self.table,
            "state": self.state.to_json(),
            "files": [
                {"table": f.table, "role": f.role, "path": f.path, "sha256": f.sha256, "size": f.size}
                for f in self.files
            ],
            "arrival": self.arrival.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        return cls(
            data["table"],
            TableState.from_json(data["state"]),
            tuple(FileRef(**f) for f in data["files"]),
            Arrival.from_json(data["arrival"]),
        )


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
    )


def read_results(store: Store, version: Version, table: str) -> Results:
    """The results of a table in a version (``DATASET``: of its inclusions)."""
    (ref,) = version.files_of("results", table)
    return Results.from_json(store.read_json(ref))
