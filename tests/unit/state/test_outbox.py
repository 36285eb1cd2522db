"""The outbox: each message once to each channel, later where it fails, and given up when it is too late."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from databases.catalogs import catalog_url, change_set, make_version, migrated_url, tracked  # noqa: F401 - fixtures
from helpers.webhook import LOOPBACK, Receiver, receiver  # noqa: F401 - fixture
from sqlalchemy import event, select
from stack.files import REPOSITORY

from profiling_core.alert import delivery
from profiling_core.alert.channels import to_route
from profiling_core.alert.delivery import Clock, Patience, drain, give_up, undelivered_lines
from profiling_core.model.dataset import AlertRoute
from profiling_core.model.finding import Finding
from profiling_core.model.incident import Incident, IncidentStatus
from profiling_core.model.message import Attempt, Message
from profiling_core.state import models
from profiling_core.state.catalog import Catalog
from profiling_core.state.engine import transaction
from profiling_core.state.outbox import LEASE, Outbox, instant
from profiling_core.state.row_checksums import change

SEND = REPOSITORY / "tests" / "helpers" / "send.py"
START = datetime(2026, 3, 1, 7, tzinfo=UTC)
NONE = Patience(timedelta(0), timedelta(hours=72))


@dataclass
class Time:
    """A clock that stands still while nobody sleeps."""

    now: datetime = START
    slept: list[float] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def outbox(migrated_url: str) -> Outbox:  # noqa: F811 - pytest's way to ask for a fixture
    return Catalog(migrated_url).outbox


def put(outbox: Outbox, *keys: str, channels: tuple[str, ...] = ("hook",), now: datetime = START) -> None:
    outbox.put(
        "shop", [Message(key, 1, "orders", {"title": key, "text": f"{key} broke"}, channels) for key in keys], now
    )


def hook(server: Receiver) -> dict:
    return {"hook": partial(to_route, AlertRoute(url=server.url()), LOOPBACK)}


def titles(server: Receiver) -> list[str]:
    return [request.body["title"] for request in server.received]


def test_a_message_is_sent_once_to_each_channel_that_it_is_for(outbox, receiver):  # noqa: F811 - fixture
    put(outbox, "a", "b")
    put(outbox, "a")
    other = {"mail": lambda _: Attempt(sent=True)}
    assert drain(outbox, "shop", hook(receiver) | other, NONE, Time().clock) == {
        "a": {"hook": "sent"},
        "b": {"hook": "sent"},
    }
    assert drain(outbox, "shop", hook(receiver), NONE, Time().clock) == {}
    assert titles(receiver) == ["a", "b"]
    assert len({request.key for request in receiver.received}) == 2
    assert all(request.body["key"] == request.key for request in receiver.received)


def test_a_channel_that_is_added_later_gets_what_it_is_put_for(outbox):
    put(outbox, "a")
    put(outbox, "a", channels=("mail",))
    got = []
    sent = drain(
        outbox, "shop", {n: lambda d: got.append(d.channel) or Attempt(sent=True) for n in ("hook", "mail")}, NONE
    )
    assert sent == {"a": {"hook": "sent", "mail": "sent"}}
    assert sorted(got) == ["hook", "mail"]


def test_a_receiver_that_is_down_is_told_later_with_the_same_key(outbox, receiver):  # noqa: F811 - fixture
    time = Time()
    put(outbox, "a")
    receiver.status = 503
    assert drain(outbox, "shop", hook(receiver), NONE, time.clock) == {
        "a": {"hook": "failed: the receiver answered 503 Service Unavailable"}
    }
    receiver.status = 200
    assert drain(outbox, "shop", hook(receiver), NONE, time.clock) == {}  # its pause has not ended
    time.now += timedelta(seconds=2)
    assert drain(outbox, "shop", hook(receiver), NONE, time.clock) == {"a": {"hook": "sent"}}
    first, second = receiver.received
    assert first.key == second.key
    assert first.body == second.body


def test_pauses_grow_within_the_patience_of_a_run(outbox):
    time, tries = Time(), []

    def fails(_: object) -> Attempt:
        tries.append((time.now - START).total_seconds())
        return Attempt(sent=False, said="failed: down")

    put(outbox, "a")
    drain(outbox, "shop", {"hook": fails}, Patience(timedelta(seconds=60), timedelta(1)), time.clock)
    assert [round(at) for at in tries] == [0, 2, 10, 42]
    assert outbox.next_due("shop", ["hook"]) > START + timedelta(seconds=60 + 100)


@pytest.mark.parametrize("answer", ["90", "Sun, 01 Mar 2099 00:00:00 GMT", "9" * 17, "9" * 400])
def test_a_receiver_that_asks_for_a_pause_gets_it(outbox, receiver, answer):  # noqa: F811 - fixture
    put(outbox, "a")
    receiver.status, receiver.headers = 429, {"Retry-After": answer}
    drain(outbox, "shop", hook(receiver), NONE, Time().clock)
    due = outbox.next_due("shop", ["hook"])
    asked = timedelta(seconds=90) if answer == "90" else timedelta(days=1)  # nobody is kept waiting for longer
    assert due == START + asked


def test_what_a_receiver_answers_is_kept_short_and_harmless(outbox):
    put(outbox, "a")
    drain(outbox, "shop", {"hook": lambda _: Attempt(sent=False, said=f"failed: \x1b[31m{'x' * 70_000}")}, NONE)
    (waiting,) = outbox.undelivered("shop")
    assert waiting.said.startswith("failed: \\x1b[31mxxx")
    assert len(waiting.said) <= 300


def test_messages_are_sent_in_the_order_in_which_they_are_put(outbox):
    put(outbox, "4-9", "4-12", "4-10", now=START)
    assert [one.key for one in outbox.undelivered("shop")] == ["4-9", "4-12", "4-10"]
    claimed = [outbox.claim("shop", ["hook"], START + timedelta(seconds=1)) for _ in range(3)]
    assert [one.key for one in claimed] == ["4-9", "4-12", "4-10"]


def test_a_failing_message_keeps_no_other_from_being_sent(outbox):
    put(outbox, "a", "b", "c")
    said = drain(
        outbox, "shop", {"hook": lambda d: Attempt(sent=d.key != "a", said="failed" if d.key == "a" else "sent")}, NONE
    )
    assert {key: found["hook"] for key, found in said.items()} == {"a": "failed", "b": "sent", "c": "sent"}


@pytest.mark.parametrize(("patience", "tries"), [(0, 1), (70, 3)])
def test_a_receiver_that_never_answers_takes_the_time_of_one_message_and_not_of_each(outbox, patience, tries):
    time, tried = Time(), []

    def hangs(_):
        tried.append(time.now)
        time.now += timedelta(seconds=30)
        return Attempt(sent=False, said="failed: timed out", answered=False)

    keys = [f"m{number}" for number in range(8)]
    put(outbox, *keys, channels=("hangs", "hook"))
    channels = {"hangs": hangs, "hook": lambda _: Attempt(sent=True)}
    said = drain(outbox, "shop", channels, Patience(timedelta(seconds=patience), timedelta(1)), time.clock)
    assert len(tried) == tries
    assert [said[key]["hook"] for key in keys] == ["sent"] * len(keys)
    assert {d.channel for d in outbox.undelivered("shop")} == {"hangs"}
    drain(outbox, "shop", channels, Patience(timedelta(0), timedelta(1)), time.clock)
    assert len({d.key for d in outbox.undelivered("shop") if d.attempts}) == tries + 1  # each gets its turn


def test_what_no_channel_takes_is_given_up_and_can_be_sent_again(outbox):
    time = Time()
    put(outbox, "a", "never tried")
    drain(outbox, "shop", {"hook": lambda d: Attempt(sent=d.key != "a", said="failed: down")}, NONE, time.clock)
    put(outbox, "never tried")
    assert give_up(outbox, "shop", NONE, time.clock) == []
    time.now += timedelta(hours=73)
    assert [d.key for d in give_up(outbox, "shop", NONE, time.clock)] == ["a"]
    assert give_up(outbox, "shop", NONE, time.clock) == []
    assert drain(outbox, "shop", {"hook": lambda _: Attempt(sent=True)}, NONE, time.clock) == {}
    assert undelivered_lines(outbox.undelivered("shop")) == [
        "1 message to hook could not be delivered (the first is of 2026-03-01 07:00 UTC): failed: down"
    ]
    assert outbox.again("shop", time.now) == 1
    assert give_up(outbox, "shop", NONE, time.clock) == []
    assert drain(outbox, "shop", {"hook": lambda _: Attempt(sent=True)}, NONE, time.clock) == {"a": {"hook": "sent"}}
    assert outbox.undelivered("shop") == []


def started(url: str, server: Receiver, how: str) -> subprocess.Popen:
    path = os.pathsep.join(sys.path)
    process = subprocess.Popen(
        [sys.executable, str(SEND), url, "shop", server.url(), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
def test_four_processes_send_each_message_once(outbox, migrated_url, receiver):  # noqa: F811 - fixtures
    keys = [f"m{number:02}" for number in range(12)]
    put(outbox, *keys)
    processes = [started(migrated_url, receiver, "all") for _ in range(4)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait(120) for process in processes] == [0] * 4
    assert sorted(titles(receiver)) == keys
    assert outbox.undelivered("shop") == []


@pytest.mark.slow
def test_killed_between_sending_and_recording_it_is_told_again_with_the_same_key(outbox, migrated_url, receiver):  # noqa: F811 - fixtures
    put(outbox, "a")
    process = started(migrated_url, receiver, "die")
    process.communicate("go\n", timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert drain(outbox, "shop", hook(receiver), NONE) == {"a": {"hook": "sent"}}  # its lease is nobody's
    first, second = receiver.received
    assert (first.key, first.body) == (second.key, second.body)


def test_a_lease_of_another_machine_holds_until_it_runs_out(outbox):
    put(outbox, "a")
    there = outbox.claim("shop", ["hook"], START)
    elsewhere = replace(there, lease="1-1-00000000-00000000")
    with transaction(outbox._engine, write=True) as connection:
        (row,) = connection.execute(select(models.deliveries)).mappings()
        change(connection, models.deliveries, row, lease=elsewhere.lease)
    assert outbox.claim("shop", ["hook"], START + LEASE - timedelta(seconds=1)) is None
    assert outbox.claim("shop", ["hook"], START + LEASE).key == "a"


def test_a_clock_that_is_set_back_holds_no_lease_and_no_message_for_ever(outbox):
    put(outbox, "held", "failed", "new")
    for sent in (None, Attempt(sent=False, said="failed: down", retry_after=60)):
        claimed = outbox.claim("shop", ["hook"], START)
        if sent:
            outbox.record(claimed, sent, START)
    before = START - timedelta(days=400)
    send = {"hook": lambda _: Attempt(sent=True)}
    assert drain(outbox, "shop", send, NONE, Time(before).clock) == {k: {"hook": "sent"} for k in ("failed", "new")}
    assert drain(outbox, "shop", send, NONE, Time(before + LEASE).clock) == {"held": {"hook": "sent"}}


def test_who_has_lost_the_lease_records_nothing(outbox):
    put(outbox, "a")
    slow = outbox.claim("shop", ["hook"], START)
    quick = outbox.claim("shop", ["hook"], START + LEASE)
    outbox.record(slow, Attempt(sent=True), START + LEASE)
    assert [d.said for d in outbox.undelivered("shop")] == [""]
    outbox.record(quick, Attempt(sent=True), START + LEASE)
    assert outbox.undelivered("shop") == []


def test_claims_at_once_are_of_different_messages(outbox):
    put(outbox, *(f"m{number}" for number in range(8)))
    claimed = []
    threads = [
        threading.Thread(target=lambda: claimed.append(outbox.claim("shop", ["hook"], START).key)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == [f"m{number}" for number in range(8)]
    assert outbox.claim("shop", ["hook"], START) is None


def test_who_hears_the_shared_clock_late_is_not_taken_to_be_ahead_of_it(outbox):
    put(outbox, "a", "b")

    def busy(_connection, _cursor, statement, *_rest) -> None:
        if "clock_timestamp" in statement:
            time.sleep(0.7)

    event.listen(outbox._engine, "after_cursor_execute", busy)
    assert outbox.claim("shop", ["hook"], START).key == "a"
    assert {delivery.due_at for delivery in outbox.undelivered("shop")} == {instant(START)}, "nothing was set back"


def test_a_receiver_that_answers_a_byte_now_and_then_holds_nobody(outbox, monkeypatch):
    over = threading.Event()

    def trickle(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            while not over.wait(0.05):
                connection.sendall(b"H")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=trickle, args=[listener])
        thread.start()
        monkeypatch.setattr(delivery, "LONGEST", 0.5)
        put(outbox, "a")
        route = AlertRoute(url=f"http://127.0.0.1:{listener.getsockname()[1]}/")
        said = drain(outbox, "shop", {"hook": partial(to_route, route, LOOPBACK)}, NONE, Time().clock)
        over.set()
        thread.join()
    assert said == {"a": {"hook": "failed: no answer within 0.5 seconds"}}
    assert outbox.next_due("shop", ["hook"]) == START + timedelta(seconds=2)


def test_incidents_and_their_messages_are_kept_in_one_transaction(migrated_url, tmp_path):  # noqa: F811 - fixture
    catalog = Catalog(migrated_url, tmp_path / "home")
    catalog.commit(make_version(1))
    found = Finding("scale", "flights", "d1", "times 100 ≠ “before”", ("miles",), whole_load=True)
    first = Incident(1, "flights", IncidentStatus.OPEN, "", "d1", "d1", 1, (found,))
    message = Message("1-1", 1, "flights", {"text": "times 100"}, ("hook",))
    catalog.settle(tracked(1), change_set(1), [message], [first])
    assert catalog.incidents("nyc") == [first]
    later = replace(first, status=IncidentStatus.ACKNOWLEDGED, deltas=2)
    catalog.save_incidents("nyc", [later, replace(first, number=2)], [replace(message, key="2-1")], [first])
    assert catalog.incidents("nyc") == [later, replace(first, number=2)]
    assert [d.key for d in catalog.outbox.undelivered("nyc")] == ["1-1", "2-1"]
    assert catalog.settle(tracked(1), change_set(1), [replace(message, key="3-1")], []) == change_set(1)
    assert len(catalog.outbox.undelivered("nyc")) == 2
