"""Programs in fresh processes: what they printed, and the CPU time, wall time and memory that they took.

The kernel's own accounting of the ended process is read (``wait4``), threads and waited-for children included. This
module and its callers keep to the standard library: a process that was forked counts its parent's memory as its peak
until it executes its own program.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GIB = 2**30
_KIB_PER_MB = 1024
# Python keeps its bytecode, as it does unless told otherwise: else every start would compile all modules.
_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{tempfile.gettempdir()}/holdfast-bytecode"}


@dataclass(frozen=True, slots=True)
class Measurement:
    """One ended process.

    ``cpu`` and ``wall`` in seconds, user and system time added; ``peak`` resident memory in MiB; ``report`` is the JSON
    object of the last line that it printed, empty where it ``failed``; ``failed`` says in a few words why, else "".
    """

    cpu: float
    wall: float
    peak: float
    report: Mapping[str, Any]
    failed: str = ""

    @property
    def run(self) -> float:
        """CPU seconds of the measured part: what the program says, else those of the whole process."""
        return float(self.report.get("run", self.cpu))


def measured(
    command: Sequence[str | Path],
    *,
    cpu_limit: int = 120,
    memory_limit: int = 16 * GIB,
    environment: Mapping[str, str] | None = None,
) -> Measurement:
    """Runs a program to its end.

    Args:
        command: the program and its arguments.
        cpu_limit: CPU seconds after which the system ends it.
        memory_limit: bytes of address space that it gets.
        environment: variables on top of this process's own.
    """
    limits = f'ulimit -t {cpu_limit}; ulimit -v {memory_limit // 1024}; exec "$@"'
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        process = subprocess.Popen(
            ["sh", "-c", limits, "sh", *(str(part) for part in command)],
            stdout=out,
            stderr=err,
            env={**os.environ, **_BYTECODE, **(environment or {})},
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        failed = _failure(process.returncode, cpu_limit, _last_line(err))
        report = {} if failed else json.loads(_last_line(out))
    return Measurement(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / _KIB_PER_MB, report, failed)


def best_of(repetitions: int, commands: Sequence[Sequence[str | Path]], **limits: Any) -> list[Measurement]:
    """Each command's fastest run (least CPU in the measured part), the commands taking turns.

    A command that fails once is not run again.
    """
    best: list[Measurement | None] = [None] * len(commands)
    for _ in range(repetitions):
        for i, command in enumerate(commands):
            before = best[i]
            if before is not None and before.failed:
                continue
            now = measured(command, **limits)
            if before is None or now.failed or now.run < before.run:
                best[i] = now
    return [m for m in best if m is not None]


def _failure(code: int, cpu_limit: int, message: str) -> str:
    if code == 0:
        return ""
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"not in {cpu_limit} s of CPU"
    if "bad_alloc" in message or "MemoryError" in message or "Unable to allocate" in message:
        return "out of memory"
    return message or f"ended with {code}"


def _last_line(file: Any) -> str:
    file.seek(0)
    lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def machine() -> str:
    """The machine as far as times depend on it: its cores and its memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    return f"{os.cpu_count()} cores, {memory:.0f} GiB of memory"
