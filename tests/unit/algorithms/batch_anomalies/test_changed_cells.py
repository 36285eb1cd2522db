"""Rows that were there before are judged by what a load changed of them."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Audience, DeltaPart
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import as_one_delta, judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.batch_anomalies.value_counts import ValueCounts
from profiling_core.algorithms.columns.changed_cells import CellChange, changes, rows_at
from profiling_core.model.alert_budget import USUAL_PER_MONTH, AlertBudget
from profiling_core.model.delta import BEFORE
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "members",
    (
        Column("id", LogicalType.INTEGER, True),
        Column("club", LogicalType.STRING, False),
        Column("plan", LogicalType.STRING, False),
        Column("fee", LogicalType.FLOAT, True),
        Column("visits", LogicalType.INTEGER, True),
        Column("joined", LogicalType.DATE, True),
        Column("vip", LogicalType.BOOLEAN, False),
    ),
    ("id",),
)
CLUBS = ("Harbour", "Mill Lane", "Northfield", "Riverside")
ROWS = 200


def members() -> pa.Table:
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "id": range(ROWS),
            "club": [CLUBS[i % len(CLUBS)] for i in range(ROWS)],
            "plan": [("Basic", "Family", None)[i % 3] for i in range(ROWS)],
            "fee": np.round(rng.uniform(20, 90, ROWS), 2),
            "visits": rng.integers(0, 30, ROWS),
            "joined": [date(2020, 1 + i % 12, 1 + i % 11) for i in range(ROWS)],
            "vip": rng.random(ROWS) < 0.5,
        }
    )


def with_column(rows: pa.Table, name: str, values: list[object]) -> pa.Table:
    return rows.set_column(rows.column_names.index(name), name, pa.array(values, rows[name].type))


def a_day_on(rows: pa.Table, day: int) -> pa.Table:
    """Some forty members have come once more."""
    come = np.random.default_rng(day).random(ROWS) < 0.2
    return with_column(rows, "visits", (rows["visits"].to_numpy() + come).tolist())


def day_name(day: int) -> str:
    return (date(2024, 1, 1) + timedelta(days=day)).isoformat()


def load(rows: pa.Table, before: pa.Table) -> pa.Table:
    both = rows.append_column(BEFORE, rows_at(before, np.arange(ROWS)))
    apart = [mask for name in rows.column_names for mask in changes(both, name).values()]
    return both.filter(pa.array(np.logical_or.reduce(apart)))


def told(history: LoadHistory, rows: pa.Table, before: pa.Table, day: int, **audience: Any) -> list[Anomaly]:
    listens = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED, **audience)
    return judged(day_name(day), profile(load(rows, before), SCHEMA), history, SCHEMA, listens)[0]


@pytest.fixture(scope="module")
def usual() -> tuple[LoadHistory, pa.Table]:
    """Thirty days of visits, and the members after them."""
    history, rows = LoadHistory(), members()
    for day in range(30):
        before, rows = rows, a_day_on(rows, day)
        audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
        _, history = judged(day_name(day), profile(load(rows, before), SCHEMA), history, SCHEMA, audience)
    return history, rows


def replaced(rows: pa.Table, name: str, change, of=lambda row: True) -> pa.Table:
    return with_column(rows, name, [change(row[name]) if of(row) else row[name] for row in rows.to_pylist()])


def test_changed_cells_that_are_all_of_one_group_are_told_with_it(usual):
    history, rows = usual
    now = replaced(rows, "fee", lambda x: x * 12, lambda row: row["club"] == "Harbour")
    listens = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    changed, counted = profile(load(now, rows), SCHEMA), ValueCounts.of([now], SCHEMA)
    (first, *_), _ = judged(day_name(30), changed, history, SCHEMA, listens, counted)
    assert (
        first.headline == "all 50 values of fee are about 12 times their usual size (with club Harbour), usually none"
    )


def test_a_usual_day_is_not_told(usual):
    history, rows = usual
    assert told(history, a_day_on(rows, 30), rows, 30) == []


@pytest.mark.parametrize(
    ("name", "change", "of", "said"),
    [
        (
            "fee",
            lambda x: x * 100,
            "Harbour",
            "50 values of fee are about 100 times their usual size (with club Harbour)",
        ),
        ("fee", lambda x: x * 12, "", "all 200 values of fee are about 12 times their usual size"),
        ("fee", lambda x: x * 1.03, "Harbour", "50 values of fee are about 1.03 times their usual size"),
        ("plan", lambda x: x and x.upper(), "", "134 values of plan changed in capitals alone"),
        ("plan", lambda _: None, "Riverside", "34 values of plan are empty and were not (with club Riverside)"),
        ("plan", lambda x: x or "NONE", "", "66 values of plan became NONE"),
        ("plan", lambda x: x and x[:3], "", "134 values of plan are cut at 3 characters"),
        (
            "plan",
            {"Basic": "P1", "Family": "P2", None: None}.get,
            "",
            "134 values of plan have other codes: P1 for Basic",
        ),
        ("fee", lambda x: x + 5, "Harbour", "50 values of fee are about 5 more than usual (with club Harbour)"),
        ("fee", round, "Mill Lane", "48 values of fee are whole numbers and were of 2 decimals"),
        ("visits", lambda x: x - 8, "Northfield", "50 values of visits"),
        ("joined", lambda x: x + timedelta(days=1), "Riverside", "50 values of joined are a day later"),
        (
            "joined",
            lambda x: x.replace(month=x.day, day=x.month),
            "",
            "178 values of joined have day and month exchanged",
        ),
        ("vip", lambda x: not x, "", "all 200 values of vip are the other one of two values"),
    ],
)
def test_changed_cells_are_told_with_what_happened_to_them(usual, name, change, of, said):
    history, rows = usual
    now = replaced(a_day_on(rows, 30), name, change, lambda row: not of or row["club"] == of)
    first = told(history, now, rows, 30)[0]
    assert first.headline.startswith(said), first.headline
    assert first.columns == (name,)
    assert first.suspect_rows is not None
    assert int(first.suspect_rows(load(now, rows)).sum()) == int(said.removeprefix("all ").split()[0])


def test_cells_in_other_rows_and_of_other_columns_are_told_apart(usual):
    history, rows = usual
    fees = rows["fee"].to_pylist()
    now = with_column(a_day_on(rows, 30), "fee", [*fees[1:], fees[0]])
    assert "in other rows" in told(history, now, rows, 30)[0].headline
    now = with_column(a_day_on(rows, 30), "plan", rows["club"].to_pylist())
    headlines = [one.headline for one in told(history, now, rows, 30)]
    assert any("are those of club" in headline for headline in headlines), headlines


def test_a_change_that_is_undone_the_day_after_is_no_news(usual):
    history, rows = usual
    audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    wrong = replaced(a_day_on(rows, 30), "fee", lambda x: x * 100)
    _, after = judged(day_name(30), profile(load(wrong, rows), SCHEMA), history, SCHEMA, audience)
    right = a_day_on(a_day_on(rows, 30), 31)
    assert [one for one in told(after, right, wrong, 31, taken=ROWS) if not one.again] == []
    assert [one for one in told(after, right, wrong, 31) if not one.again]


def test_an_error_that_was_mended_is_no_habit(usual):
    history, rows = usual
    audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED, taken=ROWS)
    wrong = replaced(a_day_on(rows, 30), "fee", lambda x: x * 100, lambda row: row["club"] == "Harbour")
    _, once = judged(day_name(30), profile(load(wrong, rows), SCHEMA), history, SCHEMA, audience)
    right = a_day_on(a_day_on(rows, 30), 31)
    _, twice = judged(day_name(31), profile(load(right, wrong), SCHEMA), once, SCHEMA, audience)
    assert {one.kind for one in once.loads[-1].shown} == {"changes"}
    assert {one.kind for one_of in twice.loads[-2:] for one in one_of.shown} == {"mended"}
    assert all(one.is_odd_in(("fee",)) and not one.is_odd_in(("visits",)) for one in twice.loads[-2:])
    lasting = with_column(a_day_on(wrong, 31), "fee", wrong["fee"].to_pylist())
    _, unmended = judged(day_name(31), profile(load(lasting, wrong), SCHEMA), once, SCHEMA, audience)
    assert [one.kind for one in unmended.loads[-2].shown] == ["changes"]


def test_that_no_row_changes_mends_nothing(usual):
    history, rows = usual
    audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    every = replaced(a_day_on(rows, 30), "fee", lambda x: x * 100)
    _, odd = judged(day_name(30), profile(load(every, rows), SCHEMA), history, SCHEMA, audience)
    none = profile(load(every, rows).slice(0, 0), SCHEMA)
    listens = replace(audience, taken=ROWS)
    (found,) = (one for one in judged(day_name(31), none, odd, SCHEMA, listens)[0] if not one.again)
    assert found.headline.startswith("0 rows were changed")


def test_more_cells_than_an_odd_load_changed_are_not_its_own_that_change_back(usual):
    history, rows = usual
    audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    _, quiet = judged(day_name(30), profile(load(a_day_on(rows, 30), rows), SCHEMA), history, SCHEMA, audience)
    odd = as_one_delta({DeltaPart.CHANGED: quiet}, shrunk=True)[DeltaPart.CHANGED]
    cut = replaced(a_day_on(rows, 31), "club", lambda club: club[:6])
    assert [one.columns for one in told(odd, cut, rows, 31, taken=ROWS) if not one.again] == [("club",)]


def test_cells_that_broke_a_rule_may_change_back_and_no_others(usual):
    history, rows = usual
    audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    wrong = a_day_on(rows, 30)  # the rows that break the rule have come with this load, so that none of them changed
    _, after = judged(day_name(30), profile(load(wrong, rows), SCHEMA), history, SCHEMA, audience)
    right = replaced(a_day_on(wrong, 31), "fee", lambda x: x * 12, lambda row: row["club"] == "Harbour")

    def news(**known: Any) -> list[Anomaly]:
        return [one for one in told(after, right, wrong, 31, **known) if not one.again]

    assert news(taken=50, broken={"fee": 50}) == []
    assert news(taken=50, broken={"visits": 50})
    assert news(taken=5, broken={"fee": 5})


def new(rows: pa.Table, day: int, history: LoadHistory, **audience: Any) -> tuple[list[Anomaly], LoadHistory]:
    listens = Audience(AlertBudget(USUAL_PER_MONTH), **audience)
    return judged(day_name(day), profile(rows, SCHEMA), history, SCHEMA, listens)


def test_the_load_after_an_odd_one_mends_it_only_where_it_brings_more_rows_than_usual():
    history, rows = LoadHistory(), members()
    for day in range(30):
        _, history = new(a_day_on(rows, day), day, history)
    wrong = replaced(a_day_on(rows, 30), "fee", lambda x: x * 100)
    assert [one.kind for one in new(wrong, 30, history, taken=ROWS // 2)[0] if not one.again] == ["scale"]
    brought = pa.concat_tables([a_day_on(rows, 30), a_day_on(rows, 31).slice(0, ROWS // 2)])
    assert [one.kind for one in new(brought, 30, history)[0] if not one.again]
    assert [one.kind for one in new(brought, 30, history, taken=ROWS // 2)[0] if not one.again] == []
    assert [one.kind for one in new(brought, 30, history, taken=5)[0] if not one.again]


def test_the_number_of_new_rows_is_judged_where_weekends_have_none_and_the_table_began_with_many():
    history, rows = LoadHistory(), members()
    _, history = new(rows, 0, history)
    assert history.without_the_table().loads[0].odd
    history = history.without_the_table()
    for day in range(1, 40):
        few = 0 if day % 7 in (5, 6) else 14 + day % 5
        _, history = new(rows.slice(day, few), day, history)
    assert [one.kind for one in new(rows.slice(0, 18), 43, history)[0] if not one.again] == []
    (found,) = (one for one in new(rows.slice(0, 60), 43, history)[0] if one.kind == "row count" and not one.again)
    assert found.headline == "60 rows came, usually about 16"


def test_how_many_rows_a_late_load_has_is_no_news_and_its_values_are_judged():
    history, rows = LoadHistory(), members()
    for day in range(30):
        _, history = new(a_day_on(rows, day), day, history)
    fewer = a_day_on(rows, 31).slice(0, ROWS // 2)
    assert "row count" in [one.kind for one in new(fewer, 31, history)[0] if not one.again]
    assert "row count" not in [one.kind for one in new(fewer, 31, history, late=True)[0] if not one.again]
    wrong = replaced(a_day_on(rows, 31), "fee", lambda x: x * 100)
    assert "scale" in [one.kind for one in new(wrong, 31, history, late=True)[0] if not one.again]


def test_a_column_that_came_later_has_no_past_to_be_judged_by(usual):
    history, rows = usual
    now = a_day_on(rows, 30).append_column("note", pa.array(["new"] * ROWS))
    schema = TableSchema("members", (*SCHEMA.columns, Column("note", LogicalType.STRING, False)), ("id",))
    listens = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    odd, _ = judged(day_name(30), profile(load(now, rows), schema), history, schema, listens)
    assert not [one for one in odd if "note" in one.columns]


def test_a_load_after_one_that_did_not_come_is_late(usual):
    history, _ = usual
    assert not history.is_late(day_name(30))
    assert history.is_late(day_name(31))


def test_changes_tell_other_filled_and_emptied_cells_and_take_nan_for_null():
    now = pa.table({"x": pa.array([1.0, 2.0, None, float("nan"), 5.0])})
    before = pa.table({"x": pa.array([1.0, 3.0, 4.0, None, None])})
    found = changes(now.append_column(BEFORE, rows_at(before, np.arange(5))), "x")
    assert {kind: np.flatnonzero(mask).tolist() for kind, mask in found.items()} == {
        CellChange.OTHER: [1],
        CellChange.FALLEN: [1],
        CellChange.FILLED: [4],
        CellChange.EMPTIED: [2],
    }


def test_an_example_of_the_change_is_told_unless_the_column_is_hidden(usual):
    history, rows = usual
    now = replaced(a_day_on(rows, 30), "plan", lambda x: x and x.upper())
    assert told(history, now, rows, 30)[0].details == ("For example, Basic became BASIC and Family became FAMILY.",)
    hidden = told(history, now, rows, 30, hidden=frozenset({"plan"}))[0]
    assert hidden.details == ()
    assert "Basic" not in hidden.headline


def test_a_column_that_changes_in_every_row_tells_no_more_than_the_number_of_rows():
    history, rows = LoadHistory(), with_column(members(), "visits", [1] * ROWS)
    for day in range(31):
        before, count = rows, 40 if day < 30 else 160
        times = [x + 1 if i < count else x for i, x in enumerate(rows["visits"].to_pylist())]
        rows = with_column(rows, "visits", times)
        audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
        odd, history = judged(day_name(day), profile(load(rows, before), SCHEMA), history, SCHEMA, audience)
    assert [one.kind for one in odd] == ["row count"]


def test_a_delta_that_is_odd_as_a_whole_is_odd_in_all_its_parts(usual):
    history, rows = usual
    audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    odd, none = judged(day_name(30), profile(rows.slice(0, 0), SCHEMA), history, SCHEMA, audience)
    assert [one.kind for one in odd] == ["row count"]
    _, new = judged(day_name(30), profile(rows, SCHEMA), LoadHistory(), SCHEMA)
    assert not new.loads[-1].odd
    after = as_one_delta({DeltaPart.CHANGED: none, DeltaPart.NEW: new})
    assert all(part.loads[-1].is_odd_in(("fee",)) for part in after.values())
    usually = as_one_delta({DeltaPart.CHANGED: history, DeltaPart.NEW: new})
    assert not any(part.loads[-1].odd for part in usually.values())


def rates_on(day: int, spoil: float = 1.0) -> pa.Table:
    """A table in which each rate changes with each load, some up and some down."""
    steps = np.random.default_rng(day).normal(0, 0.01, ROWS)
    return with_column(members(), "fee", (np.round(50 + np.arange(ROWS) + 100 * steps, 4) * spoil).tolist())


@pytest.mark.parametrize(("spoil", "kind"), [(1.0, None), (1.5, "source"), (1.02, "changes")])
def test_values_that_all_change_with_each_load_are_judged_as_values(spoil, kind):
    history, rows = LoadHistory(), rates_on(0)
    audience = Audience(AlertBudget(USUAL_PER_MONTH), part=DeltaPart.CHANGED)
    for day in range(1, 41):
        before, rows = rows, rates_on(day, spoil if day == 40 else 1.0)
        odd, history = judged(day_name(day), profile(load(rows, before), SCHEMA), history, SCHEMA, audience)
    assert not any("usually about 200" in one.headline for one in odd)
    assert (kind in {one.kind for one in odd}) if kind else odd == []


def test_changes_that_the_sample_of_a_load_lacks_are_told_by_their_number(usual, monkeypatch):
    monkeypatch.setattr("profiling_core.algorithms.batch_anomalies.profile.SAMPLE", 1)
    history, rows = usual
    now = replaced(a_day_on(rows, 30), "plan", lambda _: None, lambda row: row["club"] == "Riverside")
    first = next(one for one in told(history, now, rows, 30) if one.columns == ("plan",))
    assert first.headline.startswith("34 values of plan are empty and were not")
    assert first.suspect_rows is not None
    assert int(first.suspect_rows(load(now, rows)).sum()) == 34


def test_numbers_that_were_one_and_became_another_are_told_by_their_factor(usual):
    history, rows = usual
    same = replaced(rows, "fee", lambda _: 379.95, lambda row: row["club"] == "Harbour")
    now = replaced(a_day_on(same, 30), "fee", lambda x: 100 * x, lambda row: row["club"] == "Harbour")
    headline = told(history, now, same, 30)[0].headline
    assert headline.startswith("50 values of fee are about 100 times their usual size (with club Harbour)")
    odd = replaced(a_day_on(same, 30), "fee", lambda _: 17.0, lambda row: row["club"] == "Harbour")
    assert told(history, odd, same, 30)[0].headline.startswith("50 values of fee")


def test_numbers_of_one_and_two_decimals_that_lost_their_point_are_told_as_that(usual):
    history, rows = usual
    before = replaced(rows, "fee", lambda x: round(x, 1) if int(x) % 2 else x)
    now = replaced(a_day_on(before, 30), "fee", lambda x: float(str(x).replace(".", "")))
    headline = told(history, now, before, 30)[0].headline
    assert headline == "all 200 values of fee have lost their decimal point, usually none"
