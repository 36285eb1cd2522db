"""Each thing that a page lets a person do: done, recorded, undone, the same as its command, and refused to others."""

import html
import re
import shlex
import shutil
from dataclasses import dataclass, replace

import pytest
from helpers.catalog import DATASET, DISTANCE, seed
from helpers.pages_client import asking
from typer.testing import CliRunner

from profiling_core.airflow.ui import runs
from profiling_core.airflow.ui.actions import INCIDENT_ACTIONS, RULE_ACTIONS
from profiling_core.cli.main import app
from profiling_core.state.settings import Settings

pytestmark = pytest.mark.airflow
INCIDENT = f"/datasets/{DATASET}/incidents/1"
RULE = f"/datasets/{DATASET}/constraints/{DISTANCE.fingerprint}"
PLACES = {INCIDENT: INCIDENT_ACTIONS, RULE: RULE_ACTIONS}
TEXTS = {"owner": "bob", "until": "2099-12-31", "note": "as agreed"}
# What has to be done before, where an action takes another one back.
BEFORE = {
    "reopen": ("close",),
    "undo": ("mute",),
    "unpin": ("pin",),
    "unmute": ("mute",),
    "unaccept": ("accept",),
    "restore": ("reject",),
}
TAKES_BACK = {"pin": "unpin", "mute": "unmute", "accept": "unaccept", "reject": "restore"}
CASES = [(place, action.value) for place, actions in PLACES.items() for action in actions]
HERE = {"Origin": "http://testserver"}


@dataclass(frozen=True)
class Done:
    """What a project says of its incident and of decisions, without the time at which something was decided."""

    status: str
    owner: str
    muted_until: str
    events: tuple[tuple[str, str, str, str], ...]
    decisions: tuple[tuple[str, str, str, str], ...]


def of(settings: Settings) -> Done:
    catalog = settings.catalog()
    incident = catalog.incidents(DATASET)[0]
    events = tuple((e.what, e.who, e.until, e.note) for e in incident.events)
    decided = tuple((d.verdict.value, d.who, d.until, d.note) for d in catalog.decisions(DATASET))
    return Done(incident.status.value, incident.owner, incident.muted_until, events, decided)


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    return seed(tmp_path_factory.mktemp("seeded"))


@pytest.fixture
def project(seeded, tmp_path):
    """Makes copies of the project."""

    def copy(name: str) -> Settings:
        place = tmp_path / name
        shutil.copytree(seeded.home.parent, place)
        return replace(
            seeded,
            home=place / "home",
            catalog_url=f"sqlite:///{place}/home/catalog.db",
            datasets_dir=place / "datasets",
        )

    return copy


def form(client, place, action):
    """The fields of the page's form for an action, as a person fills it in; raises where the page has none."""
    body = client.get(place).text
    button = re.search(rf'<button[^>]*name="action" value="{action}"', body)
    assert button, f"{place} has no button {action}"
    inside = body[body.rindex("<form", 0, button.start()) : body.index("</form>", button.start())]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', inside))
    return hidden | {name: TEXTS[name] for name in re.findall(r'<input name="(\w+)"', inside)} | {"action": action}


def do(client, place, action):
    answer = client.post(f"{place}/decisions", data=form(client, place, action), headers=HERE)
    assert answer.status_code == 303, answer.text
    assert client.get(answer.headers["location"]).status_code == 200


def command(client, place, action):
    """The command that the page shows beside an action, as a person completes it."""
    page = html.unescape(client.get(place).text)
    button = page.index(f'name="action" value="{action}"')
    said = re.compile(r"[Tt]he same as:? (?:<code>)?(holdfast [^<\"]*)").search(page, button)
    words = shlex.split(said[1])
    given = {"NAME": TEXTS["owner"], "TEXT": TEXTS["note"], "DAY": TEXTS["until"], "DELTA": TEXTS["until"]}
    explains = action != "note" and "--note" not in words and "note" in form(client, place, action)
    note = ["--note", TEXTS["note"]] if explains else []
    return [given.get(word, TEXTS["note"] if word == "WHY" else word) for word in words[1:]] + note


