"""A home on an object store: the same guarantees as on a disk, and a worker's own disk may go at any time."""

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from helpers.crash_walk import NYC, Case, bucket_cases, state, walk
from helpers.proxy import proxy, tell

from profiling_core.model.errors import ConfigurationError, StateError, UnreachableError
from profiling_core.model.version import FileRef
from profiling_core.pipeline.backup import backup, restore
from profiling_core.pipeline.bucket import Bucket
from profiling_core.pipeline.fsck import fsck, rebuild_catalog
from profiling_core.spark.session import require_this_machine
from profiling_core.state.copies import LocalCopies
from profiling_core.state.objects import Objects
from profiling_core.state.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("bucket")]


@pytest.fixture
def case(tmp_path: Path, bucket: str) -> Case:  # noqa: F811 - fixture
    return bucket_cases(str(tmp_path), bucket, range(1))[0]


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    """Where the store keeps what the home holds."""
    return tmp_path / "store" / BUCKET / "0"


@pytest.fixture
def control(monkeypatch: pytest.MonkeyPatch, bucket: str) -> Iterator[str]:  # noqa: F811 - comes before
    """The URL of a proxy before the store."""
    with proxy(urlsplit(os.environ["AWS_ENDPOINT_URL"]).port or 0) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        yield url


def on_disk(tmp_path: Path, *numbers: int) -> Case:
    made = Case(str(tmp_path / "disk"), "", NYC)
    for number in numbers:
        walk(made, number)
    return made


def file_of(case: Case, role: str = "rows") -> FileRef:
    current = case.settings.catalog().current(NYC)
    assert current
    return current.files_of(role, "flights")[0]


