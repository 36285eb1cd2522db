"""How every kind of constraint between rows reads a break; a kind's module ends with its ``ROOM``.

The kinds are those of familiar forms: a denial constraint that says what an FD says is looked at as that FD.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.model.diagnosis import Repair
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import RowDelta


@dataclass(frozen=True, slots=True)
class InViolation:
    """Ids of inserted rows in a violation: with another inserted row, and with a row that was there already."""

    among_new: BitMap64
    with_older: BitMap64

    @property
    def all(self) -> BitMap64:
        """All of them."""
        return self.among_new | self.with_older


@dataclass(frozen=True, slots=True)
class NewRows:
    """A delta, its inserted rows in memory, and the table's predicate space."""

    delta: RowDelta
    inserted: pa.Table
    space: PredicateSpace


@dataclass(frozen=True, slots=True)
class Violating:
    """Rows of a delta that stand out: the ids of some, how many there are, and the table's null semantics."""

    delta: RowDelta
    ids: BitMap64
    count: int
    nulls: NullSemantics

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Some columns of the rows."""
        return self.delta.coming.with_ids(self.ids, columns)


def _none(_: Violating, __: Any) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Room:
    """How a kind's breaks are read from rows.

    Attributes:
        standing_out: of the inserted rows in a violation, those without which the constraint holds as it did before.
        repair: the least that mends the break.
        alike: how many of the rows that came agree with one that stands out on what the constraint depends on.
    """

    standing_out: Callable[[NewRows, Any, InViolation], BitMap64]
    repair: Callable[[Violating, Any], Repair]
    alike: Callable[[Violating, Any], int] = _none
