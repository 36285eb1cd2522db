"""Rules of single columns under inserts and deletes: their counts equal those over the rows that are left."""

import math
import random
import re

import pyarrow as pa
import pytest
from helpers.constraints import table_schema
from helpers.examples import examples

from profiling_core.algorithms.columns.arrivals import Arrived
from profiling_core.algorithms.columns.figures import figures
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.judging import regular_expression
from profiling_core.algorithms.columns.kept_rules import ColumnBook
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.model.kinds.column import ColumnRule, Rule

SCHEMA = table_schema("t", "n integer, x float, s string, y float, z string, v float")
TYPES = pa.schema(
    [
        ("n", pa.int64()),
        ("x", pa.float64()),
        ("s", pa.string()),
        ("y", pa.float64()),
        ("z", pa.string()),
        ("v", pa.float64()),
    ]
)


def is_missing(value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def violates(rule: ColumnRule, row: tuple) -> bool:
    """Straight from docs/semantics.md, "Rules of single columns"."""
    value, *others = (row[TYPES.get_field_index(name)] for name in rule.columns)
    missing = is_missing(value)
    if rule.rule is Rule.AT_MOST:
        return not missing and not is_missing(others[0]) and value > others[0]
    if rule.rule is Rule.NULL_WITH:
        return missing and not all(is_missing(other) for other in others)
    if rule.rule is Rule.NOT_NULL or missing:
        return missing and rule.rule is Rule.NOT_NULL
    if rule.rule is Rule.VALUES:
        return str(value) not in rule.values
    if rule.rule is Rule.PATTERN:
        return not re.fullmatch(regular_expression(rule.values), value)
    number = len(value) if rule.rule is Rule.LENGTH else value
    below = rule.low is not None and number < float(rule.low)
    return below or (rule.high is not None and number > float(rule.high))


def some_row(rng: random.Random, number: int) -> tuple:
    wild = number > 24 and rng.random() < 0.05
    n = rng.choice([None, 99, -5]) if wild else rng.choice([1, 2, 3])
    x = rng.choice([float("nan"), 1e9, -1e9]) if wild else rng.choice([0.0, 2.5, 7.0, 10.0])
    s = rng.choice(["AB", "", "abc", "A-1"]) if wild else rng.choice(["A1", "B22", "C3"])
    y = rng.choice([float("nan"), None, 1.5, 2.5])
    z = None if is_missing(y) != (number > 24 and rng.random() < 0.05) else "Z"
    v = 0.5 if wild or is_missing(y) else y + rng.choice([0.0, 0.75])
    return n, x, s, y, z, v


def table(rows: list[tuple]) -> pa.Table:
    return pa.table([list(c) for c in zip(*rows, strict=True)] if rows else [[] for _ in TYPES], schema=TYPES)


@pytest.mark.parametrize("seed", range(examples(10)))
def test_counts_are_those_of_the_rows_that_are_left(seed: int):
    rng = random.Random(seed)
    book, left, met = ColumnBook(TableHistory.empty(SCHEMA)), [], set()
    for number in range(40):
        come = [some_row(rng, number) for _ in range(rng.randint(15, 30))]
        gone = [left.pop(rng.randrange(len(left))) for _ in range(rng.randint(0, min(8, len(left))))]
        left += come
        cut = rng.randint(0, len(come))
        parts = [(f"{number}", table(come[:cut])), (f"{number}", table(come[cut:]))]
        followed = {kept.rule.fingerprint for kept in book.kept}
        book, broken = advance(
            book, Arrived([f"{number}"], [lambda parts=parts: parts], [table(gone)]), SCHEMA, followed
        )
        for kept in book.kept:
            if not kept.rule.rule.of_deltas:
                place = TYPES.get_field_index(kept.rule.column)
                measured = book.measured(kept)
                assert measured.violations == sum(violates(kept.rule, row) for row in left), kept.rule.text
                there = sum(not is_missing(row[place]) for row in left)
                population = {Rule.NOT_NULL: len(left), Rule.NULL_WITH: len(left) - there}.get(kept.rule.rule, there)
                assert measured.population == population
                met |= {kept.rule.rule} if measured.violations else set()
                assert (kept.rule.fingerprint in broken) <= any(violates(kept.rule, row) for row in come)
        assert ColumnBook.from_json(book.to_json()) == book
    again, _ = advance(
        book, Arrived([], [lambda: [("", table(left))]]), SCHEMA, {k.rule.fingerprint for k in book.kept}, anew=True
    )
    of_rows = [kept for kept in book.kept if not kept.rule.rule.of_deltas]
    assert [kept for kept in again.kept if not kept.rule.rule.of_deltas] == of_rows
    assert {Rule.NOT_NULL, Rule.NULL_WITH, Rule.AT_MOST} <= met


@pytest.mark.parametrize("seed", range(10))
def test_figures_of_batches_merge_into_those_of_all(seed: int):
    rng = random.Random(seed)
    rows = [some_row(rng, 20) for _ in range(50)]
    cut = rng.randint(0, 50)
    whole, first, second = (figures(table(part), SCHEMA) for part in (rows, rows[:cut], rows[cut:]))
    assert {name: first[name].merged(second[name]) for name in first} == whole
