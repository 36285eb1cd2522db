"""A load and what came before it, as the judges of loads are given it: docs/loads.md, "Loads"."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isnan, nan, sqrt
from statistics import median
from typing import Any

from oracle import load_figures as figure
from oracle.load_figures import angle, surprise

Row = Mapping[str, Any]
Found = tuple[str, frozenset[str], frozenset[int]]
"""The kind, the columns, and the places of the rows that are named."""
ONE_IN, JUDGES = 200, 11


@dataclass(frozen=True)
class Case:
    """A load, the 56 before it, the texts of all before it, and what the columns are: text, number, whole or truth.

    ``bonds`` say of the loads before it, and last of itself, how the columns go together; ``again`` are the places of
    the odd loads that it follows by a period.
    """

    day: date
    rows: Sequence[Row]
    before: Sequence[Sequence[Row]]
    days: Sequence[date]
    ever: Sequence[Row]
    kinds: Mapping[str, str]
    bonds: Sequence[Mapping[tuple[str, ...], float]]
    again: Sequence[int] = ()

    @property
    def level(self) -> float:
        return 1 / ONE_IN / JUDGES

    @property
    def numbers(self) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind in ("number", "whole")]

    def judged(
        self, before: Sequence[float], now: float, unit: float, floor: float = 0.0
    ) -> tuple[float, float, float]:
        return surprise(before, now, [*self.days, self.day], unit, floor, self.again)

    def chance_of_share(self, before: Sequence[tuple[float, float]], now: tuple[float, float]) -> tuple[float, float]:
        """The share that was expected, and the chance of this one; so many of so many rows each, NaN where unknown."""
        usual = median(len(rows) for rows in self.before)
        noise = sqrt(max(0.0, 0.25 / len(self.rows) - 0.25 / max(1.0, usual)))
        turned = [angle(count, rows) if rows > 0 else nan for count, rows in before]
        expected, _, chance = self.judged(turned, angle(*now), sqrt(0.25 / len(self.rows)), noise)
        rows_before = median(rows for _, rows in before if not isnan(rows))
        return (nan if isnan(expected) else figure.share(expected, rows_before)), chance

    def places(self, column: str, value: object = None) -> frozenset[int]:
        """The rows with a value in the column, or with this one."""
        return frozenset(
            i for i, row in enumerate(self.rows) if row[column] is not None and value in (None, row[column])
        )


def values_of(rows: Sequence[Row], column: str) -> list[Any]:
    return [row[column] for row in rows if row[column] is not None]


def counted(rows: Sequence[Row], column: str, kind: str) -> Counter[Any] | None:
    counts = Counter(values_of(rows, column))
    return None if kind == "number" or len(counts) > 100 else counts


def is_of_loads(case: Case, column: str) -> bool:
    return 2 * sum(len(set(values_of(rows, column))) == 1 for rows in case.before) > len(case.before)
