"""Rows of the catalog that are gone, or that somebody has changed: named by whoever builds on them, and by fsck."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from databases.catalogs import tracked
from helpers.crash_walk import Case, walk

from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import StateError
from profiling_core.model.finding import REFUSAL, Finding
from profiling_core.model.incident import Incident, IncidentStatus
from profiling_core.pipeline.fsck import fsck, rebuild_catalog
from profiling_core.state.catalog import Catalog
from profiling_core.state.settings import Settings

NYC = "nyc"
FINDING = Finding(REFUSAL, "flights", "2013-02-27", "is refused")
INCIDENT = Incident(1, "flights", IncidentStatus.OPEN, "", "2013-02-27", "2013-02-27", 2, (FINDING,))
TABLES = (
    "applied_deltas",
    "change_sets",
    "constraints",
    "datasets",
    "decisions",
    "definitions",
    "deliveries",
    "files",
    "incidents",
    "messages",
    "tracked",
    "validations",
    "version_tables",
    "versions",
)
Change = Callable[[str], bool]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Three versions with all that may follow."""
    case = Case(str(tmp_path_factory.mktemp("rows") / "home"), "", NYC)
    for number in (1, 2, 3):
        walk(case, number)
    catalog = case.settings.catalog()
    catalog.decide(NYC, Decision(tracked(1)[0].measured.constraint, Verdict.MUTE, "somebody"))
    catalog.save_incidents(NYC, [INCIDENT])
    delivery = catalog.outbox.claim(NYC, ["file"], datetime.now(UTC))
    assert delivery
    return case.settings


@pytest.fixture
def change(settings: Settings, tmp_path: Path) -> Iterator[Change]:
    """Does something to the database by SQL; it is as it was afterwards, and so is the number of its last change."""
    path = Path(settings.catalog_url.removeprefix("sqlite:///"))
    note = settings.home / "state" / NYC / "_journal" / "edition.json"
    noted = note.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copyfile(path, tmp_path / "catalog.db")

    def execute(statement: str) -> bool:
        with closing(sqlite3.connect(path)) as connection:
            changed = connection.execute(statement).rowcount
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return changed > 0

    yield execute
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    shutil.copyfile(tmp_path / "catalog.db", path)
    note.write_bytes(noted)


def build_on(settings: Settings) -> None:
    """What the next delta does first."""
    catalog = settings.catalog()
    current = catalog.current(NYC)
    assert current
    catalog.check_rows(current)


def test_nothing_is_named_where_nothing_is_gone(settings: Settings) -> None:
    build_on(settings)
    assert fsck(settings).damage == []


@pytest.mark.parametrize("name", ["_manifests/v00000003.json", "_journal/v00000003.json", "_journal/dataset.json"])
def test_a_document_that_is_gone_is_told_by_the_next_delta(
    settings: Settings, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """It needs none of them, but whoever needs them later would find them gone."""
    path = settings.home / "state" / NYC / name
    aside = path.rename(path.with_suffix(".aside"))
    try:
        build_on(settings)
    finally:
        aside.rename(path)
    assert [str(path) in record.getMessage() for record in caplog.records] == [True]


@pytest.mark.parametrize("table", TABLES)
def test_the_newest_row_that_is_gone_is_named_before_anything_is_built_on_it(
    settings: Settings, change: Change, table: str
) -> None:
    assert change(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
    with pytest.raises(StateError):
        build_on(settings)
    assert fsck(settings).damage


@pytest.mark.parametrize("table", ["decisions", "tracked"])
def test_so_it_is_after_the_catalog_was_made_again(settings: Settings, change: Change, table: str) -> None:
    rebuild_catalog(settings)
    build_on(settings)
    assert change(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
    with pytest.raises(StateError):
        build_on(settings)


@pytest.mark.parametrize("table", TABLES)
def test_any_row_that_is_gone_is_told_by_fsck(settings: Settings, change: Change, table: str) -> None:
    assert change(f"DELETE FROM {table} WHERE rowid = (SELECT min(rowid) FROM {table})")
    assert fsck(settings).damage


@pytest.mark.parametrize("column", ["number", "label", "arrivals", "tracked_at", "outcomes", "seal"])
def test_a_row_that_was_changed_is_named(settings: Settings, change: Change, column: str) -> None:
    assert change(f"UPDATE versions SET {column} = 'x' WHERE number = 3")
    with pytest.raises(StateError):
        build_on(settings)
    assert fsck(settings).damage


@pytest.mark.parametrize(
    ("document", "write"),
    [
        ("v00000003.json", lambda catalog: catalog.save_validation(NYC, 3, "weather", {"success": True})),
        ("dataset.json", lambda catalog: catalog.save_incidents(NYC, [replace(INCIDENT, number=2)])),
    ],
)
def test_what_a_run_wrote_that_did_not_commit_is_not_taken_for_rows_that_are_gone(
    settings: Settings, document: str, write: Callable[[Catalog], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settings.home / "state" / NYC / "_journal" / document
    before = path.read_bytes()

    def end(*_: object) -> int:
        raise OSError("ended")

    with monkeypatch.context() as patch:
        patch.setattr("profiling_core.state.catalog_journal.advance", end)
        with pytest.raises(OSError, match="ended"):
            write(settings.catalog())
    assert path.read_bytes() != before
    build_on(settings)
    assert fsck(settings).damage == []
