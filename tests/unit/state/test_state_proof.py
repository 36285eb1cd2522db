"""The catalog and the documents beside the files: each is held to the other, and made again from what is proven."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from databases.catalogs import file_ref, make_version, server, tracked
from helpers.crash_walk import Case, walk
from sqlalchemy import Engine, event

from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import InputError, StateError
from profiling_core.model.version import FileRef
from profiling_core.pipeline.backup import backup, restore
from profiling_core.pipeline.fsck import fsck, rebuild_catalog
from profiling_core.state.catalog import Catalog
from profiling_core.state.journal import Journal
from profiling_core.state.settings import Settings

NYC = "nyc"


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with three versions, what followed each, and a decision."""
    case = Case(str(tmp_path_factory.mktemp("walked") / "home"), "", NYC)
    for number in (1, 2, 3):
        walk(case, number)
    constraint = tracked(1)[0].measured.constraint
    case.settings.catalog().decide(NYC, Decision(constraint, Verdict.NOTE, "somebody", note="seen ≠ understood"))
    return Path(case.home)


@pytest.fixture
def settings(walked: Path, tmp_path: Path) -> Settings:
    """A copy of that home."""
    return Case(str(shutil.copytree(walked, tmp_path / "home")), "", NYC).settings


def seen(settings: Settings) -> dict[str, object]:
    """All that the catalog says of the dataset."""
    catalog = settings.catalog()
    versions = catalog.versions(NYC)
    fingerprint = catalog.tracked(NYC)[0].fingerprint
    return {
        "versions": versions,
        "current": catalog.current(NYC),
        "applied": catalog.applied(NYC),
        "decisions": catalog.decisions(NYC),
        "tracked": [catalog.tracked(NYC, v.number) for v in versions],
        "history": catalog.history(NYC, fingerprint),
        "changes": catalog.change_sets(NYC),
        "validations": catalog.validations(NYC),
        "alerts": catalog.alerts(NYC),
    }


def database(settings: Settings) -> Path:
    return settings.home / "catalog.db"


def test_the_catalog_is_made_again_from_the_manifests(settings: Settings) -> None:
    before = seen(settings)
    for damage in (lambda path: path.unlink(), lambda path: path.write_bytes(b"\0" * 9000)):
        damage(database(settings))
        made, _ = rebuild_catalog(settings)
        assert made == {NYC: 3}
        assert seen(settings) == before
        assert fsck(settings).damage == []


def test_datasets_that_are_not_there_and_backups_into_the_home_are_refused(settings: Settings) -> None:
    with pytest.raises(InputError, match="no dataset 'nycc'"):
        fsck(settings, ["nycc"])
    with pytest.raises(InputError, match="within the state directory"):
        backup(settings, settings.home / "state" / "..")


