"""Functional dependencies with at most two columns on the left that a person would sign.

``{product} → category`` is one; that two rows which agree on a price and an hour also agree on a clerk is an accident
of few such rows. A left side of two columns has to beat each of them alone: where one nearly tells the right side
already, the other says little, however many rows agree.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.equations.chance import CONFIDENCE
from profiling_core.algorithms.equations.sample import spread
from profiling_core.algorithms.ground.hashed_keys import numbered
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.roles import names
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable, Groups
from profiling_core.algorithms.values.encoding import NULL
from profiling_core.model.constraint import ColumnList, FunctionalDependency, Measured
from profiling_core.model.role import Role

# Of a period days are known that lie so far apart; two bounds at least make one.
_MOST_OF, _LAST_TWO = 0.7, 2
_SAMPLED = 5_000
_MEASURED = 20_000
# Rows beyond the first of each left side that are put to the test, at least, and as a share of all.
_LEAST_TESTS, _LEAST_SHARE = 12, 0.1
# Where two columns have a word in common, as a class's code and its name: fewer rows, and powers of ten, are enough.
_FEW_TESTS, _CALLED = 4, 2.0
# What a sample says of that share is not held against a left side unless it is far below.
_ROUGHLY = 0.3
# Powers of ten that chance must have against it where two columns determine another one.
_SURPRISING = 10.0
# What a dependency loses that goes by another name of what rows go by, and one that tells what they go by.
_BY_NAME, _TURNED_ROUND = 0.25, 2.0
# Where one of them tells the third in so many pairs of rows already, the other is beside it by accident.
_NEARLY = 0.8
# Quantities of so few values, each in so many rows, are grades that others may go by.
_MOST_GRADES, _OF_A_GRADE = 12, 5
_LEFT_WORTH = {
    Role.IDENTIFIER: 2.0,
    Role.REFERENCE: 2.0,
    Role.CODE: 1.5,
    Role.CATEGORY: 1.0,
    Role.TEXT: 1.0,
    Role.DATE: 0.5,
    Role.FLAG: 0.0,
    Role.QUANTITY: 0.0,
    Role.MOMENT: 0.0,
}
_RIGHT_WORTH = {
    Role.TEXT: 1.0,
    Role.CATEGORY: 1.0,
    Role.CODE: 1.0,
    Role.IDENTIFIER: 1.0,
    Role.REFERENCE: 0.5,
    Role.DATE: 0.5,
    Role.QUANTITY: 0.5,
    Role.FLAG: 0.0,
    Role.MOMENT: 0.0,
}


Determined = Mapping[str, Collection[str]]


class Searched(NamedTuple):
    """The dependencies found, and of how many columns all pairs were tried as left sides, of how many that may be.

    ``determined``: by column whose values repeat all columns that it determines, by chance or not.
    """

    found: list[Candidate]
    columns: int
    of: int
    determined: Determined


def find_dependencies(table: CodedTable, keys: Sequence[Collection[str]], budget: Budget) -> Searched:
    """Minimal FDs with one column on the left, then with two, none with a key on the left."""
    rights = _rights(table)
    single = {left: _alone(table, left, rights) for left in budget.steps(_lefts(table, keys))}
    pairs = ((a, b) for a, rights in single.items() for b in sorted(rights) if not _says_its_name(table, a, b, single))
    found = [
        _beside_its_likes(table, c, single) for a, b in budget.steps(pairs) if (c := _candidate(table, (a,), b, single))
    ]
    parts = _parts(table, single)
    for looked, a in enumerate(parts):
        shared = _Shared.of(table, a)
        for b in budget.steps(parts[:looked]):
            if _are_alike(table, a, b) and not any(set(key) <= {a, b} for key in keys):
                found += _of_two(shared, (a, b), rights - single[a] - single[b], single)
        if budget.is_cut:
            return Searched(found, looked, len(parts), single)
    return Searched(found, len(parts), len(parts), single)


def _beside_its_likes(table: CodedTable, found: Candidate, single: Determined) -> Candidate:
    """The dependency, worth less where its left side is only another name of what stands further left.

    Of a code and its name, each of which tells the other, the first is what the rest goes by; that the name tells the
    code is said last.
    """
    (left,), right = found.constraint.determinant, found.constraint.columns[-1]
    if _is_before(table, right, left, single):
        return replace(found, worth=found.worth - _TURNED_ROUND)
    named = any(_is_before(table, other, left, single) for other in single if other != right)
    return replace(found, worth=found.worth - _BY_NAME) if named else found


def _is_before(table: CodedTable, name: str, other: str, single: Determined) -> bool:
    """Whether two columns tell each other, and the first is the one that rows go by: by its role, or its place."""
    if other not in single.get(name, ()) or name not in single.get(other, ()):
        return False
    first, last = ((-_LEFT_WORTH[table.roles[n].role], table.schema.names.index(n)) for n in (name, other))
    return first < last


class _Shared(NamedTuple):
    """Rows that share some values of a column, with their codes: int32[columns, s], the columns ``names``."""

    table: CodedTable
    rows: NDArray[np.int64]
    names: Mapping[str, int]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, table: CodedTable, column: str) -> "_Shared":
        rows = table.sharing(column, _SAMPLED)
        names = {name: place for place, name in enumerate(table.codes)}
        return cls(table, rows, names, np.stack([codes[rows] for codes in table.codes.values()]))

    def grouped(self, lefts: tuple[str, ...]) -> NDArray[np.int64]:
        """int64[s]: the rows' groups by their values in some columns, numbered from 0 on; −1 where one is null."""
        first, *others = (self.codes[self.names[name]] for name in lefts)
        groups = Groups(first.astype(np.int64), self.table.distinct(lefts[0]))
        for name, codes in zip(lefts[1:], others, strict=True):
            groups = groups.finer(codes, self.table.distinct(name))
        return numbered(groups.of)[0]

    def likely(self, lefts: tuple[str, ...], rights: Collection[str]) -> list[str]:
        """The right sides that no two of the rows contradict."""
        tried = sorted(set(rights).difference(lefts))
        places = np.array([self.names[name] for name in tried], np.int64)
        wrong = _contradicted(self.grouped(lefts), self.codes, places)
        return [name for name, contradicted in zip(tried, wrong.tolist(), strict=True) if not contradicted]


