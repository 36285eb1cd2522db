"""Orders within a row: ``ordered_at ≤ shipped_at``, ``net ≤ gross``.

Of two columns one may be the smaller in all rows because somebody sees to it, or because it always measures less. The
first is known by the rows that come close to the bound: two dates or prices meet, or nearly, and yet never cross.
Points in time need less of that: that one comes after the other is hardly ever an accident.
Compare: bounds that are reported only where enough values lie at them, in Ernst et al., "The Daikon system for dynamic
detection of likely invariants" (2007), section 4.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.equations.further_on import months_on
from profiling_core.algorithms.roles import names, vocabulary
from profiling_core.algorithms.rules.beside_equations import shares
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.detours import detours
from profiling_core.algorithms.rules.numbering import numbers_within
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.constraint import DenialConstraint, Measured
from profiling_core.model.expression import DaysOn, MonthsOn
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.role import Role

Numbers = NDArray[np.float64]
_SAMPLED = 20_000
_LEAST_ROWS = 5
# That what is called the least is less, so many rows are enough to tell; of two points in time fewer.
_SEVERAL_ROWS, _SEVERAL_DATES = 12, 8
# So many rows lie at the least step between the two before the step is taken for part of the rule.
_AT_THE_STEP = 10
# So many rows on the very day that is computed are no chance.
_AT_THE_BOUND, _AT_ONCE = 3, 0.01
# How near the nearest rows come: their difference beside the middle one, and the lesser as a share of the greater.
_NEAR, _CLOSE = 0.1, 0.9
# Powers of ten that chance must have against it: for quantities, and for what is expected of points in time or names.
_SURPRISING, _EXPECTED = 6.0, 2.0
# Of what rises and falls together it takes more, rather than rows that come close; and other rows have to cross often.
_VERY_SURPRISING, _OFTEN, _TOGETHER, _OF_A_SIZE = 12.0, 0.05, 0.9, 0.6
# What is below so many others, which are not below each other, is small.
_MANY_BOUNDS = 3
_SHIFTS = (1, 7, 31, 101)
_DAY = 86_400e6


class _Pair(NamedTuple):
    """Two columns, the lesser first, and their values in rows that have both, of a sample.

    ``by_day``: the lesser is a moment, of which the day is meant.
    """

    low: str
    high: str
    lows: Numbers
    highs: Numbers
    by_day: bool = False


class _Told(NamedTuple):
    """What equations tell: of which pairs one is a share; which dates are months from which, or given with columns.

    ``numbered`` are the columns in order that are numbered so.
    """

    shares: Collection[frozenset[str]]
    by_months: Collection[tuple[str, str]]
    by_columns: Mapping[str, str]
    numbered: Collection[tuple[str, str]] = ()


# So many columns that are called alike but for a number are a series.
_SERIES = 3
# So many letters make a word plural at most: ``children``.
_PLURAL = 3
# Of fewer different values two that rise together may be the steps of a scale: bands have a least and a greatest.
_FEWEST_CONVERTED = 12


def find_orders(table: CodedTable, budget: Budget, equations: Sequence[Candidate] = ()) -> list[Candidate]:
    """The orders within a row that hold in all rows; ``equations``: those of the table, which tell what is a share."""
    sample = table.sampled(_SAMPLED)
    numbers = {name: _numbers(sample.rows[name]) for name in budget.steps(_ordered(table))}
    told = _Told(shares(equations), _months_on(equations), _given_by_columns(equations))
    pairs = _pairs(table, numbers, budget)
    numbered = in_series({pair[:2] for pair in pairs}, [*filter(lambda n: table.roles[n].role.is_ordered, numbers)])
    found = _held(table, pairs, budget, told._replace(numbered=numbered))
    held = _steps(table, [pair for pair, _ in found])
    around = detours([p[:2] for p in held], [p[:2] for p in held if not _meets(p)], numbers)
    around |= _told_by_days(table, [pair for pair, _ in found], _own_days(table, numbers))
    found = [(pair, order) for pair, order in found if pair[:2] not in around]
    small = _small([pair for pair, _ in found if not _is_temporal(table, pair)])
    return [order for pair, order in found if pair.low not in small or _is_called_so(table, pair, numbered)]


def _pairs(table: CodedTable, numbers: dict[str, Numbers], budget: Budget) -> list[_Pair]:
    """The columns of which one is never the greater one."""
    comparable = [(a, b) for a, b in combinations(numbers, 2) if _comparable(table, a, b)]
    steps = budget.steps(comparable)
    directed = (pair for a, b in steps if (pair := _directed(a, b, numbers) or _by_day(table, a, b, numbers)))
    return [pair for pair in directed if _is_temporal(table, pair) or not _are_converted(pair)]


def _are_converted(pair: _Pair) -> bool:
    """Whether two numbers rise together, strictly: the one is made of the other, as its logarithm, or a twentieth."""
    order = np.lexsort((pair.highs, pair.lows))
    lows, highs = pair.lows[order], pair.highs[order]
    rises = np.diff(lows) > 0
    return bool(
        rises.sum() >= _FEWEST_CONVERTED and (rises == (np.diff(highs) > 0)).all() and (np.diff(highs) >= 0).all()
    )


def _held(table: CodedTable, pairs: Sequence[_Pair], budget: Budget, told: _Told) -> list[tuple[_Pair, Candidate]]:
    """The pairs whose order holds in all rows and is no accident, with that order."""
    apart = [p for p in pairs if _is_temporal(table, p) and _days_apart(p)]
    moved = {_computed(table, p, told.by_months) for p in apart if not _is_own_day(table, p)}
    found = []
    for pair in budget.steps(pairs):
        is_free = moved.isdisjoint(pair[:2]) or _days_apart(pair)
        is_free &= not any(name in told.by_columns and told.by_columns[name] not in pair[:2] for name in pair[:2])
        if is_free or _lies_at(pair):
            order = _order(table, pair, told)
            found += [(pair, order)] if order else []
    return found


def _months_on(equations: Sequence[Candidate]) -> set[tuple[str, str]]:
    """The dates that equations make months of others, each behind that one."""
    told = (c.constraint for c in equations if isinstance(c.constraint, Equation))
    return {(e.value.column, e.column) for e in told if isinstance(e.value, MonthsOn)}


def _given_by_columns(equations: Sequence[Candidate]) -> dict[str, str]:
    """The dates that lie as far from others as a column says, by their names these."""
    told = (c.constraint for c in equations if isinstance(c.constraint, Equation))
    return {e.column: e.value.column for e in told if isinstance(e.value, DaysOn | MonthsOn) and e.value.by}


def _is_temporal(table: CodedTable, pair: _Pair) -> bool:
    return table.roles[pair.low].role.is_temporal


def _small(pairs: Sequence[_Pair]) -> set[str]:
    """The columns below several others of which none is below another: small themselves, and bound by nothing."""
    below = {(pair.low, pair.high) for pair in pairs}
    least = [(low, high) for low, high in below if not any((low, other) in below for other, h in below if h == high)]
    lows = [low for low, _ in least]
    return {low for low in lows if lows.count(low) >= _MANY_BOUNDS}


def _days_apart(pair: _Pair) -> bool:
    """Whether one day is always as far from the other: what is computed so bounds others only where they come close.

    Moments of one day that lie now closer, now further apart are none: an office has hours.
    """
    if (pair.lows % _DAY).any() and (pair.highs % _DAY).any() and np.ptp(pair.highs - pair.lows):
        return False
    lows, highs = _days(pair)
    days = highs - lows
    return bool((days == days[0]).all()) or _months_apart(lows, highs) or _months_apart(highs, lows)


def _days(pair: _Pair) -> tuple[NDArray[np.datetime64], NDArray[np.datetime64]]:
    lows, highs = (np.floor(ends / _DAY).astype(np.int64).astype("datetime64[D]") for ends in (pair.lows, pair.highs))
    return lows, highs


def _months_apart(days: NDArray[np.datetime64], others: NDArray[np.datetime64]) -> bool:
    """Whether days lie as many months after, or before, others in each row."""
    months = (others.astype("datetime64[M]") - days.astype("datetime64[M]")).astype(np.int64)
    return bool((months == months[0]).all() and (months_on(days, months) == others).all())


def _is_own_day(table: CodedTable, pair: _Pair) -> bool:
    """Whether a date is the day of a moment, of two that are as many days apart in each row."""
    day = table.roles[pair.low].role is Role.DATE and table.roles[pair.high].role is Role.MOMENT
    return day and bool((pair.lows // _DAY == pair.highs // _DAY).all())


def _own_days(table: CodedTable, numbers: Mapping[str, Numbers]) -> set[tuple[str, str]]:
    """The dates that are the day of a moment, each with that moment."""
    pairs = ((a, b) for a in numbers for b in numbers if table.roles[a].role is Role.DATE)
    return {pair[:2] for a, b in pairs if b != a and (pair := _directed(a, b, numbers)) and _is_own_day(table, pair)}


def _told_by_days(
    table: CodedTable, orders: Sequence[_Pair], days: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """The orders of a moment beside a date that the moment's own day, which the table has, tells with that date."""
    known = {frozenset(pair[:2]) for pair in orders}
    return {
        pair[:2]
        for pair in orders
        for day, moment in days
        if moment in pair[:2]
        for other in pair[:2]
        if other not in (day, moment) and table.roles[other].role is Role.DATE and frozenset((day, other)) in known
    }


