"""Rules on a single column, or on how many rows there are, that are learnt from a table's history (docs/semantics.md).

Rules *of rows* ask something of every row's value, with bounds that stay as they were learnt: another bound is another
rule. Rules *of deltas* ask whether a delta is like those before it; what is like them moves with the history, so that
such a rule has no bounds of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from profiling_core.model.identity import Kind, fingerprint


class Rule(StrEnum):
    """What is asked: the first five of each row's value, the others of each delta."""

    NOT_NULL = "not null"
    VALUES = "values"
    RANGE = "range"
    LENGTH = "length"
    PATTERN = "pattern"
    NULL_SHARE = "null share"
    RISING = "rising"
    FRESH = "fresh"
    ROW_COUNT = "row count"
    ONE_VALUE = "one value"
    NEW_VALUES = "new values"
    REPEATED = "repeated rows"

    @property
    def of_deltas(self) -> bool:
        """Whether a delta obeys it, rather than a row."""
        return self not in _OF_ROWS

    @property
    def of_tables(self) -> bool:
        """Whether it speaks of no column in particular."""
        return self in (Rule.ROW_COUNT, Rule.REPEATED)


_OF_ROWS = (Rule.NOT_NULL, Rule.VALUES, Rule.RANGE, Rule.LENGTH, Rule.PATTERN)
_SHOWN_VALUES = 20


@dataclass(frozen=True)
class ColumnRule:
    """A rule on one column of a table.

    ``low`` and ``high`` are the inclusive bounds of values (``RANGE``) or of lengths in characters (``LENGTH``), as
    text; None: unbounded. ``values`` are the values allowed (``VALUES``), or their shapes (``PATTERN``), sorted. Nulls
    violate ``NOT_NULL`` and no other rule of rows. ``column`` is empty for a rule on the rows of a delta as such.
    """

    table: str
    column: str
    rule: Rule
    low: str | None = None
    high: str | None = None
    values: tuple[str, ...] = ()
    kind = Kind.COLUMN

    @property
    def tables(self) -> tuple[str, ...]:
        """The table that the rule speaks of."""
        return (self.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that the rule speaks of; none where it speaks of whole rows."""
        return (self.column,) if self.column else ()

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the rule within its dataset."""
        return fingerprint(self.kind, self.table, self.column, self.rule, self.low, self.high, list(self.values))

    @property
    def some_values(self) -> str:
        """The values as people see them: all, or the first of many."""
        more = len(self.values) - _SHOWN_VALUES
        return ", ".join(self.values[:_SHOWN_VALUES]) + (f" and {more} more" if more > 0 else "")

    @property
    def text(self) -> str:
        """The rule in a few words."""
        if self.rule is Rule.NOT_NULL:
            return f"{self.column} not null"
        if self.rule is Rule.VALUES:
            return f"{self.column} ∈ {{{self.some_values}}}"
        if self.rule is Rule.PATTERN:
            return f"{self.column} ~ {' | '.join(self.values)}"
        if self.rule is Rule.RANGE:
            return _between(self.low, self.column, self.high)
        if self.rule is Rule.LENGTH:
            return _between(self.low, f"length of {self.column}", self.high)
        return {
            Rule.NULL_SHARE: f"usual share of nulls in {self.column}",
            Rule.RISING: f"{self.column} rises from delta to delta",
            Rule.FRESH: f"{self.column} as recent as usual",
            Rule.ONE_VALUE: f"one {self.column} in each delta",
            Rule.NEW_VALUES: f"usual new values of {self.column}",
            Rule.REPEATED: "usual number of repeated rows in a delta",
        }.get(self.rule, "usual number of rows in a delta")

    def to_json(self) -> dict[str, Any]:
        """The rule as plain JSON data."""
        return {
            "kind": self.kind.value,
            "table": self.table,
            "column": self.column,
            "rule": self.rule.value,
            "low": self.low,
            "high": self.high,
            "values": list(self.values),
            "text": self.text,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ColumnRule":
        """The inverse of :meth:`to_json`."""
        return cls(data["table"], data["column"], Rule(data["rule"]), data["low"], data["high"], tuple(data["values"]))


def _between(low: str | None, what: str, high: str | None) -> str:
    return f"{'' if low is None else f'{low} ≤ '}{what}{'' if high is None else f' ≤ {high}'}"
