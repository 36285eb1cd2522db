"""A network between a program and an object store, which can be busy, hang or lose headers when a test says so.

Run as a program it forwards what comes to a port to another one. A test tells it by requests to ``/_proxy``.
"""

import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CONTROL = "/_proxy"


@dataclass
class Orders:
    """What is to happen to which request that changes something: ``at`` counts them; 0: to none."""

    at: int = 0
    how: str = "pass"
    times: int = 1
    seen: int = 0
    hung: threading.Event = field(default_factory=threading.Event)


class Handler(BaseHTTPRequestHandler):
    """Forwards requests."""

    protocol_version = "HTTP/1.1"
    upstream, orders = 0, Orders()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == CONTROL:
            self._control(json.loads(body))
            return
        how = self._chosen()
        if how == "busy":
            self._send(503, {}, b"<Error><Code>SlowDown</Code></Error>")
            return
        if how == "before":
            self._hang()
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        if how == "unconditional":
            headers = {name: value for name, value in headers.items() if name.lower() != "if-none-match"}
        connection = HTTPConnection("127.0.0.1", self.upstream, timeout=60)
        connection.request(self.command, self.path, body, headers)
        found = connection.getresponse()
        content = found.read()
        if how == "after":
            self._hang()
        self._send(found.status, dict(found.getheaders()), content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _answer

    def _chosen(self) -> str:
        orders = type(self).orders
        if self.command in ("GET", "HEAD") and orders.how != "busy":
            return "pass"
        orders.seen += 1
        return orders.how if orders.at and orders.at <= orders.seen < orders.at + orders.times else "pass"

    def _hang(self) -> None:
        type(self).orders.hung.set()
        time.sleep(600)  # until whoever asked is killed

    def _control(self, said: dict[str, Any]) -> None:
        if "wait" in said:
            answer = {"hung": type(self).orders.hung.wait(said["wait"]), "seen": type(self).orders.seen}
        else:
            type(self).orders = Orders(**said)
            answer = {}
        self._send(200, {}, json.dumps(answer).encode())

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        length = headers.get("Content-Length") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", length or "0")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def proxy(upstream: int) -> Iterator[str]:
    """A proxy before a port of this machine; gives its URL."""
    command = [sys.executable, __file__, str(upstream)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.wait()


def tell(url: str, **orders: Any) -> dict[str, Any]:
    """Gives a proxy its orders, or with ``wait`` (seconds) waits for a request to hang."""
    request = urllib.request.Request(f"{url}{CONTROL}", json.dumps(orders).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=120) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


if __name__ == "__main__":
    Handler.upstream = int(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
