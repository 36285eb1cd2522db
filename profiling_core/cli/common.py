"""Shared parts of the commands over datasets: options, workspaces, and the wording of held-back deltas."""

import json
from typing import Annotated, Any

import typer

from profiling_core.cli.tables import console, safe_text
from profiling_core.model.errors import InputError
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
OfDataset = Annotated[
    str | None, typer.Option("--dataset", "-d", help="The dataset; needed only where there are several.")
]
Named = Annotated[str | None, typer.Argument(metavar="DATASET", help="The same as --dataset.", show_default=False)]


def workspaces(dataset: str | None) -> list[Workspace]:
    """The workspaces of all configured datasets, or of the one that is named."""
    from profiling_core.pipeline.configuration import load_datasets

    settings = Settings.discover()
    found = [config for _, config in load_datasets(settings.datasets_dir)]
    chosen = [config for config in found if dataset in (None, config.dataset)]
    if not chosen:
        what = f"there is no dataset {dataset!r}" if found else "there is no dataset yet"
        names = ", ".join(config.dataset for config in found)
        remedy = f"choose one of: {names}" if found else "write a first one with: holdfast init WHAT"
        raise InputError(what, where=str(settings.datasets_dir), remedy=remedy)
    return [Workspace(settings, config) for config in chosen]


def open_workspace(dataset: str | None) -> Workspace:
    """The dataset of that name, or the only one there is."""
    found = workspaces(dataset)
    if len(found) > 1:
        names = ", ".join(work.dataset for work in found)
        raise InputError("there are several datasets", remedy=f"choose one with --dataset: {names}")
    return found[0]


def print_json(data: Any) -> None:
    """Print data for programs."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def say_held(record: dict[str, Any], indent: str = "") -> None:
    """Says which deltas are there and not applied, and why."""
    for name, style in (("waiting", "dim"), ("refused", "bold yellow")):
        for held in record[name]:
            line = f"{indent}{name}: {held['table']} {held['delta']} {held['reason']}"
            console().print(safe_text(line, style=style))
            if held["remedy"]:
                console().print(safe_text(f"{indent}  what to do: {held['remedy']}"))
