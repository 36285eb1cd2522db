"""Orders between the rows of a group: exactly those that hold, said in words, and broken by a row out of order."""

import datetime as dt
import random

import pyarrow as pa
from helpers.found import previous_in
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.predicates import violations

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.discovery import Rows, find_rules
from profiling_core.algorithms.rules.lines import words_of
from profiling_core.algorithms.rules.sequences import find_sequences
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.predicate import Operator, same_column
from profiling_core.model.role import Role
from profiling_core.model.types import NullSemantics

ROLES = {"g": Role.REFERENCE, "o": Role.QUANTITY, "v": Role.QUANTITY, "w": Role.QUANTITY}
CELLS = st.one_of(st.none(), st.integers(0, 4))


def sequence(group: str, by: str, value: str, denied: Operator) -> DenialConstraint:
    predicates = (same_column(group, Operator.EQ), same_column(by, Operator.LT), same_column(value, denied))
    return DenialConstraint("t", predicates)


def found_in(rows: list[dict[str, int | None]], key: tuple[str, ...] = ("g", "o")) -> list[Candidate]:
    table = pa.Table.from_pylist(rows, pa.schema([(name, pa.int64()) for name in ROLES]))
    schema = schema_of("t", table.schema, "here")
    coded = CodedTable.of(table, schema, infer_roles(table, schema, ROLES))
    unique = UniqueColumnCombination(ColumnList("t", key))
    return find_sequences(coded, [Candidate(Measured(unique, 0, len(rows), len(rows)), Family.KEY, 0.0)], ENDLESS)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 5)), st.tuples(CELLS, CELLS), min_size=2))
def test_orders_are_found_that_hold_and_are_tested_by_some_pair(cells):
    rows = [{"g": g, "o": o, "v": v, "w": w} for (g, o), (v, w) in cells.items()]
    told = {one.constraint.fingerprint for one in found_in(rows)}
    for value in ("v", "w"):
        rises = sequence("g", "o", value, Operator.GT)
        falls = sequence("g", "o", value, Operator.LT)
        broken = {rule.fingerprint: violations(rule, rows, NullSemantics.SQL)[0] for rule in (rises, falls)}
        one_way = {name for name, count in broken.items() if not count}
        # A value that never changes in any group neither rises nor falls.
        assert told & {*broken} == (one_way if len(one_way) == 1 else set())


def test_what_orders_the_same_rows_the_same_way_is_told_once():
    rows = [{"g": g, "o": o, "v": 10 * o + (5, 1, 3)[g], "w": -o} for g in range(3) for o in range(4)]
    texts = [one.constraint.text for one in found_in(rows)]
    assert texts == ["{g}: o ↑ v ↑", "{g}: o ↑ w ↓"]


def test_the_surprise_is_the_chance_that_values_exchanged_within_groups_are_in_order():
    (rises,) = found_in([{"g": g, "o": o, "v": min(o, 2), "w": 1} for g in range(2) for o in range(4)])
    # Of the 4! orders of 0, 1, 2, 2 two look alike; one of twelve is in order, in each of two groups.
    assert abs(10**rises.strength - 12**2) < 1e-6


def test_columns_without_values_and_groups_of_one_row_have_no_order():
    rows = [{"g": g, "o": 0, "v": None, "w": (3, 1, 2, 0)[g]} for g in range(4)]
    assert found_in(rows) == []
    table = pa.table({"g": [1, 1, 2, 2], "o": [1, 2, 1, 2], "none": pa.array([None] * 4, pa.int64())})
    (told,) = find_rules([Rows(schema_of("t", table.schema, "here"), table)], ENDLESS)
    assert not [rule for rule in told.rules.shown if "none" in rule.constraint.columns]


def test_orders_by_the_same_column_share_a_sentence():
    found = [Candidate(Measured(sequence("g", "o", *told), 0, 6, 3), Family.SEQUENCE, 1.0) for told in
             (("v", Operator.GT), ("w", Operator.LT), ("x", Operator.GT))]  # fmt: skip
    told = "Of rows of t with the same g, v and x never fall and w never rises as o rises."
    assert words_of(tuple(found), {}) == told


def test_a_row_that_is_out_of_order_is_the_fault():
    rule = sequence("g", "o", "v", Operator.GT)
    assert rule.fault("1 new row", one=True) == (
        "1 new row is out of order: of two with the same g, the one with a smaller o has a greater v"
    )


def test_a_table_that_is_sampled_is_read_by_whole_groups_or_as_one_sequence():
    rng, rows, balance = random.Random(5), [], 0
    for i in range(24_000):
        amount = rng.randint(-500, 900)
        balance += amount
        rows.append(
            {"till": f"T{i % 400}", "at": i // 400, "day": dt.date(2024, 1, 1) + dt.timedelta(days=i), "net": amount}
        )
        rows[-1] |= {"sum": balance}
    told = previous_in(pa.Table.from_pylist(rng.sample(rows, len(rows))), "till", "at")
    assert {"sum = previous sum + net (by day)", "at = previous at + 1 (by till, at)"} <= told


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=8))
def test_a_key_of_one_column_orders_all_rows(cells):
    rows = [{"g": 0, "o": o, "v": v, "w": w} for o, (v, w) in enumerate(cells)]
    told = {one.constraint.fingerprint for one in found_in(rows, ("o",))}
    for value in ("v", "w"):
        along = [
            DenialConstraint("t", (same_column("o", Operator.LT), same_column(value, op)))
            for op in (Operator.GT, Operator.LT)
        ]
        holding = {r.fingerprint for r in along if not violations(r, rows, NullSemantics.SQL)[0]}
        assert told & {r.fingerprint for r in along} == (holding if len(holding) == 1 else set())
