"""Two who change one incident at once: nothing of either is lost, and whoever is second is told so in words."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from databases.catalogs import catalog_url, make_version, migrated_url  # noqa: F401 - fixtures

from profiling_core.model.errors import ChangedMeanwhileError, InputError
from profiling_core.model.finding import REFUSAL, Finding
from profiling_core.model.incident import Incident, IncidentStatus
from profiling_core.pipeline.incident_handling import find, set_status
from profiling_core.pipeline.notifications import as_they_are
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings, using

NYC = "nyc"
FINDING = Finding(REFUSAL, "flights", "2013-02-27", "is refused")
INCIDENT = Incident(1, "flights", IncidentStatus.OPEN, "", "2013-02-27", "2013-02-27", 2, (FINDING,))
DATASET_FILE = "dataset: nyc\ntables:\n  flights:\n    source: {path: landing}\n    key: [flight]\n"


@pytest.fixture
def work(migrated_url: str, tmp_path) -> Workspace:  # noqa: F811 - fixture
    (tmp_path / "nyc.yaml").write_text(DATASET_FILE)
    settings = Settings(tmp_path, tmp_path / "home", migrated_url, tmp_path)
    settings.catalog().commit(make_version(1))
    settings.catalog().save_incidents(NYC, [INCIDENT])
    with using(settings):
        return Workspace.open(NYC)


def at_once(*actions: Callable[[], object]) -> list[str]:
    """What each was told that was refused."""
    told: list[str] = []
    together = threading.Barrier(len(actions))

    def act(action: Callable[[], object]) -> None:
        together.wait()
        try:
            action()
        except (ChangedMeanwhileError, InputError) as error:
            told.append(error.what)

    threads = [threading.Thread(target=act, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def test_who_is_second_is_told_and_both_words_are_kept(work: Workspace) -> None:
    for turn in range(10):
        set_status(work, 1, IncidentStatus.OPEN, who="eva")
        before = len(find(work, 1).events)
        told = at_once(
            lambda: set_status(work, 1, IncidentStatus.ACKNOWLEDGED, who="ana", note="on it"),
            lambda: set_status(work, 1, IncidentStatus.CLOSED, who="ben"),
        )
        said = [(event.what, event.who) for event in find(work, 1).events[before:]]
        assert len(said) + len(told) == 2, turn
        assert set(said) <= {("acknowledged", "ana"), ("closed", "ben")}
        assert all("by ana" in what or "by ben" in what for what in told), told


def test_what_changed_after_it_was_read_is_not_written_over(work: Workspace) -> None:
    seen = find(work, 1)
    set_status(work, 1, IncidentStatus.CLOSED, who="ben")
    with pytest.raises(ChangedMeanwhileError, match="has changed meanwhile: closed by ben; your change was not saved"):
        work.catalog.handle(NYC, seen, replace(seen, owner="ana"))
    assert find(work, 1).status is IncidentStatus.CLOSED
    with pytest.raises(InputError, match=r"incident 1 is closed \(by ben .*\)") as caught:
        set_status(work, 1, IncidentStatus.ACKNOWLEDGED, who="ana")
    assert "reopen 1" in caught.value.remedy


def test_a_step_finds_out_again_what_people_have_changed_meanwhile(work: Workspace) -> None:
    turns = []

    def record() -> Incident:
        known = work.catalog.incidents(NYC)
        if not turns:
            set_status(work, 1, IncidentStatus.ACKNOWLEDGED, who="ana")
        turns.append(known[0].status)
        grown = replace(known[0], deltas=known[0].deltas + 1)
        work.catalog.save_incidents(NYC, [grown], known=known)
        return grown

    assert as_they_are(record) == find(work, 1)
    assert turns == [IncidentStatus.OPEN, IncidentStatus.ACKNOWLEDGED]
    assert (find(work, 1).deltas, find(work, 1).events[-1].who) == (2, "ana")


def test_two_that_open_an_incident_open_two(work: Workspace) -> None:
    def open_one() -> None:
        def record() -> None:
            known = work.catalog.incidents(NYC)
            work.catalog.save_incidents(NYC, [replace(INCIDENT, number=len(known) + 1)], known=known)

        as_they_are(record)

    assert at_once(*[open_one] * 4) == []
    assert [incident.number for incident in work.catalog.incidents(NYC)] == [1, 2, 3, 4, 5]
