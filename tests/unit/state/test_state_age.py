"""An earlier copy of the catalog, of the same version, is refused by all that use it; no crash looks like one."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from databases.catalogs import server, tracked
from helpers.crash_walk import Case, walk

from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import StateError
from profiling_core.model.finding import REFUSAL, Finding
from profiling_core.model.incident import Incident, IncidentStatus
from profiling_core.model.message import Attempt
from profiling_core.pipeline.backup import backup, restore
from profiling_core.pipeline.fsck import fsck, rebuild_catalog
from profiling_core.state import catalog_journal
from profiling_core.state.catalog import Catalog
from profiling_core.state.journal import Journal
from profiling_core.state.settings import Settings

NYC = "nyc"
FINDING = Finding(kind=REFUSAL, table="flights", delta="2013-02-27", headline="is refused")
INCIDENT = Incident(1, "flights", IncidentStatus.OPEN, "", "2013-02-27", "2013-02-27", 2, (FINDING,))
DECISION = Decision(tracked(1)[0].measured.constraint, Verdict.MUTE, "somebody")


def deliver(catalog: Catalog) -> None:
    delivery = catalog.outbox.claim(NYC, ["file"], datetime.now(UTC))
    assert delivery
    catalog.outbox.record(delivery, Attempt(sent=True, said="sent"), datetime.now(UTC))


CHANGES: dict[str, Callable[[Catalog], object]] = {
    "decision": lambda catalog: catalog.decide(NYC, DECISION),
    "incident": lambda catalog: catalog.save_incidents(NYC, [INCIDENT]),
    "validation": lambda catalog: catalog.save_validation(NYC, 2, "flights", {"success": True}),
    "publication": lambda catalog: catalog.mark_published(NYC, 2),
    "delivery": deliver,
    "retention": lambda catalog: catalog.keep_from(NYC, "2999-01-01"),
}


def copied(settings: Settings, request: pytest.FixtureRequest, home: Path) -> Settings:
    """The same home with a copy of its catalog, which lies in ``home`` where it is a file."""
    if settings.catalog_url.startswith("postgres"):
        return replace(settings, catalog_url=server(request.config).new_database(settings.catalog_url))
    path = settings.catalog_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return replace(settings, catalog_url=f"sqlite:///{shutil.copyfile(path, home / 'copy.db')}")


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def walked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home with two versions, and its catalog on each of the two databases."""
    place = tmp_path_factory.mktemp("walked")
    url = f"sqlite:///{place / 'catalog.db'}" if request.param == "sqlite" else server(request.config).new_database()
    Catalog(url).migrate()
    case = Case(str(place / "home"), url, NYC)
    walk(case, 1)
    walk(case, 2)
    return case.settings


@pytest.fixture
def settings(walked: Settings, request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A copy of that home and of its catalog."""
    home = shutil.copytree(walked.home, tmp_path / "home")
    return copied(replace(walked, root=home, home=home, datasets_dir=home), request, home)


@pytest.fixture
def copy(settings: Settings, request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Settings]:
    """Copies the catalog as it is, and gives the same home with the copy."""
    return lambda: copied(settings, request, tmp_path)


def documents(settings: Settings) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (settings.home / "state" / NYC / "_journal").iterdir()}


@pytest.mark.parametrize("change", CHANGES)
def test_a_copy_from_before_a_change_is_refused(settings: Settings, copy: Callable[[], Settings], change: str) -> None:
    older = copy()
    CHANGES[change](settings.catalog())
    before = documents(settings)
    for use in (lambda catalog: catalog.current(NYC), *CHANGES.values()):
        with pytest.raises(StateError, match="the catalog is older than the state") as caught:
            use(older.catalog())
        assert "fsck --rebuild-catalog" in caught.value.remedy
    assert [damage.what for damage in fsck(older).damage]
    assert documents(settings) == before
    assert settings.catalog().current(NYC).number == 2
    assert fsck(settings).damage == []


def test_it_is_made_again_from_the_documents(settings: Settings, copy: Callable[[], Settings]) -> None:
    older = copy()
    CHANGES["decision"](settings.catalog())
    rebuild_catalog(older)
    assert [decision.verdict for decision in older.catalog().decisions(NYC)] == [Verdict.MUTE]
    assert fsck(older).damage == []
    with pytest.raises(StateError, match="the catalog is older than the state"):
        settings.catalog().current(NYC)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", ["before the commit", "after the commit"])
def test_no_process_that_ends_makes_a_catalog_look_old(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, change: str, moment: str
) -> None:
    owner, name = (catalog_journal, "advance") if moment == "before the commit" else (Journal, "note_edition")

    def end(*_: object) -> int:
        raise OSError("ended")

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, end)
        with pytest.raises(OSError, match="ended"):
            CHANGES[change](settings.catalog())
    assert settings.catalog().current(NYC).number == 2
    CHANGES["decision"](settings.catalog())
    CHANGES["incident"](settings.catalog())
    walk(Case(str(settings.home), settings.catalog_url, NYC), 3)
    assert settings.catalog().current(NYC).number == 3
    assert fsck(settings).damage == []


def test_a_backup_is_restored_beside_a_new_catalog(settings: Settings, tmp_path: Path) -> None:
    backup(settings, tmp_path / "backup")
    home = tmp_path / "other"
    other = replace(settings, home=home, catalog_url=f"sqlite:///{home}/catalog.db")
    restore(other, tmp_path / "backup")
    CHANGES["decision"](other.catalog())
    assert other.catalog().current(NYC).number == 2


def test_a_damaged_note_is_named_and_made_again(settings: Settings) -> None:
    path = settings.home / "state" / NYC / "_journal" / "edition.json"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(StateError, match="damaged") as caught:
        settings.catalog().current(NYC)
    assert caught.value.where == str(path)
    rebuild_catalog(settings)
    assert fsck(settings).damage == []
