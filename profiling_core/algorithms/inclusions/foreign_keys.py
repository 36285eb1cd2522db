"""Inclusions read as foreign keys: which of them somebody meant, and which small numbers make by chance.

The features are those of Rostin, Albrecht, Bauckmann, Naumann and Leser, "A machine learning approach to foreign key
discovery" (WebDB 2009), as far as clusters and schemas tell them: a unique referenced side, names, coverage, how much
of the referenced values occur, types, and the place of the columns. Their weights are set by hand: what is unique, is
called alike and is used throughout is a foreign key; numbers from 1 on are included in any longer run of numbers.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.roles.names import bare, words
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Stored
from profiling_core.model.types import LogicalType

LIKELY = 0.5
_KEY_WORDS = frozenset({"id", "key", "code", "nr", "no", "num", "number", "uuid", "iata", "icao", "faa", "isbn", "ean"})
# What is called by one of these alone says nothing of what it tells apart.
_ANY_KEY = frozenset({"id", "key", "nr", "no", "num", "number", "uuid", "pk"})
_ALIKE = 0.6  # names below this similarity have nothing in common
# What is named after a row, corrects_slip after slip_id, is named for what it refers to.
_NAMED_AFTER = 0.9
# Only if this number of pairs of rows would agree by chance is it evidence that none does.
_REPEATED = 3


@dataclass(frozen=True, slots=True)
class InclusionSide:
    """One side of an inclusion: its distinct values (or combinations), and the rows that hold them."""

    distinct: int
    rows: int

    @property
    def is_unique(self) -> bool:
        """Whether no value occurs twice."""
        return self.distinct == self.rows


@dataclass(frozen=True, slots=True)
class KeyReading(Stored):
    """How an inclusion reads as a foreign key; all but ``likelihood`` are the features that it follows from.

    ``names`` says how alike the columns' names are (0 to 1), ``used`` which share of the referenced values occurs,
    ``textual`` whether values are texts, ``leading`` whether the referenced columns are their table's first, ``keyed``
    whether a name speaks of a key, ``both_keys`` whether the included side is unique as well, ``larger`` whether a part
    of the referenced side is unique already.
    """

    likelihood: float
    unique: bool
    names: float
    coverage: float
    used: float
    textual: bool
    same_types: bool
    leading: bool
    keyed: bool
    both_keys: bool
    within: bool
    larger: bool

    @property
    def text(self) -> str:
        """The reading for people."""
        verdict = "a foreign key" if self.likelihood >= LIKELY else "no foreign key"
        reasons = [
            "the referenced side is unique" if self.unique else "the referenced side is not unique",
            f"{self.used:.0%} of its values are used",
            "the names are alike" if self.names > _ALIKE else "the names differ",
        ]
        reasons += ["both sides are keys"] if self.both_keys else []
        reasons += ["a part of the referenced side is unique already"] if self.larger else []
        reasons += [] if self.coverage == 1 else [f"{1 - self.coverage:.2%} of the values are missing"]
        return f"Reads as {verdict} ({self.likelihood:.2f}): {', '.join(reasons)}."


class ColumnsByName:
    """A table's columns as all its inclusions ask for them: by name their types, and what they are called."""

    def __init__(self, schema: TableSchema) -> None:
        names = schema.names
        self.first = names[0]
        self.types = {column.name: column.type for column in schema.columns}
        self.bare = {name: bare(name, names) for name in names}


def by_names(schemas: Mapping[str, TableSchema]) -> dict[str, ColumnsByName]:
    """The columns of each table, to read inclusions by."""
    return {table: ColumnsByName(schema) for table, schema in schemas.items()}


def read(
    measured: Measured[InclusionDependency],
    sides: Mapping[ColumnList, InclusionSide],
    tables: Mapping[str, ColumnsByName],
    values: Values,
) -> KeyReading:
    """The reading of one inclusion.

    Args:
        measured: the inclusion with its figures.
        sides: both sides, and the referenced columns one by one where they are several.
        tables: the tables' columns.
        values: how values compare; with source texts, types say little.
    """
    inclusion = measured.constraint
    included, referenced = sides[inclusion.lhs], sides[inclusion.rhs]
    types = [[tables[s.table].types[c] for c in s.columns] for s in (inclusion.lhs, inclusion.rhs)]
    names = _names(inclusion, tables)
    features: dict[str, Any] = {
        "unique": referenced.is_unique,
        "names": round(names, 3),
        "coverage": 1.0 - measured.error,
        "used": measured.support / referenced.distinct if referenced.distinct else 0.0,
        "textual": values == "typed" and LogicalType.STRING in types[0],
        "same_types": types[0] == types[1],
        "leading": inclusion.rhs.columns[0] == tables[inclusion.rhs.table].first,
        "keyed": any(
            words(c)[-1:] and _is_key(words(c)[-1]) for s in (inclusion.lhs, inclusion.rhs) for c in s.columns
        ),
        "both_keys": included.is_unique and _would_repeat(included.rows, referenced.distinct),
        "within": inclusion.lhs.table == inclusion.rhs.table,
        "larger": len(inclusion.columns) > 1 and _has_unique_part(inclusion.rhs, sides),
    }
    return KeyReading(round(_likelihood(features), 4), **features)


