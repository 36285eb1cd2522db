"""Maintaining inclusions on Spark, through store and files: equal to discovery from scratch after every delta.

Sections of the papers: Attribute clustering 5.2, 5.3.
"""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers.constraints import table_schema
from helpers.inclusions import VersionedDataset

from profiling_core.maintain.inclusion_state import GeneratorOptions
from profiling_core.maintain.inclusions import StagedInclusions
from profiling_core.maintain.results import Results
from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import StateError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

pytestmark = pytest.mark.spark

SCHEMAS = {
    "orders": TableSchema(
        "orders",
        (
            Column("id", LogicalType.INTEGER, ordered=True),
            Column("customer", LogicalType.STRING, ordered=False),
            Column("price", LogicalType.DECIMAL, ordered=True, precision=12, scale=2),
            Column("when", LogicalType.TIMESTAMP, ordered=True),
            Column("note", LogicalType.STRING, ordered=False, profiled=False),
        ),
        ("id",),
    ),
    "customers": table_schema("customers", "name string, limit.usd float, since date"),
}
ARROW = {
    "orders": pa.schema(
        {
            "id": pa.int64(),
            "customer": pa.string(),
            "price": pa.decimal128(12, 2),
            "when": pa.timestamp("us", tz="UTC"),
            "note": pa.string(),
        }
    ),
    "customers": pa.schema({"name": pa.string(), "limit.usd": pa.float64(), "since": pa.date32()}),
}
CONFIG = DatasetConfig.model_validate(
    {
        "dataset": "shop",
        "tables": {
            "orders": {"source": {"path": "orders"}, "errors": {"ind_coverage": 0.5}},
            "customers": {"source": {"path": "customers"}, "errors": {"ind_coverage": 0.9}},
        },
    }
)
NAMES = ["Ada", "ada", "Bo", "Čeněk", "", "x" * 5000, None]
DAY_US = 86_400_000_000


def row(table, draw):
    if table == "orders":
        when = draw.choice([None, 0, DAY_US, DAY_US + 1])
        price = draw.choice([None, "1.00", "0.50", "0.10", "2.25"])
        return {"id": draw.randrange(9), "customer": draw.choice(NAMES), "price": price, "when": when, "note": "n"}
    limit = draw.choice([None, 1.0, 0.5, 0.1, -0.0, 2.25, float("nan")])
    return {"name": draw.choice(NAMES), "limit.usd": limit, "since": draw.choice([None, 0, 1])}


def order(number, buyer):
    return {"id": number, "customer": buyer, "price": None, "when": None, "note": f"order {number}"}


def customer(name):
    return {"name": name, "limit.usd": None, "since": None}


def arrow(rows_by_table):
    """Rows as tables; decimals are given as text."""
    tables = {}
    for table, rows in rows_by_table.items():
        columns = []
        for field in ARROW[table]:
            raw = [values[field.name] for values in rows]
            as_text = pa.types.is_decimal(field.type)
            columns.append(pa.array(raw, pa.string()).cast(field.type) if as_text else pa.array(raw, field.type))
        tables[table] = pa.Table.from_arrays(columns, ARROW[table].names)
    return tables


def shares(draw, share):
    """Deletes of about this share of rows."""
    return lambda _, rows: np.array([draw.random() < share for _ in range(len(rows))], bool)


@pytest.fixture
def dataset(spark, tmp_path):
    settings = Settings(tmp_path, tmp_path / "home", "sqlite://", tmp_path)
    options = GeneratorOptions(cells_per_bucket=20, max_files=3, log_cells=0)
    return VersionedDataset(spark, Store(settings.home, "shop"), CONFIG, SCHEMAS, options)


def start(dataset, orders, customers):
    """The first version, of these rows."""
    deltas, after = dataset.change(arrow({"orders": orders, "customers": customers}))
    staged = dataset.maintain(deltas)
    dataset.commit(staged, after)
    return staged


