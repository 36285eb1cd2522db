"""The commands that give what holds to other programs: suites for Great Expectations, and other tools' formats."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from profiling_core.alert.text_table import shortened, visible
from profiling_core.cli.common import AsJson, Named, OfDataset, known_table, open_workspace, print_json, table_alone
from profiling_core.cli.paths import local
from profiling_core.cli.tables import console, in_cell
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.files import to_bytes
from profiling_core.emit.formats.formats import Format
from profiling_core.model.errors import InputError
from profiling_core.state.atomic import write_atomically

InDialect = Annotated[Dialect, typer.Option(help="The SQL that is spoken where the data are.")]


def suite(
    named: Named = None,
    table: Annotated[str | None, typer.Argument(help="The table; without: an array of all tables' suites.")] = None,
    dataset: OfDataset = None,
    dialect: InDialect = Dialect.SPARK,
    changes: Annotated[
        int | None, typer.Option(help="What this version changed (appeared, broke, recovered) instead of what holds.")
    ] = None,
    only_list: Annotated[bool, typer.Option("--list", help="List the suites that there are.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a table's suite as JSON for Great Expectations; the same rules print the same bytes."""
    from profiling_core.pipeline.suites import listed, suites

    if table is None and table_alone(named):
        named, table = None, named
    work = open_workspace(named or dataset)
    known_table(work, table)
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
        table.add_row(*(in_cell(cell) for cell in (kind, entry.table, version, entry.label, entry.transitions)))
    return table


def export(
    form: Annotated[Format, typer.Option("--format", "-f", help="The tool's format.")],
    named: Named = None,
    dataset: OfDataset = None,
    dialect: InDialect = Dialect.SPARK,
    output: Annotated[
        Path | None,
        typer.Option(
            parser=local, metavar="DIRECTORY", help="The directory to write to; without: a single file is printed."
        ),
    ] = None,
) -> None:
    """Write the constraints in force as a contract, tests, rules, assertions or views that other tools read."""
    from profiling_core.pipeline.export import export as exported

    made = exported(open_workspace(named or dataset), form, dialect)
    for text, why in made.left_out:
        typer.echo(f"left out: {shortened(text, 200)}: {visible(why)}", err=True)
    if output is None and len(made.files) > 1:
        raise InputError(
            f"{form.value} takes {len(made.files)} files", remedy="name a directory for them with --output"
        )
    for name, content in made.files.items():
        if output is None:
            typer.echo(content, nl=False)
        else:
            write_atomically(output / name, content.encode())
            typer.echo(str(output / name), err=True)
