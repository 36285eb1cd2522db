"""A table that begins where Spark's tasks run is, byte for byte, the one that begins in this process."""

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.algorithms.denial.indexed import beginning
from profiling_core.algorithms.denial.indexed import rows as table_rows
from profiling_core.algorithms.denial.indexed.first_rows import FirstRows
from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.array_place import HeldArrays
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.ground.pieces import in_turn
from profiling_core.maintain import choice, indexed
from profiling_core.maintain.choice import stored_engine
from profiling_core.model.dataset import Engine
from profiling_core.model.delta import ROW_ID
from profiling_core.model.errors import EffortError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark import tasks
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.spark.tasks import by_tasks
from profiling_core.state.array_folder import ArrayFolder

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

ROWS = 3_000
SCHEMA = TableSchema(
    "shop",
    (
        Column("id", LogicalType.INTEGER, ordered=True),
        Column("city", LogicalType.STRING, ordered=False),
        Column("zip", LogicalType.INTEGER, ordered=False),
        Column("price", LogicalType.FLOAT, ordered=True),
        Column("paid", LogicalType.FLOAT, ordered=True),
    ),
)


def shop(rows: int) -> pa.Table:
    random = np.random.default_rng(5)
    zips = random.integers(0, 40, rows)
    prices = random.integers(1, 500, rows) / 4
    return pa.table(
        {
            "id": np.arange(rows),
            "city": [f"city {z % 13}" for z in zips],
            "zip": zips,
            "price": prices,
            "paid": np.where(random.random(rows) < 0.1, np.nan, prices + random.integers(0, 3, rows)),
        }
    )


def stored(folder: Path, rows: int) -> Rows:
    """The rows in files of their own."""
    table = shop(rows)
    whole = table.add_column(0, ROW_ID, pa.array(np.arange(rows)))
    paths = []
    for k in range(3):
        paths.append(str(folder / f"part-{k}.parquet"))
        pq.write_table(whole.slice(k * (rows // 3), rows // 3), paths[-1])
    return Rows(None, SCHEMA, (RowFiles.of(paths),))


def begun(tmp_path, name, segments, run):
    folder = tmp_path / name
    folder.mkdir()
    rows = stored(folder, ROWS)
    space = predicate_space.build(SCHEMA, NullSemantics.SQL, cross=True, shared={("price", "paid"): 1.0})
    coming = indexed._Coming(rows, rows.arrow([c.name for c in SCHEMA.columns]), ROWS)
    places = [folder / "kept", folder / "aside"]
    for place in places:
        place.mkdir()
    kept, aside = (HeldArrays(), HeldArrays()) if run is in_turn else map(ArrayFolder, places)
    first = FirstRows(space, coming, kept, aside, -(-ROWS // segments))
    return beginning.begin(first, run, max_predicates=3)


@pytest.mark.parametrize("segments", [1, 2, 8])
def test_tasks_leave_what_this_process_leaves(spark, tmp_path, monkeypatch, segments):
    monkeypatch.setattr(beginning, "MOST_HERE", 256)
    states = []
    for name, run in (("here", in_turn), ("there", by_tasks(spark))):
        found = begun(tmp_path, name, segments, run)
        assert len(found.rows.segments) == segments
        counts = found.counted(found.cover[:3])
        assert counts == [0] * len(counts)
        states.append({key: array.tobytes() for key, array in IndexedTable.begun(found).arrays().items()})
    assert states[0] == states[1]


def test_too_much_work_ends_in_a_task_as_it_does_here(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(beginning, "MOST_HERE", 256)
    found = begun(tmp_path, "some", 2, by_tasks(spark))
    shares = np.ones(len(found.first.space.predicates))
    check = partial(beginning._check, found.first, shares, Effort(1e-9, "table shop"))
    with pytest.raises(EffortError, match="table shop takes more than the work"):
        found.run(check, [found.cover])


def test_a_table_that_begins_by_tasks_goes_on_as_any_other(spark, project, monkeypatch):
    """From a delta on what tasks have left is maintained, and a rebuild gives the same cover."""
    monkeypatch.setattr(indexed, "FEW_ROWS", 0)
    monkeypatch.setattr(tasks, "FEW_ROWS", 0)
    # More cells than a process may hold, fewer than a task's columns have: nobody configures the engine.
    monkeypatch.setattr(choice, "FEW_ROWS", 1_000)
    monkeypatch.setattr(indexed, "MOST_ROWS", 400)
    monkeypatch.setattr(table_rows, "MOST_ROWS", 400)
    landing = project / "landing"
    landing.mkdir()
    table = shop(1_300)
    for day, (first, last) in enumerate(((0, 1_000), (1_000, 1_150), (1_150, 1_300)), start=1):
        rows = table.slice(first, last - first)
        pq.write_table(rows.add_column(0, "_op", pa.array(["insert"] * len(rows))), landing / f"day-{day}.parquet")
    (project / "dags" / "datasets").mkdir(parents=True)
    (project / "dags" / "datasets" / "shop.yaml").write_text(
        "dataset: shop\ninclusions: 'off'\ntables:\n  shop:\n    key: [id]\n    max_cells: 4000\n"
        "    max_predicates: 3\n"
        "    source: {path: landing, format: parquet, kind: changes}\n",
        encoding="utf-8",
    )
    for day in (1, 2, 3):
        walk("shop", label=f"day-{day}")
    work = Workspace.open("shop")
    version = work.catalog.current("shop")
    assert stored_engine(version, "shop") is Engine.INDEXED
    assert sum("segment" in f.path and f.path.endswith(".ids.npy") for f in version.files) >= 3
    assert [f for f in verify(work) if not f.equal] == []
    staging = list((work.settings.home / "state" / "shop" / "_staging").rglob("ranks-*"))
    assert not staging
