"""Sessions on a Spark Connect server: this process is a thin client without Java, and the server stays warm.

Spark keeps Python workers per session, and forgets them with it. So processes that follow each other take the same few
sessions in turn, each for itself alone; nothing of a session's state is relied on.
"""

import atexit
import fcntl
import os
import socket
import ssl
import time
import uuid
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from profiling_core.model.errors import ConfigurationError, UnreachableError
from profiling_core.state.urls import without_secrets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REMOTE_VARIABLE = "HOLDFAST_SPARK_REMOTE"
TOKEN_VARIABLE = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # noqa: S105  # the variable's name
_LOCAL = ("localhost", "127.0.0.1", "::1")
_USER = "holdfast"
_PORT = 15002
# Seconds for a server that has just been started.
_PATIENCE = 60.0
# How often a call is tried again when the server does not answer: 0.05 s, 0.2 s, 0.8 s … make about 25 s in all. By its
# own settings the client waits ten minutes for a server that is gone, and as long again when the process ends.
_TRIES, _LONGEST_PAUSE_MS = 6, 10_000
# The locks of this process's sessions, open for as long as it lives.
_held: list[int] = []


def connected(remote: str, settings: Mapping[str, str], places: Path) -> "SparkSession":
    """A session on the server.

    Args:
        remote: its address, ``sc://host:port``.
        settings: what of Spark's SQL the session sets.
        places: a directory of this user's, in which processes settle who has which session.

    Raises:
        ConfigurationError: the address is none.
        UnreachableError: the server does not answer, or not as the address says.
    """
    from pyspark.errors import PySparkException
    from pyspark.errors.exceptions.connect import SparkConnectGrpcException

    if not remote.startswith("sc://"):
        raise ConfigurationError(
            f"{_shown(remote)!r} is not the address of a Spark Connect server",
            where=f"environment variable {REMOTE_VARIABLE}",
            remedy="write sc://host:port, or unset it to run Spark in each process",
        )
    _await_server(remote)
    remote = _with_local_name(remote)
    kept, fresh = _kept_id(remote, places), str(uuid.uuid4())
    try:
        try:
            return _session(remote, kept, settings)
        except SparkConnectGrpcException as error:
            if "SESSION_" not in str(error):  # closed by the server, such as after a long rest: the id is used up
                raise
            return _session(remote, fresh, settings)
    except PySparkException as error:
        raise UnreachableError(
            f"the Spark Connect server refused: {str(error).splitlines()[0]}",
            where=_shown(remote),
            remedy=f"see that it runs and that {REMOTE_VARIABLE} names it",
        ) from error


def _await_server(remote: str) -> None:
    address = urlsplit(remote)
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            with socket.create_connection((address.hostname or "", address.port or _PORT), timeout=5) as line:
                _greet(line, remote)
        except ssl.SSLError as error:
            raise UnreachableError(
                "the Spark Connect server does not speak TLS, and without TLS a token is sent to this machine only",
                where=_shown(remote),
                remedy="put TLS before the server, or name it without a token",
            ) from error
        except OSError as error:
            if time.monotonic() > deadline:
                raise UnreachableError(
                    f"no Spark Connect server answers: {error}",
                    where=_shown(remote),
                    remedy=f"see that it runs and that {REMOTE_VARIABLE} names it",
                ) from error
            time.sleep(0.5)
        else:
            return


def _greet(line: socket.socket, remote: str) -> None:
    """Raises ``SSLError`` where the client will speak TLS and the server does not; it would try again for minutes."""
    parameters = dict(part.partition("=")[::2] for part in remote.partition("/;")[2].split(";"))
    has_token = "token" in parameters or TOKEN_VARIABLE in os.environ
    if parameters.get("use_ssl", "").lower() == "true" or (has_token and not is_local(remote)):
        anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # whether the server is the right one, the client itself asks
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        anyone.wrap_socket(line, server_hostname=urlsplit(remote).hostname).close()


def is_local(remote: str) -> bool:
    """Whether a server is on this machine."""
    return urlsplit(remote).hostname in _LOCAL


def _with_local_name(remote: str) -> str:
    """The address by the one name of this machine with which the client sends a token without TLS."""
    if not is_local(remote):
        return remote
    place, separator, parameters = remote.partition("/;")
    return f"sc://localhost:{urlsplit(place).port or _PORT}{separator}{parameters}"


def _shown(remote: str) -> str:
    """The address for people: its parameters may hold a token."""
    return without_secrets(remote.partition(";")[0].rstrip("/"))


def _session(remote: str, session_id: str, settings: Mapping[str, str]) -> "SparkSession":
    from pyspark.sql import SparkSession

    separator = ";" if "/;" in remote else "/;"
    url = f"{remote.rstrip('/')}{separator}user_id={_USER};session_id={session_id}"
    session = SparkSession.builder.remote(url).config(map=dict(settings)).getOrCreate()
    _bound_waiting(session)
    return session


def _bound_waiting(session: "SparkSession") -> None:
    """Lets calls to a server that has gone fail within a minute, and the end of this process not wait for it at all."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    client = session.client
    client.set_retry_policies([DefaultPolicy(max_retries=_TRIES, max_backoff=_LONGEST_PAUSE_MS)])
    # Runs before the client's own last calls, which it registered earlier.
    atexit.register(client.set_retry_policies, [])


def _kept_id(remote: str, places: Path) -> str:
    """The id of the first session that no living process of this machine and user has."""
    places.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in count():
        lock = os.open(places / f"session-{number}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        _held.append(lock)
        break
    name = f"{socket.gethostname()}/{os.getuid()}/{remote}/{number}"
    return str(uuid.UUID(bytes=uuid.uuid5(uuid.NAMESPACE_URL, name).bytes, version=4))
