"""The greatest memory of this process alone; a neighbour as ``report``."""

import threading
import time
from collections.abc import Callable
from pathlib import Path


def own_memory() -> Callable[[], float]:
    """Gives the peak, so far, of the memory that is this process's alone, in MiB.

    Pages of mapped files are not in it: all processes share them, and the system takes them back when it needs them.
    """
    peak = 0.0

    def now() -> float:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024

    def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, now())
            time.sleep(0.02)

    threading.Thread(target=watch, daemon=True).start()
    return lambda: max(peak, now())
