"""`values: text` in a maintained dataset compares the source's text, as `discover` does in the files."""

from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta

from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import DATASET, InclusionDependency, Kind
from profiling_core.model.errors import ConfigurationError
from profiling_core.pipeline.discover import DiscoveryRequest, discover
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

PAID = ["17.00", "5.5", "07", "1e3", "true"]
LISTED = ["17.00", "5.5", "07", "1e3", "true", "8"]


@pytest.fixture
def project(project: Path) -> Path:
    configure(project, "text")
    return project


def configure(project: Path, values: str) -> None:
    options = {"space": "same-column", "max_predicates": 2, "errors": {"ind_coverage": 0.5}}
    tables = {table: {"source": {"path": f"landing/{table}"}, **options} for table in ("paid", "listed")}
    config = {"dataset": "shop", "tables": tables, "values": values, "alerts": {"min_held_deltas": 1}}
    write_configuration(project, config)


def land(project: Path, table: str, delta: str, rows: list[tuple[str, str]]) -> None:
    write_delta(project, table, delta, ("_op", "number", "price"), *(("insert", *row) for row in rows))


def maintained(label: str) -> dict[str, float]:
    walk("shop", label=label)
    work = Workspace.open("shop")
    findings = verify(work)
    assert all(finding.equal for finding in findings), findings
    version = work.catalog.current("shop")
    found = [r.measured for r in read_results(work.store, version, DATASET).ranked]
    return {m.constraint.text: m.error for m in found if isinstance(m.constraint, InclusionDependency)}


def discovered(project: Path, rows: dict[str, list[tuple[str, str]]]) -> dict[str, float]:
    files = []
    for table, content in rows.items():
        files.append(project / f"{table}.csv")
        files[-1].write_text("number,price\n" + "".join(f"{n},{p}\n" for n, p in content), encoding="utf-8")
    found = discover(files, DiscoveryRequest(kind=Kind.IND, values="text", max_error=0.5)).constraints
    return {m.constraint.text: m.error for m in found}


def test_a_maintained_dataset_compares_the_texts_of_its_files(spark, project):
    rows = {
        "paid": [(f"a{i}", price) for i, price in enumerate(PAID)],
        "listed": [(str(i), price) for i, price in enumerate(LISTED)],
    }
    for table, content in rows.items():
        land(project, table, "1", content)
    found = maintained("1")
    assert found == discovered(project, rows)
    assert found["paid.price ⊆ listed.price"] == 0

    land(project, "paid", "2", [("a9", "17.0"), ("a10", "5.50")])  # other texts of the same numbers
    rows["paid"] += [("a9", "17.0"), ("a10", "5.50")]
    found = maintained("2")
    assert found == discovered(project, rows)
    assert found["paid.price ⊆ listed.price"] == pytest.approx(2 / 7)


def test_texts_that_were_not_kept_cannot_compare(spark, project):
    configure(project, "typed")
    for table in ("paid", "listed"):
        land(project, table, "1", [("a1", "17.00")])
    walk("shop", label="1")
    configure(project, "text")
    land(project, "paid", "2", [("a2", "17.0")])
    with pytest.raises(ConfigurationError, match="only the float is stored"):
        walk("shop", label="2")