def _computed(table: CodedTable, pair: _Pair, by_months: Collection[tuple[str, str]]) -> str:
    """Which of two columns that are days apart is computed from the other: a moment's day, or else the later one.

    Of days that are months apart it is the one that the other gives, since months end on different days; if both
    do, what an equation says.
    """
    days = [name for name in pair[:2] if table.roles[name].role is Role.DATE]
    lows, highs = _days(pair)
    either = _months_apart(lows, highs) and (pair.high, pair.low) not in by_months
    before = _months_apart(highs, lows) and not either
    return days[0] if len(days) == 1 else pair.low if before else pair.high


def _steps(table: CodedTable, pairs: Sequence[_Pair]) -> list[_Pair]:
    """The orders of points in time by way of which others may go: of two days, not where one is computed."""
    steps = (pair for pair in pairs if _is_temporal(table, pair))
    return [pair for pair in steps if _is_own_day(table, pair) or not _days_apart(pair)]


def _ordered(table: CodedTable) -> list[str]:
    roles = table.roles
    ordered = [c.name for c in table.schema.profiled if c.ordered]
    return [n for n in ordered if roles[n].role.is_ordered or (roles[n].role is Role.CODE and numbers_within(table, n))]


def _numbers(values: pa.ChunkedArray) -> Numbers:
    """Values as floats, points in time in microseconds; NaN is null."""
    if pa.types.is_date(values.type):
        values = values.cast(pa.timestamp("us"))
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.int64())
    return np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(), np.float64)


