"""``holdfast contract import``: rules that people wrote elsewhere are followed as their own."""

from pathlib import Path
from typing import Annotated

import typer

from profiling_core.alert.figures import counted
from profiling_core.cli.common import AsJson, OfDataset, open_workspace, print_json
from profiling_core.cli.decisions import Who, user
from profiling_core.cli.paths import local
from profiling_core.cli.tables import console, safe_text

app = typer.Typer(help="Follow the rules of data contracts and of suites for Great Expectations.")


@app.callback()
def _contract() -> None:
    """Follow the rules of data contracts and of suites for Great Expectations."""


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            parser=local, metavar="FILE", help="An ODCS file, or a suite of Great Expectations; YAML or JSON."
        ),
    ],
    dataset: OfDataset = None,
    table: Annotated[str | None, typer.Option(help="The table that a suite is for.")] = None,
    who: Who = None,
    as_json: AsJson = False,
) -> None:
    """Pin the rules of a file, with their severity: they are followed from the next run on."""
    from profiling_core.pipeline.contracts.importing import import_contract

    work = open_workspace(dataset)
    done = import_contract(work, file, who or user(), table)
    if as_json:
        texts = {name: [c.text for c in getattr(done, name)] for name in ("new", "known")}
        print_json(texts | {"left_out": [{"where": where, "why": why} for where, why in done.left_out]})
        return
    out = console()
    for constraint in done.new:
        out.print(safe_text(f"  {constraint.words}"))
    for where, why in done.left_out:
        out.print(safe_text(f"  left out: {where}: {why}", style="yellow"))
    out.print(
        f"{counted(len(done.new), 'rule')} to follow from the next run on, {len(done.known)} followed already, "
        f"{len(done.left_out)} left out.\nNext: holdfast rebuild {work.dataset}, or the next delta.",
        highlight=False,
    )
