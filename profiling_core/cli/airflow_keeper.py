"""Keeps Airflow's parts alive: one that ends is noticed, told with the last lines of its log, and started again.

There is no thread: whoever waits for Airflow calls :meth:`Keeper.tend` between two looks, so that a part which keeps
ending is an exception where somebody waits, and never a wait without an end.
"""

import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from profiling_core.cli.airflow_processes import AirflowPart
from profiling_core.model.errors import StateError

RESTARTS, WITHIN = 3, 600.0
"""The most restarts of a part within this number of seconds; then it is given up."""
_LINES = 12
_READ, _WIDTH = 16_384, 200


class Keeper:
    """Watches the parts of one Airflow.

    Args:
        start: name → what starts that part.
        logs: the directory of ``<name>.log``.
        tell: takes what a person should read.
        note: called with all parts whenever one of them is new.
    """

    def __init__(
        self,
        start: Mapping[str, Callable[[], AirflowPart]],
        logs: Path,
        tell: Callable[[str], None],
        note: Callable[[list[AirflowPart]], None],
    ) -> None:
        self._start, self._logs, self._tell, self._note = start, logs, tell, note
        self._parts: dict[str, AirflowPart] = {}
        self._ended: dict[str, deque[float]] = {name: deque(maxlen=RESTARTS + 1) for name in start}

    @property
    def parts(self) -> list[AirflowPart]:
        """The parts as they were started last."""
        return list(self._parts.values())

    def start(self) -> None:
        """Starts every part."""
        for name in self._start:
            self._begin(name)

    def tend(self) -> None:
        """Starts again what has ended, and says so.

        Raises:
            StateError: a part ended again after it had been started again as often as makes sense.
        """
        for name, part in tuple(self._parts.items()):
            if part.process() is None:
                self._restart(name, part)

    def _restart(self, name: str, part: AirflowPart) -> None:
        log, ended = self._logs / f"{name}.log", self._ended[name]
        ended.append(time.monotonic())
        said = f"Airflow's {name} ended. The last lines of {log}:\n{last_lines(log)}"
        if len(ended) > RESTARTS and ended[-1] - ended[0] < WITHIN:
            raise StateError(
                f"Airflow's {name} ended {len(ended)} times within {(ended[-1] - ended[0]) / 60:.0f} minutes.\n{said}",
                where=str(log),
                remedy="mend what the log says; starting again is safe",
            )
        # Forks of an ended part would go on under nobody's eyes, and get in the way of its successor.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(part.pid, signal.SIGKILL)
        self._tell(f"{said}\nIt is started again.")
        self._begin(name)

    def _begin(self, name: str) -> None:
        self._parts[name] = self._start[name]()
        self._note(self.parts)


def last_lines(log: Path) -> str:
    """The end of a log, indented; says so when there is none."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _READ))
            text = stream.read().decode("utf-8", "replace")
    except FileNotFoundError:
        text = ""
    found = [line for line in text.splitlines() if line.strip()][-_LINES:] or ["(nothing)"]
    return "\n".join(f"    {line[:_WIDTH]}" for line in found)
