"""Loads on their whole way: what is odd about a delta as a whole reaches the change set, with rows, and no rebuild."""

import csv
from datetime import date, timedelta
from pathlib import Path

import pytest
from helpers.landing import write_configuration
from typer.testing import CliRunner

from profiling_core.cli.main import app
from profiling_core.model.finding import Finding
from profiling_core.pipeline.learning import learning
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
NAMES = ("_op", "id", "store", "amount", "on")


def land(root: Path, day: int, *, factor: int = 1, stores: int = 3) -> None:
    on = date(2024, 1, 1) + timedelta(days=day)
    amounts = [round(5 + number * 0.37 + day * number % 7 / 3, 2) for number in range(30)]
    with (root / "landing" / f"{on}.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [
            ("insert", day * 100 + number, ("Ulm", "Bonn", "Jena")[number % 3], amount * factor, on)
            for number, amount in enumerate(amounts)
            if number % 3 < stores
        ]
        csv.writer(file).writerows([NAMES, *rows])


def found(version: int) -> dict[str, Finding]:
    changes = Workspace.open("shop").catalog.changes("shop", version)
    assert changes is not None
    return {finding.kind: finding for finding in changes.findings}


def said() -> str:
    work = Workspace.open("shop")
    current = work.catalog.current("shop")
    assert current is not None
    return learning(work.store, current)["sales"]


def incident_of(kind: str) -> int:
    return next(i.number for i in Workspace.open("shop").catalog.incidents("shop") if i.diagnosis.kind == kind)


def test_a_load_that_is_odd_is_found_with_its_rows(project: Path):
    source = {"path": "landing", "format": "csv", "kind": "changes"}
    columns = {"store": {"redacted": True}}
    tables = {"sales": {"source": source, "key": ["id"], "columns": columns}}
    write_configuration(project, {"dataset": "shop", "tables": tables, "inclusions": "off"})
    (project / "landing").mkdir()
    for day in range(20):
        land(project, day)
    walk("shop")
    assert not found(1)
    assert said().endswith("what learns from loads begins with the next delta")
    land(project, 20, factor=100)
    walk("shop")
    scale = found(2)["scale"]
    assert scale.headline == "all 30 values of amount are about 100 times their usual size"
    assert (scale.count, scale.arrived, scale.columns, scale.delta) == (30, 30, ("amount",), "2024-01-21")
    assert [row.wrong for row in scale.rows] == [("amount",)] * 10
    assert {row.values["store"] for row in scale.rows} == {"•••"}
    walk("shop", rebuild=True)
    assert said() == "loads are judged by those before them since 2024-01-21"
    land(project, 21, stores=2)
    walk("shop")
    missing = found(4)
    assert missing["completeness"].headline == "no rows came for store ••• (usually about 10 rows)"
    assert missing["row count"].headline == "20 rows came, usually about 30"
    shown = CliRunner().invoke(app, ["incidents", "accept", str(incident_of("scale"))])
    assert "findings of scale in amount are reported only where they are further off than in" in shown.stdout
    land(project, 22, factor=100)
    walk("shop")
    assert "scale" not in found(5)


@pytest.mark.parametrize("kind", ["append", "snapshot", "changes"])
def test_an_error_is_told_however_the_source_speaks_of_change(project: Path, kind: str) -> None:
    """Rates of a day that come in place of those of the day before are judged as those that come beside them."""
    source = {"path": "landing", "format": "csv", "kind": kind}
    tables = {"rates": {"source": source, "key": ["on", "name"] if kind == "append" else ["name"]}}
    write_configuration(project, {"dataset": "shop", "tables": tables, "inclusions": "off"})
    (project / "landing").mkdir()

    def rates(day: int, spoil: dict[str, float]) -> None:
        on = date(2024, 1, 1) + timedelta(days=day)
        usual = {f"C{place:02}": (1 + place) * (1.1 + 0.01 * ((day * (7 + place)) % 5)) for place in range(12)}
        rows = [("upsert", on, name, round(rate * spoil.get(name, 1), 4)) for name, rate in usual.items()]
        rows = [row for row in rows if spoil.get(row[2]) != 0]
        names = ("_op", "on", "name", "rate")
        with (project / "landing" / f"{on}.csv").open("w", newline="", encoding="utf-8") as file:
            own = slice(None) if kind == "changes" else slice(1, None)
            csv.writer(file).writerows([names[own], *(row[own] for row in rows)])

    for day in range(20):
        rates(day, {})
    walk("shop")
    rates(20, {f"C{place:02}": 100 for place in range(12)})
    walk("shop")
    assert found(2)["scale"].headline == "all 12 values of rate are about 100 times their usual size"
    rates(21, {})
    walk("shop")
    assert not found(3)
    rates(22, {"C05": 10.0})
    walk("shop")
    assert found(4)["source"].headline.startswith("rate of name C05 is ")
    assert found(4)["source"].cause == "a decimal point is lost, or has moved?"
    assert [row.values["name"] for row in found(4)["source"].rows] == ["C05"]


