"""The demo's first days through the shipped configuration, without an Airflow.

The rows are those of the package, what two months of flights say is followed, and told when it breaks.
"""

import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from profiling_core.cli.demo import BOOTSTRAP, DATASET
from profiling_core.cli.demo import DAYS as FOLLOWING
from profiling_core.cli.nycflights13 import land, read_table
from profiling_core.ingest.normalize import ingest_table
from profiling_core.ingest.pending import pending
from profiling_core.ingest.table_ingest import Before
from profiling_core.model.change import Transition
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import RunPlan, TableState, Version
from profiling_core.pipeline.configuration import load_dataset
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import next_snapshot_files, read_snapshot
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
DAYS = (BOOTSTRAP, *FOLLOWING)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home = tmp_path_factory.mktemp("home")
    land(home / "landing" / "nycflights13")
    return Settings.discover(ROOT, {"HOLDFAST_HOME": str(home)})


@pytest.mark.parametrize("table", ["flights", "weather", "planes", "airlines", "airports"])
def test_the_days_of_the_demo(spark: "SparkSession", settings: Settings, table: str) -> None:
    config = load_dataset(ROOT / "dags" / "datasets" / "nycflights13.yaml")
    store = Store(settings.home, config.dataset)
    version: Version | None = None
    applied: list[str] = []
    counts = {}
    for day in DAYS:
        ids = pending(settings, config, {table: {delta_id: {} for delta_id in applied}}, day)[table]
        if ids:
            number = version.number if version else 0
            plan = RunPlan(config.dataset, f"run-{number}", day, number, {table: ids})
            done = ingest_table(spark, settings, store, config, plan, table, Before(version, {}))
            version = after(store, plan, done, version)
            applied += ids
            counts[day] = (done.inserts, done.deletes, done.updates)
            assert (done.rejects, done.superseded) == (0, 0)
    assert version is not None
    found = read_snapshot(spark, store, version, table).drop("_row_id").toArrow()
    texts = {column.name for column in version.tables[table].schema.columns if not column.type.is_ordered}
    wanted = Counter(expected(row, texts) for row in rows_until(table, DAYS[-1]))
    assert Counter(map(shown, found.to_pylist())) == wanted
    if table == "flights":
        assert counts == {
            "2013-02-26": (50_046, 0, 0),
            "2013-02-27": (945, 0, 0),
            "2013-02-28": (964, 0, 40),
            "2013-03-01": (958, 0, 0),
            "2013-03-02": (768, 0, 0),
            "2013-03-03": (913, 3, 0),
            "2013-03-04": (977, 0, 31),
        }


@pytest.mark.usefixtures("without_suites")
def test_the_distance_of_two_airports_is_followed_and_its_break_told(
    spark: "SparkSession", settings: Settings, project: Path
) -> None:
    shutil.copytree(ROOT / "dags" / "datasets", project / "dags" / "datasets")
    home = Workspace.open(DATASET).settings.home
    home.mkdir()
    (home / "landing").symlink_to(settings.home / "landing")
    _, day_before, breaks_on, *_ = FOLLOWING
    for day in (BOOTSTRAP, day_before, breaks_on):  # both days before the break at once
        walk(DATASET, label=day)
    told = Workspace.open(DATASET).catalog.changes(DATASET, 3).changes
    broke = {c.measured.constraint.text: c.alerts for c in told if c.transition is Transition.BROKE}
    assert broke.get("{dest, origin} → distance", broke.get("{origin, dest} → distance")) is True


def after(store: Store, plan: RunPlan, done: NormalizedDelta, version: Version | None) -> Version:
    files = next_snapshot_files(store, version, done, plan.run_id)
    schema = TableSchema.from_json(done.schema)
    state = TableState(schema, PredicateSpace(done.table, NullSemantics.SQL, ()), 0, done.next_row_id)
    return Version(plan.dataset, plan.base_version + 1, plan.run_id, plan.label, {done.table: state}, {}, files)


def rows_until(table: str, day: str) -> list[dict[str, str]]:
    _, rows = read_table(table)
    if table not in ("flights", "weather"):
        return rows
    return [row for row in rows if f"{row['year']}-{row['month']:0>2}-{row['day']:0>2}" <= day]


def expected(row: dict[str, str], texts: set[str]) -> tuple[Any, ...]:
    return tuple(
        None if text == "NA" else text if name in texts or name == "time_hour" else float(text)
        for name, text in row.items()
    )


def shown(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        value.strftime("%Y-%m-%dT%H:%M:%SZ") if hasattr(value, "strftime") else value for value in row.values()
    )
