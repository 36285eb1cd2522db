"""Maintaining inclusions on Spark, through store and files: equal to discovery from scratch after every delta."""

import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.algorithms.attribute_clustering import discover
from profiling_core.maintain.inclusion_state import GeneratorOptions
from profiling_core.maintain.inclusions import StagedInclusions, maintain_inclusions
from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.errors import StateError
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.model.version import RunPlan, TableState, Version
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
    "customers": TableSchema(
        "customers",
        (
            Column("name", LogicalType.STRING, ordered=False),
            Column("limit.usd", LogicalType.FLOAT, ordered=True),
            Column("since", LogicalType.DATE, ordered=True),
        ),
    ),
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
LEAST = {"orders": 0.5, "customers": 0.9}
NAMES = ["Ada", "ada", "Bo", "Čeněk", "", "x" * 5000, None]
DAY_US = 86_400_000_000


def row(table, draw):
    if table == "orders":
        when = draw.choice([None, 0, DAY_US, DAY_US + 1])
        price = draw.choice([None, "1.00", "0.50", "0.10", "2.25"])
        values = {"id": draw.randrange(9), "customer": draw.choice(NAMES), "price": price, "when": when, "note": "n"}
    else:
        limit = draw.choice([None, 1.0, 0.5, 0.1, -0.0, 2.25, float("nan")])
        values = {"name": draw.choice(NAMES), "limit.usd": limit, "since": draw.choice([None, 0, 1])}
    return values


def arrow(table, rows, *, ids=True):
    """Rows (row id, values) as a table."""
    columns = []
    for name, type_ in zip(ARROW[table].names, ARROW[table].types, strict=True):
        raw = [values[name] for _, values in rows]
        columns.append(pa.array(raw, pa.string()).cast(type_) if pa.types.is_decimal(type_) else pa.array(raw, type_))
    data = pa.Table.from_arrays(columns, ARROW[table].names)
    return data.add_column(0, "_row_id", pa.array([i for i, _ in rows], pa.int64())) if ids else data


@dataclass
class Dataset:
    """A dataset that goes through versions, as ingest and commit would have it."""

    spark: object
    store: Store
    options: GeneratorOptions = field(default_factory=GeneratorOptions)
    version: Version | None = None
    rows: dict = field(default_factory=dict)
    next_id: int = 0
    steps: int = 0

    def delta(self, table, inserted, deleted):
        self.steps += 1
        paths = {}
        for side, rows in (("inserted", inserted), ("deleted", deleted)):
            folder = self.store.new_dir(f"d{self.steps}", table, side)
            data = arrow(table, rows)
            if side == "inserted":
                data = data.append_column("_delta_id", pa.array(["d"] * len(rows), pa.string()))
            pq.write_table(data, folder / "part-0.parquet", row_group_size=3)
            paths[side] = folder
        relative = {side: self.store.relative(path) for side, path in paths.items()}
        return NormalizedDelta(
            "shop", table, (f"d{self.steps}",), 0, relative["inserted"], relative["deleted"], "",
            len(inserted), len(deleted), 0, 0, 0, 0, SCHEMAS[table].to_json(),
        )  # fmt: skip

    def change(self, inserts, deletes=lambda _: False):
        """Deltas that insert rows (table → values) and delete those that a test of (table, values) picks."""
        deltas, after = {}, {table: list(rows) for table, rows in self.rows.items()}
        for table, values in inserts.items():
            new = [(self.next_id + i, v) for i, v in enumerate(values)]
            self.next_id += len(new)
            gone = [r for r in after.get(table, []) if deletes((table, r[1]))]
            after[table] = [r for r in after.get(table, []) if r not in gone] + new
            deltas[table] = self.delta(table, new, gone)
        return deltas, after

    def maintain(self, deltas, tracked=(), *, config=CONFIG, run="run"):
        plan = RunPlan("shop", f"{run}-{self.steps}", "d", self.version.number if self.version else 0)
        return maintain_inclusions(
            self.spark, self.store, self.version, deltas, config, plan, tracked, options=self.options
        )

    def commit(self, staged, after):
        """The next version, whose row files hold the tables as they are now."""
        files = list(staged.files)
        for table, rows in after.items():
            folder = self.store.new_dir(f"r{self.steps}", table, "rows")
            pq.write_table(arrow(table, rows), folder / "part-0.parquet")
            files += self.store.publish(folder, table, "rows")
        tables = {
            t: TableState(SCHEMAS[t], PredicateSpace(t, NullSemantics.SQL, ()), len(rows), self.next_id)
            for t, rows in after.items()
        }
        number = self.version.number + 1 if self.version else 1
        self.version = Version("shop", number, f"run-{number}", "d", tables, {}, tuple(files))
        self.rows = after

    def discovered(self, after):
        tables = {table: arrow(table, rows, ids=False) for table, rows in after.items()}
        schemas = {table: SCHEMAS[table] for table in after}
        found = discover(tables, schemas, values="typed", min_coverage=0.5)
        return [m for m in found if 1 - m.error >= LEAST[m.constraint.lhs.table]]


