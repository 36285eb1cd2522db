"""A new table's engine follows from what its evidence would cost, which its shape alone does not tell."""

from contextlib import nullcontext

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from profiling_core.maintain.choice import MOST_GROUPED, suited
from profiling_core.model.dataset import Engine
from profiling_core.pipeline.walk import Silent, walk

pytestmark = pytest.mark.spark
ROWS, COLUMNS = 20_000, 22


class Heard(Silent):
    """Keeps what each step gives."""

    def __init__(self, said):
        self._said = said

    def during(self, step, table):
        return nullcontext(self._said.setdefault((step, table), {}))


def test_numbers_whose_pairs_hardly_repeat_are_looked_up_and_few_values_are_counted(spark, tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    chance = np.random.default_rng(3)
    drawn = {
        "numbers": {f"c{i}": chance.normal(size=ROWS) for i in range(COLUMNS)},
        "classes": {f"c{i}": chance.integers(0, 3, ROWS) for i in range(4)},
    }
    tables = {}
    for name, columns in drawn.items():
        (tmp_path / name).mkdir()
        pq.write_table(pa.table(columns), tmp_path / name / "1.parquet")
        source = {"path": name, "format": "parquet", "kind": "append"}
        tables[name] = {"source": source, "space": "same-column", "max_predicates": 2}
    datasets = tmp_path / "dags" / "datasets"
    datasets.mkdir(parents=True)
    config = {"dataset": "drawn", "tables": tables, "inclusions": "off"}
    (datasets / "drawn.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert suited(ROWS, COLUMNS, 10**8)[0] is Engine.COUNTED  # by its shape
    assert ROWS * (ROWS - 1) // 2 > MOST_GROUPED
    said = {}
    walk("drawn", progress=Heard(said))
    chosen = {table: heard["chosen"] for (step, table), heard in said.items() if step == "maintain" and table}
    assert chosen["numbers"].startswith(f"{Engine.INDEXED.value} engine: pairs of {ROWS:,} rows hardly repeat")
    assert chosen["classes"].startswith(Engine.COUNTED.value)
