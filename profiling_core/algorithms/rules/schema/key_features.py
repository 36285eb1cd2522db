"""Features of a unique set of columns as the key that people meant."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.numbering import numbers_beside
from profiling_core.algorithms.rules.schema.columns import ColumnLook, look_of, of_name, of_values
from profiling_core.algorithms.score.logistic import Features
from profiling_core.model.role import Role

# The prefix of features that depend on other choices.
CHOSEN = "chosen: "
# The cap of surprise, in powers of ten.
_MOST_SURPRISE = 6.0


@dataclass(frozen=True)
class RefersBeside:
    """Knowledge about a table beside its own rows, as probabilities: which columns refer, and which are referred to.

    ``refers`` is by column; ``referred`` by set of columns, as the expected number of references to it.
    """

    refers: Mapping[str, float]
    referred: Mapping[tuple[str, ...], float]


NOTHING = RefersBeside({}, {})


class KeyFeatures:
    """The features of a table's columns and of sets of them."""

    def __init__(self, table: CodedTable) -> None:
        self.table = table
        self.looks: dict[str, ColumnLook] = {name: look_of(table, name) for name in table.codes}
        self._alike = {name: table.alike(name) for name in table.codes}
        self._columns = {name: self._of_column(name) for name in table.codes}
        self._telling = frozenset(name for name in table.schema.names if self._is_told(name))
        self._sets: dict[tuple[str, ...], dict[str, float]] = {}

    def of_column(self, name: str) -> Features:
        """The features of a column as a part of a key."""
        return self._columns[name]

    def expected(self, columns: Sequence[str]) -> float:
        """How many pairs of rows would agree on some columns, if their values were combined by chance."""
        rows = self.table.present_together(columns)
        return rows * (rows - 1) / 2 * math.prod(self._alike[name] for name in columns)

    def _of_column(self, name: str) -> dict[str, float]:
        named = of_name(name, self.table.name, self.table.schema.names)
        return {**named, **of_values(self.table, name, self.looks[name])}

    def of_set(
        self, columns: tuple[str, ...], unique: Collection[frozenset[str]], beside: RefersBeside
    ) -> dict[str, float]:
        """The features of a unique set.

        Args:
            columns: the set.
            unique: all unique sets, which show whether a part of it is unique already.
            beside: the knowledge on references.
        """
        if columns not in self._sets:
            self._sets[columns] = {**self._on_average(columns), **self._of_whole(columns, unique)}
        extra = [frozenset(columns) - part for part in _unique_parts(columns, unique)]
        return {**self._sets[columns], **self._of_references(columns, beside, extra)}

    def _on_average(self, columns: tuple[str, ...]) -> dict[str, float]:
        """The features of the columns of a set, on average."""
        total: dict[str, float] = {}
        for name in columns:
            for feature, value in self._columns[name].items():
                total[feature] = total.get(feature, 0.0) + value
        several = "of set: " if len(columns) > 1 else ""
        return {several + feature: value / len(columns) for feature, value in total.items()}

    def of_further(
        self,
        columns: tuple[str, ...],
        unique: Collection[frozenset[str]],
        beside: RefersBeside,
        primary: Sequence[str],
    ) -> dict[str, float]:
        """The features of a unique set as a key beside the primary one; arguments as for :meth:`of_set`."""
        first = {"no primary": float(not primary), "primary alone": float(len(primary) == 1)}
        return self.of_set(columns, unique, beside) | first

    def _of_whole(self, columns: tuple[str, ...], unique: Collection[frozenset[str]]) -> dict[str, float]:
        table, k = self.table, len(columns)
        order = table.schema.names
        places = sorted(order.index(name) for name in columns)
        pairs = self.expected(columns)
        smaller = sum(frozenset(part) in unique for part in combinations(columns, k - 1)) if k > 1 else 0
        several = float(k > 1)
        left = len(self._telling - {*columns})
        numbered = k > 1 and not smaller and any(numbers_beside(table, name, columns) for name in columns)
        return {
            "two": float(k == 2),
            "surprise": several * min(_MOST_SURPRISE, max(0.0, math.log10(1 + pairs))) / 3,
            "not minimal": float(smaller > 0),
            "leads": several * float(places == list(range(k))),
            "has the first": several * float(places[0] == 0),
            "together": several * float(places[-1] - places[0] == k - 1),
            "numbers within": float(numbered),
            "unique by far": (1 - several) * min(_MOST_SURPRISE, math.log10(1 + self._agreeing(columns))) / 3,
            "few rows": float(table.size < 8),
            "all but upkeep": float(not left),
            "left beside": several * min(1.0, left / 5),
        }

    def _is_told(self, name: str) -> bool:
        """Whether a column says something of the row, and not only when it was changed or that it is another one."""
        role = self.table.roles.get(name)
        return role is None or (role.upkeep <= 0.5 and role.role is not Role.CONSTANT)

    def _agreeing(self, columns: Sequence[str]) -> float:
        """How many pairs of rows chance would make agree, where one column's values may lie anywhere in their range."""
        if len(columns) > 1:
            return self.expected(columns)
        look, rows = self.looks[columns[0]], self.table.present(columns[0])
        return rows * (rows - 1) / 2 / (look.high - look.low + 1) if look.whole else 0.0

    def _of_references(
        self, columns: Sequence[str], beside: RefersBeside, extra: Sequence[Collection[str]]
    ) -> dict[str, float]:
        """The features of references; ``extra``: what a set has beside each of its unique parts."""
        larger = float(bool(extra))
        linked = max((min(beside.refers.get(name, 0.0) for name in one) for one in extra), default=0.0)
        whole = float(self._telling <= {*columns}) * min(beside.refers.get(name, 0.0) for name in columns)
        others = [p for name, p in beside.refers.items() if name not in columns]
        referred = beside.referred.get(tuple(columns), 0.0)
        of = "set " if len(columns) > 1 else ""
        return {
            f"{CHOSEN}{of}whole row, all refer": whole,
            CHOSEN + "not minimal, the rest does not": larger - linked,
            CHOSEN + "references left out": min(3.0, sum(others)),
            CHOSEN + "is referred to": min(1.0, referred),
            CHOSEN + "is referred to often": math.log1p(referred),
        }


def _unique_parts(columns: Sequence[str], unique: Collection[frozenset[str]]) -> list[frozenset[str]]:
    """The parts of a set that are unique already."""
    parts = (frozenset(part) for k in range(1, len(columns)) for part in combinations(columns, k))
    return [part for part in parts if part in unique]
