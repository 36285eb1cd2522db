"""Where rows came from: the delta of a row, and its file and line where the source has lines.

Row ids are given in the order of reading. So a delta's position keeps the first and the last row id, and for each
stretch of rows on consecutive lines one entry: a file of any size has one, unless values span lines. No row has a place
of its own.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from profiling_core.model.change import Change, Witness
from profiling_core.model.finding import Finding

IDS, BEGINS = "ids", "begins"
"""In a delta's position: the ids of its rows, from the first up to but not with the last; and the beginnings of
stretches: row id, number of the file, line (0: not known)."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one row came from: its ``delta``, and its ``file`` and ``line`` (empty and 0: not known)."""

    delta: str = ""
    file: str = ""
    line: int = 0

    @property
    def words(self) -> str:
        """``2024-05-13.csv, line 15``; ``delta 2024-05-13`` where the source has no files; empty: nothing is known."""
        if not self.file:
            return f"delta {self.delta}" if self.delta else ""
        return f"{self.file}, line {self.line:,}" if self.line else self.file


class Origins:
    """Where the rows of one table came from.

    Args:
        positions: those of its deltas, in the order in which they were applied.
    """

    def __init__(self, positions: Mapping[str, Mapping[str, Any]]) -> None:
        self._known = [(delta, position) for delta, position in positions.items() if IDS in position]
        self._firsts = [position[IDS][0] for _, position in self._known]

    def of(self, row_id: int) -> Origin:
        """Where a row came from; empty for rows that an earlier release read."""
        at = bisect_right(self._firsts, row_id) - 1
        if at < 0 or row_id >= self._known[at][1][IDS][1]:
            return Origin()
        return _in_file(*self._known[at], row_id)


def _in_file(delta: str, position: Mapping[str, Any], row_id: int) -> Origin:
    begins: Sequence[Sequence[int]] = position.get(BEGINS, ())
    at = bisect_right(begins, row_id, key=lambda begin: begin[0]) - 1
    if at < 0:
        return Origin(delta)
    first, file, line = begins[at]
    return Origin(delta, position["files"][file]["path"], line + row_id - first if line else 0)


def placed(change: Change, origins: Callable[[str], Origins]) -> Change:
    """The change with its witnesses' places instead of their row ids.

    Args:
        change: the change of a constraint.
        origins: where the rows of a table came from.
    """
    if not any(witness.ids for witness in change.witnesses):
        return change
    own, other = origins(change.table), origins(change.measured.constraint.sides[:2][-1].table)
    return replace(change, witnesses=tuple(_placed(witness, own, other) for witness in change.witnesses))


def _placed(witness: Witness, own: Origins, other: Origins) -> Witness:
    places = tuple((own if at == 0 else other).of(row_id).words for at, row_id in enumerate(witness.ids))
    return replace(witness, ids=(), places=places if any(places) else ())


def placed_finding(finding: Finding, origins: Callable[[str], Origins]) -> Finding:
    """The finding with its rows' places instead of their ids."""
    if all(row.id is None for row in finding.rows):
        return finding
    own = origins(finding.table)
    rows = (row if row.id is None else replace(row, id=None, place=own.of(row.id).words) for row in finding.rows)
    return replace(finding, rows=tuple(rows))