def random_start(dataset, seed, size):
    draw = random.Random(seed)
    start(dataset, *([row(t, draw) for _ in range(size)] for t in SCHEMAS))
    return draw


def ind(lhs, rhs):
    return InclusionDependency(*(ColumnList(side[0], (side[1],)) for side in (lhs, rhs)))


BUYERS = ind(("orders", "customer"), ("customers", "name"))


@pytest.mark.parametrize("seed", range(6))
def test_every_version_equals_discovery_from_scratch(dataset, seed):
    # By jobs alone; by logs as well, for small deltas and for all; logs that are folded in soon.
    log_cells, log_bytes = [(0, 0), (40, 10**9), (10**6, 10**9), (10**6, 4000), (40, 4000), (20, 4000)][seed]
    dataset.options = replace(dataset.options, log_cells=log_cells, log_bytes=log_bytes)
    draw = random.Random(seed)
    for step in range(5):
        tables = ["orders", "customers"] if step == 0 or draw.random() < 0.5 else [draw.choice(list(SCHEMAS))]
        inserts = {t: [row(t, draw) for _ in range(draw.choice([0, 1, 5, 12 if step else 40]))] for t in tables}
        deltas, after = dataset.change(arrow(inserts), shares(draw, draw.choice([0.0, 0.3, 1.0])))
        staged = dataset.maintain(deltas)
        assert list(staged.results) == dataset.discovered(after)
        dataset.commit(staged, after)
        assert StagedInclusions.from_json(staged.to_json()) == staged


def test_the_same_run_twice_gives_the_same_content_elsewhere(dataset):
    draw = random.Random(1)
    deltas, _ = dataset.change(arrow({t: [row(t, draw) for _ in range(30)] for t in SCHEMAS}))
    first, second = dataset.maintain(deltas), dataset.maintain(deltas)
    assert first.results == second.results
    assert [(f.role, f.sha256) for f in first.files] == [(f.role, f.sha256) for f in second.files]
    assert not {f.path for f in first.files} & {f.path for f in second.files}


def test_only_touched_buckets_are_written_and_full_ones_compacted(dataset):
    random_start(dataset, 2, 60)
    most = 0
    for _ in range(8):
        deltas, after = dataset.change(arrow({"orders": [order(1000, None)]}))
        known = {f.path for f in dataset.version.files_of("generator")}
        staged = dataset.maintain(deltas)
        new = [f for f in staged.files if f.role == "generator" and f.path not in known]
        assert len(new) == 1
        dataset.commit(staged, after)
        bucket = Path(new[0].path).parent.name
        own = [f for f in dataset.version.files_of("generator") if Path(f.path).parent.name == bucket]
        assert len([f for f in own if Path(f.path).name == "base.arrow"]) == 1
        most = max(most, len(own))
        assert list(staged.results) == dataset.discovered(after)
    assert most == dataset.options.max_files


def test_a_small_delta_becomes_a_log_without_a_job_and_many_logs_become_one(dataset):
    random_start(dataset, 2, 60)
    dataset.options = replace(dataset.options, log_cells=100)
    dataset.spark = None
    found = []
    for number in range(7):
        deltas, after = dataset.change(arrow({"orders": [order(1000 + number, "Ada")]}), shares(random.Random(4), 0.1))
        staged = dataset.maintain(deltas)
        dataset.commit(staged, after)
        assert list(staged.results) == dataset.discovered(after)
        found.append([Path(f.path).name for f in dataset.version.files_of("generator")].count("log.arrow"))
    assert found == [1, 2, 3, 1, 2, 3, 1]


def test_logs_are_folded_into_the_buckets_by_the_next_job(dataset):
    draw = random_start(dataset, 5, 60)
    dataset.options = replace(dataset.options, log_cells=10**6)
    for log_bytes, logs in ((10**9, 1), (10**9, 2), (0, 0), (0, 1), (0, 0)):
        dataset.options = replace(dataset.options, log_bytes=log_bytes)
        deltas, after = dataset.change(arrow({"customers": [row("customers", draw)]}), shares(draw, 0.1))
        staged = dataset.maintain(deltas)
        dataset.commit(staged, after)
        assert list(staged.results) == dataset.discovered(after)
        names = [Path(f.path).name for f in dataset.version.files_of("generator")]
        assert names.count("log.arrow") == logs


