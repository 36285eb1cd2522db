"""Deltas that have arrived at all datasets' sources, as of a minute ago: a page of 200 datasets cannot look at each.

Each request gets the known state; older states are refreshed in a thread meanwhile, for the next request.
"""

import time
from collections.abc import Iterable, Mapping
from functools import cache
from threading import Lock, Thread

from profiling_core.airflow.ui import reading

FRESH_SECONDS = 60.0
"""The greatest age of a look: sources are asked at most once a minute, however often the page is loaded."""
Pending = Mapping[str, list[str]]


class Looks:
    """The newest look at each dataset's sources."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked: dict[str, float] = {}
        self._found: dict[str, Pending] = {}

    def pending(self, datasets: Iterable[str]) -> dict[str, Pending]:
        """By dataset and table the deltas that had arrived and were not applied, by the newest looks."""
        names = list(datasets)
        with self._lock:
            now = time.monotonic()
            old = [name for name in names if now - self._asked.get(name, -FRESH_SECONDS) >= FRESH_SECONDS]
            self._asked |= dict.fromkeys(old, now)
            found = {name: self._found[name] for name in names if name in self._found}
        if old:
            # A daemon thread: the server's end does not wait for a source.
            Thread(target=self._look, args=(old,), daemon=True, name="holdfast-looks").start()
        return found

    def _look(self, datasets: Iterable[str]) -> None:
        for dataset in datasets:
            pending = {table: ids for table, ids in reading.arriving(dataset)["pending"].items() if ids}
            with self._lock:
                self._found[dataset] = pending


@cache
def looks() -> Looks:
    """The looks of this process."""
    return Looks()
