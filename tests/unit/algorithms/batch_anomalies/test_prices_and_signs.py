"""A group's number that never changed may change as others have; signs that are lost or turned are told."""

import random
from datetime import date, timedelta

import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import _causes, _without_effects, judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "sold",
    (
        Column("id", LogicalType.INTEGER, ordered=True),
        Column("article", LogicalType.STRING, ordered=True),
        Column("price", LogicalType.FLOAT, ordered=True),
        Column("booked", LogicalType.FLOAT, ordered=True),
    ),
    key=("id",),
)
CAUSES = _causes(fewer=False)
KINDS = sorted({*CAUSES, *(kind for kinds in CAUSES.values() for kind in kinds)})
ARTICLES, DAYS = [f"A{i:02d}" for i in range(12)], 40


def sold(day: int, *, changes: bool) -> pa.Table:
    """Ten rows of each article; if prices ``change``, that of another article goes up by 5 % every third day."""
    rng = random.Random(day)
    rows = []
    for i, article in enumerate(ARTICLES):
        rises = sum(changes and one % 3 == 0 and one // 3 % 11 == i for one in range(day + 1))
        price = round((10 + i) * 1.05**rises, 2)
        rows += [(article, price, price * rng.choice((1, 1, 1, 1, -1))) for _ in range(10)]
    articles, prices, booked = zip(*rows, strict=True)
    ids = [1000 * day + i for i in range(len(rows))]
    return pa.table({"id": ids, "article": articles, "price": prices, "booked": booked})


def told_last(tables: list[pa.Table]) -> list[Anomaly]:
    history, odd = LoadHistory(), []
    for day, table in enumerate(tables):
        odd, history = judged(str(date(2024, 5, 6) + timedelta(days=day)), profile(table, SCHEMA), history, SCHEMA)
    return [one for one in odd if not one.again]


def repriced(table: pa.Table, article: str, factor: float) -> pa.Table:
    there = [one == article for one in table["article"].to_pylist()]
    prices = [round(x * factor, 2) if own else x for x, own in zip(table["price"].to_pylist(), there, strict=True)]
    return table.set_column(2, "price", [prices])


@pytest.mark.parametrize(("factor", "changes", "told"), [(1.05, True, 0), (1.05, False, 1), (10.0, True, 1)])
def test_price_that_never_changed_may_change_as_others_of_its_column_have(factor, changes, told):
    days = [sold(day, changes=changes) for day in range(DAYS)]
    last = repriced(sold(DAYS, changes=changes), "A11", factor)
    found = [one for one in told_last([*days, last]) if one.columns == ("price",) and "A11" in one.headline]
    assert len(found) == told, found


@pytest.mark.parametrize(
    ("undo", "words"), [(abs, "none of 120 rows have a negative booked"), (lambda x: -x, "wrong sign")]
)
def test_signs_that_are_lost_or_turned_are_told(undo, words):
    last = sold(DAYS, changes=False)
    wrong = last.set_column(3, "booked", [[undo(x) for x in last["booked"].to_pylist()]])
    days = [sold(day, changes=False) for day in range(DAYS)]
    assert not told_last([*days, last])
    assert words in told_last([*days, wrong])[0].headline


@pytest.mark.parametrize(("default", "said"), [(-1.0, "-1, and none was as low"), (99.0, "99, and none was as high")])
def test_default_beyond_all_numbers_is_told_of_a_few_rows(default, said):
    last = sold(DAYS, changes=False)
    wrong = last.set_column(
        2, "price", [[default if i % 24 == 5 else x for i, x in enumerate(last["price"].to_pylist())]]
    )
    found = told_last([*(sold(day, changes=False) for day in range(DAYS)), wrong])[0]
    assert found.headline == f"5 values of price are {said} before"
    assert found.suspect_rows(wrong).sum() == 5


def test_numbers_of_one_article_that_are_rounded_are_told_with_it():
    last = sold(DAYS, changes=False)
    days = [sold(day, changes=False) for day in range(DAYS)]
    days = [
        one.set_column(3, "booked", [[x + 0.25 * (i % 3) + 0.17 for i, x in enumerate(one["booked"].to_pylist())]])
        for one in (*days, last)
    ]
    *before, last = days
    there = [article == "A03" for article in last["article"].to_pylist()]
    values = last["booked"].to_pylist()
    wrong = last.set_column(3, "booked", [[round(x) * 1.0 if own else x for x, own in zip(values, there, strict=True)]])
    assert not told_last([*before, last])
    (found,) = (one for one in told_last([*before, wrong]) if one.kind == "precision")
    assert found.headline == "10 values of booked are whole numbers (with article A03), usually almost none"
    assert found.suspect_rows(wrong).tolist() == there


def paid(day: int, *, cents: str = "", of_one: int = 0) -> pa.Table:
    """Co-payments of four payers, where some pay nothing; fifty rows on Sundays, else 300; articles are patients."""
    rng = random.Random(day)
    rows = []
    for i in range(50 if day % 7 == 6 else 300):
        payer = f"payer {i % 4}"
        amount = rng.choice((0.0, 0.0, 5.0, 5.0, 5.0, 6.1, 10.0)) * (100 if payer == cents else 1)
        rows.append((1000 * day + i, payer, amount, float(250 if i < of_one else rng.randrange(500))))
    ids, payers, amounts, patients = zip(*rows, strict=True)
    return pa.table({"id": ids, "article": payers, "price": amounts, "booked": patients})


def test_factor_of_a_group_is_told_where_some_numbers_are_zero():
    days = [paid(day) for day in range(DAYS)]
    assert not told_last([*days, paid(DAYS)])
    told = told_last([*days, paid(DAYS, cents="payer 2")])
    assert any("price" in one.columns and "payer 2" in one.headline for one in told), told


def test_small_loads_say_little_of_how_often_one_value_comes():
    days = [paid(day) for day in range(DAYS)]
    told = told_last([*days, paid(DAYS, of_one=18)])
    assert any("18 of 300 rows (6.0%) have the same booked" in one.headline for one in told), told


def cooled(day: int, *, lost: bool = False) -> pa.Table:
    """Two of eight cells are cooled below zero; if signs are ``lost``, these are as warm."""
    rng, rows = random.Random(day), []
    for i in range(160):
        cell = i % 8
        rows.append((1000 * day + i, f"cell {cell}", round((5.0 if cell > 1 else -20.0) + rng.gauss(0, 0.4), 1), 1.0))
    ids, cells, degrees, others = zip(*rows, strict=True)
    degrees = [abs(x) for x in degrees] if lost else list(degrees)
    return pa.table({"id": ids, "article": cells, "price": degrees, "booked": others})


def test_signs_that_a_source_lost_are_told_with_it():
    told = told_last([*(cooled(day) for day in range(DAYS)), cooled(DAYS, lost=True)])
    (found,) = (one for one in told if one.columns == ("price",))
    assert found.headline == "the values of price for 2 values of article have the wrong sign: cell 0 and cell 1"


def nightly(day: int, *, lost: bool = False) -> pa.Table:
    """Plants that deliver by day and consume by night; if signs are ``lost``, they deliver by night, too."""
    rng, rows = random.Random(day), []
    for i in range(240):
        night = i % 3 == 0
        number = round(-rng.uniform(0.2, 1.4) if night else rng.uniform(60, 160), 2)
        rows.append((1000 * day + i, "NIGHT" if night else "OK", abs(number) if lost else number, 1.0))
    ids, states, powers, others = zip(*rows, strict=True)
    return pa.table({"id": ids, "article": states, "price": powers, "booked": others})


def test_anomalies_that_explain_each_other_in_a_circle_do_not_silence_each_other():
    told = told_last([*(nightly(day) for day in range(DAYS)), nightly(DAYS, lost=True)])
    assert any(one.columns == ("price",) for one in told), told


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.floats(1, 9)), min_size=1, unique_by=lambda told: told[0]))
@settings(max_examples=examples(400), deadline=None)
def test_of_anomalies_of_a_column_some_are_told(found):
    odd = [Anomaly(kind, kind, ("price",), magnitude=magnitude) for kind, magnitude in found]
    kept = _without_effects(odd, lambda cause, one: cause.kind in CAUSES.get(one.kind, ()))
    assert kept
    assert not any(cause.kind in CAUSES.get(one.kind, ()) for one in kept for cause in kept if cause is not one)
