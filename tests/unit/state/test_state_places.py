"""What stands where a file of the state should be and is none, and what a command leaves that cannot go on."""

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from databases.catalogs import tracked
from helpers.crash_walk import Case, walk

from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import ConfigurationError, InputError, StateError
from profiling_core.pipeline.backup import backup, restore
from profiling_core.pipeline.configuration import load_datasets
from profiling_core.pipeline.fsck import fsck, rebuild_catalog
from profiling_core.state.catalog import Catalog
from profiling_core.state.journal import Journal
from profiling_core.state.settings import Settings

NYC = "nyc"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions, with what followed each, and a decision."""
    home = tmp_path_factory.mktemp("begun") / "home"
    case = Case(str(home), "", NYC)
    walk(case, 1)
    walk(case, 2)
    decide(case.settings)
    return home


@pytest.fixture
def settings(begun: Path, tmp_path: Path) -> Settings:
    return Case(str(shutil.copytree(begun, tmp_path / "home")), "", NYC).settings


def decide(settings: Settings, note: str = "") -> None:
    constraint = tracked(1)[0].measured.constraint
    settings.catalog().decide(NYC, Decision(constraint, Verdict.NOTE, "somebody", note=note))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fails where the block takes longer: it waits for something that never comes."""

    def late(*_: object) -> None:
        pytest.fail(f"still at it after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def nowhere(path: Path) -> None:
    path.symlink_to("not/there")


def device(path: Path) -> None:
    path.symlink_to(os.devnull)


ODD: tuple[Callable[[Path], None], ...] = (os.mkfifo, loop, nowhere, device, Path.mkdir)


@pytest.mark.parametrize("put", ODD)
def test_what_is_no_file_is_refused_as_a_catalog_and_left_where_it_is(
    settings: Settings, put: Callable[[Path], None]
) -> None:
    path = settings.home / "catalog.db"
    kept = path.rename(settings.home / "kept.db")
    put(path)
    before = path.lstat().st_ino
    with within(8):
        for use in (settings.catalog, lambda: rebuild_catalog(settings)):
            with pytest.raises(StateError, match="the catalog's path") as caught:
                use()
            assert caught.value.where == str(path)
            assert "HOLDFAST_CATALOG" in caught.value.remedy
        (damage,) = fsck(settings).damage
    assert "the catalog's path" in damage.what
    assert damage.remedy
    assert path.lstat().st_ino == before
    path.rmdir() if path.is_dir() else path.unlink()
    kept.rename(path)
    assert fsck(settings).damage == []


def test_a_link_to_a_catalog_that_is_yet_to_be_made_is_followed(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    (tmp_path / "catalog.db").symlink_to(tmp_path / "large" / "catalog.db")
    catalog = Catalog(f"sqlite:///{tmp_path}/catalog.db")
    catalog.migrate()
    assert catalog.datasets() == []
    assert (tmp_path / "large" / "catalog.db").stat().st_size


@pytest.mark.parametrize("put", ODD)
def test_what_is_no_file_is_refused_as_state(settings: Settings, put: Callable[[Path], None]) -> None:
    (file, *_) = settings.catalog().current(NYC).files_of("rows", "flights")
    path = settings.home / file.path
    path.unlink()
    put(path)
    with within(8):
        with pytest.raises(StateError) as caught:
            settings.store(NYC).verify(file)
        assert caught.value.where == str(path)
        assert {damage.where for damage in fsck(settings).damage} == {str(path)}


@pytest.mark.parametrize("put", ODD)
@pytest.mark.parametrize("name", ["_journal/edition.json", "_journal/dataset.json", "_manifests/v00000001.json"])
def test_what_is_no_file_is_refused_as_a_document(settings: Settings, put: Callable[[Path], None], name: str) -> None:
    path = settings.home / "state" / NYC / name
    path.unlink()
    put(path)
    with within(8):
        assert str(path) in {damage.where for damage in fsck(settings).damage}
        if name.endswith("edition.json") and put not in (loop, nowhere):
            with pytest.raises(StateError, match="journal"):
                settings.catalog().current(NYC)


def test_a_lost_count_of_changes_is_told_until_the_next_change(settings: Settings) -> None:
    path = Journal(settings.home, NYC).edition_path
    path.unlink()
    assert [damage.where for damage in fsck(settings).damage] == [str(path)]
    decide(settings)
    assert fsck(settings).damage == []


def test_a_home_that_is_no_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    for put in (loop, nowhere, device, os.mkfifo):
        put(tmp_path / ".holdfast")
        with pytest.raises(ConfigurationError, match="neither a directory") as caught:
            Settings.discover(tmp_path, {})
        assert caught.value.where == str(tmp_path / ".holdfast")
        (tmp_path / ".holdfast").unlink()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".holdfast").symlink_to("elsewhere")
    assert Settings.discover(tmp_path, {}).home == tmp_path / ".holdfast"


@pytest.mark.parametrize("put", [os.mkfifo, loop, nowhere])
def test_a_dataset_file_that_is_none_is_named(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / "shop.yaml")
    with within(8), pytest.raises(ConfigurationError, match="it is no file") as caught:
        load_datasets(tmp_path)
    assert caught.value.where == str(tmp_path / "shop.yaml")
    (tmp_path / "shop.yaml").rename(tmp_path / ".#shop.yaml")  # as an editor locks what it edits
    assert load_datasets(tmp_path) == []


def test_a_rebuilding_that_fails_gives_the_catalog_back_with_its_last_writes(settings: Settings) -> None:
    path = settings.home / "catalog.db"
    with closing(sqlite3.connect(path)) as reader:  # keeps SQLite from bringing its last writes into the file
        reader.execute("SELECT * FROM versions").fetchone()
        decide(settings, "the last word")
        kept = {end: path.with_name(path.name + end).read_bytes() for end in ("", "-wal")}
    for end, content in kept.items():  # as a process leaves them that is killed
        path.with_name(path.name + end).write_bytes(content)
    manifest = Journal(settings.home, NYC).manifest(1)
    whole = manifest.read_bytes()
    manifest.write_bytes(b"{}")
    with pytest.raises(StateError, match="damaged"):
        rebuild_catalog(settings)
    manifest.write_bytes(whole)
    assert [decision.note for decision in settings.catalog().decisions(NYC)] == ["", "the last word"]
    assert list(settings.home.glob("*aside*")) == []


def test_each_catalog_that_is_put_aside_stays(settings: Settings) -> None:
    asides = {rebuild_catalog(settings)[1] for _ in range(3)}
    assert len({Path(aside).read_bytes() for aside in asides}) == len(asides) == 3


def empty(settings: Settings, tmp_path: Path) -> Settings:
    home = tmp_path / "new" / "home"
    return replace(settings, home=home, catalog_url=f"sqlite:///{home}/catalog.db")


@pytest.mark.parametrize("lost", ["_manifests/v00000001.json", "_journal/v00000001.json"])
def test_a_backup_that_is_not_whole_leaves_nothing_and_another_one_restores(
    settings: Settings, tmp_path: Path, lost: str
) -> None:
    good, bad, new = tmp_path / "good", tmp_path / "bad", empty(settings, tmp_path)
    backup(settings, good)
    shutil.copytree(good, bad)
    (bad / "state" / NYC / lost).unlink()
    with pytest.raises(StateError, match="the backup is not whole, and nothing was restored") as caught:
        restore(new, bad)
    assert caught.value.where.startswith(str(bad))
    assert sorted(path.name for path in new.home.iterdir()) == ["catalog.db"]
    assert restore(new, good) == {NYC: 2}
    assert fsck(new).damage == []


def test_an_interrupted_restore_leaves_nothing_to_one_from_an_earlier_backup(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier, later, new = tmp_path / "earlier", tmp_path / "later", empty(settings, tmp_path)
    backup(settings, earlier)
    walk(Case(str(settings.home), "", NYC), 3)
    backup(settings, later)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("profiling_core.pipeline.backup._move", killed)
        with pytest.raises(KeyboardInterrupt):
            restore(new, later)
    assert restore(new, earlier) == {NYC: 2}
    assert new.catalog().current(NYC).number == 2
    assert fsck(new).damage == []


def test_a_place_without_a_backup_and_one_within_the_home_are_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no backup"):
        restore(empty(settings, tmp_path), tmp_path / "nothing")
    for within_home in (settings.home / "state", settings.home / "copies" / "1"):
        with pytest.raises(InputError, match="within the state directory"):
            backup(settings, within_home)
    assert not (settings.home / "copies").exists()


def test_damage_tells_which_catalog_it_is_in(settings: Settings) -> None:
    path = settings.home / "catalog.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE decisions SET body = ?", [json.dumps({})])
        connection.commit()
    with pytest.raises(StateError, match="table decisions") as caught:
        settings.catalog().decisions(NYC)
    assert caught.value.where == f"sqlite:///{path}"
