"""The sets of columns that identify the rows of a table: generous, exact, and bounded by work.

These are all unique single columns; and of several columns all unique sets of the likeliest parts of a key, the first
columns of the table among them. Sets that are not minimal count, too: a junction's key is its references, even if a
part of them happens to be unique so far.
"""

import math
from collections.abc import Collection
from itertools import combinations

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.coded_table import SHARING, CodedTable

# Columns that sets are made of: the likeliest parts of a key, and the first of the table. Ten make 627 sets.
PARTS, LEADING = 7, 6
LONGEST = 5
"""The most columns of a set."""


def unique_sets(table: CodedTable, parts: Collection[str], budget: Budget) -> list[tuple[str, ...]]:
    """The columns and sets of ``parts`` that are unique, each in the table's order, shorter ones first.

    Args:
        table: the table.
        parts: the columns that sets are made of; none of them has nulls.
        budget: when to end with what there is.
    """
    place = {name: i for i, name in enumerate(table.schema.names)}
    found: list[tuple[str, ...]] = [(n,) for n in table.codes if 0 < table.distinct(n) == table.present(n)]
    known = {frozenset(one) for one in found if table.present(one[0]) == table.size}
    some = sorted(parts, key=place.__getitem__)
    sample = table.sampled(SHARING)
    for length in range(2, min(LONGEST, len(some)) + 1):
        for columns in budget.steps(combinations(some, length), length * sample.size):
            one = frozenset(columns)
            if any(one - {name} in known for name in columns) or _is_unique(table, sample, columns, budget):
                known.add(one)
                found.append(columns)
    return found


def _is_unique(table: CodedTable, sample: CodedTable, columns: tuple[str, ...], budget: Budget) -> bool:
    """Whether no two rows agree; first checked by the numbers of values, then on some rows."""
    if math.prod(table.distinct(name) for name in columns) < table.size or not sample.is_key(columns):
        return False
    if not table.is_key(columns, table.sharing(columns[0], SHARING)):
        return False
    budget.spend(len(columns) * table.size)
    return table.is_key(columns)
