"""A program that applies a delta as the pipeline does, and is killed at a request of it to an object store.

It reads orders as JSON from standard input and answers in JSON. Every walk is a forked child, killed with SIGKILL. A
new process walks again. ``tests/faults`` kills the same walk where it writes.
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

from helpers.proxy import tell
from profiling_core.model.message import Message
from profiling_core.state.catalog import Catalog
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
        file.write(text[half:])


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


if __name__ == "__main__":
    orders = json.load(sys.stdin)
    actions: dict[str, Callable[..., Any]] = {
        "kill_at_every_request": kill_at_every_request,
        "finish_elsewhere": finish_elsewhere,
        "walk_at_once": walk_at_once,
    }
    json.dump(actions[orders.pop("action")](**orders), sys.stdout)
