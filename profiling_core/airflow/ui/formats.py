"""How figures are written on the pages: short, exact where it matters, never more than a person reads."""

from collections.abc import Mapping

from profiling_core.alert.wording import extent, reading, when
from profiling_core.model.change import Change
from profiling_core.model.constraint import Measured

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


__all__ = [
    "count",
    "day",
    "error",
    "extent",
    "reading",
    "telling",
    "telling_first",
    "violations",
    "when",
]


def count(number: int) -> str:
    """``1234567`` as ``1,234,567``, as the alerts write it."""
    return f"{number:,}"


def error(measured: Measured) -> str:
    """The error: ``exact``, a percentage, or a power of ten where a percentage would be all zeros."""
    value = measured.error
    if measured.violations == 0:
        return "exact"
    if value >= 0.0001:  # noqa: PLR2004 - below it a percentage has more zeros than figures
        return f"{value * 100:.2f}\u202f%"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def violations(measured: Measured) -> str:
    """What violates the constraint, counted in its own unit."""
    return f"{count(measured.violations)} of {count(measured.population)} {measured.constraint.unit.among}"


def day(instant: str) -> str:
    """An ISO 8601 instant to the minute."""
    return instant[:16].replace("T", " ")


def telling_first(change: Change, row: Mapping[str, str | None]) -> list[str]:
    """The row's columns, those that the constraint speaks of first."""
    telling = [c for c in change.measured.constraint.columns if c in row]
    return telling + [column for column in row if column not in telling]


def telling(change: Change) -> set[str]:
    """The columns that the constraint speaks of, on any of its sides."""
    return {column for side in change.measured.constraint.sides for column in side.columns}
