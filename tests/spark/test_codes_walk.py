"""What codes are made of, and what is there or not: found of Spark's frames, kept current, broken, counted by SQL."""

import random
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.landing import write_configuration, write_delta

import profiling_core
from profiling_core.maintain.results import read_results
from profiling_core.model.change import Transition
from profiling_core.pipeline import auditing
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
COLUMNS = (
    *("voucher", "year", "account", "class", "given", "family", "initials", "month", "booked_on", "debit"),
    *("credit", "approved_by"),
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
RULES = {
    'year = voucher before "/"',
    "class = first 1 of account",
    "initials = first 1 of given + first 1 of family",
    "month = short name of the month(booked_on)",
    "debit is there ⇔ credit is missing",
}


def entry(number: int) -> dict[str, object]:
    rng = random.Random(number)
    year, month = rng.randint(2015, 2023), rng.randint(1, 12)
    account = rng.randint(1000, 8999)
    given, family = rng.choice(["Ada", "Ben", "Cora", "Dan"]), rng.choice(["Abt", "Baer", "Clos", "Dorn", "Ernst"])
    amount = rng.randint(1, 9_999)
    return {
        "voucher": f"{year}/{number:05}",
        "year": year,
        "account": account,
        "class": account // 1000,
        "given": given,
        "family": family,
        "initials": given[0] + family[0],
        "month": MONTHS[month - 1],
        "booked_on": f"{year}-{month:02}-{rng.randint(1, 28):02}",
        "debit": amount if number % 3 else None,
        "credit": None if number % 3 else amount,
        "approved_by": rng.choice(["kt", "mw"]) if amount > 8_000 else None,
    }


def test_frames_of_spark_have_the_rules_of_arrow_s_and_pandas(spark):
    rows = pa.Table.from_pylist([entry(number) for number in range(600)])
    rows = rows.set_column(8, "booked_on", rows["booked_on"].cast(pa.date32()))
    frame = spark.createDataFrame([tuple(row.values()) for row in rows.to_pylist()], schema=_schema())
    shown = [c.constraint.text for c in profiling_core.discover(frame).tables[0].rules.shown]
    assert set(shown) >= RULES
    for other in (rows, frame.toPandas()):
        assert [c.constraint.text for c in profiling_core.discover(other).tables[0].rules.shown] == shown


def _schema() -> str:
    kinds = {"year": "bigint", "account": "bigint", "class": "bigint", "booked_on": "date"}
    kinds |= {"debit": "bigint", "credit": "bigint"}
    return ", ".join(f"`{name}` {kinds.get(name, 'string')}" for name in COLUMNS)


def test_codes_are_kept_current_and_broken(project: Path):
    tables = {
        "entries": {"source": {"path": "landing/entries", "format": "csv", "kind": "changes"}, "key": ["voucher"]}
    }
    write_configuration(project, {"dataset": "ledger", "tables": tables})
    names = ("_op", *COLUMNS)
    _land(project, names, "2024-01-01", [("insert", entry(i)) for i in range(400)])
    changes = [("insert", entry(i)) for i in range(400, 440)]
    changes += [("delete", entry(i)) for i in range(7)]
    _land(project, names, "2024-01-02", changes)
    walk("ledger")
    wrong = entry(500) | {"initials": "zz", "class": 9, "year": 1999, "month": "XXX", "debit": 5, "credit": 5}
    _land(project, names, "2024-01-03", [("insert", entry(501)), ("insert", wrong)])
    walk("ledger")
    work = Workspace.open("ledger")
    current = work.catalog.current("ledger")
    tracked = {m.constraint.text: m for m in read_results(work.store, current, "entries").tracked}
    figures = {text: (tracked[text].violations, tracked[text].population) for text in RULES}
    assert figures == dict.fromkeys(RULES, (1, 400 + 40 - 7 + 2))
    changes = work.catalog.changes("ledger", current.number).changes
    broken = {c.measured.constraint.text: c for c in changes if c.transition is Transition.BROKE}
    assert all([w.broken_by["voucher"] for w in broken[text].witnesses] == [wrong["voucher"]] for text in RULES)
    audited = auditing.audit(work).to_json()
    assert audited["agrees"], [r for r in audited["recounts"] if not r["agrees"]]


def _land(project: Path, names: tuple[str, ...], day: str, rows: list[tuple[str, dict[str, object]]]) -> None:
    cells = [tuple(({"_op": op} | row)[name] for name in names) for op, row in rows]
    texts = [tuple("" if cell is None else cell for cell in row) for row in cells]
    write_delta(project, "entries", day, names, *texts)