def _comparable(table: CodedTable, a: str, b: str) -> bool:
    same_class = table.schema.column(a).type.type_class is table.schema.column(b).type.type_class
    numbering = [name for name in (a, b) if not table.roles[name].role.is_ordered]
    if numbering:  # what numbers things is no more than how many there are, and nothing else
        return same_class and len(numbering) == 1 and any(_is_number_of(table, *pair) for pair in ((a, b), (b, a)))
    return same_class and table.roles[a].compares_by_order(table.roles[b])


def _is_number_of(table: CodedTable, number: str, count: str) -> bool:
    """Whether one column numbers things, and the other says how many there are."""
    return not table.roles[number].role.is_ordered and names_one_of(number, count, table.schema.names)


def _directed(a: str, b: str, numbers: Mapping[str, Numbers]) -> _Pair | None:
    """The two columns, the lesser first; None where neither always is, or where both always are the same."""
    both = ~(np.isnan(numbers[a]) | np.isnan(numbers[b]))
    one, other = numbers[a][both], numbers[b][both]
    if len(one) < _LEAST_ROWS:
        return None
    below, above = bool((one <= other).all()), bool((one >= other).all())
    if below == above:
        return None
    return _Pair(a, b, one, other) if below else _Pair(b, a, other, one)


def _by_day(table: CodedTable, a: str, b: str, numbers: Mapping[str, Numbers]) -> _Pair | None:
    """A moment before a date, where its day is the lesser though the moment is not: a day begins at midnight."""
    for moment, day in ((a, b), (b, a)):
        if pa.types.is_timestamp(table.rows[moment].type) and pa.types.is_date32(table.rows[day].type):
            days = np.floor(numbers[moment] / _DAY) * _DAY
            pair = _directed(moment, day, {moment: days, day: numbers[day]})
            return pair._replace(by_day=True) if pair and pair.low == moment else None
    return None


