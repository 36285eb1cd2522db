"""CPU seconds and memory of all processes that a benchmark starts, looked at while they run."""

import threading
from collections.abc import Sequence
from itertools import count
from typing import Self

import psutil

ALL = "all"
# Seconds between looks at the processes, and looks between those at their memory: to ask a process that maps gigabytes
# what of it is its own takes the system a while, on the cores that are being measured.
PAUSE, _LOOKS = 1.0, 5


class Meter:
    """Adds up the CPU seconds of this process's descendants, those that end meanwhile too, and MiB at their peak.

    ``peaks`` is by kind of process; ``ALL`` is the largest sum at one moment.
    """

    def __init__(self) -> None:
        self._last: dict[tuple[int, float], float] = {}
        self._ended = threading.Event()
        self.peaks: dict[str, float] = {}
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def cpu(self) -> float:
        """The CPU seconds so far."""
        return sum(self._last.values())

    def _watch(self) -> None:
        for look in count():
            if self._ended.wait(PAUSE):
                return
            held: dict[str, float] = {}
            for process in psutil.Process().children(recursive=True):
                try:
                    times, kind = process.cpu_times(), _kind(process.cmdline())
                    self._last[process.pid, process.create_time()] = times.user + times.system
                    if look % _LOOKS == 0:
                        held[kind] = held.get(kind, 0.0) + process.memory_full_info().uss / 2**20
                except psutil.Error:
                    continue
            if held:
                held[ALL] = sum(held.values())
            for kind, size in held.items():
                self.peaks[kind] = max(self.peaks.get(kind, 0.0), size)


def _kind(command: Sequence[str]) -> str:
    if command and command[0].endswith("java"):
        return "Java"
    # Java is told the name of the workers' program, too.
    return "Python workers" if any("worker_daemon" in word for word in command) else "driver"
