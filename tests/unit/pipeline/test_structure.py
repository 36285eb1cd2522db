"""What is told of tables and columns that are others in a version than in the one before."""

from dataclasses import replace

import pytest
from helpers.catalog import DATASET, seed

from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType
from profiling_core.pipeline.structure import told
from profiling_core.pipeline.workspace import Workspace

ANEW = "; its constraints were discovered anew"


PERSONAL = (
    "column email of table flights looks personal by its name, and messages, pages and results show it: where they "
    "must not, write below the table columns: {email: {redacted: true}}"
)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("carrier",), []),
        (("airline",), [f"table flights: column airline was called carrier before{ANEW}"]),
        (
            ("airline", "carrier"),  # the former name is given to another column
            ["table flights: column airline was called carrier before, column carrier (string) was added" + ANEW],
        ),
        (("company",), [f"table flights: column carrier was dropped, column company (string) was added{ANEW}"]),
        (("carrier", "email"), [f"table flights: column email (string) was added{ANEW}", PERSONAL]),
    ],
)
def test_a_renamed_column_is_told_from_one_dropped_and_one_added(tmp_path, monkeypatch, columns, said):
    settings = seed(tmp_path)
    monkeypatch.setenv("HOLDFAST_ROOT", str(settings.root))
    monkeypatch.setenv("HOLDFAST_HOME", str(settings.home))
    monkeypatch.setenv("HOLDFAST_DATASETS", str(settings.datasets_dir))
    monkeypatch.setenv("HOLDFAST_CATALOG", settings.catalog_url)
    path = settings.datasets_dir / f"{DATASET}.yaml"
    plain = path.read_text("utf-8")
    path.write_text(plain.replace("key: [flight]", "columns: {airline: {renamed_from: carrier}}"), encoding="utf-8")
    current = settings.catalog().current(DATASET)
    flights = current.tables["flights"]
    schema = replace(flights.schema, columns=tuple(Column(c, LogicalType.STRING, ordered=False) for c in columns))
    tables = {**current.tables, "flights": replace(flights, schema=schema)}
    assert told(Workspace.open(DATASET), replace(current, number=current.number + 1, tables=tables)) == said