def _order(table: CodedTable, pair: _Pair, equations: _Told) -> Candidate | None:
    """The order as a candidate, if chance does not explain it and it holds in all rows."""
    low, high = table.rows[pair.low], table.rows[pair.high]
    low = low.cast(pa.date32()) if pair.by_day else low
    rows = int(pc.sum(pc.and_(low.is_valid(), high.is_valid())).as_py() or 0)
    temporal = table.roles[pair.low].role.is_temporal
    numbered, is_share = pair[:2] in equations.numbered, frozenset(pair[:2]) in equations.shares
    named = _is_called_so(table, pair, equations.numbered)
    crossed = _crossed_by_chance(pair)
    strength = -rows * math.log10(max(1 - crossed, 1e-9))
    if temporal:
        told = strength >= _EXPECTED or rows >= _SEVERAL_DATES or named
    else:
        told = strength >= _SURPRISING and (_meets(pair) or _go_together(pair, crossed, strength))
        told |= strength >= _EXPECTED and (named or is_share)
        told |= rows >= _SEVERAL_ROWS and (numbered or _is_told_by_names(table, pair))
    if not told or _any(pc.greater, low, high):
        return None
    strict = _keeps_a_step(table, pair) and not _any(pc.equal, low, high)
    order = _denied(table, pair, strict=strict)
    worth = 2.0 * temporal + 1.0 * named + 1.0 * (strength >= _SURPRISING) + 0.5 * _meets(pair)
    worth += rows / table.size  # what most rows have comes first
    return Candidate(Measured(order, 0, table.size, rows), Family.ORDER, strength, worth, rows * crossed)


def _is_told_by_names(table: CodedTable, pair: _Pair) -> bool:
    return are_opposites(*pair[:2], table.schema.names) or _is_number_of(table, *pair[:2])


def _any(compare: Callable[..., pa.ChunkedArray], low: pa.ChunkedArray, high: pa.ChunkedArray) -> bool:
    """Whether the comparison holds in some row; values of two types compare by their codes, exactly."""
    if low.type == high.type:
        return bool(pc.any(compare(low, high)).as_py())
    lows, highs = shared_codes([low, high], ordered=True)
    there = (lows != NULL) & (highs != NULL)
    return bool(pc.any(compare(lows[there], highs[there])).as_py())


def _crossed_by_chance(pair: _Pair) -> float:
    """The share of rows in which values of different rows would be the wrong way round."""
    return float(np.mean([(pair.lows > np.roll(pair.highs, shift)).mean() for shift in _SHIFTS]))


def _meets(pair: _Pair) -> bool:
    """Whether some rows come so close to the bound that it must have kept them."""
    gaps = pair.highs - pair.lows
    near = gaps.min() <= _NEAR * np.median(gaps)
    if pair.lows.min() < 0:
        return bool(near)
    positive = pair.highs > 0
    return bool(near and (pair.lows[positive] / pair.highs[positive]).max(initial=0.0) >= _CLOSE)


def _lies_at(pair: _Pair) -> bool:
    """Whether some rows lie just at the bound that a computed date is, or one comes very close, and none beyond."""
    gaps = pair.highs - pair.lows
    return int((gaps == 0).sum()) >= _AT_THE_BOUND or bool(gaps.min() <= _AT_ONCE * np.median(gaps))


def _go_together(pair: _Pair, crossed: float, strength: float) -> bool:
    """Whether of two that rise and fall together one is always less, though other rows' are often enough more."""
    if strength < _VERY_SURPRISING or crossed < _OFTEN:
        return False
    lows, highs = (np.argsort(np.argsort(values)) for values in (pair.lows, pair.highs))
    alike = np.median(np.abs(pair.lows)) >= _OF_A_SIZE * np.median(np.abs(pair.highs))
    return bool(alike and np.corrcoef(lows, highs)[0, 1] >= _TOGETHER)


def in_series(pairs: Collection[tuple[str, str]], of: Collection[str]) -> set[tuple[str, str]]:
    """Of pairs in order those of columns that are numbered so, all of whose like are: ``quintile1`` and ``quintile2``.

    Args:
        pairs: the lesser column, and the greater one.
        of: the columns that may have their like among them.
    """
    series: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for name in of:
        if numbered := names.numbered(name):
            series[numbered[0]].append((numbered[1], name))
    rising = [[name for _, name in sorted(alike)] for alike in series.values() if len(alike) >= _SERIES]
    whole = [alike for alike in rising if all(step in pairs for step in pairwise(alike))]
    return {pair for alike in whole for pair in combinations(alike, 2)}


