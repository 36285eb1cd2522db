"""A program that applies a delta as the pipeline does, and is killed between two writes of it.

It reads orders as JSON from standard input and answers in JSON. Every walk is a forked child, killed with SIGKILL: at
the n-th write that Python's audit events and SQLAlchemy's report (files opened for writing, made, renamed, removed;
statements; commits). A new process walks again. ``tests/faults`` kills inside of the libraries, too.
"""

import dataclasses
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import alembic.command  # noqa: F401 - here, so that not every child imports it anew
from databases.catalogs import change_set, make_version, table_state, tracked
from sqlalchemy import Connection, Engine, event

from helpers.proxy import tell
from profiling_core.model.message import Message
from profiling_core.state.catalog import Catalog
from profiling_core.state.engine import WRITES
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store
from profiling_core.state.versions import content_digest

NYC = "nyc"


@dataclass(frozen=True)
class Case:
    """One place to walk in: its own home and dataset, and a catalog of its own or a shared one.

    With a ``bucket`` the home is there, and ``home`` holds copies.
    """

    home: str
    catalog: str
    dataset: str
    bucket: str = ""

    @property
    def settings(self) -> Settings:
        home = Path(self.home)
        return Settings(home, home, self.catalog or f"sqlite:///{home / 'catalog.db'}", home, self.bucket)


def cases(root: str, catalog: str, numbers: Iterable[int]) -> list[Case]:
    """A case per number; with ``catalog`` they share it."""
    return [Case(f"{root}/{number}", catalog, f"nyc-{number}") for number in numbers]


def walk(case: Case, number: int, channels: tuple[str, ...] = ("file", "log")) -> None:
    """Brings the dataset from version ``number - 1`` to ``number``: stage, publish, commit, and what follows."""
    catalog, store = case.settings.catalog(), case.settings.store(case.dataset)
    if catalog.version_of_run(case.dataset, f"run-{number}") is None:
        _commit(case, number, catalog, store)
    told = Message(f"{number}-flights", number, "flights", {"text": f"broke in {number}"}, channels)
    catalog.settle(tracked(number), dataclasses.replace(change_set(number), dataset=case.dataset), [told])
    catalog.save_validation(case.dataset, number, "flights", {"success": False})
    catalog.mark_published(case.dataset, number)
    store.write_json(case.settings.artifacts(case.dataset) / "changes" / f"v{number}.json", {"version": number})


def _commit(case: Case, number: int, catalog: Catalog, store: Store) -> None:
    run_id = f"run-{number}"
    store.record(run_id, "plan.json", {"number": number})
    current = catalog.current(case.dataset)
    folder = store.new_dir(run_id, "flights", "rows")
    for part in ("part-0.parquet", "part-1.parquet"):
        _write(folder / part, f"{number} {part} " * 500)
    rows = store.publish(folder, "flights", "rows")
    results = store.publish_json(
        run_id, "flights", "results", {"number": store.recorded(run_id, "plan.json")["number"]}
    )
    kept = current.files_of("rows", "flights") if current else ()
    tables = {"flights": table_state(columns=("a", "b", "c")[: number + 1], rows=number)}
    version = make_version(number, dataset=case.dataset, tables=tables, files=(*kept, *rows, results))
    catalog.commit(version)


def state(case: Case) -> dict[str, Any]:
    """All that a person or program can see of the dataset, without names and times; files are verified."""
    catalog, store = case.settings.catalog(), case.settings.store(case.dataset)
    versions = catalog.versions(case.dataset)
    return {
        "versions": [content_digest(version) for version in versions],
        "files": [[store.verify(f).read_bytes() for f in v.files] for v in versions],
        "applied": catalog.applied(case.dataset),
        "tracked": [catalog.tracked(case.dataset, v.number) for v in versions],
        "changes": [dataclasses.replace(c, dataset="") for c in catalog.change_sets(case.dataset)],
        "validations": [(v.version, v.result) for v in catalog.validations(case.dataset)],
        "alerts": [(a.version, a.message, a.channels) for a in catalog.alerts(case.dataset)],
    }


def _write(path: Path, text: str) -> None:
    half = len(text) // 2
    with path.open("w") as file:
        file.write(text[:half])
        file.flush()
        sys.audit("holdfast.half-written")
        file.write(text[half:])


class Killer:
    """Counts writes, notes them in a file, and ends the process before the one it is told."""

    def __init__(self, home: str, die_at: int, log: str) -> None:
        self._home, self._die_at, self._count = home, die_at, 0
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        sys.addaudithook(self._audit)
        event.listen(Engine, "before_cursor_execute", self._statement)
        event.listen(Engine, "commit", self._commit)

    def _audit(self, name: str, arguments: tuple[Any, ...]) -> None:
        if name == "holdfast.half-written" or (_changes(name, arguments) and str(arguments[0]).startswith(self._home)):
            self._write(name)

    def _statement(self, *arguments: Any) -> None:
        words = " ".join(arguments[2].split()[:3])
        if words.startswith(("INSERT", "UPDATE", "DELETE", "CREATE")):
            self._write(words)

    def _commit(self, connection: Connection) -> None:
        if connection.get_execution_options().get(WRITES):
            self._write("commit")

    def _write(self, what: str) -> None:
        self._count += 1
        os.write(self._log, f"{what}\n".encode())
        if self._count == self._die_at:
            os.kill(os.getpid(), signal.SIGKILL)


