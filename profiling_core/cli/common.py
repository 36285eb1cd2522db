"""Shared parts of the commands over datasets: options, workspaces, and the wording of held-back deltas."""

import json
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from profiling_core.cli.tables import console, safe_text
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import InputError
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
OfDataset = Annotated[
    str | None, typer.Option("--dataset", "-d", help="The dataset; needed only where there are several.")
]
Named = Annotated[str | None, typer.Argument(metavar="DATASET", help="The same as --dataset.", show_default=False)]


def workspaces(dataset: str | None) -> list[Workspace]:
    """The workspaces of all configured datasets, or of the one that is named.

    Raises:
        InputError: there is no dataset, or none of that name.
    """
    from profiling_core.pipeline.configuration import load_datasets

    settings = Settings.discover()
    found = [config for _, config in load_datasets(settings.datasets_dir)]
    chosen = [config for config in found if dataset in (None, config.dataset)]
    if not chosen:
        what = f"there is no dataset {dataset!r}" if found else "there is no dataset yet"
        remedy = _nearest_dataset(dataset or "", found) if found else "write a first one with: holdfast init WHAT"
        raise InputError(what, where=str(settings.datasets_dir), remedy=remedy)
    return [Workspace(settings, config) for config in chosen]


def _nearest_dataset(text: str, known: Sequence[DatasetConfig]) -> str:
    names = [config.dataset for config in known]
    tables = {table: config.dataset for config in known for table in config.tables}
    table = get_close_matches(text, tables, 1)
    if table and not get_close_matches(text, names, 1):
        return f"did you mean {table[0]!r}, a table of dataset {tables[table[0]]!r}?"
    return nearest(text, names)


def table_alone(named: str | None) -> bool:
    """Whether what was named is no dataset, but a table of the only one."""
    found = workspaces(None)
    return len(found) == 1 and named != found[0].dataset and named in found[0].config.tables


def open_workspace(dataset: str | None) -> Workspace:
    """The dataset of that name, or the only one there is."""
    found = workspaces(dataset)
    if len(found) > 1:
        names = [work.dataset for work in found]
        remedy = f"name one, as in `holdfast apply {names[0]}`, or give --dataset: {', '.join(names)}"
        raise InputError("there are several datasets", remedy=remedy)
    return found[0]


def known_table(work: Workspace, table: str | None) -> str | None:
    """The table, which the dataset has, or None.

    Raises:
        InputError: the dataset has no table of that name.
    """
    names = list(work.config.tables)
    if table is not None and table not in names:
        raise InputError(f"dataset {work.dataset!r} has no table {table!r}", remedy=nearest(table, names))
    return table


def nearest(text: str, names: Sequence[str]) -> str:
    """The remedy for an unknown name: the name that looks alike, or all names."""
    alike = get_close_matches(text, names, 1)
    return (
        f"did you mean {alike[0]!r}? There are: {', '.join(names)}" if alike else f"choose one of: {', '.join(names)}"
    )


def print_json(data: Any) -> None:
    """Print data for programs."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def say_held(record: dict[str, Any], indent: str = "") -> None:
    """Says which deltas are there and not applied, and why."""
    for name, style in (("waiting", "dim"), ("refused", "bold yellow")):
        alike: dict[tuple[str, str], list[dict[str, str]]] = {}
        for held in record[name]:
            alike.setdefault((held["table"], held["remedy"]), []).append(held)
        for (table, remedy), (first, *more) in alike.items():
            others = f"; {len(more):,} more, up to {more[-1]['delta']}, are {name}, too" if more else ""
            is_told = first.get("told")
            reason = "is not applied, and what comes after it waits: see its message" if is_told else first["reason"]
            line = f"{indent}{name}: {table} {first['delta']} {reason}{others}"
            console().print(safe_text(line, style=style))
            if remedy and not is_told:
                console().print(safe_text(f"{indent}  what to do: {remedy}"))
    if before := record.get("refused_before"):
        are = "delta is" if before == 1 else "deltas are"
        line = f"{indent}{before:,} {are} refused as before: holdfast status {record['dataset']}"
        console().print(safe_text(line, style="dim"))
