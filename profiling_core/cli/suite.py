"""The command that prints suites, in the form in which Great Expectations stores them."""

import json
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from profiling_core.cli.dataset import AsJson, open_workspace, print_json
from profiling_core.cli.tables import console
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.files import to_bytes

Name = Annotated[str, typer.Argument(help="The dataset's name.")]
InDialect = Annotated[Dialect, typer.Option(help="The SQL that is spoken where the data are.")]


def suite(
    dataset: Name,
    table: Annotated[str | None, typer.Argument(help="The table; without: an array of all tables' suites.")] = None,
    dialect: InDialect = Dialect.SPARK,
    changes: Annotated[
        int | None, typer.Option(help="What this version changed (appeared, broke, recovered) instead of what holds.")
    ] = None,
    only_list: Annotated[bool, typer.Option("--list", help="List the suites that there are.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a table's suite as JSON for Great Expectations; the same rules print the same bytes."""
    from profiling_core.pipeline.suites import listed, suites

    work = open_workspace(dataset)
    if only_list:
        found = listed(work)
        print_json([entry.to_json() for entry in found]) if as_json else console().print(_listing(found))
        return
    documents = [made.document for made in suites(work, table, changes, dialect)]
    if len(documents) == 1:
        typer.echo(to_bytes(documents[0]).decode(), nl=False)
    else:
        typer.echo(json.dumps(documents, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False))


def _listing(found: list[Any]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("suite", "table", "version", "delta", "what is in it"):
        table.add_column(name)
    for entry in found:
        kind = "what holds" if entry.changes is None else "what changed"
        version = "newest" if entry.changes is None else str(entry.changes)
        table.add_row(*(Text(cell) for cell in (kind, entry.table, version, entry.label, entry.transitions)))
    return table
