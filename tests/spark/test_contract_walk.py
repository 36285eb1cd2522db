"""A contract and a suite are imported into a dataset: their rules are followed, exactly, with their severity."""

import json

import pytest
import yaml
from helpers.landing import write_configuration

from profiling_core.model.errors import InputError
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.slow]
CONFIG = {
    "dataset": "shop",
    "inclusions": "off",
    "tables": {"orders": {"source": {"path": "landing/orders"}, "key": ["id"], "max_predicates": 2}},
}
CONTRACT = {
    "kind": "DataContract",
    "schema": [
        {
            "name": "orders",
            "properties": [
                {"name": "total", "logicalTypeOptions": {"minimum": 3, "maximum": 1000}},
                {"name": "day", "logicalTypeOptions": {"minimum": "2024-01-01"}},
                {"name": "gone", "required": True},
            ],
        }
    ],
}
SUITE = {
    "name": "somebody.orders",
    "expectations": [
        {
            "type": "expect_column_values_to_be_in_set",
            "kwargs": {"column": "state", "value_set": ["paid", "open"]},
            "severity": "warning",
        }
    ],
}
RANGE, VALUES = "3 ≤ total ≤ 1000", "state ∈ {open, paid}"


def land(root, name, rows):
    path = root / "landing" / "orders" / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("_op,id,total,state,day\n" + "".join(f"{row}\n" for row in rows), "utf-8")


def figures(work):
    found = work.catalog.tracked("shop")
    return {t.measured.constraint.text: (t.state.value, t.measured.violations) for t in found}


def test_what_a_file_says_is_followed_from_the_next_run_on(spark, tmp_path, monkeypatch, holdfast):
    monkeypatch.chdir(tmp_path)
    write_configuration(tmp_path, CONFIG)
    (tmp_path / "contract.yaml").write_text(yaml.safe_dump(CONTRACT))
    (tmp_path / "suite.json").write_text(json.dumps(SUITE))
    # orders 0 to 2 have too small a total
    land(tmp_path, "1", [f"insert,{i},{i},{'paid' if i % 2 else 'open'},2024-01-01" for i in range(40)])
    walk("shop")

    code, out, _ = holdfast("contract", "import", "contract.yaml")
    assert not code
    assert "1 rule to follow from the next run on" in out
    assert "has type date, which takes no rule of that kind" in out
    assert "no column 'gone'" in out
    code, out, _ = holdfast("contract", "import", "suite.json", "--json")
    assert json.loads(out)["new"] == [VALUES]

    # order 1 goes, order 2 is mended, and 40 comes with an unknown state
    land(tmp_path, "2", ["delete,1,1,paid,2024-01-01", "update,2,30,open,2024-01-01", "insert,40,5,lost,2024-01-02"])
    outcome = walk("shop")
    work = Workspace.open("shop")
    now = figures(work)
    assert now[RANGE] == ("violated", 1)
    assert now[VALUES] == ("violated", 1)
    assert outcome["version"] == 2

    written = json.loads((tmp_path / ".holdfast/artifacts/shop/suites/orders.json").read_text())
    severity = {e["meta"]["constraint"]: e["severity"] for e in written["expectations"]}
    assert severity[VALUES] == "warning"

    # both are mended; then one breaks, and a person hears of it
    land(tmp_path, "3", ["update,0,3,open,2024-01-01", "update,40,5,open,2024-01-02"])
    walk("shop")
    assert figures(work)[RANGE][1] == figures(work)[VALUES][1] == 0
    land(tmp_path, "4", ["insert,41,2000,paid,2024-01-03"])
    assert RANGE in walk("shop")["broken"]
    code, out, _ = holdfast("contract", "import", "contract.yaml", "--json")
    assert json.loads(out)["known"] == [RANGE]


def test_a_file_that_is_no_contract_is_told(tmp_path, monkeypatch):
    from profiling_core.pipeline.contracts import importing

    (tmp_path / "x.yaml").write_text("a: 1")
    for name, why in (("x.yaml", "neither a data contract nor a suite"), ("none.yaml", "cannot be read")):
        with pytest.raises(InputError, match=why):
            importing._contents(tmp_path / name, None, None)
