"""Alerts go everywhere they should, once; a failing channel stops no other; no secret of a URL gets out."""

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from profiling_core.alert.channels import SENT, alert_files, deliver
from profiling_core.alert.message import Alert, Told
from profiling_core.alert.redaction import redacted, scheme_of
from profiling_core.alert.rows import RowTable
from profiling_core.model.change import Transition
from profiling_core.model.dataset import AlertRoute

SECRET, TOKEN = "s3cr3t-pass", "T0KEN-in-the-path"


def made(transition=Transition.BROKE, text="flights: it broke <b>& how</b>"):
    told = Told(
        "f" * 16, "{a} → b", transition, "headline", "when", "words", "extent", "", 1, (), RowTable((), 0, (), 0)
    )
    return Alert("nyc", 4, "flights", "2013-03-01", "nyc.flights: {a} → b broke", text, (told,))


@pytest.fixture
def server():
    """A real HTTP server on the loopback that keeps what it is sent, and answers with the status it is told to."""
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, json.loads(body)))
            self.send_response(self.server.status)
            self.end_headers()

        def log_message(self, *_arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.status, http.received = 200, received
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield http
        http.shutdown()
        thread.join()


def url(server, path=TOKEN):
    return f"json://user:{SECRET}@127.0.0.1:{server.server_port}/{path}"


def test_a_route_gets_the_whole_message(server, tmp_path):
    outcomes = deliver(made(), [AlertRoute(url=url(server))], tmp_path)
    assert outcomes == {"file": SENT, "log": SENT, "route 1 (json://)": SENT}
    ((path, body),) = server.received
    assert path == f"/{TOKEN}"
    assert body["title"] == "nyc.flights: {a} → b broke"
    assert body["message"] == "flights: it broke <b>& how</b>"
    assert body["type"] == "warning"


def test_a_recovery_is_sent_as_good_news(server, tmp_path):
    deliver(made(Transition.RECOVERED), [AlertRoute(url=url(server))], tmp_path)
    assert server.received[0][1]["type"] == "success"


def test_the_file_and_the_log_always_get_it(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        outcomes = deliver(made(), [], tmp_path)
    assert outcomes == {"file": SENT, "log": SENT}
    text, data = alert_files(made(), tmp_path)
    assert text.read_text() == "flights: it broke <b>& how</b>\n"
    assert Alert.from_json(json.loads(data.read_text())) == made()
    assert text == tmp_path / "nyc" / "alerts" / "4-flights.txt"
    assert "flights: it broke" in caplog.text


def test_a_failing_route_is_reported_and_stops_no_other(server, tmp_path, caplog, monkeypatch):
    monkeypatch.setenv("HOLDFAST_TEST_URL", url(server))
    routes = [
        AlertRoute(url=f"json://user:{SECRET}@127.0.0.1:9/{TOKEN}"),
        AlertRoute(url=f"nosuchscheme://{TOKEN}"),
        AlertRoute(url_env="HOLDFAST_TEST_MISSING"),
        AlertRoute(url_env="HOLDFAST_TEST_URL"),
    ]
    with caplog.at_level(logging.INFO):
        outcomes = deliver(made(), routes, tmp_path)
    assert outcomes["route 1 (json://)"].startswith("failed: ")
    assert "onnection" in outcomes["route 1 (json://)"]
    assert outcomes["route 2 (nosuchscheme://)"].startswith("not configured: ")
    assert "HOLDFAST_TEST_MISSING is not set" in outcomes["route 3 (environment variable HOLDFAST_TEST_MISSING)"]
    assert outcomes["route 4 (environment variable HOLDFAST_TEST_URL)"] == SENT
    assert len(server.received) == 1
    for secret in (SECRET, TOKEN):
        assert secret not in caplog.text
        assert secret not in str(outcomes)
    assert "alert channel route 1 (json://): failed" in caplog.text


def test_a_server_that_refuses_is_a_failure(server, tmp_path):
    server.status = 500
    (outcome,) = (v for k, v in deliver(made(), [AlertRoute(url=url(server))], tmp_path).items() if "route" in k)
    assert "500" in outcome


def test_what_was_sent_is_not_sent_again_and_what_failed_is(server, tmp_path):
    route = [AlertRoute(url=url(server))]
    server.status = 500
    first = deliver(made(), route, tmp_path)
    server.status = 200
    second = deliver(made(), route, tmp_path, already=first)
    assert second == {"route 1 (json://)": SENT}
    third = deliver(made(), route, tmp_path, already={**first, **second})
    assert third == {}
    assert sum(path == f"/{TOKEN}" for path, _ in server.received) == 2


def test_each_outcome_is_recorded_before_the_next_channel_is_tried(server, tmp_path):
    seen = []

    def record(channel, outcome):
        seen.append((channel, outcome, len(server.received)))

    deliver(made(), [AlertRoute(url=url(server)), AlertRoute(url=url(server, "two"))], tmp_path, record=record)
    assert seen == [
        ("file", SENT, 0),
        ("log", SENT, 0),
        ("route 1 (json://)", SENT, 1),
        ("route 2 (json://)", SENT, 2),
    ]


def test_a_route_for_other_tables_is_left_alone(server, tmp_path):
    deliver(made(), [AlertRoute(url=url(server), tables=("weather",))], tmp_path)
    assert server.received == []
    deliver(made(), [AlertRoute(url=url(server), tables=("weather", "flights"))], tmp_path)
    assert len(server.received) == 1


def test_a_file_that_cannot_be_written_does_not_keep_the_others_from_sending(server, tmp_path):
    (tmp_path / "nyc").write_text("a file where a folder should be")
    outcomes = deliver(made(), [AlertRoute(url=url(server))], tmp_path)
    assert outcomes["file"].startswith("failed: ")
    assert outcomes["route 1 (json://)"] == SENT


def test_apprise_is_heard_again_after_sending(server, tmp_path):
    before = (logging.getLogger("apprise").propagate, list(logging.getLogger("apprise").handlers))
    deliver(made(), [AlertRoute(url=url(server))], tmp_path)
    assert (logging.getLogger("apprise").propagate, list(logging.getLogger("apprise").handlers)) == before


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("could not reach slack://tokA/tokB/tokC at tokB", "slack://tokA/tokB/tokC"),
        ("auth for me@example.org:pa%24s failed (pa$s)", "mailto://me:pa%24s@example.org"),
        ("see https://hooks.example.org/services/abc", "json://x"),
    ],
)
def test_every_part_of_a_url_is_struck_out(text, address):
    shown = redacted(text, address)
    for secret in ("tokA", "tokB", "pa$s", "pa%24s", "example.org", "abc"):
        assert secret not in shown
    assert scheme_of(address) in ("slack", "mailto", "json")
