"""Rules of single columns on their whole way: learnt, listed, checked by Great Expectations, broken, named."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta

from profiling_core.algorithms.columns.kept_rules import ColumnBook
from profiling_core.maintain.columns import ROLE
from profiling_core.model.change import Transition
from profiling_core.model.kinds.column import ColumnRule
from profiling_core.pipeline import steps
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = pytest.mark.spark
DAYS = [f"2024-01-{day:02}" for day in range(1, 31)]


COLUMNS = ("_op", "id", "state", "code", "paid", "on", "via", "sent")


@pytest.fixture
def project(project: Path) -> Path:
    source = {"path": "landing", "format": "csv", "kind": "changes"}
    tables = {"sales": {"source": source, "key": ["id"]}}
    write_configuration(project, {"dataset": "shop", "tables": tables, "inclusions": "off"})
    return project


def sale(day: int, number: int) -> tuple:
    on, sent = date(2024, 1, 1) + timedelta(days=day), ("", "") if number % 3 == 1 else ("sea", f"{day}.25")
    return (
        "insert",
        day * 10 + number,
        ("NY", "NJ")[number % 2],
        f"A{100 + 7 * day + number}",
        f"{number}.5",
        on,
        *sent,
    )


def test_a_rule_is_learnt_and_a_break_names_its_row(project: Path):
    for number, day in enumerate(DAYS):
        write_delta(project, "", day, COLUMNS, *(sale(number, i) for i in range(8)))
    walk("shop")
    wrong = ("insert", 900, "NX", "b-1", "-2", "2023-01-01", "", "1.5")
    write_delta(project, "", "2024-01-31", COLUMNS, wrong, *(sale(30, i) for i in range(1, 6)))
    walk("shop")
    work = Workspace.open("shop")
    changes = work.catalog.changes("shop", 2).changes
    broke = {c.measured.constraint.text: c for c in changes if c.transition is Transition.BROKE and c.alerts}
    assert {"state ∈ {NJ, NY}", "code ~ A9", "0.5 ≤ paid ≤ 7.5"} <= broke.keys()
    one = "one on in each delta"
    assert {"via null only with sent", one, "on rises from delta to delta"} <= broke.keys()
    assert [w.broken_by["id"] for name in ("via null only with sent", one) for w in broke[name].witnesses] == [
        "900"
    ] * 2
    states = broke["state ∈ {NJ, NY}"]
    assert (states.measured.violations, states.measured.population, states.violating_rows) == (1, 246, 1)
    assert [w.broken_by["id"] for w in states.witnesses] == ["900"]
    checked = steps.validate("shop", work.catalog.version("shop", 2).run_id)
    assert checked["checks"] > 5
    assert (checked["broken_checks"], checked["contradictions"]) == ([], [])
    suite = json.loads((project / ".holdfast" / "artifacts" / "shop" / "suites" / "sales.json").read_bytes())
    assert {"expect_column_values_to_be_in_set", "expect_column_values_to_match_regex"} <= {
        e["type"] for e in suite["expectations"]
    }
    left_out = {left["constraint"] for left in suite["meta"]["holdfast"]["left_out"]}
    assert one in left_out
    said = {e["description"] for e in suite["expectations"]}
    assert [words for words in said if "A row of sales without via has no sent either" in words]

    gone = ("delete", 900, *[""] * 6)
    write_delta(project, "", "2024-02-01", COLUMNS, gone, *(sale(31, i) for i in range(1, 6)))
    walk("shop")
    again = work.catalog.tracked("shop", 3)
    assert [t.measured.violations for t in again if t.measured.constraint.text == "state ∈ {NJ, NY}"] == [0]
    walk("shop", rebuild=True)
    version = work.catalog.current("shop")
    (ref,) = version.files_of(ROLE, "sales")
    book = ColumnBook.from_json(work.store.read_json(ref))
    assert (book.rows, book.history.count) == (250, 32)
    assert all(isinstance(kept.rule, ColumnRule) for kept in book.kept)
    assert not [kept for kept in book.kept if kept.violations]