def rank(
    found: Sequence[Measured[InclusionDependency]], readings: Mapping[str, KeyReading]
) -> list[Ranked[InclusionDependency]]:
    """The inclusions by falling likelihood, then by what speaks for them; the likelihood is the score."""
    ranked = [Ranked(m, readings[m.constraint.fingerprint].likelihood) for m in found]
    return sorted(ranked, key=lambda r: (-r.score, -r.measured.support, r.measured.constraint.text))


def _likelihood(features: Mapping[str, Any]) -> float:
    z = -6.5 + (2.5 if features["unique"] else -2.5)
    z += 3.0 * features["names"] + 2.0 * features["used"] + 3.5 * features["textual"]
    z += 0.5 * features["leading"] + 0.5 * features["keyed"] + (0.5 if features["same_types"] else -0.5)
    z -= 1.0 * (features["within"] and features["names"] < _NAMED_AFTER) + 3.5 * features["larger"]
    z -= 10.0 * (1.0 - features["coverage"]) + 2.0 * (features["both_keys"] and features["names"] < 1)
    return 1.0 / (1.0 + math.exp(-z))


def _would_repeat(rows: int, values: int) -> bool:
    """Whether ``rows`` rows, each with one of ``values`` values, would have some of them twice."""
    return rows * (rows - 1) / 2 >= _REPEATED * values


def _has_unique_part(columns: ColumnList, sides: Mapping[ColumnList, InclusionSide]) -> bool:
    parts = [sides.get(ColumnList(columns.table, (name,))) for name in columns.columns]
    return any(part.is_unique for part in parts if part)


def _names(inclusion: InclusionDependency, tables: Mapping[str, ColumnsByName]) -> float:
    """The mean likeness of the paired columns' names."""
    own, theirs = inclusion.lhs.table, inclusion.rhs.table
    alike = [
        likeness(tables[own].bare[a], tables[theirs].bare[b], own, theirs)
        for a, b in zip(inclusion.lhs.columns, inclusion.rhs.columns, strict=True)
    ]
    return sum(alike) / len(alike)


@lru_cache(maxsize=4096)
def likeness(name: str, referenced: str, within: str, table: str) -> float:
    """How alike a column's name is to that of the referenced one, with or without its table's name before it.

    Of two keys that are called ``id``, and no more, the tables' names tell: ``customer_details`` and ``customers``.
    """
    if _ANY_KEY.issuperset((*words(name), *words(referenced))):
        here, there = ({word.removesuffix("s") for word in words(called)} for called in (within, table))
        return float(here <= there or there <= here)
    own = "".join(words(name))
    theirs, singular = "".join(words(referenced)), "".join(words(table)).removesuffix("s")
    others = (theirs, singular + theirs, singular) if _is_key(theirs) else (theirs, singular + theirs)
    ratio = max(_ratio(own, other) for other in others)
    ends = own.endswith(theirs) and len(theirs) > len(own) / 2  # ship_address_id, address_id
    alike = max(0.0, (max(ratio, 0.9 * ends) - _ALIKE) / (1.0 - _ALIKE))
    return max(alike, _NAMED_AFTER * _is_named_after(words(name), words(referenced)))


def _is_named_after(own: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether a name ends with what a key is called by: ``corrects_slip``, or ``parent_slip_no``, with ``slip_id``."""
    noun, said = ([word for word in parts if not _is_key(word)] for parts in (theirs, own))
    return 0 < len(noun) < len(theirs) and len(noun) < len(said) and said[-len(noun) :] == noun


def _ratio(one: str, other: str) -> float:
    """The ratio of two words, 0 where it cannot be more than :data:`_ALIKE`: their letters tell at less cost."""
    shared = sum(min(one.count(letter), other.count(letter)) for letter in set(one))
    if 2 * shared <= _ALIKE * (len(one) + len(other)):
        return 0.0
    return SequenceMatcher(None, one, other).ratio()


def _is_key(word: str) -> bool:
    return word in _KEY_WORDS or word.endswith(("key", "id"))
