"""Orders between the rows of a group: within a trip, arrival never falls as stop_sequence rises.

One column of a key orders the rows of a group that the key's other columns name; a key of one column orders all rows.
Each other ordered column that never falls, or never rises, along all groups is a candidate.

Compare: order compatibility within a context, in Szlichta et al., "Effective and complete discovery of order
dependencies via set-based axiomatization" (PVLDB 2017), section 3.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.numbering import numbers_within
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.constraint import DenialConstraint, Measured
from profiling_core.model.predicate import Operator, same_column


class _Rows(NamedTuple):
    """Rows by group and, within one, in an order: int64[s] their places, and int64[s] the group of each."""

    places: NDArray[np.int64]
    groups: NDArray[np.int64]


def find_sequences(table: CodedTable, keys: Sequence[Candidate], budget: Budget) -> list[Candidate]:
    """The orders between rows of a group that hold in all rows.

    Args:
        table: the table.
        keys: its keys.
        budget: when to end with what there is.
    """
    named = [key.constraint.columns for key in keys]
    if not named:
        return []
    values = _ordered(table)
    ordered = _codes(table, {*values, *chain.from_iterable(named)}, budget)
    found: dict[tuple[str, ...], set[str]] = {}
    rules: list[Candidate] = []
    ways = ((key, by) for key in named for by in key if by in ordered)
    for names, by in budget.steps(ways, len(ordered) * table.size):
        group = tuple(name for name in names if name != by)
        told = found.setdefault(group, set())
        if by not in told:
            rules += _along(table, group, by, values, ordered, told)
    return rules


def _ordered(table: CodedTable) -> list[str]:
    """The columns that have an order and are no running numbers of rows."""
    names = [column.name for column in table.schema.profiled if column.ordered]
    return [name for name in names if table.roles[name].role.is_ordered or numbers_within(table, name)]


def _codes(table: CodedTable, among: Collection[str], budget: Budget) -> dict[str, NDArray[np.int32]]:
    """By column int32[n] its values' places in their order, −1 for null, as far as the budget suffices."""
    names = [column.name for column in table.schema.profiled if column.ordered and column.name in among]
    return {name: shared_codes([table.rows[name]], ordered=True)[0] for name in budget.steps(names, table.size)}


def _along(
    table: CodedTable,
    group: tuple[str, ...],
    by: str,
    values: Sequence[str],
    ordered: dict[str, NDArray[np.int32]],
    told: set[str],
) -> Iterator[Candidate]:
    """The values that never fall, or never rise, in the order of another column; those already told order no more."""
    told.add(by)
    of = table.grouped(group).of if group else np.zeros(table.size, np.int64)
    there = np.flatnonzero((of >= 0) & (ordered[by] != NULL))
    there = there[np.lexsort((ordered[by][there], of[there]))]
    for name in (n for n in values if n in ordered and n not in told and n not in group):
        codes = ordered[name]
        rows = _Rows(places := there[codes[there] != NULL], of[places])
        steps = np.diff(codes[rows.places])[np.diff(rows.groups) == 0]
        rises, falls = bool((steps > 0).any()), bool((steps < 0).any())
        if rises != falls:
            told.add(name)
            yield _candidate(table, (group, by, name), rows, codes, falls=falls)


def _surprise(rows: _Rows, codes: NDArray[np.int32]) -> float:
    """−log₁₀ of the chance that the values of each group, exchanged among its rows, are in order."""
    values = codes[rows.places]
    pairs = rows.groups * (int(values.max()) + 1) + values
    factorials = np.cumsum(np.log10(np.maximum(1, np.arange(len(values) + 1))))  # float64[s + 1]: log₁₀ n!
    of_rows, of_equal = (factorials[np.unique(one, return_counts=True)[1]].sum() for one in (rows.groups, pairs))
    return float(of_rows - of_equal)


def _candidate(
    table: CodedTable, columns: tuple[tuple[str, ...], str, str], rows: _Rows, codes: NDArray[np.int32], *, falls: bool
) -> Candidate:
    """``¬(t.group = s.group ∧ t.by < s.by ∧ t.value > s.value)``; ``<`` where the value never rises."""
    group, by, value = columns
    predicates = [same_column(name, Operator.EQ) for name in group]
    predicates += [same_column(by, Operator.LT), same_column(value, Operator.LT if falls else Operator.GT)]
    rule = DenialConstraint(table.name, tuple(predicates))
    strength = _surprise(rows, codes)
    return Candidate(Measured(rule, 0, table.size * (table.size - 1), len(rows.places)), Family.SEQUENCE, strength)