def _is_called_so(table: CodedTable, pair: _Pair, numbered: Collection[tuple[str, str]]) -> bool:
    return pair[:2] in numbered or is_named_so(*pair[:2], table.schema.names)


def is_named_so(lower: str, upper: str, all_names: tuple[str, ...]) -> bool:
    """Whether names are opposites, as ``temp_min`` and ``temp_max``, or one is the other and a word: ``max_pupils``."""
    low, high = (names.words(names.bare(name, all_names)) for name in (lower, upper))
    longer, shorter = max(low, high, key=len), min(low, high, key=len)
    extended = len(longer) == len(shorter) + 1 and shorter in (longer[1:], longer[:-1])
    return extended or are_opposites(lower, upper, all_names) or names_one_of(lower, upper, all_names)


def names_one_of(number: str, count: str, all_names: tuple[str, ...]) -> bool:
    """Whether names are those of a thing's number and of how many there are: ``line_no`` and ``lines``."""
    one, many = (names.words(names.bare(name, all_names)) for name in (number, count))
    if not names.numbers(one) or names.numbers(many) or one[-1] not in vocabulary.NUMBERING:
        return False
    thing = one[-2]
    counted = not vocabulary.COUNTING.isdisjoint(many)
    return any(w.startswith(thing) and len(w) - len(thing) <= _PLURAL and (w != thing or counted) for w in many)


def are_opposites(lower: str, upper: str, all_names: tuple[str, ...]) -> bool:
    """Whether names have words of which one means less: ``min_age`` and ``max_age``."""
    low, high = (names.words(names.bare(name, all_names)) for name in (lower, upper))
    differ = {_apart(a, b) for a in low for b in high if a not in high and b not in low}
    return not differ.isdisjoint(vocabulary.OPPOSITES) or _is_total(low, high)


def _is_total(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether names are alike but for a word each, which is that of a whole in one: ``votes_left``, ``votes_all``."""
    own, others = ([w for w in a if w not in b] for a, b in ((part, whole), (whole, part)))
    alike = len(part) == len(whole) > 1 and len(own) == len(others) == 1
    return alike and others[0] in vocabulary.TOTALLING and own[0] not in vocabulary.TOTALLING | vocabulary.COUNTING


def _apart(low: str, high: str) -> tuple[str, str]:
    """Two words without what they begin with both: ``tmin`` and ``tmax`` are ``min`` and ``max``, which begin alike."""
    ends = ((a, b) for a, b in vocabulary.OPPOSITES if low.endswith(a) and high.endswith(b))
    same = ((a, b) for a, b in ends if low.removesuffix(a) == high.removesuffix(b))
    return next(same, (low, high))


def _keeps_a_step(table: CodedTable, pair: _Pair) -> bool:
    """Whether many rows lie at the least difference that the values' resolution allows, and so none at zero by rule."""
    if table.roles[pair.low].role.is_temporal:
        whole_days = bool((pair.lows % _DAY == 0).all() and (pair.highs % _DAY == 0).all())
        step = _DAY if whole_days else 0.0
    else:
        scales = (table.roles[pair.low].scale, table.roles[pair.high].scale)
        step = 0.0 if None in scales else 10.0 ** -max(scale or 0 for scale in scales)
    gaps = pair.highs - pair.lows
    return step > 0 and int((np.abs(gaps - step) < step / 100).sum()) >= _AT_THE_STEP


def _denied(table: CodedTable, pair: _Pair, *, strict: bool) -> DenialConstraint:
    """The denial constraint ``¬(low > high)``, or with ``strict`` ``¬(low ≥ high)``; the first column stands left."""
    positions = table.schema.names.index
    op = Operator.GE if strict else Operator.GT
    low, high = Operand("t", pair.low, pair.by_day), Operand("t", pair.high)
    forward = positions(pair.low) < positions(pair.high)
    predicate = Predicate(low, op, high) if forward else Predicate(high, op.flipped, low)
    return DenialConstraint(table.name, (predicate,))
