"""Tables and columns that come and go: the next run takes them over, says so, and retires what spoke of them."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.landing import write_configuration, write_delta
from typer.testing import CliRunner

from profiling_core.cli.main import app
from profiling_core.model.change import Transition
from profiling_core.model.errors import InputError, StateError
from profiling_core.pipeline.explain import explain
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot

pytestmark = pytest.mark.spark

PAIR = "lines.(shop, article) ⊆ stock.({}, article)"


HEAD = ("_op", "shop", "article", "size")


@pytest.fixture(scope="module")
def begun(spark, tmp_path_factory) -> Path:
    """A project whose dataset is at its first version: the same rows in both of its tables."""
    project = tmp_path_factory.mktemp("begun")
    (project / "dags" / "datasets").mkdir(parents=True)
    configure(project, "lines", "stock")
    for table in ("lines", "stock"):
        write_delta(
            project, table, "1", HEAD, ("insert", "x", "a", 1), ("insert", "y", "b", 2), ("insert", "y", "a", 2)
        )
    with pytest.MonkeyPatch.context() as patch:
        in_project(project, patch)
        outcome, work, _ = applied("1")
        assert outcome["structure"] == []
        assert PAIR.format("shop") in texts(work)
    return project


@pytest.fixture
def project(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    in_project(tmp_path, monkeypatch)
    return tmp_path


def in_project(project: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("HOLDFAST_ROOT", str(project))
    patch.delenv("HOLDFAST_HOME", raising=False)


def configure(project: Path, *tables: str, **columns: dict) -> None:
    options = {
        table: {
            "source": {"path": f"landing/{table}"},
            "schema_changes": "follow",
            "space": "same-column",
            "max_predicates": 2,
            "columns": columns.get(table, {}),
        }
        for table in tables
    }
    config = {"dataset": "shop", "tables": options, "max_arity": 2, "alerts": {"min_held_deltas": 1}}
    write_configuration(project, config)


def applied(day: str | None) -> tuple[dict, Workspace, list]:
    outcome = walk("shop", label=day)
    work = Workspace.open("shop")
    findings = verify(work)
    assert all(finding.equal for finding in findings), findings
    return outcome, work, work.catalog.changes("shop", outcome["version"]).changes


def texts(work: Workspace) -> set[str]:
    return {t.measured.constraint.text for t in work.catalog.tracked("shop")}


def assert_joins(work: Workspace, picture: Path) -> None:
    shown = CliRunner().invoke(app, ["joins", "shop", "--json", "--svg", str(picture)])
    data = json.loads(shown.stdout)
    assert {table["name"]: table["rows"] for table in data["tables"]} == {"lines": 3, "stock": 3, "shops": 2}
    joined = {
        (join["from"]["table"], *join["from"]["columns"]) for join in data["joins"] if join["to"]["table"] == "shops"
    }
    assert joined <= {("lines", "shop"), ("stock", "shop")}
    ((child, _),) = joined
    assert "Joins of shop, version 2" in picture.read_text("utf-8")
    listed = CliRunner().invoke(app, ["joins", "shop"])
    assert f"{child}.shop ⊆ shops.name" in listed.stdout
    (found,) = [t for t in work.catalog.tracked("shop") if t.measured.constraint.text == f"{child}.shop ⊆ shops.name"]
    assert "Reads as a foreign key" in explain(work, found.fingerprint).worth


def test_tables_and_columns_come_and_go(spark, project):
    configure(project, "lines", "stock", "shops")
    write_delta(project, "shops", "2", ("_op", "name"), ("insert", "x"), ("insert", "y"))
    write_delta(
        project,
        "stock",
        "2",
        ("_op", "shop", "article", "price"),
        ("insert", "x", "b", "1.5"),
        ("delete", "x", "a", ""),
    )
    outcome, work, changes = applied("2")
    said = "column size was dropped, column price (float) was added; its constraints were discovered anew"
    assert outcome["structure"] == ["table shops was added", f"table stock: {said}"]
    # Each follows from the other, since the shops of lines and of stock include each other; one of them is followed.
    assert len(texts(work) & {"lines.shop ⊆ shops.name", "stock.shop ⊆ shops.name"}) == 1
    assert_joins(work, project / "joins.svg")
    rows = read_snapshot(spark, work.store, work.catalog.current("shop"), "stock").drop("_row_id").collect()
    assert sorted(map(tuple, rows)) == [("x", "b", 1.5), ("y", "a", None), ("y", "b", None)]
    retired = [c.measured.constraint for c in changes if c.transition is Transition.RETIRED]
    assert any("size" in constraint.columns for constraint in retired if "stock" in constraint.tables)
    assert not [t for t in texts(work) if "stock.size" in t]

    configure(project, "stock", "shops", stock={"price": {"type": "string"}})
    with pytest.raises(StateError, match="still has table 'lines'"):
        verify(Workspace.open("shop"))
    write_delta(project, "stock", "3", ("_op", "shop", "article", "price"), ("insert", "y", "a", "none"))
    outcome, work, changes = applied("3")
    retyped = "table stock: column price is string now, float before; its constraints were discovered anew"
    assert outcome["structure"][:2] == ["table lines was dropped", retyped]
    assert all("is now read as" in said for said in outcome["structure"][2:])
    assert {c.table for c in changes if c.transition is Transition.RETIRED} >= {"lines"}
    assert set(work.catalog.current("shop").tables) == {"stock", "shops"}

    configure(project, "stock", "shops", "lines", stock={"price": {"type": "integer"}})
    outcome, work, _ = applied("4")
    assert outcome["structure"] == ["table lines was added"]
    assert outcome["arrived"]["lines"]["rows"] == 3
    write_delta(project, "stock", "5", ("_op", "shop", "article", "price"), ("insert", "y", "a", 1))
    with pytest.raises(InputError, match="cannot become integer: the value 'none'"):
        walk("shop", label="5")


def test_inclusions_follow_a_column_that_is_renamed(spark, project):
    work = Workspace.open("shop")
    (before,) = [t for t in work.catalog.tracked("shop") if t.measured.constraint.text == PAIR.format("shop")]

    configure(project, "lines", "stock", stock={"branch": {"renamed_from": "shop"}})
    write_delta(project, "stock", "2", ("_op", "branch", "article", "size"), ("insert", "z", "a", 1))
    outcome, work, changes = applied("2")
    assert outcome["structure"] == [
        "table stock: column branch was called shop before; its constraints were discovered anew"
    ]
    (after,) = [t for t in work.catalog.tracked("shop") if t.measured.constraint.text == PAIR.format("branch")]
    assert (after.state, after.since, after.held_deltas) == (before.state, "1", before.held_deltas + 1)
    assert not [t for t in texts(work) if "stock.shop" in t or "stock.(shop" in t]
    assert not [c for c in changes if c.transition is Transition.RETIRED and "shop" in c.measured.constraint.columns]

    write_delta(project, "lines", "3", HEAD, ("insert", "x", "b", 1))
    _, work, changes = applied("3")
    (broken,) = [c for c in changes if c.measured.constraint.text == PAIR.format("branch")]
    assert broken.transition is Transition.BROKE
    assert [w.broken_by for w in broken.witnesses] == [{"shop": "x", "article": "b", "size": "1"}]


def test_a_typed_source_widens_a_column_and_is_emptied(spark, tmp_path, monkeypatch):
    in_project(tmp_path, monkeypatch)
    sales = tmp_path / "sales"
    for folder in (sales, tmp_path / "dags" / "datasets"):
        folder.mkdir(parents=True)
    source = {"format": "parquet-table", "path": "sales", "settle_seconds": 0}
    table = {"source": source, "schema_changes": "follow", "space": "same-column", "max_predicates": 2}
    config = {"dataset": "shop", "tables": {"sales": table}}
    write_configuration(tmp_path, config)

    def walked(name: str, prices: list[float]) -> tuple[list[str], list[float]]:
        if prices:
            pq.write_table(pa.table({"id": [len(name)] * len(prices), "price": prices}), sales / f"{name}.parquet")
        outcome, work, _ = applied(None)
        rows = read_snapshot(spark, work.store, work.catalog.current("shop"), "sales").collect()
        return [said for said in outcome["structure"] if "is now read as" not in said], sorted(
            row["price"] for row in rows
        )

    assert walked("a", [1, 2]) == ([], [1, 2])
    retyped = "table sales: column price is float now, integer before; its constraints were discovered anew"
    assert walked("bb", [2.5, 4.0]) == ([retyped], [1.0, 2.0, 2.5, 4.0])
    for path in sales.iterdir():
        path.unlink()
    assert walked("", []) == ([], [])
