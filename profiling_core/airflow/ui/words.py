"""Writes figures and moments for the pages, as a person would read them."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from profiling_core.alert.wording import extent, reading, spoken, when
from profiling_core.model.change import Change
from profiling_core.model.constraint import Measured
from profiling_core.model.finding import CONSTRAINT
from profiling_core.model.identity import Kind
from profiling_core.model.incident import Incident
from profiling_core.model.kinds.constraint import PAIRS
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.texts import listed as listing
from profiling_core.model.texts import moment_text as moment

if TYPE_CHECKING:
    from profiling_core.airflow.ui.figures import DeltaRows

__all__ = ["extent", "listing", "moment", "reading", "spoken", "when"]

_KINDS = {CONSTRAINT: "broken rule"}
RULE_KINDS = {
    Kind.COLUMN: "values of one column",
    Kind.UCC: "no duplicates",
    Kind.FD: "one value decides another",
    Kind.IND: "values occur in another table",
    Kind.DC: "comparisons of columns",
    Kind.EQUATION: "calculations",
    Kind.CONDITIONAL: "where a column has a value",
    Kind.REFERENCE: "along a reference",
    Kind.SEQUENCE: "along a sequence",
}
"""The subject of each kind of rule, for the list's filter."""
STATES = {
    "candidate": "It holds, and not yet for long enough to alert.",
    "active": "It holds, and alerts when it breaks.",
    "violated": "Rows contradict it now.",
    "recovered": "It holds again after rows contradicted it.",
    "retired": "It is not followed any more.",
}
"""The meaning of a rule's states."""


def count(number: int) -> str:
    """``1234567`` as ``1,234,567``, as the alerts write it."""
    return f"{number:,}"


def whole(number: float) -> str:
    """A figure that counts, to the nearest whole number: ``1,234``."""
    return f"{round(number):,}"


def share(part: float) -> str:
    """``7%``, ``0.4%``, ``0%``."""
    return f"{part:.0%}" if part == 0 or part >= 0.095 else f"{part:.1%}"  # noqa: PLR2004 - two digits


def kind(of: str) -> str:
    """A finding's kind in everyday words."""
    return _KINDS.get(of, of)


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")  # noqa: PLR2004 - 11th, 12th, 13th
    return f"{number:,}{ending}"


def trend(incident: Incident, rows: Sequence["DeltaRows"]) -> str:
    """The incident's day, and whether more rows came with the newest delta: ``5th day, more than before``."""
    day = _days(incident.opened, rows[-1].label if rows else incident.latest)
    said = f"{ordinal(day)} day" if day else f"{ordinal(max(1, len(rows)))} delta"
    if len(rows) < 2:  # noqa: PLR2004 - one delta shows no trend
        return said
    before, now = rows[-2].rows, rows[-1].rows
    if now == 0:
        return f"{said}, no new rows"
    return f"{said}, {'more than' if now > before else 'fewer than' if now < before else 'as many as'} before"


def _days(first: str, last: str) -> int:
    """How many days it has lasted, if deltas are named by days; else 0."""
    try:
        return (date.fromisoformat(last[:10]) - date.fromisoformat(first[:10])).days + 1
    except ValueError:
        return 0


def violations(tracked: Tracked) -> str:
    """The violations of a rule now: ``8 rows, since 2013-03-01``, ``holds``, ``148 pairs of rows, since …``."""
    said = number(tracked.measured)
    return f"{said}, since {spoken(tracked.since)}" if tracked.measured.violations else said


def number(measured: Measured) -> str:
    """The number of violations of a rule: ``8 rows``, ``holds``, ``148 pairs of rows contradict each other``."""
    unit, found = measured.constraint.unit, violating(measured)
    if not found:
        return "holds"
    if unit is PAIRS:
        return f"{found:,} pair{'' if found == 1 else 's'} of rows contradict each other"
    return f"{found:,} {unit.of(found)}"


def violating(measured: Measured) -> int:
    """The number of rows, values or pairs of rows that violate a rule; a pair counts once, in either order."""
    return -(-measured.violations // 2) if measured.constraint.unit is PAIRS else measured.violations


def unit(measured: Measured) -> str:
    """The unit of :func:`violating`."""
    return "pairs" if measured.constraint.unit is PAIRS else measured.constraint.unit.many


def in_all(measured: Measured) -> str:
    """The violations and the population of a rule, in figures."""
    unit = measured.constraint.unit
    return f"{measured.violations:,} of {measured.population:,} {unit.among}"


def held(tracked: Tracked) -> str:
    """For how long a rule has held, or how long no more rows have broken it."""
    many = f"{tracked.held_deltas:,} delta{'' if tracked.held_deltas == 1 else 's'}"
    if tracked.measured.violations and tracked.state.value == "violated":
        return f"no more rows for {many}" if tracked.held_deltas else "more rows with the newest delta"
    return f"for {many}"


def telling_first(change: Change, row: Mapping[str, str | None]) -> list[str]:
    """The row's columns, those of the constraint first."""
    telling = [c for c in change.measured.constraint.columns if c in row]
    return telling + [column for column in row if column not in telling]


def telling(change: Change) -> set[str]:
    """The columns of the constraint, on any of its sides."""
    return {column for side in change.measured.constraint.sides for column in side.columns}