def _changes(name: str, arguments: tuple[Any, ...]) -> bool:
    """Whether an audit event announces a change of the file system."""
    if name == "open":
        return bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if name == "os.mkdir":
        return not os.path.exists(arguments[0])  # noqa: PTH110 - pathlib is audited on its way
    return name in ("os.rename", "os.remove", "os.rmdir")


def fork(job: Callable[[], None]) -> int:
    """Runs a job in a child; returns its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(_begin(job), 0)[1])


def _begin(job: Callable[[], None]) -> int:
    """Runs a job in a child; returns its process id."""
    child = os.fork()
    if child == 0:
        try:
            job()
        except BaseException:  # noqa: BLE001 - the child must end here, whatever it was
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    return child


def kill_at_writes(root: str, catalog: str, number: int, step: int) -> tuple[list[str], list[int]]:
    """Kills a walk before and after each commit, and before every ``step``-th write.

    Returns the writes of a walk, and before which one each case was killed; the last of them ended by itself.
    """
    writes: list[str] = []
    _killed_at(root, catalog, number, 0, writes)
    about_commits = (at + after for at, write in enumerate(writes) if write == "commit" for after in (1, 2))
    places = sorted({*range(1, len(writes) + 1, step), *about_commits, len(writes) + 1})
    for at in places:
        _killed_at(root, catalog, number, at, [])
    return writes, places


def _killed_at(root: str, catalog: str, number: int, die_at: int, writes: list[str]) -> None:
    """Kills a walk before its ``die_at``-th write, where it has that many; adds what it wrote to ``writes``."""
    (case,), log = cases(root, catalog, [die_at]), f"{root}/{die_at}.log"
    _prepare(case, number)

    def killed() -> None:
        Killer(case.home, die_at, log)
        walk(case, number)

    if fork(killed) not in (0, -signal.SIGKILL):
        raise RuntimeError(f"the walk of {case} failed by itself")
    writes += Path(log).read_text().splitlines()


def kill_at_every_request(root: str, bucket: str, control: str, number: int, step: int) -> int:
    """Kills a walk at its first request that changes the object store, another ``step`` requests on, and so forth.

    Returns at which request none was left to be killed. Each is killed before the store gets the request or, every
    other time, before the walk gets the answer.
    """
    for at in range(1, 1_000, step):
        case = bucket_cases(root, bucket, range(at, at + 1))[0]
        tell(control, at=0)
        _prepare(case, number)
        tell(control, at=at, how="after" if at % 2 else "before")
        child = _begin(lambda case=case: walk(case, number))  # type: ignore[misc] # bound at once
        while not tell(control, wait=0.05)["hung"]:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                if status:
                    raise RuntimeError(f"the walk of {case} failed by itself")
                return at
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    raise RuntimeError("a walk with a thousand requests")


def bucket_cases(root: str, bucket: str, numbers: Iterable[int], worker: str = "worker") -> list[Case]:
    """A case per number on an object store, each with a catalog of its own, for workers with disks of their own."""
    return [Case(f"{root}/{worker}{n}", f"sqlite:///{root}/{n}.db", NYC, f"{bucket}/{n}") for n in numbers]


def finish_elsewhere(root: str, bucket: str, number: int, numbers: list[int]) -> list[int]:
    """Walks again on other workers; returns the processes' exit codes."""
    places = bucket_cases(root, bucket, numbers, "another")
    return [fork(lambda case=case: walk(case, number)) for case in places]  # type: ignore[misc] # bound at once


def walk_at_once(root: str, bucket: str, number: int, count: int) -> list[int]:
    """Several workers walk the same way of one dataset at once; returns the processes' exit codes."""
    places = [replace(bucket_cases(root, bucket, range(1))[0], home=f"{root}/writer{n}") for n in range(count)]
    _prepare(places[0], number)
    children = [_begin(lambda case=case: walk(case, number)) for case in places]  # type: ignore[misc] # bound at once
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _prepare(case: Case, number: int) -> None:
    Path(case.home).mkdir(parents=True, exist_ok=True)
    for earlier in range(1, number):
        if fork(lambda earlier=earlier: walk(case, earlier)) != 0:  # type: ignore[misc] # bound at once
            raise RuntimeError("the walk before failed")


def finish(root: str, catalog: str, number: int, numbers: list[int]) -> list[int]:
    """Walks again in new processes; returns their exit codes."""
    return [fork(lambda case=case: walk(case, number)) for case in cases(root, catalog, numbers)]  # type: ignore[misc] # bound at once


if __name__ == "__main__":
    orders = json.load(sys.stdin)
    actions: dict[str, Callable[..., Any]] = {
        "kill_at_writes": kill_at_writes,
        "finish": finish,
        "kill_at_every_request": kill_at_every_request,
        "finish_elsewhere": finish_elsewhere,
        "walk_at_once": walk_at_once,
    }
    json.dump(actions[orders.pop("action")](**orders), sys.stdout)