def _alone(table: CodedTable, left: str, rights: Collection[str]) -> set[str]:
    """What one column determines."""
    return set(_determined(table, (left,), _Shared.of(table, left).likely((left,), rights)))


def _of_two(shared: _Shared, left: tuple[str, str], rights: set[str], single: Determined) -> list[Candidate]:
    """What two columns determine together of what neither determines alone."""
    likely, table = shared.likely(left, rights), shared.table
    told = _determined(table, left, likely) if likely and _may_be_tested(shared, left) else ()
    return [c for right in told if (c := _candidate(table, left, right, single))]


def _parts(table: CodedTable, single: Collection[str]) -> list[str]:
    """The columns that left sides of two are made of, the most promising first."""
    plain = (n for n in single if table.roles[n].role is not Role.MOMENT)
    parts = [name for name in plain if table.roles[name].role is not Role.QUANTITY or _is_graded(table, name)]
    return sorted(parts, key=lambda name: -_LEFT_WORTH[table.roles[name].role])


def _are_alike(table: CodedTable, a: str, b: str) -> bool:
    """Whether two columns make a left side: grades make one with grades alone, as impact and urgency a priority."""
    return (table.roles[a].role is Role.QUANTITY) is (table.roles[b].role is Role.QUANTITY)


def _rights(table: CodedTable) -> set[str]:
    """The columns that may stand on the right: those with more than one value."""
    return {name for name, role in table.roles.items() if role.role in _RIGHT_WORTH and table.distinct(name) > 1}


def _lefts(table: CodedTable, keys: Sequence[Collection[str]]) -> list[str]:
    """The columns that may stand on the left: their values repeat, and are no measurements that happen to."""
    return [
        name
        for name, role in table.roles.items()
        if role.role in _LEFT_WORTH
        and {name} not in [set(key) for key in keys]
        and table.distinct(name) > 1
        and _tests(table.counts[name]) >= max(_FEW_TESTS, _LEAST_SHARE * table.present(name))
        and (role.role is not Role.QUANTITY or role.scale == 0)
    ]


