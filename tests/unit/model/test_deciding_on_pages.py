"""What pages let people decide: it can be taken back, and happens once however often it is sent and whoever dies."""

import os
import random
import signal
import time
from dataclasses import replace

import pytest
from helpers.catalog import DATASET, DISTANCE, seed

from profiling_core.model.decision import Verdict, standing
from profiling_core.model.errors import ChangedMeanwhileError, InputError
from profiling_core.model.incident import IncidentStatus
from profiling_core.pipeline.deciding import decide
from profiling_core.pipeline.incident_handling import assign, find, note, set_status, undo, undoable
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import using


@pytest.fixture
def work(tmp_path):
    settings = seed(tmp_path)
    with using(settings):
        yield Workspace.open(DATASET)


def stands(work):
    return standing(work.catalog.decisions(DATASET), {})[DISTANCE.fingerprint]


def test_what_was_decided_last_is_taken_back_step_by_step(work):
    assign(work, 1, "ann", who="eva")
    set_status(work, 1, IncidentStatus.ACKNOWLEDGED, who="eva")
    set_status(work, 1, IncidentStatus.ACCEPTED, who="eva", note="moved")
    note(work, 1, "asked the airport", who="bob")
    assert stands(work).accepted
    seen = []
    while undoable(find(work, 1)):
        after = undo(work, 1, who="bob")
        seen.append((after.status, after.owner))
    assert seen == [(IncidentStatus.ACKNOWLEDGED, "ann"), (IncidentStatus.OPEN, "ann"), (IncidentStatus.OPEN, "")]
    assert not stands(work).accepted
    assert stands(work).accepted_error == 0.0
    with pytest.raises(InputError, match="taken back"):
        undo(work, 1, who="bob")


@pytest.mark.parametrize(("status", "word"), [(IncidentStatus.MUTED, "muted"), (IncidentStatus.REJECTED, "rejected")])
def test_what_an_incident_decided_for_its_rules_is_taken_back_with_it(work, status, word):
    set_status(work, 1, status, who="eva")
    assert stands(work).words == word
    undo(work, 1, who="eva")
    assert stands(work).words == ""
    assert find(work, 1).status is IncidentStatus.OPEN


def test_a_mute_lasts_until_a_day_that_is_to_come_and_undo_brings_the_one_before_back(work):
    with pytest.raises(InputError, match="over at once"):
        set_status(work, 1, IncidentStatus.MUTED, who="eva", until="2013-03-01")
    with pytest.raises(InputError, match="over at once"):
        decide(work, DISTANCE.fingerprint, Verdict.MUTE, who="eva", until="2013-02-01")
    set_status(work, 1, IncidentStatus.MUTED, who="eva", until="2013-03-07")
    assert stands(work).words == "muted until 2013-03-07"
    set_status(work, 1, IncidentStatus.MUTED, who="eva", until="2013-03-31")
    assert [find(work, 1).is_muted_beyond(day) for day in ("2013-03-31", "2013-04-01")] == [True, False]
    undo(work, 1, who="eva")
    assert find(work, 1).muted_until == "2013-03-07"
    assert stands(work).words == "muted until 2013-03-07"


def test_undo_leaves_alone_what_happened_by_itself_since(work):
    set_status(work, 1, IncidentStatus.ACKNOWLEDGED, who="eva")
    incident = find(work, 1)
    over = replace(incident, status=IncidentStatus.RECOVERED)
    work.catalog.save_incidents(DATASET, [over])
    assert undo(work, 1, who="eva").status is IncidentStatus.RECOVERED


def test_a_decision_on_an_incident_that_has_changed_since_is_refused(work):
    seen = len(find(work, 1).events)
    set_status(work, 1, IncidentStatus.ACKNOWLEDGED, who="eva", seen=seen)
    for again in (
        lambda: set_status(work, 1, IncidentStatus.ACKNOWLEDGED, who="eva", seen=seen),
        lambda: assign(work, 1, "ann", who="eva", seen=seen),
        lambda: note(work, 1, "late", who="eva", seen=seen),
        lambda: undo(work, 1, who="eva", seen=seen),
    ):
        with pytest.raises(ChangedMeanwhileError, match="acknowledged by eva"):
            again()
    assert len(find(work, 1).events) == seen + 1


def test_a_decision_on_a_rule_that_was_decided_about_since_is_refused(work):
    decide(work, DISTANCE.fingerprint, Verdict.PIN, who="eva", seen=0)
    with pytest.raises(ChangedMeanwhileError, match="pin by eva"):
        decide(work, DISTANCE.fingerprint, Verdict.PIN, who="eva", seen=0)
    decide(work, DISTANCE.fingerprint, Verdict.UNPIN, who="eva", seen=1)
    assert [d.verdict for d in work.catalog.decisions(DATASET)] == [Verdict.PIN, Verdict.UNPIN]


def test_a_process_that_is_killed_has_decided_once_or_not_at_all(work):
    """Two facts are to agree: the incident's status with its event, and the decision about its rule."""
    chance, seen = random.Random(7), set()
    began = time.monotonic()
    set_status(work, 1, IncidentStatus.MUTED, who="the first")
    undo(work, 1, who="the first")
    most = 2 * (time.monotonic() - began)
    for turn in range(24):
        before = len(work.catalog.decisions(DATASET))
        child = os.fork()
        if child == 0:
            try:
                set_status(work, 1, IncidentStatus.MUTED, who=f"turn {turn}")
            finally:
                os._exit(0)
        time.sleep(chance.uniform(0, most))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        incident = find(work, 1)
        decided = [d for d in work.catalog.decisions(DATASET)[before:] if d.who == f"turn {turn}"]
        told = [event for event in incident.events if event.who == f"turn {turn}"]
        assert len(decided) == len(told) <= 1
        seen.add(len(told))
        most *= 0.7 if told else 1.5  # a busy machine may take longer than the first time told
        if told:
            undo(work, 1, who="test")
    work.catalog.current(DATASET)  # the catalog is still that of its documents
    assert seen == {0, 1}
