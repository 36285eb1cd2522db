"""A table whose columns have awkward names walks the whole way, and gives what it gives under plain names."""

import csv
from pathlib import Path

import pytest
import yaml

from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = pytest.mark.spark

# Names that say nothing of what a column holds, in the same order: what is followed goes by names, too.
PLAIN = ("bo", "du", "ci", "ab")
HOSTILE = ("a.b", "x`y", "select 'q\" from {{ t }}", "<b>ключ</b> ${1}")
ROWS = [
    [str(i), zip_code, city, str(i % 4)]
    for i, (zip_code, city) in enumerate([("50667", "Köln"), ("53111", "Bonn"), ("10115", "Berlin")] * 12)
]
LATER = [["90", "50667", "Bonn", "1"], ["91", "20095", "Hamburg", "2"]]


def landed(root: Path, names: tuple[str, ...]) -> None:
    (root / "dags" / "datasets").mkdir(parents=True)
    table = {"source": {"path": "landing"}, "key": [names[0]], "policy": "quarantine"}
    config = {"dataset": "odd", "tables": {"people": table}, "alerts": {"min_held_deltas": 1}}
    (root / "dags/datasets/odd.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    (root / "landing").mkdir()
    for day, rows in (("day-1", ROWS), ("day-2", LATER)):
        with (root / "landing" / f"{day}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["_op", *names], *(["insert", *row] for row in rows)])


def walked(root: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> list[tuple]:
    """What is known after two days and a release, with the names put back to plain ones."""
    landed(root, names)
    monkeypatch.setenv("HOLDFAST_ROOT", str(root))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    told: list[tuple] = []
    for step in ({"label": "day-1"}, {"label": "day-2"}, {"release": "people"}):
        walk("odd", **step)
        work = Workspace.open("odd")
        version = work.catalog.current("odd").number
        told += sorted((plain(c, names), t.state.value) for t in work.catalog.tracked("odd") for c in [t.measured])
        changes = work.catalog.changes("odd", version).changes
        told += sorted((c.transition.value, plain(c.measured, names), c.violating_rows) for c in changes if c.alerts)
        told += [(len(v.result["checks"]),) for v in work.catalog.validations("odd", version)]
        told += [("alert", a.table) for a in work.catalog.alerts("odd", version)]
    assert all(finding.equal for finding in verify(work))
    return told


def plain(measured, names: tuple[str, ...]) -> tuple:
    order = {name: PLAIN[i] for i, name in enumerate(names)}
    constraint = measured.constraint
    columns = tuple(order[c] for c in constraint.columns)
    return (constraint.kind.value, columns, measured.violations, measured.support)


def test_hostile_names_change_nothing_but_the_names(spark, tmp_path, monkeypatch):
    expected = walked(tmp_path / "plain", monkeypatch, PLAIN)
    assert any(entry[0] == "rows set aside" for entry in expected)
    assert any(entry[0] == "broke" for entry in expected)
    assert walked(tmp_path / "hostile", monkeypatch, HOSTILE) == expected
