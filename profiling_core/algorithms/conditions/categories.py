"""The columns that rules may be conditional on, and counts per category."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log10

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.conditions.counting import codes_of
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.roles.vocabulary import CALENDAR
from profiling_core.model.consequent import Consequent
from profiling_core.model.role import ColumnRole, Role

Mask = NDArray[np.bool_]
# Distinct values of a column that makes categories, at most.
MOST_VALUES = 20
# Rows that suffice to see that each category has a violation.
_LOOKED_AT = 1_000
# The share of rows outside its categories in which a rule must fail for the condition to matter; and the evidence,
# in powers of ten, that a category's rows must give.
MATTERS = 0.1
_SURE = 2.0
# The least probability that counts in a logarithm.
_NO_CHANCE = 1e-12
_YEARS = ("year", "yr")


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of few values: int64[n] ``codes`` into ``labels`` (−1: null), and int64[v] rows per value."""

    column: str
    labels: tuple[str, ...]
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]

    def per_value(self, rows: Mask) -> NDArray[np.int64]:
        """int64[v]: how many of the marked rows each category has."""
        return np.bincount(self.codes[rows & (self.codes >= 0)], minlength=len(self.labels))

    def each_has_one(self, rows: Mask) -> bool:
        """Whether each category has some of the marked rows, judged by about ``_LOOKED_AT`` rows."""
        few = slice(None, None, max(1, len(self.codes) // _LOOKED_AT))
        codes = self.codes[few][rows[few]]
        has = np.bincount(codes[codes >= 0], minlength=len(self.labels)) > 0
        return bool(has[self.counts > 0].all())

    def named(self, chosen: Mask) -> tuple[str, ...]:
        """The chosen categories' labels, sorted."""
        return tuple(sorted(label for label, is_in in zip(self.labels, chosen, strict=True) if is_in))


@dataclass(frozen=True)
class Candidate:
    """A rule to be checked on all rows, and how improbable it is that chance made it hold, as −log₁₀.

    ``rest``: the other categories that it was compared with. ``contrary``: for a set of values, the categories of the
    equivalent rule read the other way round, which would have the other column's values as its condition.
    """

    column: str
    values: tuple[str, ...]
    then: Consequent
    both_ways: bool
    surprise: float
    rest: tuple[str, ...] = ()
    contrary: tuple[str, ...] = ()


def categories_of(rows: pa.Table, names: list[str], roles: Mapping[str, ColumnRole]) -> Iterator[Categories]:
    """The columns whose values make categories: by their role, or where it is unknown by how few values they have.

    Codes and references make categories, too, if their values are few: a discount code, a kind of transaction.
    """
    for name in names:
        kind = rows[name].type
        if not (pa.types.is_string(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind)):
            continue
        role = roles[name].role if name in roles else Role.CATEGORY
        if not role.makes_conditions or is_calendar(name):
            continue
        encoded = rows[name].combine_chunks().dictionary_encode()
        if not 2 <= len(encoded.dictionary) <= MOST_VALUES:
            continue
        codes = codes_of(rows[name])
        counts = np.bincount(codes[codes >= 0], minlength=len(encoded.dictionary))
        yield Categories(name, tuple(encoded.dictionary.cast(pa.string()).to_pylist()), codes, counts)


def is_calendar(name: str) -> bool:
    """Whether a name says that the column is a part of a date; its bounds only tell the table's first and last date."""
    said = words(name)
    return bool(said) and (said[-1] in CALENDAR or said[-1] in _YEARS)


def telling(judged: NDArray[np.int64], obeying: NDArray[np.int64]) -> Mask:
    """bool[v]: the categories in which all judged rows obey, which chance explains in 1 of 100 cases at most."""
    share = obeying.sum() / max(1, judged.sum())
    found: Mask = (judged > 0) & (judged == obeying) & (judged * -log10(min(max(share, _NO_CHANCE), 1.0)) >= _SURE)
    return found


def surprise(chosen: Mask, judged: NDArray[np.int64], obeying: NDArray[np.int64]) -> float:
    """−log₁₀ of the probability that all rows of the chosen categories obey, if each does with the overall share."""
    share = obeying.sum() / max(1, judged.sum())
    return float(judged[chosen].sum()) * -log10(min(max(share, _NO_CHANCE), 1.0))


def fails_outside(chosen: Mask, judged: NDArray[np.int64], obeying: NDArray[np.int64]) -> float:
    """The share of rows outside the chosen categories that do not obey."""
    rest = judged[~chosen].sum()
    return float((rest - obeying[~chosen].sum()) / rest) if rest else 0.0


def candidate(
    categories: Categories, then: Consequent, judged: NDArray[np.int64], obeying: NDArray[np.int64]
) -> Candidate | None:
    """The rule that all rows of some categories obey, if the condition matters; both ways, if no other row obeys it.

    Args:
        categories: the condition's column.
        then: the consequent.
        judged: int64[v], the rows of each category that it judges.
        obeying: int64[v], those of them that obey.
    """
    every = (judged > 0) & (judged == obeying)
    rest = judged[~every]
    if every.any() and rest.sum() and not obeying[~every].any() and (judged[every].sum() and rest.sum()):
        share = obeying.sum() / judged.sum()
        improbable = -float(judged[every].sum() * log10(share) + rest.sum() * log10(1 - share))
        others = categories.named(~every & (judged > 0))
        return Candidate(
            categories.column, categories.named(every), then, both_ways=True, surprise=improbable, rest=others
        )
    chosen = telling(judged, obeying)
    if not chosen.any() or fails_outside(chosen, judged, obeying) < MATTERS:
        return None
    improbable = surprise(chosen, judged, obeying)
    return Candidate(categories.column, categories.named(chosen), then, both_ways=False, surprise=improbable)


def numbers_in(rows: pa.Table, name: str) -> tuple[NDArray[np.float64], Mask]:
    """A numeric column as doubles, and where it has a value."""
    numbers = numbers_of(rows[name])
    return numbers.doubles, numbers.there


def distinct(column: pa.ChunkedArray) -> int:
    """How many distinct values a column has."""
    return int(pc.count_distinct(column).as_py())
