"""The whole way with the home on an object store, the disk wiped before each step: it ends as on a disk that stays."""

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.shop import DATASET, DAYS, land, make_shop

from profiling_core.pipeline import keeping
from profiling_core.pipeline.fsck import fsck
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings, using

pytestmark = [pytest.mark.spark, pytest.mark.postgres, pytest.mark.slow]


class Wiping:
    """Removes all that is on a disk before each step."""

    def __init__(self, disk: Path) -> None:
        self._disk = disk

    def planned(self, _: Mapping[str, Any]) -> None:
        shutil.rmtree(self._disk, ignore_errors=True)

    def during(self, _step: str, _table: str) -> AbstractContextManager[dict[str, Any]]:
        shutil.rmtree(self._disk, ignore_errors=True)
        return nullcontext({})


def whole_way(place: Path, settings: Settings, progress: Wiping | None) -> dict[str, Any]:
    """Three days, everything derived again and verified, and what old runs left removed; what came of it."""
    with using(settings):
        for day in DAYS:
            land(place, day)
            for path in place.rglob(f"landing/*/{day}.csv"):
                os.utime(path, (1_700_000_000,) * 2)  # versions know when files changed
            walk(DATASET, progress=progress)
        walk(DATASET, rebuild=True, progress=progress)
        work = Workspace.open(DATASET)
        assert [finding for finding in verify(work) if not finding.equal] == []
        keeping.collect(work, None)
        assert fsck(settings).damage == []
        versions = work.catalog.versions(DATASET)
        told = [json.dumps(alert.body, sort_keys=True) for alert in work.catalog.alerts(DATASET)]
        return {
            "arrivals": [version.arrivals for version in versions],
            "tables": [version.tables for version in versions],
            "changes": [work.catalog.changes(DATASET, version.number) for version in versions],
            "incidents": [(i.number, i.status, i.opened, i.latest) for i in work.catalog.incidents(DATASET)],
            "validations": len(work.catalog.validations(DATASET)),
            "alerts": told,
        }


def suites(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob(f"{DATASET}/suites/*.json")}


@pytest.mark.long
def test_the_whole_way_with_the_home_on_an_object_store(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    bucket: str,  # noqa: F811 - fixture
) -> None:
    monkeypatch.setenv("HOLDFAST_SETTLE_SECONDS", "0")
    come = {}
    for where in ("disk", "store"):
        place = tmp_path / where
        settings = make_shop(place, ())
        progress = None
        if where == "store":
            catalog = server(request.config).new_database()
            settings = replace(settings, catalog_url=catalog, bucket=f"{bucket}/home")
            progress = Wiping(settings.home)
        come[where] = whole_way(place, settings, progress)
    for what, found in come["disk"].items():
        assert come["store"][what] == found, what
    assert any("Elsewhere" in alert for alert in come["store"]["alerts"])
    there = tmp_path / "store" / BUCKET / "home" / "artifacts"
    assert suites(there) == suites(tmp_path / "disk" / "home" / "artifacts") != {}
    assert any("Elsewhere" in path.read_text("utf-8") for path in there.rglob("alerts/*.txt"))
