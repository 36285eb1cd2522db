"""Rule books over years, under columns that come and go, and stored; and how rules are said."""

import pyarrow as pa
import pytest
from helpers.rules_of_columns import arrived, day, said, schema, taught

from profiling_core.algorithms.columns.history import MOST_DELTAS
from profiling_core.algorithms.columns.judging import regular_expression
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.model.constraint import Constraint, renamed
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.types import LogicalType


def test_codes_of_many_forms_have_no_pattern():
    columns = schema(code=LogicalType.STRING, plate=LogicalType.STRING)
    codes = ["1000ce", "60257", "7a1"] * 8
    book = taught(columns, lambda number: {"code": codes, "plate": [f"N{number}", f"N{number}AB", "N77"] * 8})
    assert "plate ~ A9 | A9A" in said(book)
    assert not [text for text in said(book) if text.startswith("code ~")]


def test_a_history_of_years_stays_small_and_forgets_no_extreme():
    columns = schema(x=LogicalType.INTEGER)
    book = taught(columns, lambda number: {"x": [5, 1000 if number == 3 else 9]}, days=MOST_DELTAS + 30)
    history = book.history
    assert (history.count, len(history.ids), len(history.columns["x"].deltas)) == (430, MOST_DELTAS, MOST_DELTAS)
    assert max(figures.high for figures in history.columns["x"].deltas) == 1000


def test_columns_that_come_go_and_are_renamed():
    columns = schema(a=LogicalType.INTEGER, b=LogicalType.STRING)
    book = taught(columns, lambda _: {"a": list(range(10)), "b": ["x", "y"] * 5})
    other = schema(c=LogicalType.STRING, d=LogicalType.INTEGER)
    after, _ = advance(book.under(other, {"b": "c"}), arrived(day(40), pa.table({"c": ["x"], "d": [1]})), other, ())
    assert "c ∈ {x, y}" in said(after)
    assert not [text for text in said(after) if text.startswith("a ")]
    assert "d not null" not in said(after)
    assert after.valued == {"c": 401, "d": 1}


@pytest.mark.parametrize("kind", list(Rule))
def test_rules_are_said_in_words_and_survive_storage_and_renames(kind: Rule):
    bounds = {"low": "1", "high": "9"} if kind in (Rule.RANGE, Rule.LENGTH) else {}
    values = ("A", "B") if kind in (Rule.VALUES, Rule.PATTERN) else ()
    others = {Rule.NULL_WITH: ("city", "street"), Rule.AT_MOST: ("city",)}.get(kind, ())
    of_table = kind is Rule.REPEATED
    made = ColumnRule("sales", "" if of_table else "state", kind, **bounds, values=values, others=others)
    again = Constraint.from_json(made.to_json())
    assert (again, again.fingerprint) == (made, made.fingerprint)
    assert made.words.endswith(".")
    moved = renamed(made, {"sales": {"state": "province"}})
    assert moved.columns == (() if of_table else ("province", *others))
    assert (moved.fingerprint == made.fingerprint) == of_table


def test_shapes_as_a_regular_expression():
    assert regular_expression(["A9", "a.9"]) == r"^(?:[A-Z]+[0-9]+|[a-z]+\.[0-9]+)$"
