"""Conditional rules: each row is judged as the oracle judges it, and figures follow inserts, deletes and updates."""

import random
from datetime import date, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import conditionals as oracle

from profiling_core.algorithms.conditions.counting import count, recount
from profiling_core.model.consequent import Bounded, OneOf, Ordered, Present
from profiling_core.model.constraint import Constraint
from profiling_core.model.kinds.conditional import Conditional

TYPES = pa.schema(
    [
        ("kind", pa.string()),
        ("flag", pa.bool_()),
        ("level", pa.int64()),
        ("d", pa.decimal128(20, 2)),
        ("e", pa.decimal128(30, 4)),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("p", pa.date32()),
        ("q", pa.date32()),
        ("s", pa.string()),
        ("t", pa.string()),
    ]
)


def value(rng: random.Random, name: str):
    if rng.random() < 0.12:
        return float("nan") if name == "x" and rng.random() < 0.5 else None
    if name in ("p", "q"):
        return date(2024, 1, 1) + timedelta(days=rng.randint(0, 3))
    if name in ("d", "e"):
        return Decimal(rng.choice([10**17, -(10**17)]) if rng.random() < 0.1 else rng.randint(-2, 3) * 50).scaleb(-2)
    choices = {"kind": ["a", "b", "c"], "flag": [True, False], "level": [0, 1, 2, 2**63 - 1]}
    return rng.choice(choices.get(name, [-1.5, 0.0, 0.5, 2.0] if name in ("x", "y") else ["u", "v", ""]))


def some_row(rng: random.Random) -> dict:
    return {name: value(rng, name) for name in TYPES.names}


def table(rows: list[dict]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=TYPES)


def some_rule(rng: random.Random) -> Conditional:
    column = rng.choice(["kind", "flag", "level", "d", "x"])
    labels = {"kind": ["a", "b", "c"], "flag": ["true", "false"], "level": ["0", "1", "2", "9223372036854775807"]}
    labels |= {"d": ["0", "0.5", "1"], "x": ["0", "0.5", "-1.5"]}
    values = tuple(sorted(rng.sample(labels[column], rng.randint(1, 2))))
    if rng.random() < 0.2:
        column, values = rng.choice(["kind", "level", "x", "p"]), ()
    number = rng.choice(["level", "d", "e", "x"])
    bounds = [rng.choice([None, "-1.5", "0", "0.5"]), rng.choice(["0.5", "1", "1.005"])]
    pair = rng.choice([("d", "e"), ("x", "y"), ("p", "q"), ("d", "level"), ("s", "t")])
    op = rng.choice(["=", "≤", "≥", "<", ">", "≠"]) if pair != ("s", "t") else "="
    then = rng.choice(
        [
            Present(rng.choice(["s", "x", "p"]), there=rng.random() < 0.5),
            Bounded(number, *bounds, strict=rng.random() < 0.5),
            OneOf("s", ("u",)),
            OneOf("t", ("", "v")),
            Ordered(pair[0], op, pair[1]),
        ]
    )
    return Conditional("t", column, values, then, both_ways=rng.random() < 0.4)


def figures(measured) -> tuple[int, int, int]:
    return measured.population, measured.violations, measured.support


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(2000), deadline=None)
def test_figures_follow_deltas_as_brute_force_counts(seed: int):
    rng = random.Random(seed)
    rule = some_rule(rng)
    rows = [some_row(rng) for _ in range(rng.randint(0, 9))]
    measured = count(rule, table(rows))
    assert figures(measured) == oracle.figures(rule, rows)
    for _ in range(rng.randint(1, 3)):
        going = rng.sample(rows, rng.randint(0, len(rows)))
        coming = [some_row(rng) for _ in range(rng.randint(0, 3))]
        coming += [row | {"t": value(rng, "t"), "kind": value(rng, "kind")} for row in going[:1]]
        staying = [row for row in rows if not any(row is gone for gone in going)]
        rows = staying + coming
        measured = recount(measured, [table(coming)], [table(going)])
        assert measured == count(rule, table(rows))
        assert figures(measured) == oracle.figures(rule, rows)


@pytest.mark.parametrize("seed", range(60))
def test_rules_survive_json_and_renaming(seed: int):
    rule = some_rule(random.Random(seed))
    assert Constraint.from_json(rule.to_json()) == rule
    there = {name: f"new_{name}" for name in TYPES.names}
    moved = rule.renamed({"t": there})
    assert set(moved.columns) == {there[name] for name in rule.columns}
    assert moved.renamed({"t": {new: old for old, new in there.items()}}) == rule
    assert all(name in moved.text and name in moved.words for name in moved.columns)
