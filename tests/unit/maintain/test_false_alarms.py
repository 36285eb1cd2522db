"""Whether the break of a dependency, of an order between rows, or of one where a condition is met, is news."""

import random
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers.stored import stored_rows
from hypothesis import given
from hypothesis import strategies as st
from oracle import neighbours as oracle

from profiling_core.algorithms.rules.draws import may_be_drawn
from profiling_core.algorithms.rules.neighbours import Neighbours, margins, pair_orders, rows_contradicted, tried_by
from profiling_core.maintain.false_alarms import breaks_by_chance, one_in
from profiling_core.model.alert_budget import AlertBudget
from profiling_core.model.consequent import Ordered
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    DenialConstraint,
    Equation,
    FunctionalDependency,
    UniqueColumnCombination,
)
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.predicate import Operator, same_column
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.evidence import RowDelta

ONCE_IN = 4000.0
_FIRST = date(2025, 1, 1)
_TYPES = {
    "day": LogicalType.DATE,
    "until": LogicalType.DATE,
    "meter": LogicalType.STRING,
    "state": LogicalType.STRING,
    "stands": LogicalType.FLOAT,
    "number": LogicalType.INTEGER,
}
SCHEMA = TableSchema("rows", tuple(Column(name, kind, ordered=True) for name, kind in _TYPES.items()))
Row = dict[str, object]


def day(number: int) -> date:
    return _FIRST + timedelta(days=number)


def row(at: int, **values: object) -> Row:
    return {"day": day(at), "until": day(at), "meter": "A", "state": "on", "stands": 0.0, "number": at} | values


def is_silent(tmp_path: Path, constraint: Constraint, known: list[Row], come: list[Row]) -> bool:
    parts = ([(number, *row.values()) for number, row in enumerate(rows)] for rows in (known, come, []))
    staying, coming, going = (stored_rows(None, tmp_path, SCHEMA, rows) for rows in parts)
    return breaks_by_chance(RowDelta(staying, coming, going, len(come), 0), constraint, ONCE_IN)


def denied(*predicates: tuple[str, Operator]) -> DenialConstraint:
    return DenialConstraint("rows", tuple(same_column(name, op) for name, op in predicates))


DEPENDENCY = FunctionalDependency(ColumnList("rows", ("meter",)), ColumnList("rows", ("state",)))
STATES = ("on", "out", "away")


@pytest.mark.parametrize(("again", "silent"), [(61, True), (62, False)])  # 1 of 63 · 64 is less than one in 4,000
def test_a_dependency_that_few_rows_have_tested_breaks_without_news(tmp_path: Path, again: int, *, silent: bool):
    known = [row(n, meter=f"m{n % 40}", state=STATES[n % 40 % 3], number=1) for n in range(40 + again)]
    known += [row(n, meter=f"other {n}", number=1) for n in range(300)]  # they put it to no test
    assert is_silent(tmp_path, DEPENDENCY, known, [row(900, meter="m1", state="off", number=1)]) is silent


def test_what_is_one_value_for_all_that_came_again_is_tested_by_things_and_not_by_rows(tmp_path: Path):
    for meters, silent in ((4, True), (63, False)):
        known = [row(n, meter=f"m{n % meters}") for n in range(900)]
        assert is_silent(tmp_path, DEPENDENCY, known, [row(901, meter="m1", state="off")]) is silent


DOUBLED = Equation("rows", "stands", Linear((("2", "number"),), "0"))


def test_an_equation_of_few_different_values_breaks_without_news(tmp_path: Path):
    for different, silent in ((5, True), (6, True), (7, False), (9, False)):  # of seven 7⁵ is more than 4,000
        known = [row(n, number=n % different, stands=2.0 * (n % different)) for n in range(900)]
        known += [row(n, number=n, stands=-1.0) for n in range(100)]  # what does not obey it speaks for nothing
        assert is_silent(tmp_path, DOUBLED, known, [row(901, number=3, stands=9.0)]) is silent


