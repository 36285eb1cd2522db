"""Says on standard error when a command compiles, which takes its time and happens once per machine and version."""

import logging
import sys
import time

KERNELS = "profiling_core.kernels"
_TELL_SECONDS = 5.0


class CompilingTold(logging.Handler):
    """Tells of the first kernel that is compiled, and every few seconds how many there are by now."""

    def __init__(self) -> None:
        super().__init__()
        self._compiled, self._told = 0, 0.0

    def emit(self, record: logging.LogRecord) -> None:
        """Says what a person should know of a record of the kernels' log."""
        if record.levelno > logging.INFO:
            sys.stderr.write(f"holdfast: {record.getMessage()}\n")
            return
        self._compiled += 1
        now = time.monotonic()
        if self._compiled == 1:
            self._told = now
            sys.stderr.write("Compiling what this needs for this machine, once; `holdfast warm` does so ahead …\n")
        elif now - self._told > _TELL_SECONDS:
            self._told = now
            sys.stderr.write(f"  {self._compiled} kernels …\n")


def tell_of_compiling() -> None:
    """Lets this process say so; loads nothing that compiles."""
    log = logging.getLogger(KERNELS)
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(CompilingTold())
