"""Backups on a real object store: what is put once, what comes back, and who is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from helpers.crash_walk import Case, walk

from profiling_core.model.errors import ConfigurationError, InputError, StateError, UnreachableError
from profiling_core.pipeline.backup import backup, restore
from profiling_core.pipeline.bucket import Bucket
from profiling_core.pipeline.fsck import fsck
from profiling_core.state.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("bucket")]
NYC = "nyc"


def case(home: Path, *numbers: int, label: str = NYC) -> Case:
    made = Case(str(home), "", label)
    for number in numbers:
        walk(made, number)
    return made


@pytest.fixture
def place(bucket: str) -> Bucket:  # noqa: F811 - fixture
    return Bucket(f"{bucket}/backups/holdfast")


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    """Where the store keeps its objects."""
    return tmp_path / "store" / BUCKET / "backups" / "holdfast"


def elsewhere(settings: Settings, home: Path) -> Settings:
    return replace(settings, home=home, catalog_url=f"sqlite:///{home}/catalog.db")


def test_a_backup_comes_back_onto_an_empty_machine(tmp_path: Path, place: Bucket, objects: Path) -> None:
    own = case(tmp_path / "home", 1, 2)
    assert backup(own.settings, place) == {NYC: 2}
    walk(own, 3)
    (kept,) = (path for path in objects.rglob("v00000001.json") if path.parent.name == "_manifests")
    before = kept.stat().st_mtime_ns
    assert backup(own.settings, place) == {NYC: 3}
    assert kept.stat().st_mtime_ns == before  # an object that is there is not put again
    empty = elsewhere(own.settings, tmp_path / "new")
    assert restore(empty, place) == {NYC: 3}
    assert empty.catalog().versions(NYC) == own.settings.catalog().versions(NYC)
    assert fsck(empty).damage == []
    assert not (tmp_path / "new" / "fetched").exists()


def test_another_homes_backup_stays_as_it_is(tmp_path: Path, place: Bucket, objects: Path) -> None:
    first, other = case(tmp_path / "home", 1), case(tmp_path / "other", 1)
    backup(first.settings, place)
    before = {path: path.read_bytes() for path in objects.rglob("*.json")}
    with pytest.raises(StateError, match="another home, or a later state"):
        backup(other.settings, place)
    assert {path: path.read_bytes() for path in before} == before
    assert restore(elsewhere(first.settings, tmp_path / "new"), place) == {NYC: 1}


def test_an_older_state_does_not_replace_a_later_one(tmp_path: Path, place: Bucket) -> None:
    own = case(tmp_path / "home", 1)
    older = elsewhere(own.settings, tmp_path / "older")
    backup(own.settings, tmp_path / "copy")
    restore(older, tmp_path / "copy")
    walk(own, 2)
    backup(own.settings, place)
    with pytest.raises(StateError, match="v00000002"):
        backup(older, place)


def test_a_damaged_object_is_named_and_nothing_is_restored(tmp_path: Path, place: Bucket, objects: Path) -> None:
    own = case(tmp_path / "home", 1)
    backup(own.settings, place)
    file = own.settings.catalog().current(NYC).files_of("rows", "flights")[0]
    content = bytearray((objects / file.path).read_bytes())
    content[-1] ^= 1
    (objects / file.path).write_bytes(content)
    empty = elsewhere(own.settings, tmp_path / "new")
    with pytest.raises(StateError, match="damaged"):
        restore(empty, place)
    assert empty.catalog().datasets() == []


def test_what_is_not_there_is_told(tmp_path: Path, place: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    own = case(tmp_path / "home", 1)
    with pytest.raises(InputError, match="there is no dataset"):
        restore(elsewhere(own.settings, tmp_path / "new"), place)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(UnreachableError, match="object store") as raised:
        backup(own.settings, Bucket("s3://shop/b"))
    assert "canary" not in f"{raised.value} {raised.value.__cause__}"
    with pytest.raises(ConfigurationError, match="credentials are taken from the environment") as refused:
        Bucket("s3://reader:canary-91c2@shop/b")
    assert "canary" not in f"{refused.value} {refused.value.__cause__}"


def test_the_commands_take_a_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holdfast: Callable[..., Any], objects: Path
) -> None:
    case(tmp_path / "home", 1)
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    for command, home, told in (("backup", "home", "up to version 1"), ("restore", "new", "version 1 is back")):
        monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / home))
        code, out, err = holdfast(command, f"s3://{BUCKET}/backups/holdfast")
        assert not code, err
        assert told in out
    assert objects.is_dir()