def test_the_budget_is_shared_by_what_rows_can_tell_about_and_by_tables():
    present, within = ColumnRule("rows", "state", Rule.NOT_NULL), ColumnRule("rows", "number", Rule.RANGE, "60", "99")
    once = one_in([present], AlertBudget(1.0))
    assert one_in([DEPENDENCY, DOUBLED, within, present], AlertBudget(1.0)) == 3 * once
    assert one_in([DEPENDENCY, DOUBLED, within, present], AlertBudget(1.0, tables=4)) == 12 * once
    assert one_in([present], AlertBudget(2.0)) == once / 2
    assert once > 30  # fewer than one in a month of daily deltas


READINGS = denied(("meter", Operator.EQ), ("day", Operator.LT), ("stands", Operator.GT))
RISES = denied(("day", Operator.LT), ("stands", Operator.GE))
POLLS = denied(("meter", Operator.EQ), ("day", Operator.LE), ("until", Operator.GT))
NUMBERS = denied(("day", Operator.LT), ("number", Operator.GE))


def test_what_stands_still_now_and_then_is_kept_in_order(tmp_path: Path):
    rng, known = random.Random(1), []
    for meter in "ABCD":
        stands = 0.0
        for at in range(60):
            stands += rng.choice((0.0, 0.0, rng.expovariate(2)))
            known.append(row(at, meter=meter, stands=stands))
    assert not is_silent(tmp_path, READINGS, known, [row(61, meter="A", stands=0.0)])


def test_what_happened_to_grow_may_fall_a_little_and_not_far(tmp_path: Path):
    rng, last, known = random.Random(4), 100.0, []
    for at in range(45):
        last += rng.gammavariate(3, 0.5)
        known.append(row(at, stands=last))
    assert is_silent(tmp_path, RISES, known, [row(45, stands=last - 0.3)])
    assert not is_silent(tmp_path, RISES, known, [row(45, stands=last / 100)])


def test_rows_that_have_a_measured_number_in_common_are_in_no_order(tmp_path: Path):
    order = denied(("stands", Operator.EQ), ("day", Operator.LT), ("number", Operator.GE))
    known = [row(at, stands=0.0945, number=700 + at) for at in range(40)]
    assert is_silent(tmp_path, order, known, [row(41, stands=0.0945, number=7)])


def test_dates_that_never_were_the_same_are_kept_by_nothing(tmp_path: Path):
    known = [row(at, meter=meter, until=day(at + 4)) for meter in "ABC" for at in range(0, 90, 1 + ord(meter) % 3)]
    assert is_silent(tmp_path, POLLS, known, [row(80, meter="A", until=day(97)), row(81, meter="A", until=day(85))])


def test_numbers_that_are_given_out_one_by_one_are_kept_in_order(tmp_path: Path):
    known = [row(at, number=700 + at) for at in range(40)]
    assert not is_silent(tmp_path, NUMBERS, known, [row(41, number=739)])


def test_an_order_where_a_condition_is_met_is_asked_of_the_rows_that_meet_it(tmp_path: Path):
    rng = random.Random(2)
    rule = Conditional("rows", "meter", ("A",), Ordered("number", "≤", "stands"))
    apart = [row(0, number=n, stands=n * rng.uniform(1.3, 3)) for n in (rng.randrange(10, 900) for _ in range(60))]
    beside = [row(0, meter="B", number=n, stands=float(n)) for n in range(1, 200)]
    assert is_silent(tmp_path, rule, [*apart, *beside], [row(1, number=101, stands=100.0)])
    kept = [row(0, number=n, stands=float(n)) for n in range(1, 200)]
    assert not is_silent(tmp_path, rule, kept, [row(1, number=101, stands=100.0)])


def test_other_constraints_between_rows_are_no_orders(tmp_path: Path):
    assert pair_orders(DEPENDENCY) == []
    assert pair_orders(denied(("day", Operator.LT), ("meter", Operator.NE), ("number", Operator.GT))) == []
    assert [order.falls for order in pair_orders(denied(("day", Operator.LT), ("number", Operator.LT)))] == [True, True]
    unique = denied(("number", Operator.EQ))
    assert not is_silent(tmp_path, unique, [row(n) for n in range(9)], [row(10, number=3)])


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(-4, 4)), max_size=40)