@pytest.fixture
def dataset(spark, tmp_path):
    settings = Settings(tmp_path, tmp_path / "home", "sqlite://", tmp_path)
    return Dataset(spark, Store(settings, "shop"), GeneratorOptions(cells_per_bucket=20, max_files=3))


def ind(lhs, rhs):
    sides = [ColumnList(*side.split(":")[:1], (side.split(":")[1],)) for side in (lhs, rhs)]
    return InclusionDependency(*sides)


@pytest.mark.parametrize("seed", range(6))
def test_every_version_equals_discovery_from_scratch(dataset, seed):
    draw = random.Random(seed)
    for step in range(6):
        tables = ["orders", "customers"] if step == 0 or draw.random() < 0.5 else [draw.choice(list(SCHEMAS))]
        inserts = {t: [row(t, draw) for _ in range(draw.choice([0, 1, 5, 12 if step else 40]))] for t in tables}
        share = draw.choice([0.0, 0.3, 1.0])
        deltas, after = dataset.change(inserts, lambda _: draw.random() < share)  # noqa: B023  # used in this step
        staged = dataset.maintain(deltas)
        assert list(staged.results) == dataset.discovered(after)
        dataset.commit(staged, after)
        assert StagedInclusions.from_json(staged.to_json()) == staged


def test_the_same_run_twice_gives_the_same_content_elsewhere(dataset):
    draw = random.Random(1)
    deltas, _ = dataset.change({t: [row(t, draw) for _ in range(30)] for t in SCHEMAS})
    first, second = dataset.maintain(deltas), dataset.maintain(deltas)
    assert first.results == second.results
    assert [(f.role, f.sha256) for f in first.files] == [(f.role, f.sha256) for f in second.files]
    assert not {f.path for f in first.files} & {f.path for f in second.files}


def test_only_touched_buckets_are_written_and_full_ones_compacted(dataset):
    draw = random.Random(2)
    orders = [{**row("orders", draw), "id": i} for i in range(60)]
    deltas, after = dataset.change({"orders": orders, "customers": [row("customers", draw) for _ in range(20)]})
    dataset.commit(dataset.maintain(deltas), after)
    most = 0
    for step in range(8):
        one = {"id": 1000, "customer": None, "price": None, "when": None, "note": str(step)}
        deltas, after = dataset.change({"orders": [one]})
        known = {f.path for f in dataset.version.files_of("generator")}
        staged = dataset.maintain(deltas)
        new = [f for f in staged.files if f.role == "generator" and f.path not in known]
        assert len(new) == 1
        dataset.commit(staged, after)
        bucket = Path(new[0].path).parent.name
        own = [f for f in dataset.version.files_of("generator") if Path(f.path).parent.name == bucket]
        assert len([f for f in own if Path(f.path).name == "base.parquet"]) == 1
        most = max(most, len(own))
        assert list(staged.results) == dataset.discovered(after)
    assert most == dataset.options.max_files


def test_crowded_buckets_are_split(dataset):
    draw = random.Random(3)
    dataset.options = GeneratorOptions(cells_per_bucket=10**6, bucket_bytes=10**6)
    deltas, after = dataset.change({t: [row(t, draw) for _ in range(40)] for t in SCHEMAS})
    dataset.commit(dataset.maintain(deltas), after)
    assert len(dataset.version.files_of("generator")) == 1
    dataset.options = replace(dataset.options, bucket_bytes=1)
    deltas, after = dataset.change({"orders": [row("orders", draw)]})
    staged = dataset.maintain(deltas)
    assert list(staged.results) == dataset.discovered(after)
    dataset.commit(staged, after)
    assert len({Path(f.path).parent.name for f in dataset.version.files_of("generator")}) > 1
    dataset.options = GeneratorOptions()
    deltas, after = dataset.change({"orders": [row("orders", draw)]}, lambda _: draw.random() < 0.5)
    assert list(dataset.maintain(deltas).results) == dataset.discovered(after)


def order(number, customer):
    return {"id": number, "customer": customer, "price": None, "when": None, "note": f"order {number}"}


def customer(name):
    return {"name": name, "limit.usd": None, "since": None}


