"""Judges report a value that is missing on a weekday on which it always came, and name the source of suspect rows."""

from dataclasses import replace
from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Audience
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.alert_budget import USUAL_PER_MONTH, AlertBudget
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "tests",
    (
        Column("id", LogicalType.INTEGER, True),
        Column("clinic", LogicalType.STRING, False),
        Column("unit", LogicalType.STRING, False),
    ),
    ("id",),
)
BEGIN, DAYS = date(2025, 1, 6), 42
WEEKEND, EVERY = ("Northgate",), ("Cardio", "Elm Street", "Hill", "Lakeside")


def rows_of(day: int, lacking: str = "", dies: str = "", closed: bool = False) -> pa.Table:
    rng = np.random.default_rng(day)
    rests = closed or (BEGIN + timedelta(day)).weekday() >= 5
    clinics = [c for c in (EVERY[:1] if rests else (*EVERY, *WEEKEND)) if c != lacking]
    own = [clinic for clinic in clinics for _ in range(int(rng.poisson(40)))]
    units = [None if clinic == dies else str(rng.choice(["mg", "g"])) for clinic in own]
    return pa.table(
        {"id": range(day * 1000, day * 1000 + len(own)), "clinic": own, "unit": pa.array(units, pa.string())}
    )


@cache
def history_of(day: int) -> LoadHistory:
    history = LoadHistory() if day == 0 else history_of(day - 1)
    return judged(str(BEGIN + timedelta(day)), profile(rows_of(day), SCHEMA), history, SCHEMA)[1]


def told(rows: pa.Table, day: int, hidden: str = "") -> list[Anomaly]:
    history = history_of(day - 1)
    audience = Audience(AlertBudget(USUAL_PER_MONTH), frozenset({hidden}))
    return judged(str(BEGIN + timedelta(day)), profile(rows, SCHEMA), history, SCHEMA, audience)[0]


@pytest.mark.parametrize("lacking", ["Northgate", "Cardio"])
def test_a_clinic_that_rests_at_weekends_is_missing_on_a_monday(lacking):
    first = told(rows_of(DAYS, lacking), DAYS)[0]
    assert (first.kind, first.values) == ("completeness", (lacking,))


def test_a_clinic_that_rests_at_weekends_is_not_missing_on_a_sunday_nor_on_a_day_like_one():
    assert not [one for one in told(rows_of(DAYS + 6), DAYS + 6) if one.kind == "completeness"]
    assert not [one for one in told(rows_of(DAYS, closed=True), DAYS) if one.kind in ("completeness", "row count")]


def test_people_who_work_on_weekdays_and_are_ill_at_times_are_not_missing():
    history, said = LoadHistory(), []
    for day in range(DAYS + 14):
        rng, rests = np.random.default_rng(day), (BEGIN + timedelta(day)).weekday() >= 5
        there = [f"agent {n}" for n in range(9) if n == 0 or not (rests or rng.random() < 0.1)]
        own = [name for name in there for _ in range(int(rng.poisson(30)))]
        rows = pa.table({"id": range(day * 1000, day * 1000 + len(own)), "clinic": own, "unit": ["mg"] * len(own)})
        odd, history = judged(str(BEGIN + timedelta(day)), profile(rows, SCHEMA), history, SCHEMA)
        said += [one.headline for one in odd if day >= DAYS and one.kind == "completeness"]
    assert not said


def test_a_part_of_a_file_is_no_holiday_however_few_rows_it_has():
    rows = rows_of(DAYS)
    part = rows.take(np.random.default_rng(1).permutation(len(rows))[:40])
    assert told(part, DAYS)[0].kind == "row count"


def test_an_anomaly_names_the_source_of_its_rows_unless_that_is_redacted():
    (shown,) = [one for one in told(rows_of(DAYS, dies="Hill"), DAYS) if one.kind == "nulls"]
    assert " have no unit (with clinic Hill), usually " in shown.headline
    (masked,) = [one for one in told(rows_of(DAYS, dies="Hill"), DAYS, "clinic") if one.kind == "nulls"]
    assert "(with clinic •••)" in masked.headline
    assert "Hill" not in masked.headline


def test_a_number_that_suspect_rows_share_names_no_source():
    schema = replace(SCHEMA, columns=(Column("batch", LogicalType.INTEGER, True), *SCHEMA.columns))

    def numbered(day: int, dies: str = "") -> pa.Table:
        rows = rows_of(day, dies=dies)
        batch = [clinic == dies for clinic in rows["clinic"].to_pylist()]
        return rows.append_column("batch", pa.array(batch, pa.bool_()).cast(pa.int64()))

    history = LoadHistory()
    for day in range(DAYS):
        _, history = judged(str(BEGIN + timedelta(day)), profile(numbered(day), schema), history, schema)
    odd, _ = judged(str(BEGIN + timedelta(DAYS)), profile(numbered(DAYS, "Hill"), schema), history, schema)
    (shown,) = [one for one in odd if one.kind == "nulls"]
    assert "(with clinic Hill)" in shown.headline


def test_rows_that_are_missing_are_named_by_each_column_that_tells_them_apart():
    schema = TableSchema("levels", tuple(Column(name, LogicalType.STRING, False) for name in ("river", "code", "lake")))
    lakes = [("Namsen", f"139.0{i}0", f"Lake {chr(65 + i)}") for i in range(4)]
    lakes += [("Skien", "016.010", "Lake M"), ("Orkla", "120.010", "Lake N")]

    def levels(day: int, lacking: str = "") -> pa.Table:
        rows = [lake for lake in lakes if lacking not in lake for _ in range(24 - day % 2)]
        return pa.table(dict(zip(schema.names, zip(*rows, strict=True), strict=True)))

    history = LoadHistory()
    for day in range(20):
        _, history = judged(str(BEGIN + timedelta(day)), profile(levels(day), schema), history, schema)
    day = str(BEGIN + timedelta(20))
    one, *_ = judged(day, profile(levels(20, "Orkla"), schema), history, schema)[0]
    assert one.headline == "no rows came for lake Lake N (code 120.010 and river Orkla; usually about 23 rows)"
    one, *_ = judged(day, profile(levels(20, "Lake A"), schema), history, schema)[0]
    assert one.headline == "no rows came for lake Lake A (code 139.000; usually about 23 rows)"
    hidden = Audience(AlertBudget(USUAL_PER_MONTH), frozenset({"code"}))
    one, *_ = judged(day, profile(levels(20, "Lake A"), schema), history, schema, hidden)[0]
    assert "139.000" not in f"{one.headline} {one.details} {one.values}"
