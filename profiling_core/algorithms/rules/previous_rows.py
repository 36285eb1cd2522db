"""Rules from one row of a sequence to the next: a period begins where the one before it ended, lines are numbered on.

Rows are put into groups by a column that names what they belong to, and into order by a date, a moment or a number. The
row before each row stands beside it as a parent does; what holds between the two, and would not hold if the rows before
were exchanged, is a candidate.

Compare: Golab, Karloff, Korn, Saha, Srivastava, "Sequential dependencies" (PVLDB 2009), section 2.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import permutations, product
from math import inf, log10
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.equations.chance import CONFIDENCE
from profiling_core.algorithms.equations.discovery import Scope
from profiling_core.algorithms.equations.judging import is_number
from profiling_core.algorithms.references.computing import PairsOfRows, computed
from profiling_core.algorithms.references.joining import Positions, Sides
from profiling_core.algorithms.references.judging import judge_pairs
from profiling_core.algorithms.references.previous import count, previous
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.numbering import numbers_within
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.kinds.relation import Beside
from profiling_core.model.kinds.sequence import SequenceRule, Step
from profiling_core.model.predicate import Operator
from profiling_core.model.role import Role
from profiling_core.model.types import TypeClass

# Rows that propose; all rows decide.
_ROWS = 20_000
# Rows with a row before them that tell chance from a rule, at least.
_LEAST_PAIRS = 12
# A few of them that most pairs of columns fail on.
_FEW = 64
# With five neighbours one unit apart and none equal the order is strict: 2⁻⁵ is below one in twenty.
_STRICT = 5
_TURNS = 3
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Sample:
    """Some rows of a table, with all rows of the groups that they belong to.

    ``codes``: int32[n] per column, comparable between columns of one type. ``numbers``: float64[n] per column that has
    an order, NaN for null.
    """

    table: CodedTable
    rows: pa.Table

    @cached_property
    def codes(self) -> dict[str, NDArray[np.int32]]:
        """Per column that is neither constant nor equal to one before it."""
        kinds: dict[pa.DataType, list[str]] = {}
        for name, role in self.table.roles.items():
            if role.role is not Role.CONSTANT:
                kinds.setdefault(self.rows[name].type, []).append(name)
        found: dict[str, NDArray[np.int32]] = {}
        for names in kinds.values():
            coded = shared_codes([self.rows[name] for name in names], ordered=False)
            fresh = (i for i, codes in enumerate(coded) if not any(np.array_equal(codes, one) for one in coded[:i]))
            found |= {names[i]: coded[i] for i in fresh}
        return found

    @cached_property
    def numbers(self) -> dict[str, NDArray[np.float64]]:
        """Per column of dates, moments and quantities."""
        ordered = [name for name in self.codes if self.table.roles[name].role.is_ordered]
        types = {name: self.rows[name].type for name in ordered}
        return {n: _numbers(self.rows[n]) for n in ordered if is_number(types[n]) or pa.types.is_temporal(types[n])}


@dataclass(frozen=True)
class _Along:
    """A sequence of some rows: each row that has a row before it, and that row, by their positions."""

    sample: _Sample
    group: tuple[str, ...]
    by: str
    rows: Positions
    before: Positions

    def rule(self, step: Step) -> SequenceRule:
        """The rule that says a step along the sequence."""
        return SequenceRule(self.sample.table.name, self.group, self.by, step)


class _Told(NamedTuple):
    """A rule, its surprise, whether its order is that of a column it is about, and the worth of the key it follows."""

    about: bool
    surprise: float
    key: float
    rule: SequenceRule


def find_previous(table: CodedTable, keys: Sequence[Candidate], budget: Budget) -> list[Candidate]:
    """The rules from a row to the next of its sequence that hold in all rows, and not by chance.

    Args:
        table: the table.
        keys: its keys.
        budget: when to end with what there is.
    """
    found: dict[Step, _Told] = {}
    tried, whole = 0, _Sample(table, table.rows)
    known: dict[bytes, list[tuple[Step, float]]] = {}
    worth = {frozenset(key.constraint.columns): key.worth for key in keys}
    for group, by in budget.steps(_sequences(table, keys, budget), min(table.size, _ROWS)):
        sample = whole if table.size <= _ROWS else _sampled(table, group, by)
        rows, before = previous(sample.rows, group, by)
        if len(rows) < _LEAST_PAIRS:
            continue
        along = _Along(sample, group, by, rows, before)
        # Several names of a group, and several columns of one order, give the same rows before.
        neighbours = sha256(rows.tobytes() + before.tobytes()).digest()
        if sample is not whole or neighbours not in known:
            tried += len(sample.codes) ** 2
            known[neighbours] = [*_same(along, budget), *_ordered(along, budget), *_computed(along, budget)]
        for step, surprise in known[neighbours]:
            if _counts_rows(along, step):
                continue
            # Several columns may give the same order: a rule names the one that it is about, or the likeliest key's.
            key = worth.get(frozenset((*group, by)), -inf)
            told = _Told(by in step.columns, surprise, key, along.rule(step))
            found[step] = max(found.get(step, told), told, key=lambda one: one[:3])
    least = CONFIDENCE + log10(max(1, tried))
    likely = [(one.rule, one.surprise) for one in found.values() if one.surprise >= least]
    counted = [(count(rule, table.rows), surprise) for rule, surprise in budget.steps(likely, table.size)]
    return [Candidate(m, Family.SEQUENCE, surprise) for m, surprise in counted if m.holds and m.population]


def _counts_rows(along: _Along, step: Step) -> bool:
    """Whether it only says how numbers are given to the rows of the table: always one, or five, more."""
    table, name = along.sample.table, step.column
    return (
        {*step.columns, *step.others} == {name} and pa.types.is_integer(table.rows[name].type) and table.is_unique(name)
    )


def _sequences(table: CodedTable, keys: Sequence[Candidate], budget: Budget) -> list[tuple[tuple[str, ...], str]]:
    """Groups and the column that orders each: those of keys first, then each column that names what rows belong to."""
    orders = [name for name in table.roles if _orders(table, name)]
    groups = [(), *((name,) for name in table.roles if _groups(table, name))]
    named = [(key, by) for one in keys for key in [one.constraint.columns] for by in key if _is_counted(table, by)]
    of_keys = [(tuple(name for name in key if name != by), by) for key, by in named]
    pairs = dict.fromkeys((*of_keys, *product(groups, orders)))
    tried = budget.steps(pairs, 2 * table.size)
    return [(group, by) for group, by in tried if by not in group and table.is_key([*group, by])]


def _orders(table: CodedTable, name: str) -> bool:
    """Whether a column puts rows into an order: a date, a moment, or a number that counts rows."""
    if not _is_counted(table, name):
        return False
    role = table.roles[name].role
    return role.is_temporal or role is Role.IDENTIFIER or numbers_within(table, name)


def _is_counted(table: CodedTable, name: str) -> bool:
    return table.schema.column(name).type.type_class in (TypeClass.TEMPORAL, TypeClass.NUMERIC)


def _groups(table: CodedTable, name: str) -> bool:
    """Whether a column names what several rows belong to."""
    role = table.roles[name].role
    return role.names_rows and not role.is_ordered and table.present(name) - table.distinct(name) >= _LEAST_PAIRS


def _sampled(table: CodedTable, group: tuple[str, ...], by: str) -> _Sample:
    """Whole groups, of about :data:`_ROWS` rows; of one sequence the first rows."""
    if group:
        return _Sample(table, table.rows.take(pa.array(table.sharing(group[0], _ROWS))))
    first = pc.select_k_unstable(table.rows[by].combine_chunks(), _ROWS, [("", "ascending")])
    return _Sample(table, table.rows.take(first))


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    if pa.types.is_temporal(column.type):
        narrow = pa.types.is_date32(column.type) or pa.types.is_time32(column.type)
        column = column.cast(pa.int32() if narrow else pa.int64())
    return np.asarray(column.cast(pa.float64(), safe=False).fill_null(np.nan).to_numpy(), np.float64)


def _same(along: _Along, budget: Budget) -> Iterator[tuple[Step, float]]:
    """Columns that are what another column was in the row before, and are not that column in their own row."""
    codes, rows = along.sample.codes, along.sample.rows
    few = slice(None, None, max(1, len(along.rows) // _FEW))
    places, places_before = along.rows[few], along.before[few]
    for name in budget.steps(codes, _FEW * len(codes)):
        some = codes[name][places]
        for other in (one for one in codes if one != name and rows[one].type == rows[name].type):
            earlier = codes[other][places_before]
            if ((some != earlier) & (some != NULL) & (earlier != NULL)).any():
                continue
            own, theirs = codes[name][along.rows], codes[other][along.before]
            there = (own != NULL) & (theirs != NULL)
            if (own == theirs)[there].all():
                tests = int((codes[other][along.rows] != own)[there].sum())
                if tests >= _LEAST_PAIRS:
                    chance = _by_chance(own[there], theirs[there], np.equal)
                    yield Beside(name, Operator.EQ.value, other), tests * -log10(chance)


def _by_chance(own: NDArray[Any], theirs: NDArray[Any], holds: Callable[[Any, Any], Mask]) -> float:
    """The share of rows that a step holds in where the rows before are exchanged."""
    random = np.random.default_rng(5)
    kept = sum(int(holds(own, random.permutation(theirs)).sum()) for _ in range(_TURNS))
    return (kept + 1) / (_TURNS * len(own) + 1)


def _ordered(along: _Along, budget: Budget) -> Iterator[tuple[Step, float]]:
    """Columns that are never below another one of the row before.

    Chance exchanges the rows before, and how far apart the two columns are in a row. Small numbers are below large ones
    in whatever row; and where rows are far from each other the order says nothing: a customer's orders and deliveries.
    An order that each row has in itself is none with the row before: deliveries come after orders, which never fall.
    """
    numbers, roles = along.sample.numbers, along.sample.table.roles
    for name, other in budget.steps(permutations(numbers, 2), len(along.rows)):
        if not roles[name].compares_by_order(roles[other]):
            continue
        own, earlier, theirs = numbers[name][along.rows], numbers[name][along.before], numbers[other][along.before]
        there = ~(np.isnan(own) | np.isnan(theirs) | np.isnan(earlier))
        gaps = (own - theirs)[there]
        in_row = numbers[name] < numbers[other]
        if len(gaps) < _LEAST_PAIRS or (gaps < 0).any() or not gaps.any() or not in_row[along.rows].any():
            continue
        apart = max(
            _by_chance(own[there], theirs[there], np.greater_equal),
            _by_chance((own - earlier)[there], (theirs - earlier)[there], np.greater_equal),
        )
        least = gaps.min()
        strict = least > 0 and int((gaps == least).sum()) >= _STRICT
        yield Beside(name, (Operator.GT if strict else Operator.GE).value, other), len(gaps) * -log10(apart)


def _computed(along: _Along, budget: Budget) -> Iterator[tuple[Step, float]]:
    """Numbers and days that are computed with the row before, and not with the same columns of their own row."""
    table, rows = along.sample.table, along.sample.rows
    codes = along.sample.codes
    varying = [name for name in codes if (codes[name][along.rows] != codes[name][along.before]).any()]
    sides, told = Sides(rows, rows), set[str]()
    pairs = PairsOfRows(sides, (along.rows, along.before), (table.schema, table.schema), (table.roles, table.roles))
    found = sorted(
        computed(pairs, (list(codes), varying), budget, Scope.BESIDE_ROW_BEFORE),
        key=lambda one: len(str(one[0].to_json())),
    )
    for step, surprise in found:
        judged = judge_pairs(step, sides, (along.rows, along.before))
        in_row = judge_pairs(step, sides, (along.rows, along.rows))
        tests = int(in_row.violating.sum())
        # Of several ways to compute a column the shortest is told.
        if step.column not in told and not judged.violating.any() and tests >= _LEAST_PAIRS:
            told.add(step.column)
            yield step, min(surprise, surprise * tests / max(1, int(judged.judged.sum())))
