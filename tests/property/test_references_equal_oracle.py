"""Rules along references: figures are the oracle's, and follow both tables' inserts, deletes and updates."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import references as oracle

from profiling_core.algorithms.references.counting import count, recount
from profiling_core.algorithms.references.joining import Sides, widened
from profiling_core.model.consequent import Bounded, OneOf, Ordered, Present
from profiling_core.model.constraint import ColumnList, Constraint
from profiling_core.model.expression import (
    WHOLE,
    Completed,
    Cut,
    Elapsed,
    Inscribed,
    Joined,
    Linear,
    MonthsOn,
    Product,
    RelativeDifference,
)
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Beside, ComputedBeside, ConditionalBeside, Summary

TYPES = pa.schema(
    [
        ("k", pa.int64()),
        ("l", pa.string()),
        ("n", pa.int64()),
        ("d", pa.decimal128(30, 2)),
        ("x", pa.float64()),
        ("p", pa.date32()),
        ("m", pa.timestamp("us", tz="UTC")),
        ("s", pa.string()),
    ]
)


def value(rng: random.Random, name: str):
    if rng.random() < 0.1:
        return float("nan") if name == "x" and rng.random() < 0.5 else None
    if name == "p":
        return date(2024, 1, 1) + timedelta(days=rng.randint(0, 2))
    if name == "m":
        return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=12 * rng.randint(0, 4))
    if name == "d":
        return Decimal(10**25 + 1 if rng.random() < 0.05 else rng.randint(0, 3) * 25).scaleb(-2)
    if name == "n":
        return 2**62 + 1 if rng.random() < 0.05 else rng.randint(0, 3)
    choices = {"k": [1, 2, 3], "l": ["a", "b"], "x": [0.1, 0.2, 0.3, -1.5], "s": ["u", "v"]}
    return rng.choice(choices[name])


def some_row(rng: random.Random) -> dict:
    return {name: value(rng, name) for name in TYPES.names}


def sides(children: list[dict], parents: list[dict]) -> Sides:
    return Sides(*(pa.Table.from_pylist(rows, schema=TYPES) for rows in (children, parents)))


def some_computed(rng: random.Random) -> ComputedBeside:
    """A number that is computed of numbers of either side, or of the days between them."""
    column, own, other, third = (rng.choice("ndx") for _ in range(4))
    digits = {"n": 0, "d": 2, "x": rng.choice([1, 2, None])}[column]
    factor, other, third = rng.choice(["1", "-1", "0.5"]), f"↑{other}", rng.choice([third, f"↑{third}"])
    value = rng.choice(
        [
            Linear((("1", own), (factor, other)), rng.choice(["0", "1"])),
            Linear(((factor, other),), "1"),
            Product((own, other), factor, rng.choice(["", third])),
            RelativeDifference(own, other, third),
            Completed(*rng.choice([("p", "↑p"), ("↑p", "p")]), rng.choice(["years", "months"])),
            Elapsed(*rng.choice([("p", "↑p"), ("↑p", "p")]), plus=rng.choice([0, 1])),
        ]
    )
    if rng.random() < 0.2:
        parts = ((True, "↑s"), *([(True, "l")] if rng.random() < 0.3 else []))
        if rng.random() < 0.3:
            return ComputedBeside("p", MonthsOn("p", 0, days_by=rng.choice(["↑n", "↑d"])))
        return ComputedBeside(
            "s", rng.choice([Joined(parts), Inscribed("s", "↑s", WHOLE, "", 0), Cut("↑s", "first", 1)])
        )
    loosely = rng.randint(1, 3) if digits is not None and rng.random() < 0.3 else None
    return ComputedBeside(column, value, digits, None, loosely)


def some_conditional(rng: random.Random) -> ConditionalBeside:
    """A rule of the child's columns and of its parent's, with its condition on either side."""
    then = [
        Present(rng.choice("spdx"), rng.random() < 0.5),
        OneOf("s", ("u",)),
        Bounded(rng.choice("ndx"), rng.choice([None, "0", "0.25"]), rng.choice(["0.5", "1"]), rng.random() < 0.5),
    ]
    if rng.random() < 0.3:  # an order has columns of both sides by itself
        order = Ordered(*rng.choice([("p", "<", "↑p"), ("n", "≥", "↑n"), ("↑d", "≤", "d"), ("m", "=", "↑m")]))
        return ConditionalBeside("s", ("u",), order, rng.random() < 0.5)
    asked = rng.choice(then)
    if rng.random() < 0.5:
        return ConditionalBeside("↑s", ("v",), asked, rng.random() < 0.5)
    condition = rng.choice([("l", ("a",)), ("s", ("u", "w")), ("k", ())])
    return ConditionalBeside(*condition, asked.renamed({n: f"↑{n}" for n in TYPES.names}), rng.random() < 0.5)


def some_rule(rng: random.Random) -> ReferenceRule:
    key = rng.choice([("k",), ("k", "l")])
    pair = rng.choice([("n", "n"), ("d", "n"), ("n", "x"), ("p", "p"), ("x", "x"), ("d", "d")])
    op = rng.choice(["=", "≤", "≥", "<", ">"])
    number, other = rng.choice([("n", "n"), ("d", "d"), ("x", "x"), ("d", "n"), ("x", "d")])
    digits = {"n": 0, "d": 2, "x": rng.choice([1, 2, None])}[number]
    relation = rng.choice(
        [
            Beside(pair[0], op, pair[1]),
            Beside("s", "=", "s"),
            Beside(*rng.choice([("p", op, "m", "↑m"), ("m", op, "p", "m")])),
            Summary(number, "sum", other, digits),
            Summary("n", "count", rng.choice(["", "s"]), 0),
            Summary("n", "count", rng.choice(["", "d"]), 0, None, "s", ("u",)),
            Summary(number, "sum", other, digits, None, rng.choice(["s", "l"]), ("a", "v")),
            Summary("p", rng.choice(["first", "last"]), rng.choice("pm")),
            Summary("d", rng.choice(["first", "last"]), "d"),
            some_computed(rng),
            some_computed(rng),
            some_conditional(rng),
            some_conditional(rng),
        ]
    )
    return ReferenceRule(ColumnList("c", key), ColumnList("q", key), relation)


def some_rule_on_the_way(rng: random.Random) -> ReferenceRule:
    """A rule of children that have the columns of the row that a first reference leads to, and may refer by them."""
    rule, key = some_rule(rng), rng.choice([("k",), ("k", "l")])
    marked = {name: f"→{name}" for name in TYPES.names if rng.random() < 0.5}
    sides = ({}, marked) if isinstance(rule.relation, Summary) else (marked, {})
    child = tuple(f"→{name}" for name in rule.child.columns) if rng.random() < 0.5 else rule.child.columns
    via = (ColumnList("c", key), ColumnList("w", key))
    return replace(rule, child=ColumnList("c", child), relation=rule.relation.renamed(*sides), via=via)


def changed(rng: random.Random, rows: list[dict]) -> tuple[list[dict], list[dict], list[dict]]:
    """The rows that go, that come (an update among them), and that there are then."""
    going = rng.sample(rows, rng.randint(0, min(2, len(rows))))
    coming = [some_row(rng) for _ in range(rng.randint(0, 2))] + [row | {"n": value(rng, "n")} for row in going[:1]]
    return going, coming, [row for row in rows if not any(row is gone for gone in going)] + coming


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(2000), deadline=None)
def test_figures_follow_deltas_of_both_tables(seed: int):
    rng = random.Random(seed)
    rule = some_rule(rng)
    tables = [[some_row(rng) for _ in range(rng.randint(0, 5))] for _ in range(2)]
    measured = count(rule, sides(*tables))
    assert (measured.population, measured.violations) == oracle.figures(rule, *tables)
    for _ in range(rng.randint(1, 3)):
        steps = [changed(rng, rows) if rng.random() < 0.7 else ([], [], rows) for rows in tables]
        touched = {
            tuple(row[c] for c in key.columns)
            for (going, coming, _), key in zip(steps, (rule.child, rule.parent), strict=True)
            for row in going + coming
        }
        near = lambda rows, key=rule.child: [r for r in rows if tuple(r[c] for c in key.columns) in touched]  # noqa: E731, B023
        after = [rows for _, _, rows in steps]
        measured = recount(measured, sides(*map(near, tables)), sides(*map(near, after)))
        tables = after
        assert measured == count(rule, sides(*tables))
        assert (measured.population, measured.violations) == oracle.figures(rule, *tables)


@pytest.mark.parametrize("made", [some_rule, some_rule_on_the_way])
@pytest.mark.parametrize("seed", range(40))
def test_rules_survive_json_and_renaming(seed: int, made):
    rule = made(random.Random(seed))
    assert Constraint.from_json(rule.to_json()) == rule
    there = {name: f"new_{name}" for name in TYPES.names}
    moved = rule.renamed(dict.fromkeys("cqw", there))
    assert {c for side in moved.sides for c in side.columns} == {there[c] for side in rule.sides for c in side.columns}
    back = {new: old for old, new in there.items()}
    assert moved.renamed(dict.fromkeys("cqw", back)) == rule
    assert moved.fingerprint != rule.fingerprint
    assert moved.relation.column.removeprefix("→") in moved.words
    assert all(other.removeprefix("→") in moved.text for other in moved.relation.others)
    assert "→" not in moved.text + moved.words


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(1000), deadline=None)
def test_figures_of_rules_along_two_references(seed: int):
    rng = random.Random(seed)
    rule = some_rule_on_the_way(rng)
    children, parents, on_the_way = ([some_row(rng) for _ in range(rng.randint(0, 5))] for _ in range(3))
    first = sides(children, on_the_way)
    wide = widened(first, *(side.columns for side in rule.via))
    measured = count(rule, Sides(wide, sides(children, parents).parent))
    assert (measured.population, measured.violations) == oracle.figures(rule, children, parents, on_the_way)