@pytest.mark.postgres
def test_so_it_is_on_postgres(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    first, second = (server(request.config).new_database() for _ in range(2))
    Catalog(first).migrate()
    case = Case(str(tmp_path / "home"), first, NYC)
    walk(case, 1)
    walk(case, 2)
    before = seen(case.settings)
    moved = replace(case.settings, catalog_url=second)
    assert rebuild_catalog(moved)[0] == {NYC: 2}
    assert seen(moved) == before


@pytest.mark.parametrize("content", [None, b""])
def test_a_missing_or_empty_catalog_beside_state_is_refused(settings: Settings, content: bytes | None) -> None:
    database(settings).unlink()
    if content is not None:
        database(settings).write_bytes(content)
    with pytest.raises(StateError, match="empty or missing, but state of nyc") as caught:
        settings.catalog()
    assert "fsck --rebuild-catalog" in caught.value.remedy


def test_a_catalog_that_is_older_than_the_state_or_another_ones_is_refused(settings: Settings, tmp_path: Path) -> None:
    other = Case(str(tmp_path / "other"), "", NYC)
    walk(other, 1)
    shutil.copyfile(other.settings.home / "catalog.db", database(settings))
    with pytest.raises(StateError, match="version 1 of dataset 'nyc', but version 3 lies beside it"):
        settings.catalog().current(NYC)
    walk(other, 2)
    walk(other, 3)
    shutil.copyfile(other.settings.home / "catalog.db", database(settings))
    with pytest.raises(StateError, match="not the one that lies beside it"):
        settings.catalog().current(NYC)


@pytest.mark.parametrize("content", [b"", b"{}", b"\0" * 400])
def test_a_damaged_manifest_is_named_itself(settings: Settings, content: bytes) -> None:
    path = Journal(settings.home, NYC).manifest(3)
    path.write_bytes(content)
    with pytest.raises(StateError, match="document of the state's journal is damaged") as caught:
        settings.catalog().current(NYC)
    assert caught.value.where == str(path)


def test_each_manifest_names_the_one_before(settings: Settings) -> None:
    journal = Journal(settings.home, NYC)
    manifests = [journal.read(number) for number in journal.numbers()]
    assert [m["number"] for m in manifests] == [1, 2, 3]
    assert manifests[0]["previous"] == ""
    assert len({m["previous"] for m in manifests}) == 3
    assert {FileRef(*file) for file in manifests[2]["files"]} == set(settings.catalog().current(NYC).files)
    journal.manifest(2).unlink()
    assert [damage.what for damage in fsck(settings).damage] == ["a document of the state's journal is missing"]
    with pytest.raises(StateError, match="does not follow"):
        rebuild_catalog(settings)
    assert settings.catalog().current(NYC).number == 3


@pytest.mark.parametrize(
    ("lost", "what"),
    [
        ("_manifests", "a document of the state's journal is missing"),
        ("_journal", "it is missing, or ends before what the catalog says followed"),
        ("_journal/v00000003.json", "it is missing, or ends before what the catalog says followed"),
        ("_journal/dataset.json", "it is missing, or ends before what the catalog says followed"),
    ],
)
def test_lost_documents_are_told_while_the_catalog_knows_of_them(settings: Settings, lost: str, what: str) -> None:
    path = settings.home / "state" / NYC / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    found = [damage for damage in fsck(settings).damage if not damage.where.endswith("edition.json")]
    assert {damage.what for damage in found} == {what}
    assert all(damage.where.startswith(str(path)) for damage in found)
    with pytest.raises(StateError, match="missing or lacks") as caught:
        backup(settings, settings.home.parent / "backup")
    assert caught.value.where.startswith(str(path))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("_journal/v00000001.json", "_journal/v00000002.json"),
        ("_journal/v00000003.json", "_manifests/v00000003.json"),
        ("_journal/dataset.json", "_journal/edition.json"),
        ("_journal/dataset.json", "_journal/v00000003.json"),
        ("_manifests/v00000001.json", "_manifests/v00000002.json"),
    ],
)
def test_documents_in_each_others_places_are_told(settings: Settings, one: str, other: str) -> None:
    first, second = (settings.home / "state" / NYC / name for name in (one, other))
    whole, half = first.read_bytes(), second.read_bytes()
    first.write_bytes(half)
    second.write_bytes(whole)
    found = fsck(settings).damage
    assert {str(first), str(second)} & {damage.where for damage in found}
    assert any("another one" in damage.what for damage in found)
    if "edition.json" not in other:
        with pytest.raises(StateError, match="is another one"):
            rebuild_catalog(settings)


def test_documents_of_an_earlier_time_are_told(settings: Settings, tmp_path: Path) -> None:
    journal = settings.home / "state" / NYC / "_journal"
    shutil.copytree(journal, tmp_path / "earlier")
    settings.catalog().decide(NYC, Decision(tracked(1)[0].measured.constraint, Verdict.MUTE, "somebody"))
    assert fsck(settings).damage == []
    shutil.rmtree(journal)
    shutil.copytree(tmp_path / "earlier", journal)
    assert [damage.where for damage in fsck(settings).damage] == [str(journal / "dataset.json")]


@pytest.mark.parametrize(
    ("name", "harm", "said"),
    [
        ("dataset.json", Path.unlink, "is missing"),
        ("v00000002.json", lambda path: path.write_text(json.dumps(json.loads(path.read_text()))), "damaged"),
    ],
)
def test_a_document_that_is_missing_or_damaged_stops_the_rebuilding_and_is_named(
    settings: Settings, name: str, harm: Callable[[Path], object], said: str
) -> None:
    path = settings.home / "state" / NYC / "_journal" / name
    harm(path)
    with pytest.raises(StateError, match=said) as caught:
        rebuild_catalog(settings)
    assert caught.value.where == str(path)
    assert len(settings.catalog().decisions(NYC)) == 1
    assert settings.catalog().current(NYC).number == 3


def test_a_manifest_of_any_number_is_told_at_once(settings: Settings) -> None:
    stray = Journal(settings.home, NYC).manifest(99_999_999)
    stray.write_bytes(b"{}")
    found = [(Path(damage.where).name, damage.what) for damage in fsck(settings).damage]
    assert (stray.name, "a document of the state's journal is damaged") in found
    assert ("v99999998.json", "a document of the state's journal is missing") in found
    assert len(found) == 3  # and that the catalog is older than it


def test_history_that_is_missing_stops_the_rebuilding(settings: Settings) -> None:
    (settings.home / "state" / NYC / "_journal" / "v00000002.json").unlink()
    database(settings).unlink()
    with pytest.raises(StateError, match="what followed version 2 is missing"):
        rebuild_catalog(settings)


def test_a_crash_before_the_commit_leaves_no_version_beside_the_catalog(settings: Settings) -> None:
    journal, catalog = Journal(settings.home, NYC), settings.catalog()
    manifest = dict(journal.read(3)) | {"number": 4}
    journal.prepare(4, manifest)
    assert catalog.current(NYC).number == 3
    assert {file[2] for file in manifest["files"]} <= catalog.named(NYC)


