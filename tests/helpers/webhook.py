"""An HTTP server on the loopback interface that keeps what it is sent and answers as it is told to."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from helpers.serving import serving

LOOPBACK = ("127.0.0.0/8",)


class Request(NamedTuple):
    """One request as it came."""

    path: str
    key: str
    body: dict[str, Any]
    headers: dict[str, str]


class Receiver(ThreadingHTTPServer):
    """Keeps requests in order; ``status`` and ``headers`` are what it answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[Request] = []
        self.status, self.headers = 200, dict[str, str]()

    def url(self, path: str = "hook", scheme: str = "http", login: str = "") -> str:
        return f"{scheme}://{login}127.0.0.1:{self.server_port}/{path}"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.received.append(
            Request(self.path, self.headers.get("Idempotency-Key", ""), body, dict(self.headers))
        )
        self.send_response(self.server.status)
        for name, value in {**self.server.headers, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keeps the test's output clean."""


def listening() -> AbstractContextManager[Receiver]:
    return serving(Receiver())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with listening() as server:
        yield server
