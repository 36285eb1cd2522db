"""A REST catalog of Iceberg on the loopback interface: what its protocol asks of readers, from another catalog."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

Body = dict[str, Any]


def _error(code: int, message: str) -> Body:
    return {"error": {"message": message, "type": "NoSuchTableException", "code": code}}


def _answer(catalog: Any, path: list[str], properties: dict[str, str]) -> tuple[int, Body]:
    match path:
        case ["v1", "config"]:
            return 200, {"defaults": {}, "overrides": {}}
        case ["v1", "namespaces"]:
            return 200, {"namespaces": [list(name) for name in catalog.list_namespaces()]}
        case ["v1", "namespaces", space, "tables"]:
            names = [{"namespace": list(n[:-1]), "name": n[-1]} for n in catalog.list_tables(space)]
            return 200, {"identifiers": names}
        case ["v1", "namespaces", space, "tables", name] if catalog.table_exists((space, name)):
            table = catalog.load_table((space, name))
            metadata = json.loads(table.metadata.model_dump_json())
            return 200, {"metadata-location": table.metadata_location, "metadata": metadata, "config": properties}
    return 404, _error(404, "no")


@contextmanager
def rest_catalog(catalog: Any, token: str, properties: dict[str, str]) -> Iterator[str]:
    """The server's URL; ``properties`` are what it tells readers of each table, such as credentials of its store."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != f"Bearer {token}":
                self.answer(401, _error(401, f"{token} wanted"))
                return
            path = [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]
            self.answer(*_answer(catalog, path, properties))

        def do_HEAD(self) -> None:
            self.do_GET()

        def answer(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(204 if self.command == "HEAD" and status == 200 else status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(0 if self.command == "HEAD" else len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keeps the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
