"""What rows say of the same thing is compared with what it said last: prices of products, names of customers."""

import random
from dataclasses import replace
from datetime import date, timedelta

import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

_TEXTS = ("customer", "name", "vat_no", "agent", "sku", "category")
SCHEMA = TableSchema(
    "lines",
    (
        Column("id", LogicalType.INTEGER, ordered=True),
        *(Column(name, LogicalType.STRING, ordered=True) for name in _TEXTS),
        Column("price", LogicalType.FLOAT, ordered=True),
        Column("quantity", LogicalType.INTEGER, ordered=True),
    ),
    key=("id",),
)
DAYS = 40
CUSTOMERS = [(f"C{i:03d}", f"Firm {i}", f"IE{70_000 + 37 * i}", f"agent {i % 5}") for i in range(150)]
PRICES = {f"S{i:03d}": round(3 + 1.7 * i, 2) for i in range(90)}


def sold(day: int) -> list[dict[str, object]]:
    """Two hundred lines; now and then a customer is new, and a price changes for good."""
    rng, rows = random.Random(day), []
    for i in range(200):
        customer, name, vat_no, agent = CUSTOMERS[rng.randrange(min(150, 100 + day))]
        sku = f"S{rng.randrange(90):03d}"
        price = PRICES[sku] * (1.1 if int(sku[1:]) < day else 1.0)
        line = (1000 * day + i, customer, name, vat_no, agent, sku, f"kind {int(sku[1:]) % 6}")
        rows.append(dict(zip(SCHEMA.names, (*line, round(price, 2), rng.randrange(1, 30)), strict=True)))
    return rows


def table(rows: list[dict[str, object]]) -> pa.Table:
    return pa.table({name: [row[name] for row in rows] for name in SCHEMA.names})


def told(history: LoadHistory, day: int, rows: list[dict[str, object]]) -> tuple[list[Anomaly], LoadHistory]:
    found, after = judged(str(date(2024, 5, 6) + timedelta(days=day)), profile(table(rows), SCHEMA), history, SCHEMA)
    return [one for one in found if not one.again], after


@pytest.fixture(scope="module")
def history() -> LoadHistory:
    known = LoadHistory()
    for day in range(DAYS):
        odd, known = told(known, day, sold(day))
        assert not [one for one in odd if one.kind == "changes"], odd
    return known


def changed(of: str, wanted, **cells) -> list[dict[str, object]]:
    """The rows of the day; those with a wanted value in a column have other cells."""
    return [row | {n: make(row) for n, make in cells.items()} if wanted(row[of]) else row for row in sold(DAYS)]


def test_usual_day_is_no_news(history):
    assert not told(history, DAYS, sold(DAYS))[0]


def test_new_prices_of_one_category_are_told_with_their_factor(history):
    rows = changed("category", lambda kind: kind == "kind 2", price=lambda row: round(row["price"] * 1.16, 2))
    (found,) = (one for one in told(history, DAYS, rows)[0] if one.columns == ("price",))
    assert "are about 1.16 times their usual size for the same sku" in found.headline
    assert "with category kind 2), usually" in found.headline
    wrong = [row["category"] == "kind 2" for row in rows]
    assert not (~found.suspect_rows(table(rows)) & wrong).any()


def test_names_of_other_customers_are_told_once_and_the_number_is_not_blamed(history):
    other = {name: CUSTOMERS[(i + 1) % 150][1] for i, (_, name, *_) in enumerate(CUSTOMERS)}
    rows = changed("agent", lambda agent: agent == "agent 3", name=lambda row: other[row["name"]])
    found = told(history, DAYS, rows)[0]
    assert [one.columns for one in found if one.kind == "changes"] == [("name",)], found
    assert "for the same customer (with agent agent 3)" in found[0].headline


def test_a_number_that_nothing_but_the_wrong_names_contradicts_is_not_told(history):
    rows = sold(DAYS)
    for i, row in enumerate(rows[:40]):
        row["name"] = CUSTOMERS[(int(str(row["customer"])[1:]) + 1) % 150][1]
        row["vat_no"] = None if i < 30 else row["vat_no"]
    told_of = {one.columns for one in told(history, DAYS, rows)[0]}
    assert ("name",) in told_of
    assert ("customer",) not in told_of


def test_a_few_rows_with_a_word_in_place_of_a_name_are_told(history):
    rows = sold(DAYS)
    for row in rows[10:14]:
        row["name"] = "TEST"
    (found,) = (one for one in told(history, DAYS, rows)[0] if one.kind == "changes")
    assert found.headline.startswith("4 values of name became TEST for the same customer")


def test_what_was_odd_is_no_lesson_until_it_lasts(history):
    known = history
    for day in range(DAYS, DAYS + 7):
        rows = [row | {"agent": "agent 9"} if row["agent"] == "agent 3" else row for row in sold(day)]
        known = judged(str(date(2024, 5, 6) + timedelta(days=day)), profile(table(rows), SCHEMA), known, SCHEMA)[1]
        (things,) = (one for one in known.things if one.by == "customer")
        old = [things.last["agent"][customer] for customer, *_ in CUSTOMERS[:100]]
        assert ("agent 9" in old) == (day == DAYS + 6)


def test_things_are_stored_and_follow_renamed_columns(history):
    assert LoadHistory.from_json(history.to_json()) == history
    named = {("firm" if name == "customer" else name): name for name in SCHEMA.names}
    renamed = replace(history, things=history.things).under(named).things
    assert {one.by for one in renamed} == {"firm" if one.by == "customer" else one.by for one in history.things}
    assert all("customer" not in one.last for one in renamed)
