"""``holdfast warm``: compile ahead what the first commands would wait for, in two processes."""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, Self

from rich.console import Console

from profiling_core.cli.tables import console
from profiling_core.model.errors import StateError

_LAST_LINES = 12
_TELL_SECONDS = 10.0


@dataclass
class _Work:
    """One of the processes, the kernels that it has compiled so far, and what it says when it fails."""

    name: str
    process: subprocess.Popen[str]
    said: IO[str]
    compiled: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, name: str) -> Self:
        said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  # closed with the process
        program = [sys.executable, "-m", "profiling_core.pipeline.warming", name]
        return cls(name, subprocess.Popen(program, stdout=subprocess.PIPE, stderr=said, text=True), said)  # noqa: S603  # our own

    def watch(self) -> None:
        """Counts kernels until the process ends."""
        self.compiled.extend(line for line in self.process.stdout or () if line.startswith("compiling "))
        self.process.wait()

    def last_words(self) -> str:
        self.said.seek(0)
        return "\n".join(f"    {line.rstrip()}" for line in self.said.readlines()[-_LAST_LINES:])


def warm() -> None:
    """Compile ahead what the first commands would otherwise wait for; quick where that is done."""
    from profiling_core.pipeline.warming import WORK

    out, started = console(), time.monotonic()
    out.print("Compiling for this machine; that is needed once …", highlight=False)
    works = [_Work.begin(name) for name in WORK]
    _await(out, works)
    compiled = sum(len(work.compiled) for work in works)
    out.print(f"{compiled} kernels compiled in {time.monotonic() - started:.0f} s.", highlight=False)
    failed = [work for work in works if work.process.returncode]
    if failed:
        raise StateError(
            f"not all could be compiled ahead: {' and '.join(work.name for work in failed)} failed\n"
            + "\n".join(work.last_words() for work in failed),
            remedy="what is missing compiles when it is first used; `holdfast warm` tries again",
        )


def _await(out: Console, works: Sequence[_Work]) -> None:
    """Counts on: in place where a person watches, else on a line now and then."""
    threads = [threading.Thread(target=work.watch) for work in works]
    for thread in threads:
        thread.start()
    told = time.monotonic()
    with out.status("starting") as status:
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.1)
            count = f"{sum(len(work.compiled) for work in works)} kernels"
            status.update(count)
            if not out.is_terminal and time.monotonic() - told > _TELL_SECONDS:
                told = time.monotonic()
                out.print(f"  {count} …", highlight=False)
