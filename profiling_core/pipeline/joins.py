"""The join graph of a dataset: its tables, and between them the inclusions that read as foreign keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import DATASET, InclusionDependency, Measured, measured_of
from profiling_core.model.errors import InputError
from profiling_core.pipeline.workspace import Workspace

LIKELY = 0.5
"""How likely an inclusion is a foreign key that counts as a join, where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class Join:
    """An inclusion that reads as a foreign key, with its figures."""

    inclusion: InclusionDependency
    measured: Measured
    reading: KeyReading

    def to_json(self) -> dict[str, Any]:
        """The join as plain JSON data."""
        return {"from": self.inclusion.lhs.to_json(), "to": self.inclusion.rhs.to_json()} | {
            "fingerprint": self.inclusion.fingerprint,
            "coverage": 1.0 - self.measured.error,
            "row_coverage": self.measured.row_coverage,
            "missing_values": self.measured.violations,
            "reading": self.reading.to_json(),
        }


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """The tables with their numbers of rows, and the joins between them, the likeliest first."""

    dataset: str
    version: int
    tables: Mapping[str, int]
    joins: tuple[Join, ...]

    def to_json(self) -> dict[str, Any]:
        """The graph as plain JSON data."""
        return {
            "dataset": self.dataset,
            "version": self.version,
            "tables": [{"name": name, "rows": rows} for name, rows in self.tables.items()],
            "joins": [join.to_json() for join in self.joins],
        }


def key_likelihoods(work: Workspace) -> dict[str, float]:
    """By fingerprint how likely each inclusion of the current version that is kept is a foreign key, 0 to 1."""
    version = work.catalog.current(work.dataset)
    if version is None or not version.files_of("results"):
        return {}
    readings = read_results(work.store, version, DATASET).readings
    return {fingerprint: reading.likelihood for fingerprint, reading in readings.items()}


def join_graph(work: Workspace, least: float) -> JoinGraph:
    """The joins of the current version.

    Columns refer to one table: of several inclusions of the same columns the likeliest is the join. Where a part of
    the referenced columns is unique already, the shorter inclusion is.

    Args:
        work: the dataset.
        least: how likely an inclusion must be a foreign key.

    Raises:
        InputError: nothing has been applied yet, or inclusions are off.
    """
    version = work.catalog.current(work.dataset)
    if version is None or not version.files_of("results"):
        raise InputError(
            f"dataset {work.dataset!r} has no inclusion dependencies to draw joins from",
            remedy="apply a delta first" if version is None else "set inclusions: on, and apply a delta",
        )
    results = read_results(work.store, version, DATASET)
    joins: dict[tuple[str, frozenset[str]], Join] = {}
    for measured in measured_of(InclusionDependency, (ranked.measured for ranked in results.ranked)):
        inclusion = measured.constraint
        reading = results.readings[inclusion.fingerprint]
        if reading.likelihood >= least and not reading.larger:
            place = (inclusion.lhs.table, frozenset(inclusion.lhs.columns))
            joins.setdefault(place, Join(inclusion, measured, reading))
    tables = {name: state.rows for name, state in version.tables.items()}
    return JoinGraph(work.dataset, version.number, tables, tuple(joins.values()))