@pytest.mark.parametrize("log_cells", [0, 10**6])
def test_an_empty_delta_leaves_crowded_buckets_and_logs_alone(dataset, log_cells):
    draw = random_start(dataset, 5, 60)
    dataset.options = replace(dataset.options, log_cells=10**6)
    deltas, after = dataset.change(arrow({"customers": [row("customers", draw)]}))
    dataset.commit(dataset.maintain(deltas), after)
    dataset.options = replace(dataset.options, log_cells=log_cells, bucket_bytes=1, log_bytes=0, max_files=1)
    deltas, after = dataset.change(arrow({"customers": []}))
    dataset.commit(dataset.maintain(deltas), after)
    deltas, after = dataset.change(arrow({"customers": [row("customers", draw)]}), shares(draw, 0.5))
    assert list(dataset.maintain(deltas).results) == dataset.discovered(after)


def test_crowded_buckets_are_split(dataset):
    dataset.options = GeneratorOptions(cells_per_bucket=10**6, bucket_bytes=10**6)
    draw = random_start(dataset, 3, 40)
    assert len(dataset.version.files_of("generator")) == 1
    dataset.options = replace(dataset.options, bucket_bytes=1)
    deltas, after = dataset.change(arrow({"orders": [row("orders", draw)]}))
    staged = dataset.maintain(deltas)
    assert list(staged.results) == dataset.discovered(after)
    dataset.commit(staged, after)
    assert len({Path(f.path).parent.name for f in dataset.version.files_of("generator")}) > 1
    dataset.options = GeneratorOptions()
    deltas, after = dataset.change(arrow({"orders": [row("orders", draw)]}), shares(draw, 0.5))
    assert list(dataset.maintain(deltas).results) == dataset.discovered(after)


def test_orphans_of_inserts_are_the_deltas_rows(dataset):
    start(dataset, [order(1, "Ada")], [customer("Ada"), customer("Bo")])
    new = [order(2, "Zoë"), order(3, "Bo"), *(order(i, "Yu") for i in range(4, 80))]
    deltas, _ = dataset.change(arrow({"orders": new}))
    staged = dataset.maintain(deltas, [BUYERS])
    found = staged.orphans[BUYERS.fingerprint]
    assert found.violating_rows == 77
    assert len(found.witnesses) == 50
    shown = {"id": "2", "customer": "Zoë", "price": None, "when": None, "note": "order 2"}
    assert found.witnesses[0].broken_by == shown
    assert all(w.broken_by["customer"] in ("Zoë", "Yu") and not w.contradicts for w in found.witnesses)
    (figures,) = [m for m in staged.results if m.constraint == BUYERS]
    assert (figures.violations, figures.population, figures.row_coverage) == (2, 4, 2 / 79)


def test_orphans_of_deletes_are_the_rows_that_stay(dataset):
    start(dataset, [order(1, "Ada"), *(order(i, "Bo") for i in (2, 3, 4))], [customer("Ada"), customer("Bo")])

    def gone(table, rows):
        column, value = ("name", "Bo") if table == "customers" else ("note", "order 2")
        return np.array([v == value for v in rows[column].to_pylist()], bool)

    deltas, after = dataset.change(arrow({"orders": [order(5, "Bo")], "customers": []}), gone)
    staged = dataset.maintain(deltas, [BUYERS])
    found = staged.orphans[BUYERS.fingerprint]
    assert found.violating_rows == 3
    assert [w.broken_by["note"] for w in found.witnesses] == ["order 3", "order 4", "order 5"]
    dataset.commit(staged, after)
    # Still violated, by the same value: that is no news.
    deltas, after = dataset.change(arrow({"orders": [order(6, "Bo")]}))
    again = dataset.maintain(deltas, [BUYERS])
    assert again.orphans == {}
    assert [m.violations for m in again.results if m.constraint == BUYERS] == [1]


