"""Values, predicates and evidence, from docs/semantics.md: "Values", "Nulls", "Pairs and predicates"."""

import datetime as dt
import functools
import itertools
import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateGroup, PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

Row = Mapping[str, Any]
Evidence = Counter[frozenset[int]]
COMPARED = {
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
}


def plain(value: Any) -> Any:
    """The value as it compares: NaN is null, dates are midnights, timestamps are instants in UTC."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    return value


@functools.lru_cache(2**16)  # pairs of rows ask for the same few values again and again
def satisfied(left: Any, op: Operator, right: Any, nulls: NullSemantics) -> bool:
    """Whether ``left op right`` holds under the null semantics."""
    left, right = plain(left), plain(right)
    if left is None or right is None:
        if nulls is NullSemantics.SQL:
            return False
        both = left is None and right is None
        return both if op in (Operator.EQ, Operator.LE, Operator.GE) else op is Operator.NE and not both
    return COMPARED[op](left, right)


def values(rows: Iterable[Row], column: str) -> set[Any]:
    """The distinct non-null values of a column."""
    return {plain(row[column]) for row in rows} - {None}


def predicate_space(
    schema: TableSchema, rows: Sequence[Row], nulls: NullSemantics, *, cross: bool = True, threshold: float = 0.3
) -> PredicateSpace:
    """P of a table: same-column groups, then cross-column ones (both directions), then single-row ones."""
    columns = schema.profiled
    groups = [PredicateGroup(Operand("t", c.name), Operand("s", c.name), c.ordered) for c in columns]

    def share(a: str, b: str) -> float:
        left, right = values(rows, a), values(rows, b)
        return len(left & right) / max(len(left), len(right)) if left and right else -1.0

    pairs = [
        (a, b)
        for a, b in itertools.combinations(columns, 2)
        if cross and a.type.type_class is b.type.type_class and share(a.name, b.name) >= threshold
    ]
    for a, b in pairs:
        both = a.ordered and b.ordered
        groups.append(PredicateGroup(Operand("t", a.name), Operand("s", b.name), both))
        groups.append(PredicateGroup(Operand("t", b.name), Operand("s", a.name), both))
    for a, b in pairs:
        groups.append(PredicateGroup(Operand("t", a.name), Operand("t", b.name), a.ordered and b.ordered))
    return PredicateSpace(schema.table, nulls, tuple(groups))


def of_operand(operand: Operand, row: Row) -> Any:
    """The operand's value in its row; by the day of a moment its midnight."""
    value = plain(row[operand.column])
    return value.date() if operand.by_day and value is not None else value


def holds(predicate: Predicate, t: Row, s: Row, nulls: NullSemantics) -> bool:
    """Whether the ordered pair (t, s) satisfies the predicate."""
    rows = {"t": t, "s": s}
    left, right = (of_operand(operand, rows[operand.tuple]) for operand in (predicate.left, predicate.right))
    return satisfied(left, predicate.op, right, nulls)


def evidence(rows: Sequence[Row], space: PredicateSpace) -> Evidence:
    """For each set of satisfied predicates, the number of ordered pairs of different rows that satisfy exactly it."""
    operands = {operand for p in space.predicates for operand in (p.left, p.right)}
    known = {operand: [of_operand(operand, row) for row in rows] for operand in operands}
    compared = [
        (i, p.op, *((known[operand], operand.tuple == "t") for operand in (p.left, p.right)))
        for i, p in enumerate(space.predicates)
    ]
    return Counter(
        frozenset(
            i
            for i, op, (left, of_t), (right, also_of_t) in compared
            if satisfied(left[t if of_t else s], op, right[t if also_of_t else s], space.nulls)
        )
        for t, s in itertools.permutations(range(len(rows)), 2)
    )


def masks(evidence: Evidence, space: PredicateSpace) -> tuple[np.ndarray, np.ndarray]:
    """The evidence as uint64[e, w] masks (bit i: predicate i) and int64[e] counts of ordered pairs."""
    out = np.zeros((len(evidence), max(1, (len(space.predicates) + 63) // 64)), dtype=np.uint64)
    for row, satisfied_set in enumerate(evidence):
        for i in satisfied_set:
            out[row, i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return out, np.array(list(evidence.values()), dtype=np.int64)


def violations(constraint: DenialConstraint, rows: Sequence[Row], nulls: NullSemantics) -> tuple[int, int]:
    """Violating ordered pairs and n·(n−1); for a single-row DC violating rows and n, where there are pairs at all."""

    def violated(t: Row, s: Row) -> bool:
        return all(holds(p, t, s, nulls) for p in constraint.predicates)

    n = len(rows)
    if constraint.is_single_row and n > 1:
        return sum(violated(t, t) for t in rows), n
    return sum(violated(t, s) for t, s in itertools.permutations(rows, 2)), n * (n - 1)
