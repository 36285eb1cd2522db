"""A dataset whose tables land as CSV, and what landed applied up to the diff: no suites, checks or messages."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from profiling_core.model.change import Change
from profiling_core.pipeline import steps
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings, using


def changed(dataset: str) -> Workspace:
    """The dataset after one run over all of its tables, with the version's changes recorded."""
    run = steps.plan(dataset)["run_id"]
    work = Workspace.open(dataset)
    for step in (steps.ingest, steps.maintain_table):
        for table in work.config.tables:
            step(dataset, run, table)
    steps.maintain_inclusions(dataset, run)
    steps.commit(dataset, run)
    steps.diff(dataset, run)
    return work


@contextmanager
def dataset(place: Path, name: str, *, key: str, kind: str, **tables: dict[str, object]) -> Iterator[None]:
    """A dataset below a folder; each table lands in a folder of its name and has the key and kind, or its own."""
    (place / "datasets").mkdir()
    made = {}
    for table, own in tables.items():
        source = {"path": str(place / table), "format": "csv", "kind": own.pop("kind", kind)}
        made[table] = {"source": source, "key": str(own.pop("key", key)).split(), **own}
        (place / table).mkdir()
    (place / "datasets" / f"{name}.yaml").write_text(yaml.safe_dump({"dataset": name, "tables": made}), "utf-8")
    with using(Settings(place, place / "home", f"sqlite:///{place}/home/catalog.db", place / "datasets")):
        yield


def land(place: Path, table: str, delta: object, lines: Iterable[str]) -> None:
    """A delta of a table, as lines of CSV."""
    (place / table / f"{delta}.csv").write_text("\n".join(lines) + "\n", "utf-8")


def newest(work: Workspace) -> tuple[Change, ...]:
    """The changes of the current version."""
    found = work.catalog.changes(work.config.dataset, work.catalog.current(work.config.dataset).number)
    assert found is not None
    return found.changes
