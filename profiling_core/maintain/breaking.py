"""The rows of a delta that violate constraints of any kind: what a policy keeps out.

Constraints between rows are looked for together, in one scan of the rows; rules of rows as the rows come by.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyroaring import BitMap64

from profiling_core.maintain import row_rules
from profiling_core.maintain.columns import rows_breaking
from profiling_core.maintain.delta_rows import Read
from profiling_core.model.constraint import Constraint, Kind
from profiling_core.model.diagnosis import NO_DIAGNOSIS, Diagnosis
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.spark.diagnoses import diagnose
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.witnesses import Break, find_breaks


@dataclass(frozen=True, slots=True)
class Arriving:
    """A delta on its way into a table: what reads its new rows, all its rows, and predicates over columns that stay."""

    inserted: Read
    rows: RowDelta
    space: PredicateSpace


def _no_diagnosis(_: RowDelta, __: Any, ___: BitMap64, ____: NullSemantics) -> Diagnosis:
    return NO_DIAGNOSIS


@dataclass(frozen=True, slots=True)
class Finder:
    """How the rows are found that violate constraints of some kinds, and how one's break is read."""

    find: Callable[[Arriving, Sequence[Any]], list[Break]]
    read: Callable[[RowDelta, Any, BitMap64, NullSemantics], Diagnosis] = _no_diagnosis


_BETWEEN_ROWS = Finder(lambda delta, broken: find_breaks(delta.rows, delta.space, broken), diagnose)
_RULES = Finder(lambda delta, rules: row_rules.rows_breaking(delta.inserted(), rules), row_rules.read_rule)
_OF_ROWS = Finder(lambda delta, rules: rows_breaking(delta.inserted(), delta.rows.coming.schema, rules))

# Every kind that can set rows aside has a finder. What is said of a single row comes first: it is the plainest.
FINDERS: Mapping[Kind, Finder] = {
    Kind.COLUMN: _OF_ROWS,
    Kind.EQUATION: _RULES,
    Kind.CONDITIONAL: _RULES,
    Kind.DC: _BETWEEN_ROWS,
    Kind.FD: _BETWEEN_ROWS,
    Kind.UCC: _BETWEEN_ROWS,
}


def breaks(delta: Arriving, constraints: Sequence[Constraint]) -> dict[str, Break]:
    """By fingerprint, the delta's rows that violate each of the constraints; those of one finder are found together."""
    found: dict[str, Break] = {}
    for finder in dict.fromkeys(FINDERS.values()):
        own = [c for c in constraints if _finder(c, delta.space) is finder]
        found |= {c.fingerprint: b for c, b in zip(own, finder.find(delta, own), strict=True)} if own else {}
    return found


def _finder(constraint: Constraint, space: PredicateSpace) -> Finder:
    return _RULES if row_rules.judges_rows(constraint, space) else FINDERS[constraint.kind]


def diagnosis_of(delta: RowDelta, constraint: Constraint, rows: BitMap64, nulls: NullSemantics) -> Diagnosis:
    """What speaks for how to read a break; nothing where a kind's rows speak for themselves."""
    return FINDERS[constraint.kind].read(delta, constraint, rows, nulls)
