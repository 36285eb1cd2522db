"""Applies what has landed up to the diff, without suites, validation and messages."""

from profiling_core.pipeline import steps
from profiling_core.pipeline.workspace import Workspace


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
