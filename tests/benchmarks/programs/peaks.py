"""The greatest resident memory of this process and of those that Spark starts below it; a neighbour as ``report``."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil


def watched() -> dict[str, float]:
    """The peaks of the JVM, of a Python worker and of the driver, in MiB; kept current by a thread."""
    peaks = {"jvm_peak": 0.0, "worker_peak": 0.0, "driver_peak": 0.0}
    this = psutil.Process()

    def watch() -> None:
        while True:
            for process in [this, *this.children(recursive=True)]:
                try:
                    name, size = process.name(), process.memory_info().rss / 2**20
                except psutil.Error:
                    continue
                key = "driver_peak" if process == this else "jvm_peak" if name.startswith("java") else "worker_peak"
                peaks[key] = max(peaks[key], size)
            time.sleep(0.1)

    threading.Thread(target=watch, daemon=True).start()
    return peaks


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
