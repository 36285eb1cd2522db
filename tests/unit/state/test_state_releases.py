"""State of earlier releases opens, or says what to do; state of newer ones is refused."""

import json
import os
import stat
import tarfile
from pathlib import Path

import pytest
from stack.files import REPOSITORY

from profiling_core.model.decision import Verdict
from profiling_core.model.errors import StateError
from profiling_core.pipeline.backup import backup
from profiling_core.pipeline.fsck import fsck, rebuild_catalog
from profiling_core.state.journal import Journal, _write
from profiling_core.state.settings import Settings

RELEASES = sorted((REPOSITORY / "tests" / "releases").glob("state-*.tar.xz"))
SHOP = "shop"


@pytest.fixture(params=RELEASES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    return Settings.discover(tmp_path, {})


def test_it_opens_with_its_versions_and_decisions(settings: Settings) -> None:
    catalog = settings.catalog()
    current = catalog.current(SHOP)
    assert current is not None
    assert (current.number, current.label) == (3, "2024-05-03")
    assert {name: table.rows for name, table in current.tables.items()} == {"customers": 35, "orders": 45}
    assert [d.verdict for d in catalog.decisions(SHOP)] == [Verdict.NOTE, Verdict.PIN, Verdict.MUTE]
    assert len(catalog.alerts(SHOP)) == 1
    assert fsck(settings).damage == []


def test_what_it_lacks_is_added_once(settings: Settings, tmp_path: Path) -> None:
    backup(settings, tmp_path / "backup")
    journal = Journal(settings.home, SHOP)
    assert journal.numbers() == [1, 2, 3]
    before = [settings.catalog().version(SHOP, number) for number in journal.numbers()]
    (settings.home / "catalog.db").unlink()
    rebuild_catalog(settings)
    assert [settings.catalog().version(SHOP, number) for number in journal.numbers()] == before
    assert fsck(settings).damage == []


def test_without_its_catalog_it_says_what_to_do(settings: Settings) -> None:
    (settings.home / "catalog.db").unlink()
    with pytest.raises(StateError, match="empty or missing"):
        settings.catalog()
    with pytest.raises(StateError, match="no manifests") as caught:
        rebuild_catalog(settings)
    assert "restore a backup" in caught.value.remedy


def test_a_newer_manifest_is_refused(settings: Settings, tmp_path: Path) -> None:
    backup(settings, tmp_path / "backup")
    path = Journal(settings.home, SHOP).manifest(3)
    _write(path, json.loads(path.read_text())["document"] | {"format": 99})
    with pytest.raises(StateError, match="newer than this release") as caught:
        rebuild_catalog(settings)
    assert "install the newer version" in caught.value.remedy


def test_what_is_written_is_for_its_owner_alone(settings: Settings, tmp_path: Path) -> None:
    place = tmp_path / "somewhere" / "backup"
    before = os.umask(0)
    try:
        backup(settings, place)
    finally:
        os.umask(before)
    for path in (place, *place.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
