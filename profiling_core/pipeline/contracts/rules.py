"""What the readers of contracts give, and how the parts of rules are written that all of them have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from profiling_core.model.constraint import ColumnList, Constraint, InclusionDependency, UniqueColumnCombination
from profiling_core.model.kinds.column import ColumnRule, Rule


@dataclass(frozen=True, slots=True)
class Wanted:
    """A rule that a person wrote.

    Attributes:
        constraint: what is to hold; None where it is named by ``known``.
        known: the id of a constraint that is followed here already, of a file that was written here.
        severity: ``critical``, ``warning`` or ``info``; empty: as the kind has it.
        where: its place in the file.
    """

    constraint: Constraint | None
    where: str
    severity: str = ""
    known: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """The rules of a file, and what in it is none that can be followed: its place, and why."""

    rules: tuple[Wanted, ...]
    left_out: tuple[tuple[str, str], ...] = ()


class Unsupported(ValueError):  # noqa: N818 -- a reason, not an error of ours
    """A rule that cannot be followed; the text says why."""


def not_null(table: str, column: str) -> Constraint:
    """Every row has a value there."""
    return ColumnRule(table, column, Rule.NOT_NULL)


def unique(table: str, columns: Sequence[str]) -> Constraint:
    """No two rows agree on all of these columns."""
    return UniqueColumnCombination(ColumnList(table, tuple(columns)))


def refers(table: str, columns: Sequence[str], other: str, others: Sequence[str]) -> Constraint:
    """Every value there is one here."""
    return InclusionDependency(ColumnList(table, tuple(columns)), ColumnList(other, tuple(others)))


def one_of(table: str, column: str, values: Iterable[Any]) -> Constraint:
    """Every value is one of these."""
    return ColumnRule(table, column, Rule.VALUES, values=tuple(sorted(map(_text, values))))


def between(table: str, column: str, rule: Rule, bounds: Mapping[str, Any]) -> Constraint:
    """Every value (``RANGE``), or its length (``LENGTH``), is within inclusive bounds, ``low`` and ``high``."""
    low, high = (None if bounds.get(name) is None else _text(bounds[name]) for name in ("low", "high"))
    if low is None and high is None:
        raise Unsupported("it has no bound")
    return ColumnRule(table, column, rule, low, high)


def _text(value: Any) -> str:
    """A value as rules have it: as a text that is read under the column's type."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is None or isinstance(value, (list, dict)):
        raise Unsupported(f"{value!r} is no value of a column")
    return str(value)