@pytest.mark.parametrize(("place", "action"), CASES)
def test_an_action_is_recorded_and_is_what_its_command_does(project, monkeypatch, place, action):
    by_page, by_command = project("page"), project("command")
    monkeypatch.setenv("HOLDFAST_USER", "admin")
    with asking(by_page) as client:
        for first in BEFORE.get(action, ()):
            do(client, place, first)
        before = of(by_page)
        said = command(client, place, action)
        do(client, place, action)
    after = of(by_page)
    newest = after.decisions[-1] if place == RULE else after.events[-1]
    assert after != before
    assert newest[1] == "admin"
    with asking(by_command) as client:
        for first in BEFORE.get(action, ()):
            do(client, place, first)
        ended = CliRunner().invoke(app, said, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    assert of(by_command) == after
    assert all(event.at for event in by_page.catalog().incidents(DATASET)[0].events[1:])
    assert all(decision.at for decision in by_page.catalog().decisions(DATASET))


@pytest.mark.parametrize("action", ["acknowledge", "assign", "accept", "reject", "mute", "close"])
def test_what_was_decided_of_an_incident_can_be_taken_back(project, action):
    settings = project("page")
    before = of(settings)
    with asking(settings) as client:
        do(client, INCIDENT, action)
        do(client, INCIDENT, "undo")
    after = of(settings)
    assert (after.status, after.owner, after.muted_until) == (before.status, before.owner, before.muted_until)
    assert len(after.events) == len(before.events) + 2
    assert len(after.decisions) % 2 == 0


@pytest.mark.parametrize(("action", "back"), TAKES_BACK.items())
def test_what_was_decided_of_a_rule_can_be_taken_back(project, action, back):
    settings = project("page")
    with asking(settings) as client:
        do(client, RULE, action)
        assert "People have decided" in client.get(RULE).text
        do(client, RULE, back)
        assert "People have decided" not in client.get(RULE).text
    assert [what for what, *_ in of(settings).decisions] == [action, back]


@pytest.mark.parametrize("place", PLACES)
def test_a_viewer_sees_no_button_and_nobody_but_the_page_is_obeyed(project, place):
    settings, asked = project("page"), {}
    with asking(settings) as client:
        for action in PLACES[place]:
            for first in BEFORE.get(action.value, ()):
                if f'value="{action.value}"' not in client.get(place).text:
                    do(client, place, first)
            fields, before = form(client, place, action.value), of(settings)
            for headers, sent in (
                ({"Origin": "https://evil.example"}, fields),
                ({"Origin": "null"}, fields),
                ({}, fields),
                (HERE, fields | {"token": "0" * 64}),
                (HERE, {name: value for name, value in fields.items() if name != "token"}),
            ):
                assert client.post(f"{place}/decisions", data=sent, headers=headers).status_code == 403
            assert of(settings) == before
            asked[action.value] = fields
        client.cookies.clear()
        for fields in asked.values():
            assert client.post(f"{place}/decisions", data=fields, headers=HERE).status_code == 403
    with asking(settings, "viewer") as client:
        assert 'method="post"' not in client.get(place).text
        for fields in asked.values():
            assert client.post(f"{place}/decisions", data=fields, headers=HERE).status_code == 403
    assert of(settings) == before


def test_a_rule_is_pinned_from_the_incident_that_it_broke(project):
    settings = project("page")
    with asking(settings) as client:
        fields = form(client, INCIDENT, "pin")
        assert client.post(f"{RULE}/decisions", data=fields, headers=HERE).status_code == 303
        assert "Unpin the rule" in client.get(INCIDENT).text
    assert of(settings).decisions == (("pin", "admin", "", ""),)


RUNS = f"/datasets/{DATASET}"
ASKED = [
    ({"action": "apply", "value": ""}, {"mode": "apply"}),
    ({"action": "apply", "value": "2013-03-01"}, {"mode": "apply", "delta": "2013-03-01"}),
    ({"action": "dry run", "value": "2013-03-02"}, {"mode": "dry run", "delta": "2013-03-02"}),
    ({"action": "release", "value": "flights"}, {"release": "flights"}),
]


@pytest.fixture
def started(monkeypatch):
    """The runs that were asked for; Airflow's own part is walked in ``tests/e2e``."""
    found = []
    monkeypatch.setattr(runs, "trigger", lambda dataset, conf, who: found.append((dataset, conf, who)) or "run")
    return found


@pytest.fixture
def landed(project):
    """The project, where a delta has arrived that is not applied."""
    settings = project("page")
    place = settings.home.parent / "landing" / "flights"
    place.mkdir(parents=True, exist_ok=True)
    (place / "2013-03-02.csv").write_text("flight,carrier\n1,UA\n", "utf-8")
    file = settings.datasets_dir / f"{DATASET}.yaml"
    text = re.sub(r"path: \S+/landing", f"path: {settings.home.parent}/landing", file.read_text("utf-8"))
    file.write_text(text, "utf-8")
    return settings


@pytest.mark.parametrize(("fields", "conf"), ASKED)
def test_a_form_starts_the_run_that_it_names(landed, started, fields, conf):
    with asking(landed) as client:
        token = form(client, INCIDENT, "acknowledge")["token"]
        answer = client.post(f"{RUNS}/runs", data=fields | {"token": token}, headers=HERE)
        assert answer.status_code == 303, answer.text
        assert answer.headers["location"].endswith("run_id=run")
        assert client.post(f"{RUNS}/runs", data=fields | {"token": "0"}, headers=HERE).status_code == 403
    with asking(landed, "viewer") as client:
        assert 'method="post"' not in client.get(RUNS).text
        assert client.post(f"{RUNS}/runs", data=fields | {"token": token}, headers=HERE).status_code == 403
    assert started == [(DATASET, conf, "admin")]


@pytest.mark.parametrize("value", ["2013-3-2", "2013-03-03", "flights"])
def test_a_delta_that_has_not_arrived_is_refused_with_those_that_have(landed, started, value):
    with asking(landed) as client:
        offered = re.findall(r"<option[^>]*>([^<]*)</option>", client.get(RUNS).text)
        fields = {"action": "dry run", "value": value, "token": form(client, RUNS, "dry run")["token"]}
        answer = client.post(f"{RUNS}/runs", data=fields, headers=HERE)
    assert offered == ["all that has arrived", "2013-03-02"]
    assert (answer.status_code, "pending are 2013-03-02" in answer.text) == (400, True)
    assert started == []
