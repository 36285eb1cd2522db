"""Alerts go to file, log and each route, and a failing channel stops no other.

No secret of a URL gets out, nor an alert to a private address that is not allowed.
"""

import json
import logging
import socket
import threading
from datetime import UTC, datetime, timedelta

import pytest
from helpers.webhook import LOOPBACK, receiver  # noqa: F401 - fixture
from pydantic import ValidationError

from profiling_core.alert.addresses import ForbiddenAddressError, check_address, check_url
from profiling_core.alert.brief import Brief
from profiling_core.alert.channels import alert_files, channels, message_of
from profiling_core.alert.delivery import Patience, drain
from profiling_core.alert.message import Alert, Told
from profiling_core.alert.redaction import redacted, scheme_of
from profiling_core.alert.rows import RowTable
from profiling_core.model.change import Transition
from profiling_core.model.dataset import AlertConfig
from profiling_core.state.catalog import Catalog

SECRET, TOKEN = "s3cr3t-pass", "T0KEN-in-the-path"
NONE = Patience(timedelta(0), timedelta(1))


def made(transition=Transition.BROKE, text="flights: it broke <b>& how</b>", brief=None):
    told = Told(
        "f" * 16, "{a} → b", transition, "headline", "when", "words", "extent", "", 1, (), RowTable((), 0, (), 0)
    )
    return Alert("nyc", 4, "flights", "2013-03-01", "nyc.flights: {a} → b broke", text, (told,), 1, brief)


def delivered(place, *routes, alert=None, allowed=LOOPBACK):
    """What becomes of an alert at each channel of a configuration with these routes."""
    config = AlertConfig.model_validate({"routes": routes, "allow_private": allowed})
    catalog = Catalog(f"sqlite:///{place}/catalog.db")
    catalog.migrate()
    outbox = catalog.outbox
    outbox.put("nyc", [message_of(alert or made(), "4-flights", config)], datetime.now(UTC))
    return drain(outbox, "nyc", channels(config, place), NONE)["4-flights"]


def secretly(server, path=TOKEN):
    return server.url(path, "json", f"user:{SECRET}@")


def test_a_webhook_gets_the_whole_message_as_data(receiver, tmp_path):  # noqa: F811 - fixture
    assert delivered(tmp_path, {"url": receiver.url(TOKEN)}) == {"file": "sent", "log": "sent", "route 1": "sent"}
    (request,) = receiver.received
    assert request.path == f"/{TOKEN}"
    assert request.body == json.loads(json.dumps(made().to_json())) | {"key": request.key}
    assert len(request.key) == 16


def test_a_service_of_apprise_gets_title_and_text(receiver, tmp_path):  # noqa: F811 - fixture
    delivered(tmp_path, {"url": secretly(receiver)})
    (request,) = receiver.received
    assert request.path == f"/{TOKEN}"
    assert request.body["title"] == "nyc.flights: {a} → b broke"
    assert request.body["message"] == "flights: it broke <b>& how</b>"
    assert request.body["type"] == "warning"
    assert len(request.key) == 16


def test_a_recovery_is_sent_as_good_news(receiver, tmp_path):  # noqa: F811 - fixture
    delivered(tmp_path, {"url": secretly(receiver)}, alert=made(brief=Brief("over", good_news=True)))
    assert receiver.received[0].body["type"] == "success"


