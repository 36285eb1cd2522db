"""The greatest resident memory of this process and of those that Spark starts below it; a neighbour as ``report``."""

import threading
import time

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
