"""Sessions on a Spark Connect server: this process is a thin client without Java, and the server stays warm.

Spark keeps Python workers per session, and forgets them with it. So processes that follow each other take the same few
sessions in turn, each for itself alone; nothing of a session's state is relied on.
"""

import atexit
import fcntl
import os
import socket
import time
import uuid
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from profiling_core.model.errors import ConfigurationError, UnreachableError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REMOTE_VARIABLE = "HOLDFAST_SPARK_REMOTE"
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
        UnreachableError: the server does not answer.
    """
    from pyspark.errors import PySparkException
    from pyspark.errors.exceptions.connect import SparkConnectGrpcException

    if not remote.startswith("sc://"):
        raise ConfigurationError(
            f"{remote!r} is not the address of a Spark Connect server",
            where=f"environment variable {REMOTE_VARIABLE}",
            remedy="write sc://host:port, or unset it to run Spark in each process",
        )
    _await_server(remote)
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
            where=remote,
            remedy=f"see that it runs and that {REMOTE_VARIABLE} names it",
        ) from error


def _await_server(remote: str) -> None:
    address = urlsplit(remote)
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection((address.hostname or "", address.port or _PORT), timeout=5).close()
        except OSError as error:
            if time.monotonic() > deadline:
                raise UnreachableError(
                    f"no Spark Connect server answers: {error}",
                    where=remote,
                    remedy=f"see that it runs and that {REMOTE_VARIABLE} names it",
                ) from error
            time.sleep(0.5)
        else:
            return


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
