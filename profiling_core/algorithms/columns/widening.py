"""Widens a rule that was broken after a person accepted the rows.

Values that have come with each delta since they broke a set are accepted, even if nobody says so: a store that is open
for a week is one of the stores, and the next unknown one is news again.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from profiling_core.algorithms.columns.bounds import LEAST_DELTAS
from profiling_core.algorithms.columns.figures import ColumnFigures, parsed, text_of
from profiling_core.algorithms.columns.history import ColumnHistory, Trait
from profiling_core.algorithms.columns.kept_rules import ColumnBook, Kept
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.types import LogicalType


def accepting(book: ColumnBook, accepted: Collection[str]) -> tuple[ColumnBook, dict[str, str]]:
    """The rules, with the accepted ones widened.

    Args:
        book: the rules before.
        accepted: fingerprints; those of rules without violations, or of deltas, change nothing.

    Returns:
        The rules, and by fingerprint of a replaced rule its successor's; "": there is none.
    """
    kept: dict[str, Kept] = {}
    successors: dict[str, str] = {}
    for known in book.kept:
        rule = known.rule
        if rule.fingerprint not in accepted or not known.violations or rule.rule.of_deltas:
            kept.setdefault(rule.fingerprint, known)
            continue
        wider = widened(rule, book.history.columns[rule.column])
        successors[rule.fingerprint] = wider.fingerprint if wider else ""
        if wider:
            kept.setdefault(wider.fingerprint, replace(known, rule=wider, violations=0))
    return replace(book, kept=tuple(kept.values())), successors


def come_to_stay(book: ColumnBook) -> frozenset[str]:
    """The fingerprints of broken sets whose missing values have all come for long enough to be usual."""
    return frozenset(
        known.rule.fingerprint
        for known in book.kept
        if known.rule.rule is Rule.VALUES
        and known.violations
        and _all_stay(known.rule, book.history.columns[known.rule.column], book.history.count)
    )


def _all_stay(rule: ColumnRule, column: ColumnHistory, count: int) -> bool:
    """Whether each value that a set lacks has come with a row per delta, for ``LEAST_DELTAS`` and with the latest."""
    others = [seen for value, seen in (column.values or {}).items() if value not in rule.values]
    return bool(others) and all(
        seen.rows >= count - seen.first + 1 >= LEAST_DELTAS and seen.last == count for seen in others
    )


def widened(rule: ColumnRule, column: ColumnHistory) -> ColumnRule | None:
    """The rule with bounds that all rows so far keep; None if there are none.

    Args:
        rule: a rule of rows.
        column: the history of its column.
    """
    if rule.rule in (Rule.NOT_NULL, Rule.NULL_WITH, Rule.AT_MOST):
        return None
    if rule.rule in (Rule.VALUES, Rule.PATTERN):
        seen: Trait = column.values if rule.rule is Rule.VALUES else column.shapes
        return None if seen is None else replace(rule, values=tuple(sorted({*rule.values, *seen})))
    if rule.rule is Rule.LENGTH:
        return _between(rule, column, LogicalType.INTEGER, lambda d: d.shortest, lambda d: d.longest)
    return _between(rule, column, column.type, lambda d: d.low, lambda d: d.high)


Extreme = Callable[[ColumnFigures], Any]


def _between(rule: ColumnRule, column: ColumnHistory, kind: LogicalType, low: Extreme, high: Extreme) -> ColumnRule:
    lows, highs = ([own(d) for d in column.deltas if d.rows] for own in (low, high))
    least = None if rule.low is None else text_of(min(parsed(rule.low, kind), *lows))
    most = None if rule.high is None else text_of(max(parsed(rule.high, kind), *highs))
    return replace(rule, low=least, high=most)