def test_orphans_of_inserts_are_the_deltas_rows(dataset):
    buyers = ind("orders:customer", "customers:name")
    deltas, after = dataset.change({"orders": [order(1, "Ada")], "customers": [customer("Ada"), customer("Bo")]})
    dataset.commit(dataset.maintain(deltas), after)
    new = [order(2, "Zoë"), order(3, "Bo"), *(order(i, "Yu") for i in range(4, 80))]
    deltas, after = dataset.change({"orders": new})
    staged = dataset.maintain(deltas, [buyers])
    found = staged.orphans[buyers.fingerprint]
    assert found.violating_rows == 77
    assert len(found.witnesses) == 50
    assert found.witnesses[0].broken_by == {
        "id": "2", "customer": "Zoë", "price": None, "when": None, "note": "order 2",
    }  # fmt: skip
    assert all(w.broken_by["customer"] in ("Zoë", "Yu") and not w.contradicts for w in found.witnesses)
    (figures,) = [m for m in staged.results if m.constraint == buyers]
    assert (figures.violations, figures.population, figures.row_coverage) == (2, 4, 2 / 79)


def test_orphans_of_deletes_are_the_rows_that_stay(dataset):
    buyers = ind("orders:customer", "customers:name")
    orders = [order(1, "Ada"), order(2, "Bo"), order(3, "Bo"), order(4, "Bo")]
    deltas, after = dataset.change({"orders": orders, "customers": [customer("Ada"), customer("Bo")]})
    dataset.commit(dataset.maintain(deltas), after)
    deltas, after = dataset.change(
        {"orders": [order(5, "Bo")], "customers": []},
        lambda r: r[1].get("name") == "Bo" or r[1].get("note") == "order 2",
    )
    staged = dataset.maintain(deltas, [buyers])
    found = staged.orphans[buyers.fingerprint]
    assert found.violating_rows == 3
    assert [w.broken_by["note"] for w in found.witnesses] == ["order 3", "order 4", "order 5"]
    dataset.commit(staged, after)
    # Still violated, by the same values: that is no news.
    deltas, after = dataset.change({"orders": [order(6, "Bo")]})
    again = dataset.maintain(deltas, [buyers])
    assert again.orphans == {}
    assert [m.violations for m in again.results if m.constraint == buyers] == [1]


def test_an_empty_delta_changes_nothing(dataset):
    draw = random.Random(4)
    deltas, after = dataset.change({t: [row(t, draw) for _ in range(10)] for t in SCHEMAS})
    first = dataset.maintain(deltas)
    dataset.commit(first, after)
    deltas, after = dataset.change({"orders": []})
    second = dataset.maintain(deltas)
    assert second.results == first.results
    assert [f for f in second.files if f.role != "results"] == [f for f in first.files if f.role != "results"]


def test_empty_tables_have_no_inclusions(dataset):
    deltas, after = dataset.change({"orders": [], "customers": []})
    staged = dataset.maintain(deltas)
    assert staged.results == ()
    dataset.commit(staged, after)
    deltas, after = dataset.change({"orders": [order(1, "Ada")], "customers": [customer("Ada")]})
    assert list(dataset.maintain(deltas).results) == dataset.discovered(after)


def test_damaged_state_is_refused(dataset):
    deltas, after = dataset.change({"orders": [order(1, "Ada")]})
    dataset.commit(dataset.maintain(deltas), after)
    for ref in dataset.version.files_of("generator"):
        path = dataset.store.path(ref)
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    deltas, _ = dataset.change({"orders": [order(1, "Ada")]})
    with pytest.raises(StateError, match="damaged") as caught:
        dataset.maintain(deltas)
    assert "bucket=" in caught.value.where
    assert "rebuild" in caught.value.remedy


def test_deletes_of_rows_that_never_came_are_refused(dataset):
    deltas, after = dataset.change({"orders": [order(1, "Ada")]})
    dataset.commit(dataset.maintain(deltas), after)
    wrong = {"orders": dataset.delta("orders", [], [(7, order(2, "Bo"))])}
    with pytest.raises(StateError, match="does not hold"):
        dataset.maintain(wrong)


def test_another_way_of_comparing_needs_a_rebuild(dataset):
    deltas, after = dataset.change({"orders": [order(1, "Ada")]})
    dataset.commit(dataset.maintain(deltas), after)
    with pytest.raises(StateError, match="typed"):
        dataset.maintain(deltas, config=CONFIG.model_copy(update={"values": "text"}))


def test_other_columns_need_a_rebuild(dataset):
    deltas, after = dataset.change({"orders": [order(1, "Ada")]})
    dataset.commit(dataset.maintain(deltas), after)
    fewer = TableSchema("orders", SCHEMAS["orders"].columns[:2])
    with pytest.raises(StateError, match="price, when"):
        dataset.maintain({"orders": replace(deltas["orders"], schema=fewer.to_json())})