def test_the_state_is_that_of_a_disk_whatever_becomes_of_the_copies(case: Case, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        walk(case, number)
        shutil.rmtree(case.home)
    assert state(case) == state(on_disk(tmp_path, 1, 2, 3))
    shutil.rmtree(case.home)
    checked = fsck(case.settings)
    assert (checked.versions, checked.files, checked.damage) == (3, 9, [])
    assert not [path for path in Path(case.home, "state").rglob("*") if path.is_file()]  # fsck keeps nothing


def test_the_catalog_is_made_again_from_the_objects(case: Case, tmp_path: Path) -> None:
    for number in (1, 2):
        walk(case, number)
    before = state(case)
    lost = replace(case, catalog=f"sqlite:///{tmp_path}/another.db")
    with pytest.raises(StateError, match="empty or missing, but state of nyc lies beside it"):
        lost.settings.catalog()
    assert rebuild_catalog(lost.settings)[0] == {NYC: 2}
    assert state(lost) == before
    walk(lost, 3)


def test_of_two_catalogs_the_second_is_told(case: Case, tmp_path: Path) -> None:
    other = replace(case, catalog=f"sqlite:///{tmp_path}/another.db", home=f"{tmp_path}/another")
    for each in (case, other):
        each.settings.catalog()
    walk(case, 1)
    before = state(case)
    with pytest.raises(StateError):
        walk(other, 1)
    with pytest.raises(StateError):
        other.settings.catalog().current(NYC)
    assert state(case) == before


def test_damage_is_named_where_it_is_and_copies_are_fetched_again(case: Case, objects: Path) -> None:
    walk(case, 1)
    file, store = file_of(case), case.settings.store(NYC)
    copy, wanted = store.verify(file), store.verify(file).read_bytes()
    copy.write_bytes(wanted[:-1] + b"?")
    assert store.verify(file).read_bytes() == wanted
    (objects / file.path).write_bytes(wanted[:-1] + b"?")
    assert store.verify(file).read_bytes() == wanted
    assert [damage.where for damage in fsck(case.settings).damage] == [f"{case.bucket}/{file.path}"]
    shutil.rmtree(case.home)
    for match, harm in (("damaged", None), ("missing", (objects / file.path).unlink)):
        if harm:
            harm()
        with pytest.raises(StateError, match=match) as raised:
            store.verify(file)
        assert raised.value.where == f"{case.bucket}/{file.path}"
        assert not list(Path(case.home).rglob("part-*"))


def test_garbage_goes_and_what_is_named_or_young_stays(case: Case, objects: Path) -> None:
    walk(case, 1)
    catalog, store = case.settings.catalog(), case.settings.store(NYC)
    left = store.publish_json("run-9", "flights", "rows", {"of": "a run that was killed"})
    store.publish_json("run-9", "flights", "quarantine", {"is": "kept"})
    store.record("run-9", "plan.json", {})
    assert store.collect_garbage(catalog.named(NYC)).files == 0
    for path in objects.rglob("*"):
        os.utime(path, (time.time() - 200_000,) * 2)
    assert store.runs() == ["run-1", "run-9"]
    assert store.collect_garbage(catalog.named(NYC)).files == 3  # the file, and what both runs have staged
    assert not (objects / left.path).exists()
    assert list(objects.rglob("quarantine/*"))
    assert fsck(case.settings).damage == []
    store.publish_json("run-10", "flights", "rows", {})
    store.record("run-10", "plan.json", {})
    assert store.discard("run-10").files == 2
    current = catalog.current(NYC)
    assert current
    assert store.remove(current.files).files == 3
    assert not list(objects.rglob("part-*"))


def test_a_store_that_is_busy_or_away_is_waited_for_or_told(
    case: Case, control: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(control, at=3, how="busy", times=4)
    walk(case, 1)
    before = state(case)
    with monkeypatch.context() as away:
        away.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        with pytest.raises(UnreachableError, match="does not answer"):
            case.settings.store(NYC).record("run-2", "plan.json", {})
    assert state(case) == before
    walk(case, 2)


def test_a_store_without_conditions_is_refused(case: Case, control: str) -> None:
    tell(control, at=1, how="unconditional", times=100)
    with pytest.raises(ConfigurationError, match="does not know conditional puts"):
        walk(case, 1)


def test_copies_are_bounded_but_for_what_is_in_use(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_COPIES_SIZE", "1M")
    objects, directory = Objects(case.bucket), tmp_path / "copies"
    store = case.settings.store(NYC)
    files = [store.publish_json("run-1", "flights", "results", "x" * 300_000) for _ in range(8)]

    def fetch(copies: LocalCopies, *wanted: FileRef) -> None:
        for file in wanted:
            stored = replace(store.stored(file), path=str(directory / file.path))
            copies.fetch(file.path, stored)

    def held() -> int:
        return len(list(directory.rglob("*.json")))

    copies = LocalCopies(directory, objects)
    fetch(copies, *files[:6])
    assert held() == 6  # this process may still read them
    for claim in (directory / "in-use").iterdir():
        claim.rename(claim.with_name(f"1-0-{claim.name.split('-', 2)[2]}"))  # a process that has ended
    for path in directory.rglob("*.json"):
        os.utime(path, (time.time() - 100,) * 2)
    fetch(copies, files[6])
    assert held() == 3
    assert (directory / files[6].path).is_file()


def test_a_backup_of_it_and_into_it(case: Case, tmp_path: Path, bucket: str) -> None:  # noqa: F811 - fixture
    for number in (1, 2):
        walk(case, number)
    before = state(case)
    for number, place in enumerate((tmp_path / "backup", Bucket(f"{bucket}/backup"))):
        assert backup(case.settings, place) == {NYC: 2}
        for target in (Case(f"{tmp_path}/d{number}", "", NYC), bucket_cases(str(tmp_path), bucket, range(9, 10))[0]):
            there = replace(target, catalog=f"sqlite:///{tmp_path}/c{number}{bool(target.bucket)}.db")
            assert restore(there.settings, place) == {NYC: 2}
            assert state(there) == before
    with pytest.raises(StateError, match="already, and nothing was restored"):
        restore(there.settings, place)


def test_a_restore_that_was_interrupted_is_done_again(case: Case, tmp_path: Path, objects: Path) -> None:
    made = on_disk(tmp_path, 1, 2)
    backup(made.settings, tmp_path / "backup")
    shutil.copytree(tmp_path / "backup", objects)
    (objects / "state" / NYC / "_manifests" / "v00000002.json").unlink()
    file = file_of(made)
    (objects / file.path).unlink()
    assert restore(case.settings, tmp_path / "backup") == {NYC: 2}
    assert state(case) == state(made)


def test_a_backup_that_is_not_whole_is_not_put_there(case: Case, tmp_path: Path, objects: Path) -> None:
    backup(on_disk(tmp_path, 1, 2).settings, tmp_path / "backup")
    (tmp_path / "backup" / "state" / NYC / "_manifests" / "v00000001.json").unlink()
    with pytest.raises(StateError, match="not whole, and nothing was restored"):
        restore(case.settings, tmp_path / "backup")
    assert not objects.exists()


def test_what_is_not_supported_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dags" / "datasets").mkdir(parents=True)

    def discover(**said: str) -> Settings:
        return Settings.discover(tmp_path, {f"HOLDFAST_{name}": value for name, value in said.items()})

    for home in ("s3://key:hidden-canary@shop/x", "s3://shop/x?token=hidden-canary", "s3://", "s3:///x"):
        with pytest.raises(ConfigurationError, match="not the URL of a place on an object store") as raised:
            discover(HOME=home, CATALOG="postgresql://u@h/d")
        assert "canary" not in str(raised.value)
    for catalog in ("", "s3://shop/catalog.db", "file:///catalog.db"):
        with pytest.raises(ConfigurationError, match="catalog"):
            discover(HOME="s3://shop/x", CATALOG=catalog)
    with pytest.raises(ConfigurationError, match="needs a home on a file system"):
        discover(HOME="s3://shop/x", CATALOG="postgresql://u@h/d").on_disk("the demo")
    monkeypatch.setenv("HOLDFAST_SPARK_MASTER", "spark://elsewhere:7077")
    with pytest.raises(ConfigurationError, match="do not see this one's copies"):
        require_this_machine()
    monkeypatch.setenv("HOLDFAST_COPIES", "/shared")
    require_this_machine()


def test_a_forked_process_says_so_and_does_not_wait_for_ever(case: Case) -> None:
    walk(case, 1)
    child = os.fork()
    if child == 0:
        try:
            Objects(case.bucket).read("home.txt")
        except StateError:
            os._exit(17)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