@pytest.mark.parametrize(("buyers", "listed"), [(["Cy"], True), (["Cy", "Dee"], False), (["Ada"], True)])
def test_new_values_are_listed_where_all_are_in_a_key_of_another_table(dataset, buyers, listed):
    start(dataset, [order(1, "Ada"), order(2, "Bo")], [customer("Ada"), customer("Bo")])
    here = [order(3 + number, buyer) for number, buyer in enumerate(buyers)]
    gone = {"orders": [False] * 2, "customers": [False, True]}  # Bo leaves, and is no new value
    deltas, _ = dataset.change(
        arrow({"orders": here, "customers": [customer("Cy")]}), lambda table, _: np.array(gone[table])
    )
    asked = [ColumnList("orders", ("customer",))]
    staged = dataset.maintain(deltas, asked=asked)
    (results,) = (file for file in staged.files if file.role == "results")
    known = Results.from_json(dataset.store.read_json(results)).listed
    assert known == (tuple(asked) if listed else ())


def test_a_delete_from_the_referenced_table_alone_shows_stored_rows(dataset):
    start(dataset, [order(1, "Ada"), order(2, "Bo")], [customer("Ada"), customer("Bo")])
    deltas, _ = dataset.change(
        arrow({"customers": []}), lambda _, rows: np.array([v == "Ada" for v in rows["name"].to_pylist()], bool)
    )
    found = dataset.maintain(deltas, [BUYERS]).orphans[BUYERS.fingerprint]
    assert [w.broken_by["note"] for w in found.witnesses] == ["order 1"]


def test_an_empty_delta_changes_nothing(dataset):
    first = start(dataset, [order(1, "Ada")], [customer("Ada")])
    deltas, _ = dataset.change(arrow({"orders": []}))
    second = dataset.maintain(deltas)
    assert second.results == first.results
    assert [f for f in second.files if f.role != "results"] == [f for f in first.files if f.role != "results"]


def test_empty_tables_have_no_inclusions(dataset):
    assert start(dataset, [], []).results == ()
    deltas, after = dataset.change(arrow({"orders": [order(1, "Ada")], "customers": [customer("Ada")]}))
    assert list(dataset.maintain(deltas).results) == dataset.discovered(after)


@pytest.mark.parametrize("log_cells", [0, 10**6])
def test_damaged_state_is_refused(dataset, log_cells):
    start(dataset, [order(1, "Ada")], [])
    dataset.options = replace(dataset.options, log_cells=log_cells)
    for ref in dataset.version.files_of("generator"):
        path = dataset.store.home / ref.path
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    deltas, _ = dataset.change(arrow({"orders": [order(1, "Ada")]}))
    with pytest.raises(StateError, match="damaged") as caught:
        dataset.maintain(deltas)
    assert "bucket=" in caught.value.where
    assert "rebuild" in caught.value.remedy


@pytest.mark.parametrize("log_cells", [0, 10**6])
def test_deletes_of_rows_that_never_came_are_refused(dataset, log_cells):
    start(dataset, [order(1, "Ada")], [])
    dataset.options = replace(dataset.options, log_cells=log_cells)
    never = arrow({"orders": [order(2, "Bo")]})["orders"].add_column(0, "_row_id", pa.array([7]))
    with pytest.raises(StateError, match="does not hold"):
        dataset.maintain({"orders": dataset.delta("orders", never.slice(0, 0), never)})


def test_another_way_of_comparing_needs_a_rebuild(dataset):
    start(dataset, [order(1, "Ada")], [])
    dataset.config = CONFIG.model_copy(update={"values": "text"})
    with pytest.raises(StateError, match="typed"):
        dataset.maintain(dataset.change(arrow({"orders": []}))[0])
