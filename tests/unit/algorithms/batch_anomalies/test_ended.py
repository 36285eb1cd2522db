"""All rows with a value that go at once are told, whatever the table's past."""

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Audience, DeltaPart
from profiling_core.algorithms.batch_anomalies.ended import KIND
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.batch_anomalies.value_counts import ValueCounts
from profiling_core.model.alert_budget import USUAL_PER_MONTH, AlertBudget
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "cars", (Column("id", LogicalType.INTEGER, True), Column("branch", LogicalType.STRING, False)), ("id",)
)
BRANCHES = ("Berlin", "Hamburg", "Leipzig", "Kiel")


def cars(branches: list[str | None]) -> pa.Table:
    return pa.table({"id": pa.array(range(len(branches)), pa.int64()), "branch": pa.array(branches, pa.string())})


def told(before: list[str | None], after: list[str | None], changed: int = 0, hidden: str = "") -> list[Anomaly]:
    known, now = (ValueCounts.of([cars(rows)], SCHEMA) for rows in (before, after))
    ended = known.ended(now, {"branch": changed}, len(before))
    nothing = profile(cars([]), SCHEMA)
    load = replace(nothing, rows=len(before) - len(after), ended=ended)
    audience = Audience(AlertBudget(USUAL_PER_MONTH), frozenset({hidden}), part=DeltaPart.REMOVED)
    return judged("2024-05-01", load, LoadHistory(), SCHEMA, audience)[0]


FLEET: list[str | None] = [BRANCHES[i % 4] for i in range(200)]


def test_all_rows_of_one_branch_are_told_with_its_name():
    (one,) = told(FLEET, [branch for branch in FLEET if branch != "Leipzig"])
    assert one.headline == "all 50 rows with branch Leipzig are gone"
    assert one.details == ("50 of 200 rows were removed.",)
    assert one.values == ("Leipzig",)


def test_a_hidden_value_is_not_shown():
    (one,) = told(FLEET, [branch for branch in FLEET if branch != "Leipzig"], hidden="branch")
    assert "Leipzig" not in one.headline + "".join(one.values)


@pytest.mark.parametrize(
    "after",
    [
        [branch for i, branch in enumerate(FLEET) if branch != "Leipzig" or i == 2],  # one is left
        [],  # all rows of the table
        FLEET[:150],  # as many of each branch
    ],
)
def test_rows_that_go_otherwise_are_not_told_by_a_value(after):
    assert [one for one in told(FLEET, after) if one.kind == KIND] == []


def test_few_rows_with_a_value_go_by_chance():
    fleet = [*FLEET, "Ulm"]
    assert told(fleet, fleet[1:-1]) == []


def test_values_that_changed_in_place_have_not_gone():
    renamed = ["Leipzig-Mitte" if branch == "Leipzig" else branch for branch in FLEET]
    assert told(FLEET, renamed[1:], changed=50) == []


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=8), min_size=1, max_size=5), st.data())
def test_counts_kept_from_delta_to_delta_are_those_of_the_rows(deltas, data):
    counts, rows = ValueCounts({}), []
    for come in deltas:
        gone = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True) if rows else st.just([]))
        counts = counts.plus(ValueCounts.of([cars(come)], SCHEMA))
        counts = counts.plus(ValueCounts.of([cars([rows[i] for i in gone])], SCHEMA), -1)
        rows = [row for i, row in enumerate(rows) if i not in gone] + come
    assert counts.columns["branch"] == dict(Counter(row for row in rows if row is not None))


def test_a_column_of_too_many_values_is_not_counted_any_more():
    many = ValueCounts.of([cars([str(i) for i in range(101)])], SCHEMA)
    assert many.columns["branch"] is None
    assert many.plus(ValueCounts.of([cars(["1"])], SCHEMA), -1).columns["branch"] is None
