"""The sets of columns that identify the rows of a table: generous, exact, and bounded by work.

These are all unique single columns; all unique pairs of likely parts of a key, with or without nulls; and all longer
unique sets of the likeliest parts, the first columns of the table among them. Among the last, sets that are not minimal
count, too: a junction's key is its references, even if a part of them happens to be unique so far.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.coded_table import SHARING, CodedTable

# Columns that sets are made of: the likeliest parts of a key, and the first of the table. Ten make 627 sets.
PARTS, LEADING = 7, 6
# Columns that pairs are made of, to bound the work: 24 make 276 pairs.
PAIRED = 24
LONGEST = 5
"""The most columns of a set."""


def unique_sets(table: CodedTable, likely: Sequence[str], budget: Budget) -> list[tuple[str, ...]]:
    """The columns, pairs and sets that are unique, each in the table's order, shorter ones first.

    Rows without a value in one of the columns are not compared.

    Args:
        table: the table.
        likely: its columns, the likeliest parts of a key first.
        budget: when to end with what there is.
    """
    place = {name: i for i, name in enumerate(table.schema.names)}
    whole = [name for name in likely if 0 < table.present(name) == table.size]
    parts = {*whole[:PARTS], *table.schema.names[:LEADING]}.intersection(whole)
    found: list[tuple[str, ...]] = [(n,) for n in table.codes if 0 < table.distinct(n) == table.present(n)]
    known = {frozenset(one) for one in found if table.present(one[0]) == table.size}
    sample = table.sampled(SHARING)
    found += _pairs(table, sample, [name for name in likely if (name,) not in found], parts, budget)
    some = sorted(parts, key=place.__getitem__)
    for length in range(2, min(LONGEST, len(some)) + 1):
        for columns in budget.steps(combinations(some, length), length * sample.size):
            one = frozenset(columns)
            if any(one - {name} in known for name in columns) or _is_unique(table, sample, columns, budget):
                known.add(one)
                found.append(columns)
    return found


def _pairs(
    table: CodedTable, sample: CodedTable, likely: Sequence[str], parts: set[str], budget: Budget
) -> Iterator[tuple[str, ...]]:
    """The unique pairs of columns that are not unique themselves, but for those of two ``parts``."""
    paired = sorted(likely[:PAIRED], key=table.schema.names.index)
    for pair in budget.steps(combinations(paired, 2), 2 * sample.size):
        if not parts.issuperset(pair) and _is_unique(table, sample, pair, budget):
            yield pair


def _is_unique(table: CodedTable, sample: CodedTable, columns: tuple[str, ...], budget: Budget) -> bool:
    """Whether no two rows agree; first checked by the numbers of values, then on some rows."""
    rows = table.present_together(columns)
    if rows < 2 or math.prod(table.distinct(name) for name in columns) < rows or not sample.is_key(columns):
        return False
    if not table.is_key(columns, table.sharing(columns[0], SHARING)):
        return False
    budget.spend(len(columns) * table.size)
    return table.is_key(columns)
