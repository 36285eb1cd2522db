"""Rules from a row to the next of its sequence: what is found, what is left to chance, and what follows from what."""

import datetime as dt
import random

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import sequences as oracle
from oracle.predicates import violations

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.known_sequences import KnownSequences
from profiling_core.algorithms.rules.previous_rows import find_previous
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    Measured,
    SequenceRule,
    UniqueColumnCombination,
)
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.relation import Beside, ComputedBeside
from profiling_core.model.predicate import Operator, same_column
from profiling_core.model.types import NullSemantics

START = dt.date(2024, 1, 1)


def found(rows: list[dict[str, object]], *key: str) -> set[str]:
    """The texts of the rules that are found, in rows in any order."""
    table = pa.Table.from_pylist(random.Random(1).sample(rows, len(rows)))
    schema = schema_of("t", table.schema, "here")
    coded = CodedTable.of(table, schema, infer_roles(table, schema))
    named = UniqueColumnCombination(ColumnList("t", key))
    keys = [Candidate(Measured(named, 0, len(rows), len(rows)), Family.KEY, 0.0)]
    return {one.constraint.text for one in find_previous(coded, keys, ENDLESS)}


def stays(gap: int) -> list[dict[str, object]]:
    """Stays in ten rooms, each as long after the one before as ``gap`` allows."""
    rng, rows = random.Random(2), []
    for room in range(10):
        begins = START
        for _ in range(20):
            ends = begins + dt.timedelta(days=rng.randint(1, 6))
            rows.append({"room": f"R{room}", "begins": begins, "ends": ends, "guests": rng.randint(1, 4)})
            begins = ends + dt.timedelta(days=rng.randint(0, gap))
    return rows


def test_periods_that_follow_each_other():
    assert "begins = previous ends (by room, begins)" in found(stays(0), "room", "begins")
    assert "begins ≥ previous ends (by room, begins)" in found(stays(2), "room", "begins")


def test_periods_that_lie_far_apart_are_apart_by_chance():
    assert not {text for text in found(stays(3000), "room", "begins") if "previous ends" in text}


def test_a_day_after_the_last_one():
    rows = stays(0)
    for row in rows:
        row["ends"] -= dt.timedelta(days=1)
    assert "begins = previous ends + 1 day (by room, begins)" in found(rows, "room", "begins")


def test_a_running_balance_and_lines_without_gaps():
    rng, rows = random.Random(3), []
    for account in range(12):
        balance = 0
        for line in range(1, rng.randint(4, 20)):
            amount = rng.randint(-500, 900)
            balance += amount
            rows.append({"account": f"A{account}", "line": line, "amount": amount, "balance": balance})
    told = found(rows, "account", "line")
    assert told == {
        "line = previous line + 1 (by account, line)",
        "balance = previous balance + amount (by account, line)",
    }


def test_a_table_that_is_sampled_is_read_by_whole_groups_or_as_one_sequence():
    rng, rows, balance = random.Random(5), [], 0
    for i in range(24_000):
        amount = rng.randint(-500, 900)
        balance += amount
        rows.append({"till": f"T{i % 400}", "at": i // 400, "day": START + dt.timedelta(days=i), "net": amount})
        rows[-1] |= {"sum": balance}
    told = found(rows, "till", "at")
    assert {"sum = previous sum + net (by day)", "at = previous at + 1 (by till, at)"} <= told


def test_small_numbers_below_large_ones_say_nothing_of_the_row_before():
    rng = random.Random(4)
    rows = [
        {
            "shop": f"S{i % 9}",
            "day": START + dt.timedelta(days=i),
            "boxes": rng.randint(1, 9),
            "net": rng.randint(50, 90),
        }
        for i in range(300)
    ]
    assert not {text for text in found(rows, "shop", "day") if "boxes" in text or "net" in text}


CELLS = st.one_of(st.none(), st.integers(0, 3))
STEPS = [
    *(Beside(a, op.value, b) for op in (Operator.GE, Operator.GT, Operator.EQ) for a, b in (("a", "b"), ("b", "a"))),
    ComputedBeside("a", Linear((("1", "↑b"),), "1"), 0),
    ComputedBeside("a", Linear((("1", "↑a"),), "1/2")),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), CELLS, CELLS, CELLS), max_size=6))
def test_what_follows_from_rules_that_hold_holds(cells):
    # Implication ignores nulls, as that of denial constraints does: it decides on display.
    rows = [dict(zip(("g", "o", "a", "b"), row, strict=True)) for row in cells if None not in row]
    rules = [SequenceRule("t", ("g",), "o", step) for step in STEPS]
    holding = [rule for rule in rules if not oracle.figures(rule, rows)[1]]
    known = KnownSequences()
    for rule in holding:
        known.add(rule)

    def at_most(low: str, high: str) -> bool:
        return all(row[low] <= row[high] for row in rows)

    assert all(rule in holding for rule in rules if known.imply(rule, at_most))
    for value in ("a", "b"):
        predicates = (same_column("g", Operator.EQ), same_column("o", Operator.LT), same_column(value, Operator.GT))
        rises = DenialConstraint("t", predicates)
        if known.imply(rises, at_most):
            assert not violations(rises, rows, NullSemantics.SQL)[0]
