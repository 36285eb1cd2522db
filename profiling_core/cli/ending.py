"""Ends a command's process seconds after its last output, whatever still runs or does not answer.

When a command has said what it did, all of that is on disk. Only waiting is left: for threads, for a Spark server
that is told good-bye, for the Java machine, which has this process's outputs open and so keeps whoever reads them.
None of it is worth more than a few seconds, and a machine that is busy or stopped would take any time.
"""

import atexit
import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn

PATIENCE = 10.0
"""Seconds from the last word to the end."""
_UNWRITTEN = 120
"""What Python itself ends with where its output cannot be written."""


def ending(command: Callable[[], object]) -> NoReturn:
    """Runs a command as a whole process, which ends with its exit code."""
    code = [1]
    # Registered first, it is called last: after threads and libraries have had their turn, in place of taking a large
    # process apart piece by piece.
    atexit.register(lambda: _end(code[0]))
    try:
        command()
        code[0] = 0
    except SystemExit as ended:
        code[0] = _number(ended.code)
    code[0] = _flushed(code[0])
    threading.Thread(target=_end_late, args=(code[0],), daemon=True).start()
    sys.exit(code[0])


def _number(code: object) -> int:
    if code is None or isinstance(code, int):
        return code or 0
    sys.stderr.write(f"{code}\n")
    return 1


def _flushed(code: int) -> int:
    """The exit code after all output is written, as far as it can be."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except OSError:
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # else it is tried again
            code = code or _UNWRITTEN
    return code


def _end_late(code: int) -> None:
    time.sleep(PATIENCE)
    _end(code)


def _end(code: int) -> NoReturn:
    # What threads still ask of Java fails from here on, and concerns nobody: the command has said its last word.
    code = _flushed(code)
    threading.excepthook = _unheard
    logging.disable()
    with contextlib.suppress(Exception):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # where PySpark's servers write how Java ended
    with contextlib.suppress(Exception):
        if "profiling_core.spark.session" in sys.modules:
            from profiling_core.spark.ending import end_java

            end_java()
        logging.shutdown()
    os._exit(code)


def _unheard(_: threading.ExceptHookArgs) -> None:
    """Ignores an error in a thread that nobody waits for."""
