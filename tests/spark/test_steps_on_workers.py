"""Each step of a run on a worker of its own, whose disk is gone afterwards: nothing on it is needed by the next step.

So it is with Celery's workers and with Kubernetes' pods. What workers share is the home, on a disk that all see or on
an object store, the catalog's database and the sources; checkout, working directory, home directory and temporary files
are each worker's own.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.shop import DATASET, DAYS, land, make_shop

from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.postgres, pytest.mark.slow]
PROGRAM = Path(__file__).parents[1] / "helpers" / "one_step.py"


@dataclass
class Workers:
    """Makes a worker for each step; ``shared`` are the variables that all have."""

    place: Path
    datasets: Path
    shared: dict[str, str]
    done: int = 0

    def step(self, name: str, *ids: str) -> dict[str, Any]:
        """What a step gives on a new worker."""
        self.done += 1
        disk = self.place / f"worker{self.done}"
        for folder in ("temporary", "person", "work"):
            (disk / folder).mkdir(parents=True)
        shutil.copytree(self.datasets, disk / "checkout" / "dags" / "datasets")
        own = {
            "HOLDFAST_ROOT": str(disk / "checkout"),
            "HOME": str(disk / "person"),
            "XDG_CACHE_HOME": str(disk / "person" / "cache"),  # with copies of a home on an object store
            "TMPDIR": str(disk / "temporary"),
            "PYTHONPATH": os.pathsep.join([str(PROGRAM.parents[1]), *sys.path]),
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
        ended = subprocess.run(
            [sys.executable, str(PROGRAM), name, *ids],
            env=kept | self.shared | own,
            cwd=disk / "work",
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-3000:]
        assert list((disk / "work").iterdir()) == []
        shutil.rmtree(disk)
        given: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
        return given


@pytest.mark.long  # a Spark of its own per step
@pytest.mark.parametrize("home", ["shared disk", "object store"])
def test_no_step_needs_the_disk_of_another(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    bucket: str,  # noqa: F811 - fixture
    home: str,
) -> None:
    settings = make_shop(tmp_path, DAYS[:1])
    path = settings.datasets_dir / f"{DATASET}.yaml"
    config = yaml.safe_load(path.read_text("utf-8"))
    database = tmp_path / "stock.duckdb"
    stock = {"source": {"format": "duckdb", "url": f"duckdb://{database}", "table": "stock"}, "key": ["id"]}
    path.write_text(yaml.safe_dump(config | {"tables": config["tables"] | {"stock": stock}}), "utf-8")
    with duckdb.connect(database) as connection:
        connection.execute("CREATE TABLE stock AS SELECT i AS id, i // 2 AS shelf FROM range(20) t(i)")
    shared = {
        "HOLDFAST_HOME": str(tmp_path / "home") if home == "shared disk" else f"{bucket}/home",
        "HOLDFAST_CATALOG": server(request.config).new_database(),
        "HOLDFAST_SETTLE_SECONDS": "0",
        "HOLDFAST_SPARK_MASTER": "local[1]",
    }
    for name, value in {**shared, "HOLDFAST_ROOT": str(tmp_path), "HOLDFAST_DATASETS": str(path.parent)}.items():
        monkeypatch.setenv(name, value)
    walk(DATASET)
    land(tmp_path, DAYS[1])
    with duckdb.connect(database) as connection:
        connection.execute("DELETE FROM stock WHERE id = 3")

    workers = Workers(tmp_path, path.parent, shared)
    plan = workers.step("plan", DATASET)
    run_id, tables = plan["run_id"], sorted(plan["pending"])
    assert tables == ["customers", "orders", "stock"]
    for step in ("ingest", "maintain_table"):
        for table in tables:
            workers.step(step, DATASET, run_id, table)
    for step in ("maintain_inclusions", "commit", "diff", "emit", "validate"):
        workers.step(step, DATASET, run_id)
    workers.step("alert", DATASET, run_id)

    work = Workspace.open(DATASET)
    version = work.catalog.current(DATASET)
    assert version is not None
    assert (version.number, version.tables["stock"].rows) == (2, 19)
    assert [finding for finding in verify(work) if not finding.equal] == []
    kept = tmp_path / "home" if home == "shared disk" else tmp_path / "store" / BUCKET / "home"
    told = [path.read_text("utf-8") for path in (kept / "artifacts").rglob("alerts/*") if path.is_file()]
    assert any("Elsewhere" in text for text in told)
