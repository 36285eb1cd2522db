"""Groups of rows are judged although each row has a number of its own, which never comes again."""

import random

import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {
    "id": LogicalType.INTEGER,
    "device": LogicalType.STRING,
    "value": LogicalType.FLOAT,
    "discount": LogicalType.FLOAT,
}


def schema_of(names: list[str]) -> TableSchema:
    columns = (Column(name, TYPES.get(name, LogicalType.FLOAT), ordered=True) for name in names)
    return TableSchema("readings", tuple(columns), key=("id",))


def rows_of(day: int) -> pa.Table:
    """Readings of three kinds by three devices; three in ten have a discount, whose median is sometimes above zero."""
    rng = random.Random(day)
    size = rng.randrange(50, 70)
    return pa.table(
        {
            "id": [1000 * day + i for i in range(size)],
            "device": [f"D{i % 6}" for i in range(size)],
            "value": [round(rng.choice((8, 14, 25)) * rng.uniform(0.9, 1.1), 2) for _ in range(size)],
            "discount": [rng.choice((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 0.05, 0.1)) for _ in range(size)],
        }
    )


def follow(tables: list[pa.Table]) -> tuple[list[tuple[int, Anomaly]], LoadHistory]:
    history, told = LoadHistory(), []
    for day, table in enumerate(tables):
        schema = schema_of(table.column_names)
        odd, history = judged(f"2024-05-{day + 1:02}", profile(table, schema), history, schema)
        told += [(day, anomaly) for anomaly in odd if anomaly.kind == "source"]
    return told, history


def test_group_whose_median_rests_on_a_few_rows_is_no_news():
    assert not follow([rows_of(day) for day in range(30)])[0]


@pytest.mark.parametrize(
    ("factor", "name", "told"),
    [(0.01, "value", [(19, "device D2")]), (100.0, "value", [(19, "device D2")]), (100.0, "postcode", [])],
)
def test_group_of_another_unit_is_told_and_codes_have_no_unit(factor, name, told):
    tables = [rows_of(day) for day in range(20)]
    value, device = tables[-1]["value"].to_pylist(), tables[-1]["device"].to_pylist()
    spoilt = [round(v * factor, 4) if d == "D2" else v for v, d in zip(value, device, strict=True)]
    tables[-1] = tables[-1].set_column(2, "value", pa.array(spoilt))
    found, _ = follow([table.rename_columns(["id", "device", name, "discount"]) for table in tables])
    assert [(day, anomaly.subject) for day, anomaly in found] == told


def test_median_of_two_kinds_of_numbers_may_be_either():
    tables = []
    for day in range(40):
        rows = pa.concat_tables([rows_of(4 * day + part) for part in range(4)])
        rng, device = random.Random(day), rows["device"].to_pylist()
        upper = 0.4 if day < 39 else 0.55
        values = [
            (140.0 if rng.random() < upper else 5.0) + rng.random() if name == "D2" else value
            for name, value in zip(device, rows["value"].to_pylist(), strict=True)
        ]
        tables.append(rows.set_column(2, "value", pa.array(values)))
    assert not follow(tables)[0]


def test_names_that_are_new_with_each_load_are_not_kept():
    _, history = follow([rows_of(day) for day in range(9)])
    assert [[panel.by for panel in load.panels] for load in history.loads[1:]] == [["device"]] * 8