def test_a_crash_after_the_commit_is_made_good_by_the_next(settings: Settings) -> None:
    path = Journal(settings.home, NYC).manifest(3)
    path.rename(f"{path}.prepared")
    assert settings.catalog().current(NYC).number == 3
    walk(Case(str(settings.home), "", NYC), 4)
    assert Journal(settings.home, NYC).numbers() == [1, 2, 3, 4]
    assert fsck(settings).damage == []


def test_damage_that_no_message_can_quote_is_named_too(settings: Settings) -> None:
    path = database(settings)
    whole = path.read_bytes()
    for found in re.finditer(rb"(?<=CREATE )(TABLE|INDEX) [a-z]", whole):
        path.write_bytes(whole[: found.start()] + b"\xc5" + whole[found.start() + 1 :])
        with pytest.raises(StateError, match="malformed"):
            settings.catalog().datasets()
        assert [damage.where for damage in fsck(settings).damage] == [settings.catalog_url]
    path.write_bytes(whole)
    assert fsck(settings).damage == []


def test_a_backup_is_restored_onto_an_empty_machine(settings: Settings, tmp_path: Path) -> None:
    before, place = seen(settings), tmp_path / "backup"
    assert backup(settings, place) == {NYC: 3}
    home = tmp_path / "new" / "home"
    empty = replace(settings, home=home, catalog_url=f"sqlite:///{home}/catalog.db")
    assert restore(empty, place) == {NYC: 3}
    assert seen(empty) == before
    assert fsck(empty).damage == []
    with pytest.raises(StateError, match="state of nyc already"):
        restore(empty, place)
    walk(Case(str(settings.home), "", NYC), 4)
    (file, *_) = settings.catalog().current(NYC).files_of("rows", "flights")
    (settings.home / file.path).write_bytes(b"x")
    assert backup(settings, place) == {NYC: 4}  # what is there already is proven there
    (place / file.path).write_bytes(b"x")
    with pytest.raises(StateError, match="damaged"):
        backup(settings, place)


def test_old_versions_files_go_and_their_history_stays(settings: Settings, spoil: Callable[[], None]) -> None:
    catalog, store = settings.catalog(), settings.store(NYC)
    before = seen(settings)
    old = {file for number in (1, 2) for file in catalog.version(NYC, number).files}
    only_old = old - set(catalog.version(NYC, 3).files)
    assert only_old
    spoil()
    gone = catalog.keep_from(NYC, "2999-01-01")
    assert set(gone) == only_old
    store.remove(gone)
    catalog.forget_files(NYC)
    with pytest.raises(StateError, match="not kept any more"):
        catalog.version(NYC, 1).files_of("rows", "flights")
    after = seen(settings)
    assert after["current"] == before["current"]
    assert {key: after[key] for key in ("tracked", "changes", "applied")} == {
        key: before[key] for key in ("tracked", "changes", "applied")
    }
    assert not any((settings.home / file.path).exists() for file in gone)
    assert fsck(settings).damage == []
    database(settings).unlink()
    rebuild_catalog(settings)
    assert seen(settings) == after


@pytest.fixture
def spoil(settings: Settings) -> Callable[[], None]:
    """A collection of garbage that is given no time to wait: what a manifest names stays all the same."""

    def collect() -> None:
        settings.store(NYC).collect_garbage(settings.catalog().named(NYC), timedelta(0))
        assert fsck(settings).damage == []

    return collect


def test_a_commit_does_as_much_however_long_the_history(tmp_path: Path) -> None:
    place = Case(str(tmp_path / "home"), "", NYC).settings
    catalog, counts = place.catalog(), []
    for number in range(1, 41):
        statements: list[str] = []

        def hear(*said: object, found: list[str] = statements) -> None:
            found.append(str(said[2]))

        version = make_version(number, files=(file_ref(f"{number}"),))
        event.listen(Engine, "before_cursor_execute", hear)
        opened = count_opens(lambda version=version: catalog.commit(version))  # type: ignore[misc] # bound at once
        event.remove(Engine, "before_cursor_execute", hear)
        counts.append((len(statements), opened))
    assert len({statements for statements, _ in counts[5:]}) == 1
    # One more where the manifest before changed too short a time ago for its digest to be remembered.
    assert max(opened for _, opened in counts) - min(opened for _, opened in counts[1:]) <= 1


def count_opens(action: Callable[[], object]) -> int:
    """How many files an action opens below the state directory."""
    found: list[str] = []
    counting = True

    def hear(name: str, arguments: tuple[object, ...]) -> None:
        if counting and name == "open" and "/state/" in str(arguments[0]):
            found.append(str(arguments[0]))

    sys.addaudithook(hear)
    action()
    counting = False
    return len(found)
