"""The commands around Airflow: ``holdfast up`` starts it with its UI, ``holdfast airflow`` runs one of its commands."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from functools import partial
from typing import Annotated

import typer

from profiling_core.cli.airflow_environment import DEFAULT_PORT, airflow_home, environment, passwords
from profiling_core.cli.airflow_processes import recorded
from profiling_core.cli.airflow_runner import migrate, run_airflow, running
from profiling_core.cli.tables import console
from profiling_core.state.settings import Settings

PASS_THROUGH = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""Typer's settings for :func:`airflow`: every argument is Airflow's."""


def up(
    port: Annotated[
        int, typer.Option(help="The port on 127.0.0.1.", show_default="8080, or a free one if it is taken")
    ] = 0,
) -> None:
    """Start Airflow with its UI on this machine, until Ctrl-C."""
    settings = Settings.discover()
    out = console()
    out.print("Airflow is starting; that takes some twenty seconds …")

    tell = partial(out.print, style="yellow", highlight=False, markup=False)
    with _until_told() as told, running(settings, port=port, spark=True, tell=tell) as airflow:
        out.print(f"\nOpen [bold]{airflow.url}[/] and log in:", highlight=False)
        for user, password in passwords(settings).items():
            out.print(f"    {user:<8} {password}", highlight=False)
        out.print("Constraints and changes are under [bold]Holdfast[/] in the navigation on the left.", highlight=False)
        out.print(f"Logs: {airflow.logs}\nCtrl-C ends it.", highlight=False)
        while not told.wait(1.0):
            airflow.tend()
        out.print("\nAirflow is ending …")


def airflow(context: typer.Context) -> None:
    """Run an Airflow command in this project, such as: holdfast airflow dags list."""
    settings = Settings.discover()
    home = airflow_home(settings)
    _, url, _ = recorded(home.running)
    variables = environment(settings, port=int(url.rpartition(":")[2] or DEFAULT_PORT))
    migrate(home, variables)
    raise typer.Exit(run_airflow(context.args, variables))


@contextlib.contextmanager
def _until_told() -> Iterator[threading.Event]:
    """An event that Ctrl-C and a request to end set; a second Ctrl-C interrupts at once."""
    told = threading.Event()

    def tell(number: int, _frame: object) -> None:
        if told.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        told.set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
