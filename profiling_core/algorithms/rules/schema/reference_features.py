"""Features of an inclusion as a reference that people meant.

Names, types and the used share of the referenced values are the features of Rostin, Albrecht, Bauckmann, Naumann and
Leser, "A machine learning approach to foreign key discovery" (WebDB 2009); chance, and the choices of other tables, are
added.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.inclusions.foreign_keys import likeness
from profiling_core.algorithms.roles import names
from profiling_core.algorithms.roles.names import bare, words
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.schema.inclusions import PossibleReference
from profiling_core.algorithms.rules.schema.key_features import CHOSEN, KeyFeatures
from profiling_core.algorithms.rules.self_references import evidence, of_texts
from profiling_core.model.constraint import ColumnList

# The cap of surprise, in powers of ten.
_MOST_SURPRISE = 9.0
# The features of a column that matter for it as a reference, and as the target of one.
_OF_CHILD = ("called id", "called code", "upkeep", "identifier", "refers", "quantity", "text", "first")
_OF_PARENT = (*_OF_CHILD[:2], "called as rows", "first", "text", "identifier", "refers", "quantity", "from one")
# A set of columns has these features if all of its columns have them; of others it has the mean.
_OF_ALL = ("small numbers", "child quantity", "parent quantity", "parent from one")


@dataclass(frozen=True)
class ChosenSoFar:
    """The choices so far, as probabilities.

    ``refers``: that columns refer to another table's, by target. ``referred``: the expected number of columns that
    refer to a set. ``called``: by name of columns, in whatever table, the expected number that refer to a set.
    ``between``: by a table and a parent the probability of the likeliest reference between them.
    """

    refers: Mapping[ColumnList, Mapping[ColumnList, float]]
    referred: Mapping[ColumnList, float]
    called: Mapping[tuple[str, ...], Mapping[ColumnList, float]]
    between: Mapping[tuple[str, str], float]


UNKNOWN = ChosenSoFar({}, {}, {}, {})


class ReferenceFeatures:
    """The features of inclusions among some tables."""

    def __init__(self, tables: Mapping[str, KeyFeatures], of_one: Iterable[PossibleReference]) -> None:
        self._tables = tables
        self._within: defaultdict[ColumnList, set[ColumnList]] = defaultdict(set)
        for inclusion in of_one:
            self._within[inclusion.lhs].add(inclusion.rhs)
        self._own: dict[PossibleReference, dict[str, float]] = {}
        self._sorted: dict[tuple[str, str], np.ndarray] = {}

    def of(self, inclusion: PossibleReference, standing: ChosenSoFar) -> dict[str, float]:
        """The features of an inclusion, given the choices so far."""
        if inclusion not in self._own:
            self._own[inclusion] = self._of_itself(inclusion)
        return {**self._own[inclusion], **_beside(inclusion, standing)}

    def _of_itself(self, inclusion: PossibleReference) -> dict[str, float]:
        pairs = inclusion.pairs
        each = [self._of_pair(inclusion.lhs.table, own, inclusion.rhs.table, far) for own, far in pairs]
        mean = {name: sum(one.get(name, 0.0) for one in each) / len(each) for name in {n for one in each for n in one}}
        mean |= {name: min(one.get(name, 0.0) for one in each) for name in _OF_ALL}
        mean["surprise"] = min(_MOST_SURPRISE / 3, sum(one["surprise"] for one in each))
        child, parent = self._tables[inclusion.lhs.table].table, self._tables[inclusion.rhs.table].table
        if inclusion.lhs.table == inclusion.rhs.table:
            return self._within_a_table(inclusion, mean)
        own = child.grouped(inclusion.lhs.columns).sizes
        rows, values = int(own.sum()), int((own > 0).sum())
        # As many rows, each with any of the parents, would have this many pairs that agree.
        alike = rows * (rows - 1) / 2 / parent.size
        return mean | {
            "several": float(len(pairs) > 1),
            "used": values / parent.size,
            "child unique by far": min(_MOST_SURPRISE, math.log10(1 + alike)) / 3 if rows == values else 0.0,
            "narrower parent": self._narrower(inclusion, values),
        }

    def _narrower(self, inclusion: PossibleReference, values: int) -> float:
        """How improbable it is that values of a wider parent all lie within the narrower one, in powers of ten."""
        own, others = inclusion.rhs, self._within[inclusion.lhs]
        narrower = [self._narrowed(other, own) for other in others if own in self._within[other]]
        return min(_MOST_SURPRISE, values * max(narrower, default=0.0)) / 3

    def _narrowed(self, narrower: ColumnList, wider: ColumnList) -> float:
        """The powers of ten by which a unique column has fewer values than another one."""
        few, many = (self._tables[s.table].table.distinct(s.columns[0]) for s in (narrower, wider))
        return math.log10(many / few)

    def _within_a_table(self, inclusion: PossibleReference, mean: Mapping[str, float]) -> dict[str, float]:
        """Features of a reference within a table: its names, and rows without one.

        In a chain each row has one that follows it at most: that no value comes twice says nothing against it, nor
        does it that most rows have none.
        """
        table, ((column, key),) = self._tables[inclusion.lhs.table].table, inclusion.pairs
        shared = [name for name in inclusion.lhs.columns if name != column]
        said = {name: value for name, value in mean.items() if name.startswith(("names", "child called", "shares"))}
        return said | {
            "within, nulls": float(table.present(column) < table.size),
            "within, surprise": min(_MOST_SURPRISE, evidence(table, column, key, shared)) / 3,
            "within, several": float(bool(shared)),
        }

    def _of_pair(self, table: str, column: str, parent: str, key: str) -> dict[str, float]:
        child, far = self._tables[table], self._tables[parent]
        own, theirs = child.of_column(column), far.of_column(key)
        said = _of_names(column, child.table.schema.names, table, (key, far.table.schema.names, parent))
        return {
            **said,
            **{f"child {name}": own[name] for name in _OF_CHILD},
            **{f"parent {name}": theirs[name] for name in _OF_PARENT},
            **self._of_chance(child, column, far, key),
        }

    def _of_chance(self, child: KeyFeatures, column: str, parent: KeyFeatures, key: str) -> dict[str, float]:
        """How improbable it is that values of this kind are all among those of the key, in powers of ten.

        By chance whole numbers lie anywhere between 0 and the greatest of them.
        """
        look, values = child.looks[column], child.table.distinct(column)
        if not look.whole or not parent.looks[key].whole:
            textual = pa.types.is_string(child.table.rows[column].type)
            surprise = of_texts(values, look.length) if textual else 0.0
            return {"textual": float(textual), "surprise": min(_MOST_SURPRISE, surprise) / 3, "reaches": 0.0}
        known, low = self._numbers(parent, key), min(0, look.low)
        inside = int(np.searchsorted(known, look.high, "right") - np.searchsorted(known, low, "left"))
        left_out = -math.log10(max(1, inside) / (look.high - low + 1)) * values
        span = (look.high - look.low + 1) / max(1, int(known[-1]) - int(known[0]) + 1)
        return {
            "textual": 0.0,
            "surprise": min(_MOST_SURPRISE, left_out) / 3,
            "reaches": span,
            "small numbers": float(-1 <= look.low <= look.high <= 10),
        }

    def _numbers(self, parent: KeyFeatures, key: str) -> np.ndarray:
        at = (parent.table.name, key)
        if at not in self._sorted:
            self._sorted[at] = np.unique(parent.table.rows[key].drop_null().cast(pa.int64()).to_numpy())
        return self._sorted[at]


@lru_cache(maxsize=65_536)
def _of_names(
    column: str, own_names: tuple[str, ...], table: str, far: tuple[str, tuple[str, ...], str]
) -> Mapping[str, float]:
    """Features of the names of a column, a key and their tables together."""
    key, far_names, parent = far
    own, theirs = bare(column, own_names), bare(key, far_names)
    alike = likeness(own, theirs, table, parent)
    parts, key_parts = _spelt_out(words(own), words(parent)), words(theirs)
    telling, of_key = _nouns(parts), _nouns(key_parts)
    rows = [word for whole in words(parent) for word in _parted(names.singular(whole), telling)]
    of_rows = {*rows}
    return {
        "names alike": alike,
        "names the table and no more": float(telling == of_rows),
        "begins as table": float(any(_is_begun(word, telling) for word in of_rows)),
        "shares nothing": float(not telling & (of_rows | of_key)),
        "names the table with its own": float(bool(telling & of_rows) and of_rows <= telling | _nouns(words(table))),
    }


def _spelt_out(parts: Sequence[str], parent: Sequence[str]) -> list[str]:
    """The words of a name, one that shortens a table's name replaced by it: ``cdemo`` by ``customer demographics``."""
    return [said for word in parts for said in (parent if len(parent) > 1 and _shortens(word, parent) else (word,))]


