"""Columns that name things of one kind and are never equal in a row: home and away team, an assembly and its part.

The evidence is how often rows would have two equal values if the values of one column were exchanged among the rows.

Compare: invariants that two variables differ, which are reported only where chance would make them equal, in Ernst et
al., "The Daikon system for dynamic detection of likely invariants" (2007), section 4.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.coded_table import SAMPLED, CodedTable
from profiling_core.algorithms.values.comparable_values import comparable
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.constraint import DenialConstraint, Measured
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.role import Role

_NAMING = (Role.IDENTIFIER, Role.REFERENCE, Role.CODE, Role.CATEGORY, Role.TEXT)
Counts = Mapping[Any, int]


def find_unequal(table: CodedTable, budget: Budget) -> Iterator[Candidate]:
    """The pairs of columns that are equal in no row, though chance would make them equal in some.

    Args:
        table: the table.
        budget: when to end with what there is.
    """
    names = [name for name in table.codes if table.roles[name].role in _NAMING and table.distinct(name) > 1]
    sample = table.sampled(SAMPLED)
    counts = {name: _counts(sample.rows[name]) for name in budget.steps(names, sample.size)}
    for left, right in budget.steps(combinations(counts, 2), sample.size):
        kinds = {table.schema.column(name).type for name in (left, right)}
        if len(kinds) > 1 or pc.any(pc.equal(*comparable([sample.rows[left], sample.rows[right]]))).as_py():
            continue
        if _may_meet(table.size, sample.size, counts[left], counts[right]):
            budget.spend(table.size)
            found = _expected(table, left, right)
            if found and found[0] >= -LEAST:
                equal = Predicate(Operand("t", left), Operator.EQ, Operand("t", right))
                measured = Measured(DenialConstraint(table.name, (equal,)), 0, table.size, found[1])
                yield Candidate(measured, Family.UNEQUAL, found[0] / math.log(10), 0.0, found[0])


def _counts(column: pa.ChunkedArray) -> Counts:
    """How often each value comes."""
    found = pc.value_counts(column.drop_null())
    return dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True))


def _may_meet(rows: int, sampled: int, left: Counts, right: Counts) -> bool:
    """Whether two columns have a value in common, and of many rows, whether a sample makes enough of them equal."""
    few, many = sorted((left, right), key=len)
    agreeing = sum(count * many[value] for value, count in few.items() if value in many)
    enough = agreeing * rows / sampled >= -LEAST * min(sum(left.values()), sum(right.values()))
    return agreeing > 0 and (enough or rows == sampled)


def _expected(table: CodedTable, left: str, right: str) -> tuple[float, int] | None:
    """In how many rows two columns would be equal by chance, and how many have both; None: they are equal in one."""
    columns = [table.rows[left], table.rows[right]]
    if pc.any(pc.equal(*comparable(columns))).as_py():
        return None
    a, b = shared_codes(columns, ordered=False)
    there = (a != NULL) & (b != NULL)
    a, b = a[there], b[there]
    if not len(a):
        return None
    size = int(max(a.max(), b.max())) + 1
    counts = [np.bincount(codes, minlength=size).astype(np.float64) for codes in (a, b)]
    return float(counts[0] @ counts[1]) / len(a), len(a)