def _is_graded(table: CodedTable, name: str) -> bool:
    """Whether a quantity has a few values, each of them often: sizes of jars, nights of a course, hours of care."""
    role = table.roles[name]
    few = table.distinct(name) <= min(_MOST_GRADES, table.present(name) // _OF_A_GRADE)
    return few and role.role is Role.QUANTITY and role.scale == 0


def _tests(sizes: NDArray[np.int64]) -> int:
    """The rows beyond the first of each group."""
    return int((sizes - 1)[sizes > 0].sum())


def _may_be_tested(shared: _Shared, lefts: tuple[str, ...]) -> bool:
    """Whether rows agree on the left often enough, as far as those tell that share values of its first column."""
    groups = shared.grouped(lefts)
    sizes = np.bincount(groups[groups != NULL])
    return _tests(sizes) >= min(_LEAST_TESTS, _ROUGHLY * _LEAST_SHARE * len(shared.rows))


def _determined(table: CodedTable, lefts: tuple[str, ...], rights: Collection[str]) -> Iterator[str]:
    if rights:
        groups = table.grouped(lefts)
        yield from (right for right in sorted(rights) if right not in lefts and groups.determine(table.codes[right]))


@kernel
def _contradicted(of: NDArray[np.int64], codes: NDArray[np.int32], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Per place, of a column of int32[m, s], whether two rows of one group have two codes; −1 is null."""
    wrong = np.zeros(places.size, np.bool_)
    first = np.empty(of.max() + 1 if len(of) else 0, np.int32)
    for i in range(places.size):
        first[:] = -1
        for row in range(codes.shape[1]):
            code = codes[places[i], row]
            if code < 0 or of[row] < 0:
                continue
            if first[of[row]] < 0:
                first[of[row]] = code
            elif first[of[row]] != code:
                wrong[i] = True
                break
    return wrong


def _candidate(table: CodedTable, lefts: tuple[str, ...], right: str, single: Determined) -> Candidate | None:
    """The dependency as a candidate, if chance does not explain it."""
    groups, codes = table.grouped(lefts), table.codes[right]
    there = (groups.of != NULL) & (codes != NULL)
    sizes = Groups(groups.of[there], groups.count).sizes
    tests = _tests(sizes)
    called = _CALLED * (len(lefts) == 1 and _is_called_alike(table, lefts[0], right))
    least = _FEW_TESTS if called else _LEAST_TESTS
    if tests < max(least, _LEAST_SHARE * table.size) or _is_measured_only(table, lefts, right):
        return None
    by_less = _by_less(table, lefts, right, there)
    if len(lefts) > 1 and by_less > _NEARLY:
        return None
    if not (
        called and _determine(table, (right,), lefts[0])
    ):  # a class's code and name are one, whatever has the class
        tests = min(tests, _kinds(table, (*lefts, right), single, lefts) - int((sizes > 0).sum()))
    strength = -tests * math.log10(max(by_less, 1e-9))
    if strength + called < (_SURPRISING if len(lefts) > 1 else CONFIDENCE + 2 * math.log10(len(table.roles))):
        return None
    fd = FunctionalDependency(ColumnList(table.name, lefts), ColumnList(table.name, (right,)))
    pairs = int((sizes * (sizes - 1)).sum())
    measured = Measured(fd, 0, table.size * (table.size - 1), pairs)
    return Candidate(measured, Family.DEPENDENCY, strength, _worth(table, lefts, right), pairs * (1 - by_less))


def _kinds(table: CodedTable, columns: Collection[str], single: Determined, lefts: Collection[str] = ()) -> int:
    """How many kinds of rows there are, of which each says but once what some columns have to do with each other.

    Where a column determines all of them (a hospital its name, its town and its owner), its values are the kinds: that
    rows of one kind agree is known, and adds nothing. A left side that determines the kind alone says it itself.
    What is measured is no kind: few different amounts tell the price that they are computed of. Rows in which the
    column is null are each their own.
    """
    finer = (
        table.distinct(name) + table.rows[name].null_count
        for name, determined in single.items()
        if (name in columns or table.roles[name].role is not Role.QUANTITY)
        and set(columns) - {name} <= set(determined)
        and not (len(lefts) == 1 and _determine(table, lefts, name))
    )
    return min(finer, default=table.size)


def _determine(table: CodedTable, lefts: Collection[str], name: str) -> bool:
    return name in lefts or table.grouped(tuple(lefts)).determine(table.codes[name])


def independent(table: CodedTable, columns: Collection[str], single: Determined) -> float:
    """The share of rows that each say something of their own about some columns (:func:`_kinds`)."""
    told = [name for name in columns if _determine(table, (name,), next(c for c in columns if c != name))]
    own = {name: set(columns) - {name} for name in told if len(columns) == 2}
    return _kinds(table, columns, {**single, **own}) / max(1, table.size)


def _is_measured_only(table: CodedTable, lefts: tuple[str, ...], right: str) -> bool:
    """Whether a quantity, or a day, would tell something: only a coarser one of few kinds, as an age its group.

    What has a few values of its own, a size of jars, tells others: that is a price list.
    """
    if len(lefts) == 1 and table.roles[lefts[0]].role.is_temporal and table.roles[right].role.is_temporal:
        return 2 * table.distinct(right) > table.distinct(lefts[0]) or not _is_period_of(table, lefts[0], right)
    if len(lefts) == 2 and sum(table.roles[name].role.is_temporal for name in (*lefts, right)) > 1:
        return True  # how far days lie apart is nobody's lookup
    if table.roles[lefts[0]].role is not Role.QUANTITY:
        return False
    if _is_graded(table, lefts[0]) and table.roles[right].role is Role.QUANTITY:
        return not _goes_by(table, right, lefts[0])
    if len(lefts) == 1 and not is_in_runs(table, lefts[0], right):
        return True
    classes = table.roles[right].role in {Role.CATEGORY, Role.FLAG, Role.CODE}
    return not classes or table.distinct(right) >= math.prod(map(table.distinct, lefts))


def _goes_by(table: CodedTable, price: str, grade: str) -> bool:
    """Whether a quantity has no more values than what gives it; of two that give each other the one in front does."""
    turned = table.schema.names.index(price) < table.schema.names.index(grade) and _determine(table, (price,), grade)
    return not turned and table.distinct(price) <= table.distinct(grade)


def is_in_runs(table: CodedTable, name: str, kind: str) -> bool:
    """Whether each value of a column has values of an ordered one to itself, without another's between: bands of it."""
    both = table.rows.select([name, kind]).drop_null()
    codes = both[kind].combine_chunks().dictionary_encode().indices.take(pc.sort_indices(both[name]))
    in_turn = codes.to_numpy()
    return bool((np.diff(in_turn) != 0).sum() < len(np.unique(in_turn)))


def _says_its_name(table: CodedTable, left: str, right: str, single: Determined) -> bool:
    """Whether a measured number tells no more than what it is measured of: a country's population its continent."""
    if table.roles[left].role is not Role.QUANTITY:
        return False
    named = (n for n in single[left] if table.roles[n].role is not Role.QUANTITY and n != right)
    return any({left, right} <= set(single.get(name, ())) for name in named)


def _is_period_of(table: CodedTable, day: str, bound: str) -> bool:
    """Whether a column has the first or the last day of the period that a day lies in, as far as a sample shows.

    Days lie in all of a period: those on which the last quarter's bills are paid do not.
    """
    some = table.sampled(_SAMPLED).rows
    days, bounds = (some[name] for name in (day, bound))
    if days.type != bounds.type:
        return False
    both = some.filter(pc.and_(days.is_valid(), bounds.is_valid()))
    days, bounds = (both[name].cast(pa.timestamp("us")).cast(pa.int64()).to_numpy() for name in (day, bound))
    known = np.append(np.unique(bounds), np.iinfo(np.int64).max)
    first = known[np.searchsorted(known, days, "right") - 1]
    last = known[np.searchsorted(known, days, "left")]
    lasts = np.median(np.diff(known[:-1])) if len(known) > _LAST_TWO else 0
    ends = (end for end in (first, last) if (end == bounds).all())
    return any(np.ptp(days - end) >= _MOST_OF * lasts for end in ends)


def _by_less(table: CodedTable, lefts: tuple[str, ...], right: str, there: NDArray[np.bool_]) -> float:
    """The best chance that rows agree on the right which agree on the left but for one column.

    ``there``: bool[n], the rows that have values on both sides; the rest may be of another kind.
    """
    if len(lefts) == 1:
        codes = table.codes[right][there]
        return Groups(np.zeros(len(codes), np.int64), 1).agreeing(codes, table.distinct(right))
    rows = spread(table.size, _MEASURED)
    codes = table.codes[right][rows]
    return max(table.grouped([name], rows).agreeing(codes, table.distinct(right)) for name in lefts)


def _worth(table: CodedTable, lefts: tuple[str, ...], right: str) -> float:
    """What speaks for it besides: roles, names that have a word in common, and a short left side."""
    roles = table.roles
    worth = sum(_LEFT_WORTH[roles[name].role] for name in lefts) / len(lefts) + _RIGHT_WORTH[roles[right].role]
    own = set(_words(table, right))
    shared = any(not own.isdisjoint(_words(table, name)) for name in lefts)
    return worth + 1.0 * shared - 1.0 * (len(lefts) - 1)


def _is_called_alike(table: CodedTable, left: str, right: str) -> bool:
    return not set(_words(table, left)).isdisjoint(_words(table, right))


def _words(table: CodedTable, name: str) -> list[str]:
    return [w for w in names.words(names.bare(name, table.schema.names)) if len(w) > 2]
