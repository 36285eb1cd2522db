"""Orders within a row: ``ordered_at ≤ shipped_at``, ``net ≤ gross``.

All pairs of comparable columns, one of them never greater than the other, are candidates; a fitted score gives the
log-odds that the order is kept on purpose (:mod:`.order_features`). Columns that are equal, or one the day of the
other,
form a class, and an order between two classes is shown once: for the columns with the most similar names.

Compare: bounds that are reported only where enough values lie at them, in Ernst et al., "The Daikon system for dynamic
detection of likely invariants" (2007), section 4.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.equations.chance import CONFIDENCE
from profiling_core.algorithms.equations.numbers import DAY_MICROSECONDS
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.coded_table import SAMPLED, CodedTable
from profiling_core.algorithms.rules.numbering import numbers_within
from profiling_core.algorithms.rules.order_features import ALIKE, Numbers, Pair, features, surprise
from profiling_core.algorithms.rules.order_names import names_one_of
from profiling_core.algorithms.score.logistic import model
from profiling_core.algorithms.values.encoding import NULL, shared_codes
from profiling_core.model.constraint import DenialConstraint, Measured
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.role import Role
from profiling_core.model.types import TypeClass

# Fewer rows test nothing.
_LEAST_ROWS = 2
# Rows at the least step that show a strict order: if chance decided between this step and equality, all would lie at
# the step only once in 10^CONFIDENCE tables.
_AT_THE_STEP = math.ceil(CONFIDENCE / math.log10(2))


def find_orders(table: CodedTable, budget: Budget, equations: Sequence[Candidate] = ()) -> list[Candidate]:
    """The orders within a row that hold in all rows and that may be worth a line.

    Args:
        table: the table; a sample of it proposes and is scored.
        budget: when to end with what there is.
        equations: those of the table, which show what is computed.
    """
    said: dict[tuple[str, str], tuple[float, float, Pair]] = {}
    for pair, told in candidates(table, budget, equations):
        log_odds, alike = model("orders").log_odds(told), told[ALIKE]
        if log_odds >= LEAST and (pair.classes not in said or alike > said[pair.classes][0]):
            said[pair.classes] = alike, log_odds, pair
    return [candidate_of(table, pair, log_odds) for _, log_odds, pair in sorted(said.values(), key=lambda one: -one[1])]


def candidates(
    table: CodedTable, budget: Budget, equations: Sequence[Candidate] = (), across: str = ""
) -> Iterator[tuple[Pair, dict[str, float]]]:
    """All orders that hold in all rows, each with the features of its score.

    ``across``: what the names of one side begin with, if only orders between two sides are asked for.
    """
    sample = table.sampled(SAMPLED)
    numbers = {name: _numbers(sample.rows[name]) for name in budget.steps(_ordered(table), sample.size)}
    first = _classes(numbers, budget)
    numbers = {name: numbers[name] for name in first}
    pairs = (p._replace(classes=(first[p.low], first[p.high])) for p in _pairs(table, numbers, across, budget))
    apart = (pair for pair in pairs if pair.classes[0] != pair.classes[1] and not _are_one(pair.lows, pair.highs))
    held = [pair for pair in apart if _holds(table, pair, budget)]
    rules = (c.constraint for c in equations)
    computed = [(rule.column, *rule.value.columns) for rule in rules if isinstance(rule, Equation)]
    within = list(budget.steps(held, sample.size))
    yield from zip(within, features(table, within, computed), strict=True)


def _classes(numbers: Mapping[str, Numbers], budget: Budget) -> dict[str, str]:
    """By column the first one of its class, as far as the budget suffices.

    Each column of a class equals each other one, or is its day. Two moments of one day are in two classes.
    """
    members: dict[str, list[Numbers]] = {}
    first: dict[str, str] = {}
    for name, values in budget.steps(numbers.items(), lambda one: 4 * len(first) * len(one[1])):
        alike = (known for known, own in members.items() if all(_are_one(values, other) for other in own))
        first[name] = next(alike, name)
        members.setdefault(first[name], []).append(values)
    return first


def _are_one(a: Numbers, b: Numbers) -> bool:
    both = np.isfinite(a + b)
    one, other = a[both], b[both]
    day, of_other = one // DAY_MICROSECONDS * DAY_MICROSECONDS, other // DAY_MICROSECONDS * DAY_MICROSECONDS
    same = bool((day == of_other).all()) and any(
        (x == y).all() for x, y in ((one, other), (day, one), (of_other, other))
    )
    return same and len(one) >= _LEAST_ROWS


def _pairs(table: CodedTable, numbers: Mapping[str, Numbers], across: str, budget: Budget) -> Iterator[Pair]:
    """The pairs of columns that are in one order throughout the sample, the lesser first."""
    for a, b in budget.steps(combinations(numbers, 2), lambda pair: len(numbers[pair[0]])):
        if across and a.startswith(across) is b.startswith(across):
            continue
        if _are_comparable(table, a, b) and (pair := _directed(a, b, numbers)):
            yield pair


def _ordered(table: CodedTable) -> list[str]:
    roles = table.roles
    ordered = [c.name for c in table.schema.profiled if c.ordered]
    return [
        n for n in ordered if _role(table, n).is_ordered or (roles[n].role is Role.CODE and numbers_within(table, n))
    ]


def _role(table: CodedTable, name: str) -> Role:
    """A column's role. A column of dates with one value, or none, has the role of a date: the end of rows' validity."""
    role = table.roles[name].role
    few = role in (Role.CONSTANT, Role.FLAG) and table.schema.column(name).type.type_class is TypeClass.TEMPORAL
    return Role.DATE if few else role


def _numbers(values: pa.ChunkedArray) -> Numbers:
    """Values as floats, points in time and times of a day in microseconds; NaN is null."""
    if pa.types.is_string(values.type):  # times of a day; other texts are not measured
        return _microseconds(values)
    if pa.types.is_date(values.type):
        values = values.cast(pa.timestamp("us"))
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.int64())
    return np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(), np.float64)


def _microseconds(times: pa.ChunkedArray) -> Numbers:
    """Times of a day, written 08:15:00 or 08:15:00.5, in microseconds; NaN is null."""
    parts = [pc.utf8_slice_codeunits(times, *bounds).cast(pa.float64()).to_numpy() for bounds in ((0, 2), (3, 5), (6,))]
    return np.asarray(sum(part * unit for part, unit in zip(parts, (3.6e9, 6e7, 1e6), strict=True)), np.float64)


def _are_comparable(table: CodedTable, a: str, b: str) -> bool:
    """Whether two columns are of one class of types, and of one unit as far as known.

    A column that numbers things compares only with the number of these things.
    """
    one, other = _role(table, a), _role(table, b)
    if table.schema.column(a).type.type_class is not table.schema.column(b).type.type_class:
        return False
    if not one.is_ordered or not other.is_ordered:
        return any(_is_number_of(table, *pair) for pair in ((a, b), (b, a)))
    units = {table.roles[a].unit, table.roles[b].unit}
    return one.is_temporal is other.is_temporal and (len(units) == 1 or None in units)


def _is_number_of(table: CodedTable, number: str, count: str) -> bool:
    """Whether one column numbers things, and the other is their count."""
    ordered = table.roles[count].role.is_ordered and not table.roles[number].role.is_ordered
    return ordered and names_one_of(number, count, table.schema.names)


def _directed(a: str, b: str, numbers: Mapping[str, Numbers]) -> Pair | None:
    """The two columns, the lesser first; None if neither is always less, or both are always equal."""
    both = ~np.isnan(numbers[a] + numbers[b])
    one, other = numbers[a][both], numbers[b][both]
    below, above = bool((one <= other).all()), bool((one >= other).all())
    if len(one) < _LEAST_ROWS or below == above:
        return None
    return Pair(a, b, one, other) if below else Pair(b, a, other, one)


def _holds(table: CodedTable, pair: Pair, budget: Budget) -> bool:
    budget.spend(table.size)
    return not _any(pc.greater, table.rows[pair.low], table.rows[pair.high])


def candidate_of(table: CodedTable, pair: Pair, log_odds: float) -> Candidate:
    """An order of a table as a candidate."""
    low, high = table.rows[pair.low], table.rows[pair.high]
    rows = int(pc.sum(pc.and_(low.is_valid(), high.is_valid())).as_py() or 0)
    crossed, strength = surprise(pair)
    strict = _keeps_a_step(table, pair) and not _any(pc.equal, low, high)
    measured = Measured(_denied(table, pair, strict=strict), 0, table.size, rows)
    return Candidate(measured, Family.ORDER, strength * rows / len(pair.lows), log_odds, rows * crossed)


def _any(compare: Callable[..., pa.ChunkedArray], low: pa.ChunkedArray, high: pa.ChunkedArray) -> bool:
    """Whether the comparison holds in some row; values of two types compare by their codes, exactly."""
    if low.type == high.type:
        return bool(pc.any(compare(low, high)).as_py())
    lows, highs = shared_codes([low, high], ordered=True)
    there = (lows != NULL) & (highs != NULL)
    return bool(pc.any(compare(lows[there], highs[there])).as_py())


def _keeps_a_step(table: CodedTable, pair: Pair) -> bool:
    """Whether many rows lie at the least difference that the values' resolution allows, so that no two are equal."""
    if _role(table, pair.low).is_temporal:
        whole_days = bool((pair.lows % DAY_MICROSECONDS == 0).all() and (pair.highs % DAY_MICROSECONDS == 0).all())
        step = float(DAY_MICROSECONDS) if whole_days else 0.0
    else:
        scales = (table.roles[pair.low].scale, table.roles[pair.high].scale)
        step = 0.0 if None in scales else 10.0 ** -max(scale or 0 for scale in scales)
    gaps = pair.highs - pair.lows
    return step > 0 and int((np.abs(gaps - step) < step / 100).sum()) >= _AT_THE_STEP


def _denied(table: CodedTable, pair: Pair, *, strict: bool) -> DenialConstraint:
    """The denial constraint ``¬(low > high)``, or with ``strict`` ``¬(low ≥ high)``; the first column stands left."""
    positions = table.schema.names.index
    op = Operator.GE if strict else Operator.GT
    low, high = Operand("t", pair.low), Operand("t", pair.high)
    forward = positions(pair.low) < positions(pair.high)
    predicate = Predicate(low, op, high) if forward else Predicate(high, op.flipped, low)
    return DenialConstraint(table.name, (predicate,))