def _shortens(word: str, parts: Sequence[str]) -> bool:
    """Whether a word is put together of what each of some words begins with."""
    if not parts:
        return not word
    begun = (n for n in range(1, len(parts[0]) + 1) if word[:n] == parts[0][:n])
    return any(_shortens(word[n:], parts[1:]) for n in begun)


def _nouns(parts: Sequence[str]) -> set[str]:
    """The nouns of a name: ``part`` of ``partkey``, ``order`` of ``order_no``."""
    said = (word.removesuffix("key") if names.identifies([word]) else word for word in parts)
    return {names.singular(word) for word in said if word and not is_key_word(word)}


def _parted(word: str, by: Collection[str]) -> list[str]:
    """The words that a compound is made of, as far as others tell: ``salesterritory`` beside ``territory``."""
    for other in sorted(by, key=len, reverse=True):
        before, found, behind = word.partition(other)
        if len(other) > 2 and found and (before or behind):
            return [part for rest in (before, found, behind) if rest for part in _parted(rest, {*by} - {other})]
    return [word]


def _is_begun(word: str, by: Collection[str]) -> bool:
    """Whether a word begins with one of some words of three letters and more: ``ship``, ``shipper``."""
    return any(len(other) > 2 and word.startswith(other) for other in by)


def is_key_word(word: str) -> bool:
    """Whether a word only marks a column as an identifier: ``id``, ``code``, ``pk``."""
    return names.identifies([word]) or names.numbers([word, word]) or word in ("code", "pk", "fk")


def _beside(inclusion: PossibleReference, standing: ChosenSoFar) -> dict[str, float]:
    """The choices for the other tables, as features of one inclusion."""
    lhs, rhs = inclusion.lhs, inclusion.rhs
    elsewhere = sum(p for to, p in standing.refers.get(rhs, {}).items() if to.table not in (lhs.table, rhs.table))
    own = standing.refers.get(lhs, {}).get(rhs, 0.0)
    alike = standing.called.get(lhs.columns, {}).get(rhs, 0.0) - own
    said = {
        "parent refers on": min(1.0, elsewhere),
        "target refers here": standing.between.get((rhs.table, lhs.table), 0.0) if lhs.table != rhs.table else 0.0,
        "called so, refers there": min(3.0, alike) / 3,
        "referred to besides": math.log1p(max(0.0, standing.referred.get(rhs, 0.0) - own)),
    }
    return {CHOSEN + name: value for name, value in said.items()}


def alike_first(table: CodedTable, key: ColumnList) -> list[str]:
    """A table's columns, those first whose names are most similar to a part of a key."""
    order = table.schema.names
    return sorted(
        table.codes, key=lambda c: -max(likeness(bare(c, order), k, table.name, key.table) for k in key.columns)
    )
