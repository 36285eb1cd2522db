"""Keeps a harmless warning out of standard error: the Java machine's, about a module that Spark asks for.

Java has no option against it. So the machine is started with a pipe for its standard error, from which a thread passes
on all other lines for as long as the machine lives.
"""

import contextlib
import os
import threading
from collections.abc import Iterator

_NOISE = b"WARNING: Using incubator modules: jdk.incubator.vector"
_STANDARD_ERROR = 2
_LAST_WORDS = 1.0


@contextlib.contextmanager
def without_noise() -> Iterator[None]:
    """Processes started while it lasts write to this process's standard error, except for the known noise."""
    try:
        real = os.dup(_STANDARD_ERROR)
    except OSError:  # closed: nobody reads it
        yield
        return
    reading, writing = os.pipe()
    passing = threading.Thread(target=_pass_on, args=(reading, real), daemon=True)
    passing.start()
    os.dup2(writing, _STANDARD_ERROR)
    os.close(writing)
    try:
        yield
    except BaseException:
        os.dup2(real, _STANDARD_ERROR)
        passing.join(_LAST_WORDS)  # a machine that did not start has said why
        raise
    os.dup2(real, _STANDARD_ERROR)


def _pass_on(reading: int, real: int) -> None:
    with open(reading, "rb", buffering=0) as stream:
        pending = b""
        while chunk := stream.read(65536):
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                if line.strip() != _NOISE:
                    _write(real, line + b"\n")
        _write(real, pending)


def _write(real: int, text: bytes) -> None:
    with contextlib.suppress(OSError):  # whoever read it has gone
        while text:
            text = text[os.write(real, text) :]
