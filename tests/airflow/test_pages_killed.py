"""An API server that is killed in the middle of a decision: the decision was taken once or not at all."""

import os
import random
import re
import signal
import socket
import threading
import time
from contextlib import suppress

import httpx
import pytest
from helpers.catalog import DATASET, seed
from helpers.pages_client import asking, patched

from profiling_core.model.incident import IncidentStatus

pytestmark = pytest.mark.airflow
PAGE = f"/datasets/{DATASET}/incidents/1"
TURNS = 8


def serve(settings):
    """In a child: the pages' app, as a server of its own; the child's number and the server's address.

    The child alone listens, so that nobody waits for an answer once it is killed.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.close()
        return child, url
    import uvicorn

    try:
        with patched(settings, "admin") as made:
            uvicorn.Server(uvicorn.Config(made, log_level="critical")).run(sockets=[listening])
    finally:
        os._exit(0)


def decide(url, fields, cookie):
    with suppress(httpx.HTTPError):
        httpx.post(f"{url}{PAGE}/decisions", data=fields, headers={"Origin": url}, cookies=cookie, timeout=30)


def test_a_decision_is_taken_once_or_not_at_all_when_the_server_is_killed(tmp_path):
    settings, chance, seen = seed(tmp_path), random.Random(11), set()
    with asking(settings) as client:  # so that not every child imports anew what a page needs
        assert client.get(PAGE).status_code == 200
    longest = 0.3
    for turn in range(TURNS):
        child, url = serve(settings)
        try:
            answer = httpx.get(f"{url}{PAGE}", timeout=60)
            # The incident's forms stand first, those of its rules behind.
            fields = dict(reversed(re.findall(r'name="(token|seen)" value="([^"]*)"', answer.text)))
            before = settings.catalog().incidents(DATASET)[0]
            action = {"action": "reopen" if before.status is IncidentStatus.MUTED else "mute", "note": f"turn {turn}"}
            asked = threading.Thread(target=decide, args=(url, fields | action, dict(answer.cookies)))
            began = time.monotonic()
            asked.start()
            time.sleep(chance.uniform(0, longest))
            if turn % 4 == 0:  # how long it takes is learnt from those that are let through
                asked.join()
                longest = time.monotonic() - began
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        asked.join()
        after = settings.catalog().incidents(DATASET)[0]
        told = len(after.events) - len(before.events)
        decided = [d for d in settings.catalog().decisions(DATASET) if d.note == f"turn {turn}"]
        assert told in (0, 1)
        assert (after.status is before.status) == (told == 0)
        assert len(decided) == (told if after.status is IncidentStatus.MUTED else 0)
        seen.add(told)
    assert seen == {0, 1}
