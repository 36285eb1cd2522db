"""A real PostgreSQL server in a temporary directory, on a free port of the loopback interface.

PostgreSQL refuses to run as root: then the server runs as the system user that Debian's package makes for it.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

INSTALL = "PostgreSQL's server is missing: install it with 'apt-get install -y postgresql' (.ci/run does)"
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/*/bin")


def binaries() -> Path | None:
    """The directory of initdb and postgres, of the newest version there is; None where there is none."""
    found = [directory for place in _PLACES for directory in Path("/").glob(place.lstrip("/"))]
    on_path = shutil.which("initdb")
    if on_path:
        found.append(Path(on_path).parent)
    usable = [d for d in found if (d / "initdb").exists() and (d / "postgres").exists()]
    return max(usable, key=lambda d: [int(part) for part in d.parts if part.isdigit()], default=None)


class PostgresServer:
    """Started by its constructor; ``stop`` ends it and removes its files."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = _server_user()
        self._directory = Path(tempfile.mkdtemp(prefix="holdfast-postgres-"))
        self._password = secrets.token_hex(16)
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        try:
            self._initialise()
            self._start()
        except BaseException:
            self.stop()
            raise

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._port

    def new_database(self, like: str = "template1") -> str:
        """Creates a database, empty or with what is in another one that nobody uses (its URL); returns its URL."""
        self._databases += 1
        name, template = f"catalog_{self._databases}", like.rsplit("/", 1)[-1]
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
        with self._connect("postgres") as connection:
            connection.autocommit = True
            connection.execute(made)
        return f"postgresql://holdfast:{self._password}@127.0.0.1:{self._port}/{name}"

    def drop(self, url: str) -> None:
        """Removes a database, and ends the connections to it."""
        with self._connect("postgres") as connection:
            connection.autocommit = True
            gone = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(url.rsplit("/", 1)[-1]))
            connection.execute(gone)

    def cut(self, url: str) -> int:
        """Ends one connection to a database, in the middle of whatever it does; returns how many that were: 0 or 1."""
        with self._connect("postgres") as connection:
            named = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s ORDER BY random()"
            return len(connection.execute(f"{named} LIMIT 1", [url.rsplit("/", 1)[-1]]).fetchall())

    def crash(self) -> int:
        """Kills the server with all that it is doing, and starts it again; returns how many connections that ended."""
        assert self._process
        backends = psutil.Process(self._process.pid).children()
        self._process.kill()
        self._process.wait()
        psutil.wait_procs(backends, timeout=30)
        self._start()
        return len(backends)

    def stop(self) -> None:
        """Ends the server at once (nothing of it is to be kept) and removes its files."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        shutil.rmtree(self._directory, ignore_errors=True)

    def _connect(self, database: str) -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self._port, user="holdfast", password=self._password, dbname=database
        )

    def _initialise(self) -> None:
        password = self._directory / "password"
        password.write_text(self._password)
        if self._user:
            account = pwd.getpwnam(self._user)
            for path in (self._directory, password):
                os.chown(path, account.pw_uid, account.pw_gid)
        command = ["initdb", "--pgdata", str(self._directory / "data"), "--username", "holdfast"]
        # SCRAM hashes thousands of times for each connection, and each transaction of the catalog is a connection.
        command += ["--pwfile", str(password), "--auth", "md5", "--encoding", "UTF8", "--locale", "C.UTF-8"]
        command += ["--no-sync"]
        subprocess.run(self._run(command), check=True, capture_output=True, user=self._user, cwd="/", timeout=120)

    def _start(self) -> None:
        command = ["postgres", "-D", str(self._directory / "data"), "-p", str(self._port)]
        command += ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self._directory}"]
        command += ["-c", "fsync=off", "-c", "max_connections=30", "-c", "shared_buffers=16MB"]
        with (self._directory / "log").open("wb") as log:
            self._process = subprocess.Popen(self._run(command), stdout=log, stderr=log, user=self._user, cwd="/")
        self._wait(time.monotonic() + 60)

    def _run(self, command: list[str]) -> list[str]:
        return [str(self._programs / command[0]), *command[1:]]

    def _wait(self, deadline: float) -> None:
        while True:
            try:
                self._connect("postgres").close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or (self._process and self._process.poll() is not None):
                    raise RuntimeError((self._directory / "log").read_text()) from None
                time.sleep(0.1)
            else:
                return


def _server_user() -> str | None:
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise RuntimeError("as root, PostgreSQL needs another user to run as: neither 'postgres' nor 'nobody' exists")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