@given(ROWS)
def test_margins_between_neighbours_are_those_of_the_semantics(rows: list[tuple[int, int, int]]):
    group, first, second = np.array(rows, np.int64).reshape(-1, 3).T
    found = margins(Neighbours(group, first.astype(np.float64), second.astype(np.float64)))
    assert sorted(found.tolist()) == oracle.margins(rows)


def test_what_five_rows_have_said_of_one_thing_is_so(tmp_path: Path):
    known = [row(n, meter=f"m{n % 3}", state=STATES[n % 3]) for n in range(15)]
    assert not is_silent(tmp_path, DEPENDENCY, known, [row(90, meter="m1", state="off")])
    assert is_silent(tmp_path, DEPENDENCY, known[:12], [row(90, meter="m1", state="off")])


PAIRS = st.lists(st.tuples(st.none() | st.integers(0, 5), st.none() | st.integers(0, 3)), max_size=40)
Pairs = list[tuple[int | None, int | None]]


def two_columns(rows: Pairs) -> pa.Table:
    left, right = ([pair[place] for pair in rows] for place in (0, 1))
    return pa.table({"left": pa.array(left, pa.int64()), "right": pa.array(right, pa.int64())})


@given(PAIRS, PAIRS)
def test_rows_that_came_again_are_counted_as_the_semantics_say(known: Pairs, come: Pairs):
    before, after = two_columns(known), two_columns(come)
    trials = tried_by(before, after, ("left",), "right")
    assert (trials.chance, trials.maps) == oracle.chance_of_a_break(known, come)
    assert rows_contradicted(before, after, ("left",), "right") == oracle.rows_contradicted(known, come)


@pytest.mark.parametrize(("number", "silent"), [(59, True), (101, True), (5900, False), (-900, False)])
def test_a_number_that_is_hardly_beyond_those_of_all_things_breaks_its_range_without_news(
    tmp_path: Path, number: int, *, silent: bool
):
    known = [row(60 + meter, meter=f"m{meter}") for meter in range(40) for _ in range(28)]
    rule = ColumnRule("rows", "number", Rule.RANGE, "60", "99")
    assert is_silent(tmp_path, rule, known, [*known[:40], row(0, meter="m1", number=number)]) is silent


UNIQUE = UniqueColumnCombination(ColumnList("rows", ("number",)))


@pytest.mark.parametrize(
    ("drawn_from", "silent"),
    [
        (1_000_000, True),  # 600 of a million: a fifth of a pair would be the same by now
        (10_000, False),  # eighteen pairs would be the same, and none is
        (10**15, False),  # no two ever are
    ],
)
def test_numbers_that_happen_to_differ_are_the_same_one_day_without_news(
    tmp_path: Path, drawn_from: int, *, silent: bool
):
    numbers = random.Random(3).sample(range(drawn_from), 630)
    numbers[:2] = 0, drawn_from - 1
    known = [row(n, number=number, meter=f"m{n}", stands=float(n)) for n, number in enumerate(numbers[:600])]
    come = [row(90, number=number, meter=f"n{number}") for number in [*numbers[600:], numbers[7]]]
    assert is_silent(tmp_path, UNIQUE, known, come) is silent


def test_a_row_that_came_twice_and_what_is_given_out_in_turn_are_news_however_wide_the_numbers_are(tmp_path: Path):
    numbers = random.Random(3).sample(range(1_000_000), 600)
    known = [row(n, number=number, meter=f"m{n}") for n, number in enumerate(numbers)]
    assert not is_silent(tmp_path, UNIQUE, known, [known[7]])
    rising = [row(n, number=number, meter=f"m{n}") for n, number in enumerate(sorted(numbers))]
    assert not is_silent(tmp_path, UNIQUE, rising, [row(90, number=numbers[7])])


def test_codes_of_one_length_are_drawn_from_the_letters_that_stand_in_each_place():
    codes = pa.chunked_array([[f"A{number:05}" for number in random.Random(1).sample(range(10**5), 300)]])
    again = pa.chunked_array([["A00001"]])
    assert may_be_drawn(codes, again, 4000.0)
    assert not may_be_drawn(codes, again, 100.0)  # one in 333 is seldom enough
    assert not may_be_drawn(pa.chunked_array([["Ahrens", "Brandt", "Cordes-Duve"]]), again, 4000.0)
