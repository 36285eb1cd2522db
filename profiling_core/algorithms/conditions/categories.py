"""The categories of rows that rules may be conditional on, and the rules that follow from counts per category."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import log10

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.conditions.counting import codes_of
from profiling_core.algorithms.conditions.judging import there
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.roles.vocabulary import CALENDAR
from profiling_core.model.consequent import Consequent
from profiling_core.model.expression import constant_text
from profiling_core.model.role import ColumnRole, Role

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]
# Distinct values of a column that makes categories, at most.
MOST_VALUES = 20
# The evidence, in powers of ten, that each category of a one-way rule gives by itself: chance would give it in one case
# of three. The score judges these candidates; the bound only limits their number.
_SURE = 0.5
# The least probability that counts in a logarithm.
_NO_CHANCE = 1e-12
_YEARS = ("year", "yr")
_THERE = ("missing", "there")


@dataclass(frozen=True, eq=False)
class Categories:
    """Disjoint sets of rows: int64[n] ``codes`` into ``labels`` (−1: none), and int64[v] rows of each.

    ``conditions``: the only sets of labels that a condition may name, with the values that it has then; None: any set,
    by its labels.
    """

    column: str
    labels: tuple[str, ...]
    codes: Counts
    counts: Counts
    conditions: Mapping[tuple[str, ...], tuple[str, ...]] | None = None

    def per_value(self, rows: Mask) -> Counts:
        """int64[v]: how many of the marked rows each category has."""
        return np.bincount(self.codes[rows & (self.codes >= 0)], minlength=len(self.labels))

    def named(self, chosen: Mask) -> tuple[str, ...]:
        """The chosen categories' labels, sorted."""
        return tuple(sorted(label for label, is_in in zip(self.labels, chosen, strict=True) if is_in))

    def condition(self, chosen: Mask) -> tuple[str, ...] | None:
        """The values of the condition that rows are in the chosen categories; None: there is no condition for them."""
        named = self.named(chosen)
        return named if self.conditions is None else self.conditions.get(named)


@dataclass(frozen=True)
class Candidate:
    """A rule to be checked on all rows.

    ``surprise``: how improbable it is that chance made it hold, as −log₁₀. ``told``: features of the score.
    """

    column: str
    values: tuple[str, ...]
    then: Consequent
    both_ways: bool
    surprise: float
    told: Mapping[str, float] = field(default_factory=dict, compare=False)


def categories_of(rows: pa.Table, names: list[str], roles: Mapping[str, ColumnRole]) -> Iterator[Categories]:
    """The columns whose values make categories: by their role, or where it is unknown by how few values they have.

    Codes and references make categories, too, if their values are few: a discount code, a kind of transaction.
    """
    for name in names:
        role = roles[name].role if name in roles else Role.CATEGORY
        counts_time = pa.types.is_integer(rows[name].type) and is_calendar(name)
        if role.makes_conditions and not counts_time and (found := values_of(rows, name)):
            yield found


def values_of(rows: pa.Table, name: str) -> Categories | None:
    """A column's values as categories, if they are texts, truths or whole numbers, and few."""
    kind = rows[name].type
    if not (pa.types.is_string(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind)):
        return None
    values = rows[name].combine_chunks().dictionary_encode().dictionary
    if not 2 <= len(values) <= MOST_VALUES:
        return None
    codes = codes_of(rows[name])
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    return Categories(name, tuple(values.cast(pa.string()).to_pylist()), codes, counts)


def presence_of(rows: pa.Table, name: str) -> Categories | None:
    """The rows with a value in a column, and those without; None: all have one, or none has."""
    has = there(rows[name])
    if has.all() or not has.any():
        return None
    codes = has.astype(np.int64)
    return Categories(name, _THERE, codes, np.bincount(codes, minlength=2), {_THERE[1:]: ()})


def least_of(rows: pa.Table, name: str) -> Categories | None:
    """The rows in which a number is 0, or the lesser of two, and those in which it is more; None: not both exist."""
    values, valid = numbers_in(rows, name)
    own = values[valid]
    if not len(own):
        return None
    low = 0.0 if (own == 0).any() else float(own.min())
    if (own == low).all() or (low and np.unique(own)[2:].size):
        return None
    codes = np.where(valid, np.where(values == low, 0, 1), -1)
    text = constant_text(Fraction(repr(low)))
    return Categories(name, (text, "more"), codes, np.bincount(codes[valid], minlength=2), {(text,): (text,)})


def is_calendar(name: str) -> bool:
    """Whether a name says that the column is a part of a date; its bounds only tell the table's first and last date."""
    said = words(name)
    return bool(said) and (said[-1] in CALENDAR or said[-1] in _YEARS)


def candidate(categories: Categories, then: Consequent, judged: Counts, obeying: Counts) -> Candidate | None:
    """The rule that all rows of some categories obey; both ways, if no other row obeys it.

    Args:
        categories: the condition's column.
        then: the consequent.
        judged: int64[v], the rows of each category that it judges.
        obeying: int64[v], those of them that obey.
    """
    rows, obey = int(judged.sum()), int(obeying.sum())
    if not 0 < obey < rows:
        return None
    every = (judged > 0) & (judged == obeying)
    share = obey / rows
    both_ways = int(judged[every].sum()) == obey
    own = judged * -log10(max(share, _NO_CHANCE))
    chosen = every if both_ways else every & (own >= _SURE)
    values = categories.condition(chosen)
    if values is None or not chosen.any():
        return None
    improbable = float(own[chosen].sum())
    if both_ways:
        improbable -= (rows - obey) * log10(1 - share)
    rest = rows - int(judged[chosen].sum())
    told = {
        "fails outside": (rows - obey) / rest,
        "of the categories": float(chosen.sum() / (judged > 0).sum()),
        "rows outside": min(1.0, rest / 100),
        "rows of each": min(1.0, float(judged[chosen].min()) / 30),
        "a few rows of each": min(1.0, float(judged[chosen].min()) / 5),
    }
    return Candidate(categories.column, values, then, both_ways, improbable, told)


def numbers_in(rows: pa.Table, name: str) -> tuple[NDArray[np.float64], Mask]:
    """A numeric column as doubles, and where it has a value."""
    numbers = numbers_of(rows[name])
    return numbers.doubles, numbers.there


def distinct(column: pa.ChunkedArray) -> int:
    """How many distinct values a column has."""
    return int(pc.count_distinct(column).as_py())
