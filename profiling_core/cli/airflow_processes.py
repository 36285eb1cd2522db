"""Airflow's parts, and its Spark server, as processes: in groups of their own, recorded, and ended without a rest.

Tasks start Java machines in sessions of their own, so a signal to a group does not reach all of them: what descends
from a part is looked up before it is told to end, and whatever of it still lives afterwards is killed.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped] # comes without types


@dataclass(frozen=True, slots=True)
class AirflowPart:
    """A running process of Airflow, by name; ``started`` tells it from a later process with the same id."""

    name: str
    pid: int
    started: float

    def process(self) -> psutil.Process | None:
        """The process, or None when it has ended."""
        try:
            process = psutil.Process(self.pid)
            alive = process.status() != psutil.STATUS_ZOMBIE and abs(process.create_time() - self.started) < 1.0
        except psutil.NoSuchProcess:
            return None
        return process if alive else None


def spawn(name: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> AirflowPart:
    """Starts ``python -m <arguments>`` in a session of its own, its output appended to ``log``."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - the arguments are this package's own, no shell is involved
            [sys.executable, "-m", *arguments],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=environment["HOLDFAST_ROOT"],
            start_new_session=True,
        )
    return AirflowPart(name, process.pid, psutil.Process(process.pid).create_time())


def end(parts: Iterable[AirflowPart], *, patience: float = 8.0) -> None:
    """Ends the parts and all that descends from them: asks first, kills what lives after ``patience`` seconds."""
    leaders = [process for part in parts if (process := part.process())]
    family = [*leaders, *(child for leader in leaders for child in _descendants(leader))]
    for leader in leaders:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader.pid, signal.SIGTERM)
    _, alive = psutil.wait_procs(leaders, timeout=patience)
    for process in {*alive, *(p for p in family if p.is_running())}:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(family, timeout=patience)


SPARK = "spark-connect"
"""The name of the part that is the Spark server."""


def record(path: Path, owner: int, url: str, parts: Sequence[AirflowPart], spark_port: int = 0) -> None:
    """Writes down what runs, for the next start and for commands to find."""
    running = {"owner": owner, "url": url, "parts": [asdict(p) for p in parts], "spark_port": spark_port}
    path.write_text(json.dumps(running), "utf-8")


def recorded(path: Path) -> tuple[int, str, list[AirflowPart]]:
    """Owner, address and the still living parts of the record; ``(0, "", [])`` when there is none."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return 0, "", []
    parts = [AirflowPart(**part) for part in data["parts"]]
    return data["owner"], data["url"], [part for part in parts if part.process()]


def recorded_spark(path: Path) -> int:
    """The port of the Spark server that runs; 0 when none does."""
    _, _, parts = recorded(path)
    alive = any(part.name == SPARK for part in parts)
    return int(json.loads(path.read_text("utf-8")).get("spark_port", 0)) if alive else 0


@contextlib.contextmanager
def ending_on_request() -> Iterator[None]:
    """Makes a request to end (SIGTERM) an exception, so that it leads through the caller's clean end as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Lets a second Ctrl-C wait: half-ended parts would go on without anyone who knows of them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        found: list[psutil.Process] = process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return found
