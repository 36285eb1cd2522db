"""A new table's engine follows from what its evidence would cost, which its shape alone does not tell."""

from contextlib import nullcontext

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from profiling_core.maintain import choice
from profiling_core.maintain.choice import suited
from profiling_core.model.dataset import Engine
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import Silent, walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
ROWS, COLUMNS = 20_000, 22


class Heard(Silent):
    """Keeps what each step gives."""

    def __init__(self, said):
        self._said = said

    def during(self, step, table):
        return nullcontext(self._said.setdefault((step, table), {}))


def chosen_for(drawn, options, root, monkeypatch):
    """By table, what the first run says of its engine, and its predicate space."""
    monkeypatch.setenv("HOLDFAST_ROOT", str(root))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    tables = {}
    for name, columns in drawn.items():
        (root / name).mkdir()
        pq.write_table(pa.table(columns), root / name / "1.parquet")
        source = {"path": name, "format": "parquet", "kind": "append"}
        tables[name] = {"source": source, "max_predicates": 2, **options}
    datasets = root / "dags" / "datasets"
    datasets.mkdir(parents=True)
    config = {"dataset": "drawn", "tables": tables, "inclusions": "off"}
    (datasets / "drawn.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    said = {}
    walk("drawn", progress=Heard(said))
    return {table: heard["chosen"] for (step, table), heard in said.items() if step == "maintain" and table}


def test_numbers_whose_pairs_hardly_repeat_are_looked_up_and_few_values_are_counted(spark, tmp_path, monkeypatch):
    chance = np.random.default_rng(3)
    drawn = {
        "numbers": {f"c{i}": chance.normal(size=ROWS) for i in range(COLUMNS)},
        "classes": {f"c{i}": chance.integers(0, 3, ROWS) for i in range(4)},
    }
    assert suited(ROWS, COLUMNS, 10**8)[0] is Engine.COUNTED  # by its shape
    chosen = chosen_for(drawn, {"space": "same-column"}, tmp_path, monkeypatch)
    assert chosen["numbers"].startswith(f"{Engine.INDEXED.value} engine: counting the pairs of {ROWS:,} rows takes")
    assert chosen["classes"].startswith(Engine.COUNTED.value)


@pytest.mark.parametrize(
    ("seconds", "engine", "why"),
    [(1.0, Engine.INDEXED, "different columns are not compared"), (1e-6, Engine.AGREE_SETS, "dependencies alone")],
)
def test_what_takes_too_long_to_search_gives_way_to_less(spark, tmp_path, monkeypatch, seconds, engine, why):
    """Columns that share all their values: thousands of predicates, too many to find all constraints."""
    monkeypatch.setattr(choice, "MOST_SECONDS", seconds)
    monkeypatch.setattr(choice, "MOST_SECONDS_OF_PAIRS", seconds)
    monkeypatch.setattr(choice, "SECONDS_PER_ROW", 0.0)
    cells = np.random.default_rng(5).integers(0, 12, (16, 3_000))
    drawn = {"scores": {f"c{i}": column for i, column in enumerate(cells)}}
    (said,) = chosen_for(drawn, {"max_predicates": 3}, tmp_path, monkeypatch).values()
    assert said.startswith(f"{engine.value} engine: ")
    assert why in said
    findings = verify(Workspace.open("drawn"))
    assert findings
    assert all(finding.equal for finding in findings)
