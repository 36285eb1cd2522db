"""A fresh Airflow, the wheel, one file in its dags folder, secrets in connections: a run that ends well, and its page.

Every address (of a database, of the catalog, of a webhook and of a mail server) holds a canary, and nothing that is
written, sent, shown or listed may.
"""

import base64
import http.client
import json
import os
import shutil
import signal
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from databases.catalogs import server
from psycopg import sql
from stack.files import REPOSITORY

from profiling_core.cli.airflow_environment import free_port

pytestmark = [pytest.mark.airflow, pytest.mark.spark, pytest.mark.postgres, pytest.mark.slow]
CANARY = "canary8c1f"
PASSWORD = "the-password-of-admin"
DAG_FILE = """\
from profiling_core.airflow import dags

dags("datasets")
"""
DATASET = """\
dataset: shop
schedule: null
retries: 0
inclusions: "off"
tables:
  customers:
    source: {format: postgresql, url_connection: shop_db, table: customers}
    key: [customer]
    max_predicates: 2
alerts:
  wait_seconds: 0
  allow_private: [127.0.0.1/32]
  routes:
    - {name: hook, url_connection: shop_hook}
    - {name: mail, url_connection: shop_mail}
"""


@dataclass
class Walked:
    """What a walk left behind to look at."""

    home: Path
    outputs: list[str] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list)
    commands: set[bytes] = field(default_factory=set)
    pages: dict[str, tuple[int, str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The wheel, installed apart from the checkout; what it needs comes from the tests' environment."""
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", place, copy_of_the_sources(place)]
    subprocess.run(build, check=True, capture_output=True, timeout=180)
    target = ["--target", place / "site"]
    install = [*pip, "install", "--no-deps", "--no-index", *target, *place.glob("*.whl")]
    subprocess.run(install, check=True, capture_output=True, timeout=180)
    keep_compiled(REPOSITORY / "profiling_core", place / "site" / "profiling_core")
    return place / "site"


def keep_compiled(own: Path, installed: Path) -> None:
    """Takes the checkout's compiled kernels over, which are known by their sources' times: compiling takes a minute."""
    for source in own.rglob("*.py"):
        shutil.copystat(source, installed / source.relative_to(own))
    for kernel in own.rglob("__pycache__/*.nb[ci]"):
        shutil.copy2(kernel, installed / kernel.relative_to(own))


def copy_of_the_sources(place: Path) -> Path:
    names = ("profiling_core", "holdfast.py", "pyproject.toml", "README.md", "LICENSE")
    copy = place / "source"
    copy.mkdir()
    subprocess.run(["cp", "-r", *(REPOSITORY / name for name in names), copy], check=True, timeout=60)
    return copy


@pytest.fixture(scope="module")
def postgres(request) -> Iterator[str]:
    """The address of a database whose user has the canary for a password; with a table of customers."""
    url = server(request.config).new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        user = sql.Identifier("shopkeeper")
        connection.execute(sql.SQL("CREATE ROLE {} SUPERUSER LOGIN PASSWORD {}").format(user, sql.Literal(CANARY)))
        connection.execute("CREATE TABLE customers (customer text PRIMARY KEY, zip text, city text)")
        rows = [(f"c{i:02}", f"{10 + i % 7}", f"city{i % 7}") for i in range(40)]
        connection.cursor().executemany("INSERT INTO customers VALUES (%s, %s, %s)", rows)
        place = urlsplit(url)
        yield f"postgresql://shopkeeper:{CANARY}@{place.hostname}:{place.port}{place.path}"
        connection.execute(sql.SQL("REASSIGN OWNED BY {} TO CURRENT_USER").format(user))
        connection.execute(sql.SQL("DROP OWNED BY {}").format(user))
        connection.execute(sql.SQL("DROP ROLE {}").format(user))


def listening(handler, received: list[bytes]) -> tuple[socketserver.BaseServer, int]:
    made = handler(received)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made, made.server_address[1]


def webhook(received: list[bytes]) -> HTTPServer:
    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            """Keeps the test's output clean."""

    return HTTPServer(("127.0.0.1", 0), Hook)


def mail_server(received: list[bytes]) -> socketserver.ThreadingTCPServer:
    """Takes mails, and refuses the login, so that the failure is told, too."""

    class Mail(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(b"220 here\r\n")
            for line in self.rfile:
                word = line.split(b" ")[0].strip().upper()
                received.append(word)
                answers = {
                    b"EHLO": b"250-here\r\n250 AUTH PLAIN LOGIN\r\n",
                    b"AUTH": b"535 no\r\n",
                    b"QUIT": b"221 bye\r\n",
                }
                self.wfile.write(answers.get(word, b"250 ok\r\n"))

    return socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mail)


@pytest.fixture(scope="module")
def walked(site, postgres, tmp_path_factory) -> Walked:
    home = tmp_path_factory.mktemp("airflow")
    (home / "dags" / "datasets").mkdir(parents=True)
    (home / "dags" / "holdfast_datasets.py").write_text(DAG_FILE)
    (home / "dags" / "datasets" / "shop.yaml").write_text(DATASET)
    (home / "passwords.json").write_text(json.dumps({"admin": PASSWORD}))
    walk = Walked(home)
    hook, hook_port = listening(webhook, walk.received)
    mail, mail_port = listening(mail_server, [])
    port = free_port(0)
    variables = environment(home, site, port) | {
        "AIRFLOW_VAR_HOLDFAST_HOME": str(home / "kept"),
        "AIRFLOW_CONN_SHOP_DB": postgres.replace("postgresql://", "postgres://"),
        "AIRFLOW_CONN_HOLDFAST_CATALOG": postgres,
        "AIRFLOW_CONN_SHOP_HOOK": json.dumps(
            {
                "conn_type": "http",
                "extra": {"apprise_url": f"http://u:{CANARY}@127.0.0.1:{hook_port}/{CANARY}?token={CANARY}"},
            }
        ),
        "AIRFLOW_CONN_SHOP_MAIL": f"smtp://u:{CANARY}@127.0.0.1:{mail_port}?from=a@b.example&to=c@d.example",
    }
    airflow(walk, variables, "db", "migrate")
    watching = threading.Event()
    watcher = threading.Thread(target=watch_processes, args=(walk.commands, watching), daemon=True)
    watcher.start()
    api = api_server(home, variables, port)
    try:
        airflow(walk, variables, "dags", "test", "holdfast.shop")
        with psycopg.connect(postgres) as connection:
            connection.execute("UPDATE customers SET city = 'Elsewhere' WHERE customer = 'c03'")
        airflow(walk, variables, "dags", "test", "holdfast.shop")
        look_at_pages(walk, port)
    finally:
        watching.set()
        watcher.join()
        os.killpg(api.pid, signal.SIGTERM)
        api.wait(60)
        hook.shutdown()
        mail.shutdown()
    return walk


def environment(home: Path, site: Path, port: int) -> dict[str, str]:
    """Airflow's own defaults, but for what keeps it on this machine and out of the way."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HOLDFAST_", "AIRFLOW"))}
    secret = base64.b64encode(os.urandom(64)).decode()
    return kept | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(home / "passwords.json"),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__API_AUTH__JWT_SECRET": secret,
        "AIRFLOW__API__SECRET_KEY": secret,
        "AIRFLOW__API__WORKERS": "1",
        "PYTHONPATH": str(site),
        "PYTHONWARNINGS": "ignore",
        "HOLDFAST_SPARK_MASTER": "local[1]",
    }


def airflow(walk: Walked, variables: dict[str, str], *arguments: str) -> None:
    command = [sys.executable, "-m", "airflow", *arguments]
    done = subprocess.run(
        command, env=variables, cwd=walk.home, capture_output=True, text=True, timeout=600, check=False
    )
    walk.outputs.append(done.stdout + done.stderr)
    assert done.returncode == 0, walk.outputs[-1][-5000:]


def api_server(home: Path, variables: dict[str, str], port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "airflow", "api-server", "--host", "127.0.0.1", "--port", str(port)]
    with (home / "api-server.log").open("wb") as log:
        return subprocess.Popen(command, env=variables, cwd=home, stdout=log, stderr=log, start_new_session=True)


def watch_processes(found: set[bytes], told: threading.Event) -> None:
    while not told.wait(0.1):
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                found.add(path.read_bytes())
            except OSError:
                continue  # it has ended


def look_at_pages(walk: Walked, port: int) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            token = token_of_admin(port)
            break
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            assert time.monotonic() < deadline, (walk.home / "api-server.log").read_text()[-5000:]
            time.sleep(0.5)
    walk.pages["nobody"] = get(port, "/holdfast/")
    for path in ("/holdfast/", "/holdfast/datasets/shop", "/holdfast/datasets/shop/versions/2", "/api/v2/plugins"):
        walk.pages[path] = get(port, path, token)


def token_of_admin(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"username": "admin", "password": PASSWORD})
    connection.request("POST", "/auth/token", body, {"Content-Type": "application/json"})
    return json.loads(connection.getresponse().read())["access_token"]


def get(port: int, path: str, token: str = "") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.read().decode()


def test_the_plugin_comes_with_the_wheel(walked, site):
    assert (site / "profiling_core" / "airflow" / "plugin.py").is_file()
    status, text = walked.pages["/api/v2/plugins"]
    assert status == 200
    (plugin,) = [plugin for plugin in json.loads(text)["plugins"] if plugin["name"] == "holdfast"]
    assert plugin["source"].startswith("holdfast==")


def test_two_runs_end_well_and_what_broke_is_told(walked):
    assert (walked.home / "kept" / "state" / "shop").is_dir()
    assert not (walked.home / "kept" / "catalog.db").exists()
    assert any(b"Elsewhere" in body for body in walked.received)


def test_the_pages_answer_who_is_logged_in(walked):
    assert walked.pages["nobody"][0] == 401
    assert walked.pages["/holdfast/"][0] == 200
    assert "shop" in walked.pages["/holdfast/"][1]
    assert "Elsewhere" in walked.pages["/holdfast/datasets/shop/versions/2"][1]


def test_no_secret_of_any_address_is_anywhere(walked, postgres):
    secrets = {text.encode() for text in (CANARY, quote(CANARY), base64.b64encode(CANARY.encode()).decode())}
    written = {str(path): path.read_bytes() for path in walked.home.rglob("*") if path.is_file()}
    assert any("/artifacts/shop/alerts/" in path for path in written)
    with psycopg.connect(postgres) as connection:
        written["catalog"] = repr(rows_of(connection)).encode()
    written |= {f"output {number}": text.encode() for number, text in enumerate(walked.outputs)}
    written |= {f"message {number}": body for number, body in enumerate(walked.received)}
    written |= {f"page {path}": text.encode() for path, (_, text) in walked.pages.items()}
    written |= {f"process {command!r}": command for command in walked.commands}
    assert "failed" in written["catalog"].decode(), "the mail server refuses the login, and that is recorded"
    assert [place for place, content in written.items() if any(secret in content for secret in secrets)] == []


def rows_of(connection: psycopg.Connection) -> list[object]:
    names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return [connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(*name))).fetchall() for name in names]
