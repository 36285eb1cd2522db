"""Rows per delta: how many rows of an incident each version of a dataset showed.

A version's change set never changes once it is settled, so its figures are cached.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from profiling_core.airflow.ui.places import catalog
from profiling_core.model.incident import Incident
from profiling_core.state.glance import Stamp

MOST_BARS = 90
"""Deltas that a chart of bars shows: a quarter of days, each bar as wide as its label's letters are."""
_KEPT_VERSIONS = 4096
"""Version figures kept in memory: a few kilobytes each; 20 deltas of 200 datasets."""


@dataclass(frozen=True, slots=True)
class DeltaRows:
    """How many rows one delta showed; its label, and the version that applied it."""

    version: int
    label: str
    rows: int


def rows_per_delta(dataset: str, incident: Incident, stamps: Mapping[int, Stamp]) -> list[DeltaRows]:
    """How many rows each delta since the incident's first showed, oldest first; empty if no version showed any.

    Several findings may count the same rows, so the greatest count is taken as a lower bound.

    Args:
        dataset: the dataset.
        incident: the incident.
        stamps: the dataset's versions, by number; those since the incident began are looked at.
    """
    names = (*incident.signatures, *incident.constraints)
    since = {number: stamp for number, stamp in stamps.items() if number >= incident.version > 0}
    told: dict[str, int] = {}
    for finding in incident.every:  # the rules of the versions do not count quarantined rows
        told[finding.delta] = max(told.get(finding.delta, 0), finding.count)
    shown = _by_label(deltas_that_show(dataset, names, since))
    return [replace(one, rows=one.rows or told.get(one.label, 0)) for one in shown]


def _by_label(shown: Sequence[DeltaRows]) -> Iterable[DeltaRows]:
    """One entry per label, of its newest version: tables that waited, and rebuilds, make others of the same label."""
    found: dict[str, DeltaRows] = {}
    for one in shown:
        found[one.label] = replace(one, rows=one.rows + (found[one.label].rows if one.label in found else 0))
    return found.values()


def deltas_that_show(dataset: str, names: Sequence[str], stamps: Mapping[int, Stamp]) -> list[DeltaRows]:
    """The rows with the named findings or rules (signatures or fingerprints) in each of the versions."""
    return [DeltaRows(number, stamp.label, _most(dataset, number, stamp, names)) for number, stamp in stamps.items()]


def _most(dataset: str, version: int, stamp: Stamp, names: Sequence[str]) -> int:
    try:
        shown = _of_settled(dataset, version, stamp)
    except LookupError:
        return 0
    return max((shown.get(name, 0) for name in names), default=0)


@lru_cache(maxsize=_KEPT_VERSIONS)
def _of_settled(dataset: str, version: int, stamp: Stamp) -> Mapping[str, int]:  # noqa: ARG001 - tells versions apart
    changes = catalog().changes(dataset, version)
    if changes is None:
        raise LookupError(dataset, version)
    broken = {
        # Only the rows at fault: right rows of the delta that they contradict are not counted.
        c.measured.constraint.fingerprint: c.diagnosis.standing_out or c.violating_rows
        for c in changes.changes
        if c.violating_rows
    }
    return {finding.signature: finding.count for finding in changes.findings} | broken
