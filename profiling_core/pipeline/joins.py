"""The join graph of a dataset: its tables, and between them the inclusions that read as foreign keys."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import PlainSerializer

from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.maintain.results import Results, read_results
from profiling_core.model.change import LifecycleState
from profiling_core.model.constraint import DATASET, InclusionDependency, Measured, measured_of
from profiling_core.model.errors import InputError
from profiling_core.model.stored import Stored
from profiling_core.pipeline.workspace import Workspace

LIKELY = 0.5
"""How likely an inclusion is a foreign key that counts as a join, where nobody says otherwise."""


def _ends(inclusion: InclusionDependency) -> dict[str, Any]:
    ends = {"from": inclusion.lhs.to_json(), "to": inclusion.rhs.to_json()}
    return ends | {"fingerprint": inclusion.fingerprint}


def _coverage(measured: Measured) -> dict[str, Any]:
    shares = {"coverage": 1.0 - measured.error, "row_coverage": measured.row_coverage}
    return shares | {"missing_values": measured.violations}


def _by_name(tables: Mapping[str, int]) -> list[dict[str, Any]]:
    return [{"name": name, "rows": rows} for name, rows in tables.items()]


@dataclass(frozen=True, slots=True)
class Join(Stored):
    """An inclusion that reads as a foreign key, with its figures; ``broken``: it held, and rows violate it now."""

    __flat__: ClassVar = ("inclusion", "measured")

    inclusion: Annotated[InclusionDependency, PlainSerializer(_ends)]
    measured: Annotated[Measured, PlainSerializer(_coverage)]
    reading: KeyReading
    broken: bool = False


@dataclass(frozen=True, slots=True)
class JoinGraph(Stored):
    """The tables with their numbers of rows, and the joins between them, the likeliest first."""

    dataset: str
    version: int
    tables: Annotated[Mapping[str, int], PlainSerializer(_by_name)]
    joins: tuple[Join, ...]


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
    the referenced columns is unique already, the shorter inclusion is. A reference that broke stays a join while it is
    followed, as likely as it was before.

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
    for join, likelihood in (*_broken(work, results), *_ranked(results)):
        if likelihood >= least and not join.reading.larger:
            joins.setdefault((join.inclusion.lhs.table, frozenset(join.inclusion.lhs.columns)), join)
    tables = {name: state.rows for name, state in version.tables.items()}
    return JoinGraph(work.dataset, version.number, tables, tuple(joins.values()))


def _ranked(results: Results) -> Iterator[tuple[Join, float]]:
    for measured in measured_of(InclusionDependency, (ranked.measured for ranked in results.ranked)):
        reading = results.readings[measured.constraint.fingerprint]
        yield Join(measured.constraint, measured, reading), reading.likelihood


def _broken(work: Workspace, results: Results) -> Iterator[tuple[Join, float]]:
    """The followed inclusions that are violated, with how likely each was a foreign key when it held last."""
    violated = {t.fingerprint: t for t in work.catalog.tracked(work.dataset) if t.state is LifecycleState.VIOLATED}
    for measured in measured_of(InclusionDependency, (tracked.measured for tracked in violated.values())):
        name = measured.constraint.fingerprint
        if name in results.readings:
            yield Join(measured.constraint, measured, results.readings[name], broken=True), violated[name].score
