"""Rules along a sequence: figures are the oracle's, and follow inserts, deletes and updates from the groups touched."""

import random
from datetime import date, timedelta

import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import sequences as oracle
from test_references_equal_oracle import TYPES, changed, some_computed, some_row

from profiling_core.algorithms.row_rules import count, recount
from profiling_core.model.constraint import Constraint, SequenceRule
from profiling_core.model.expression import Shifted
from profiling_core.model.kinds.relation import Beside, ComputedBeside


def some_rule(rng: random.Random) -> SequenceRule:
    group = rng.choice([(), ("k",), ("k", "l")])
    by = rng.choice(["n", "p", "m", "d", "x"])
    op = rng.choice(["=", "≤", "≥", "<", ">"])
    step = rng.choice(
        [
            Beside(*rng.choice([("n", op, "n"), ("d", op, "n"), ("p", op, "p"), ("x", op, "x"), ("s", "=", "s")])),
            Beside(*rng.choice([("p", op, "m", "↑m"), ("m", op, "p", "m")])),
            ComputedBeside("p", Shifted("↑p", rng.choice([-1, 1]), "days")),
            some_computed(rng),
            some_computed(rng),
        ]
    )
    return SequenceRule("c", group, by, step)


def table(rows: list[dict]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=TYPES)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(1000), deadline=None)
def test_figures_follow_deltas_from_the_rows_of_the_groups_that_they_touch(seed: int):
    rng = random.Random(seed)
    rule, rows = some_rule(rng), [some_row(rng) for _ in range(rng.randint(0, 8))]
    measured = count(rule, table(rows))
    assert (measured.population, measured.violations) == oracle.figures(rule, rows)
    for _ in range(rng.randint(1, 3)):
        going, coming, after = changed(rng, rows)
        touched = {tuple(row[c] for c in rule.group) for row in (*going, *coming)}
        near = [
            row
            for row in rows
            if tuple(row[c] for c in rule.group) in touched and not any(row is gone for gone in going)
        ]
        measured = recount(measured, [table(coming)], [table(going)], table(near))
        rows = after
        assert measured == count(rule, table(rows))
        assert (measured.population, measured.violations) == oracle.figures(rule, rows)


@pytest.mark.parametrize("seed", range(40))
def test_rules_survive_json_and_renaming(seed: int):
    rule = some_rule(random.Random(seed))
    assert Constraint.from_json(rule.to_json()) == rule
    there = {name: f"new_{name}" for name in TYPES.names}
    moved = rule.renamed({"c": there})
    assert {*moved.columns} == {there[c] for c in rule.columns}
    assert moved.renamed({"c": {new: old for old, new in there.items()}}) == rule
    assert all(name in moved.words and name in moved.text for name in moved.columns)


def test_a_row_in_between_makes_the_next_one_wrong():
    rule = SequenceRule("c", ("k",), "p", Beside("p", "=", "m"))
    assert rule.words == "For the same k, in the order of p, each p in c is the m of the row before."
    days = [date(2024, 1, day) for day in (1, 3, 5)]
    rule = SequenceRule("c", ("k",), "p", ComputedBeside("p", Shifted("↑p", 2, "days")))
    assert rule.text == "p = previous p + 2 days (by k, p)"
    rows = [{**dict.fromkeys(TYPES.names), "k": 1, "p": day} for day in days]
    measured = count(rule, table(rows))
    assert (measured.population, measured.violations) == (2, 0)
    more = [{**rows[0], "p": days[0] + timedelta(days=1)}]
    after = recount(measured, [table(more)], [], table(rows))
    assert (after.population, after.violations) == (3, 2)