def test_an_error_is_told_on_the_day_after_a_load_that_was_odd_as_a_whole(project: Path) -> None:
    """Nothing was removed by a load of an append-only table, so that the next one brings nothing back."""
    source = {"path": "landing", "format": "csv", "kind": "changes"}
    write_configuration(
        project, {"dataset": "shop", "tables": {"sales": {"source": source, "key": ["id"]}}, "inclusions": "off"}
    )
    (project / "landing").mkdir()
    for day in range(20):
        land(project, day)
    walk("shop")
    land(project, 20, stores=1)
    walk("shop")
    assert found(2)
    land(project, 21, factor=100)
    walk("shop")
    assert found(3)["scale"].headline == "all 30 values of amount are about 100 times their usual size"


def test_rows_that_go_are_a_load_too(project: Path) -> None:
    source = {"path": "landing", "format": "csv", "kind": "changes"}
    tables = {"sales": {"source": source, "key": ["id"]}}
    write_configuration(project, {"dataset": "shop", "tables": tables, "inclusions": "off"})
    (project / "landing").mkdir()
    for day in range(12):
        land(project, day)
    walk("shop")
    land(project, 12)
    earlier, latest = (project / "landing" / f"2024-01-{day}.csv" for day in ("02", "13"))
    gone = [line.replace("insert", "delete", 1) for line in earlier.read_text(encoding="utf-8").splitlines()[1:]]
    latest.write_text("\n".join([*latest.read_text(encoding="utf-8").splitlines(), *gone, ""]), encoding="utf-8")
    walk("shop")
    assert found(2)["row count"].headline == "30 rows were removed, usually about 0"
    assert found(2)["row count"].cause == "deleted by mistake, or missing from the source?"


@pytest.mark.parametrize("wrong", ["missing", "changed"])
def test_rows_that_are_as_before_an_error_again_are_no_old_file(project: Path, wrong: str) -> None:
    tables = {"stock": {"source": {"path": "landing", "format": "csv", "kind": "snapshot"}, "key": ["item"]}}
    write_configuration(project, {"dataset": "shop", "tables": tables, "inclusions": "off"})
    (project / "landing").mkdir()

    def stock(day: int, *, spoilt: bool = False) -> None:
        on = date(2024, 1, 1) + timedelta(days=day)
        sold = {item: (item * 7 + (day - (day - item) % 60) * 3) % 50 + 1 for item in range(60)}
        rows = [(f"A{item:03}", ("Ulm", "Bonn", "Jena")[item % 3], number) for item, number in sold.items()]
        if spoilt and wrong == "missing":
            rows = [row for row in rows if row[1] != "Ulm"]
        elif spoilt:
            rows = [(item, None, number) for item, _, number in rows]
        with (project / "landing" / f"{on}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("item", "store", "number"), *rows])

    for day in range(24):
        stock(day)
    walk("shop")
    for version, day in ((2, 24), (4, 26)):
        stock(day, spoilt=True)
        walk("shop")
        assert found(version)
        stock(day + 1)
        walk("shop")
        assert "repeated load" not in found(version + 1)


def test_rows_of_a_value_that_are_gone_are_told_under_the_columns_new_name(project: Path):
    source = {"path": "landing", "format": "csv", "kind": "snapshot"}
    table = {"source": source, "key": ["id"], "schema_changes": "follow"}
    write_configuration(project, {"dataset": "shop", "tables": {"cars": table}, "inclusions": "off"})
    (project / "landing").mkdir()

    def fleet(day: int, column: str, *branches: str) -> None:
        with (project / "landing" / f"2024-01-0{day}.csv").open("w", newline="", encoding="utf-8") as file:
            rows = ((number, branches[number % len(branches)], 100 * day + number) for number in range(120))
            csv.writer(file).writerows([("id", column, "km"), *(row for row in rows if row[1])])

    fleet(1, "branch", "Kiel", "Ulm", "Bonn")
    walk("shop")
    named = {**table, "columns": {"site": {"renamed_from": "branch"}}}
    write_configuration(project, {"dataset": "shop", "tables": {"cars": named}, "inclusions": "off"})
    fleet(2, "site", "Kiel", "Ulm", "Bonn")
    walk("shop")
    fleet(3, "site", "Kiel", "", "Bonn")
    walk("shop")
    gone = found(3)["ended"]
    assert gone.headline == "all 40 rows with site Ulm are gone"
    assert (gone.columns, gone.values, gone.count) == (("site",), ("Ulm",), 0)


def test_the_same_table_again_is_told_although_nothing_could_change_in_its_first_load(project: Path):
    source = {"path": "landing", "format": "csv", "kind": "snapshot"}
    write_configuration(
        project, {"dataset": "shop", "tables": {"cars": {"source": source, "key": ["id"]}}, "inclusions": "off"}
    )
    (project / "landing").mkdir()

    def fleet(day: int, driven: int) -> None:
        on = date(2024, 1, 1) + timedelta(days=day)
        rows = [(number, 100 * number + sum((number + d) % 3 == 0 for d in range(driven))) for number in range(60)]
        with (project / "landing" / f"cars_{on}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("id", "km"), *rows])

    for day in range(16):
        fleet(day, day)
    walk("shop")
    fleet(16, 15)
    walk("shop")
    assert found(2)["row count"].headline == "0 rows were changed, usually about 20"