def test_the_file_and_the_log_always_get_it(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        assert delivered(tmp_path) == {"file": "sent", "log": "sent"}
    text, data = alert_files("nyc", "4-flights", tmp_path)
    assert text.read_text() == "flights: it broke <b>& how</b>\n"
    assert Alert.from_json(json.loads(data.read_text())) == made()
    assert text == tmp_path / "nyc" / "alerts" / "4-flights.txt"
    assert "flights: it broke" in caplog.text


def test_a_failing_route_is_reported_and_stops_no_other(receiver, tmp_path, caplog, monkeypatch):  # noqa: F811 - fixture
    monkeypatch.setenv("HOLDFAST_TEST_URL", secretly(receiver))
    routes = (
        {"url": f"json://user:{SECRET}@127.0.0.1:9/{TOKEN}", "name": "down"},
        {"url": f"http://user:{SECRET}@127.0.0.1:9/{TOKEN}"},
        {"url": f"nosuchscheme://{TOKEN}"},
        {"url_env": "HOLDFAST_TEST_MISSING"},
        {"url_env": "HOLDFAST_TEST_URL"},
    )
    with caplog.at_level(logging.INFO):
        outcomes = delivered(tmp_path, *routes)
    assert outcomes["down"].startswith("failed: ")
    assert "onnection" in outcomes["down"]
    assert outcomes["route 2"].startswith("failed: ")
    assert outcomes["route 3"].startswith("not configured: ")
    assert "HOLDFAST_TEST_MISSING is not set" in outcomes["route 4"]
    assert outcomes["route 5"] == "sent"
    assert len(receiver.received) == 1
    for secret in (SECRET, TOKEN):
        assert secret not in caplog.text
        assert secret not in str(outcomes)
    assert "alert channel down: failed" in caplog.text


@pytest.mark.parametrize("scheme", ["http", "json"])
def test_a_server_that_refuses_is_a_failure(receiver, tmp_path, scheme):  # noqa: F811 - fixture
    receiver.status = 500
    assert "500" in delivered(tmp_path, {"url": receiver.url(scheme=scheme)})["route 1"]


def test_why_a_receiver_cannot_be_reached_is_told_in_words(tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/{TOKEN}"
        closing = threading.Thread(target=close_first, args=[server])
        closing.start()
        said = delivered(tmp_path / "a", {"url": url})["route 1"]
        closing.join()
    # Which of the two it is depends on how much of the request has come when the server closes.
    ended = ("Remote end closed connection without response", "[Errno 104] Connection reset by peer")
    assert said in {f"failed: {words}" for words in ended}
    assert delivered(tmp_path / "b", {"url": url})["route 1"] == "failed: [Errno 111] Connection refused"
    monkeypatch.setattr("profiling_core.alert.webhook._TIMEOUTS", (1, 1))
    with socket.create_server(("127.0.0.1", 0)) as server:  # takes connections, and nobody answers
        url = f"http://127.0.0.1:{server.getsockname()[1]}/{TOKEN}"
        assert delivered(tmp_path / "c", {"url": url})["route 1"] == "failed: no answer within 1 seconds"


def close_first(server: socket.socket) -> None:
    """Takes a request, and answers nothing."""
    connection, _ = server.accept()
    connection.recv(1 << 16)
    connection.close()


@pytest.mark.parametrize("scheme", ["http", "json"])
def test_a_redirect_is_not_followed(receiver, tmp_path, scheme):  # noqa: F811 - fixture
    receiver.status, receiver.headers = 307, {"Location": receiver.url("elsewhere")}
    said = delivered(tmp_path, {"url": receiver.url(scheme=scheme)})["route 1"]
    assert "307" in said
    assert scheme == "json" or "redirects are not followed" in said
    assert len(receiver.received) == 1


@pytest.mark.parametrize("scheme", ["http", "json"])
def test_a_private_address_is_sent_nothing_unless_it_is_allowed(receiver, tmp_path, scheme):  # noqa: F811 - fixture
    outcome = delivered(tmp_path, {"url": receiver.url(scheme=scheme)}, allowed=("10.0.0.0/8",))["route 1"]
    assert outcome.startswith("refused: 127.0.0.1 is a private address")
    assert "alerts.allow_private" in outcome
    assert receiver.received == []


@pytest.mark.parametrize(
    "host", ["localhost", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "0.0.0.0"]
)
def test_no_spelling_of_a_private_address_gets_through(host):
    with pytest.raises(ForbiddenAddressError):
        check_url(f"http://{host}:80/x", ())


def test_public_addresses_and_allowed_networks_are_sent_to():
    check_address("93.184.216.34", ())
    check_address("2606:2800:220:1::1", ())
    check_address("10.1.2.3", ("10.0.0.0/8",))
    check_url("slack://TokenA/TokenB/TokenC", ())


def test_the_address_that_a_connection_has_is_what_counts(receiver, tmp_path, monkeypatch):  # noqa: F811 - fixture
    """A name that is public when it is looked up, and private when it is connected to: so an attacker's DNS has it."""
    asked = []
    real = socket.getaddrinfo

    def rebinding(host, *arguments, **options):
        if host != "rebind.example":
            return real(host, *arguments, **options)
        asked.append(host)
        return real("93.184.216.34" if len(asked) == 1 else "127.0.0.1", *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    url = f"http://rebind.example:{receiver.server_port}/hook"
    assert delivered(tmp_path, {"url": url}, allowed=())["route 1"].startswith("refused: 127.0.0.1")
    assert len(asked) == 2
    assert receiver.received == []


def test_a_network_or_name_that_is_none_is_refused():
    for wrong in ({"allow_private": ("localhost",)}, {"routes": ({"url": "a://b", "name": "file"},)}):
        with pytest.raises(ValidationError):
            AlertConfig.model_validate(wrong)


def test_a_route_for_other_tables_is_left_alone(receiver, tmp_path):  # noqa: F811 - fixture
    assert "route 1" not in delivered(tmp_path, {"url": receiver.url(), "tables": ("weather",)})
    assert receiver.received == []


def test_a_file_that_cannot_be_written_does_not_keep_the_others_from_sending(receiver, tmp_path):  # noqa: F811 - fixture
    (tmp_path / "nyc").write_text("a file where a folder should be")
    outcomes = delivered(tmp_path, {"url": receiver.url()})
    assert outcomes["file"].startswith("failed: ")
    assert outcomes["route 1"] == "sent"


def test_apprise_is_heard_again_after_sending(receiver, tmp_path):  # noqa: F811 - fixture
    before = (logging.getLogger("apprise").propagate, list(logging.getLogger("apprise").handlers))
    delivered(tmp_path, {"url": secretly(receiver)})
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
