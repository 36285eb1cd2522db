"""``holdfast columns``: the role of each column, the reason for it, and since when it has it."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from profiling_core.alert.wording import spoken
from profiling_core.cli.common import AsJson, Named, OfDataset, known_table, open_workspace, print_json
from profiling_core.cli.tables import console, in_cell, safe_text

if TYPE_CHECKING:
    from profiling_core.state.version_reports import KnownColumn


def columns(
    named: Named = None,
    dataset: OfDataset = None,
    table: Annotated[str | None, typer.Option(help="Only this table's.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what the columns of a dataset are for: the role of each, the reason, and since when it has it."""
    from profiling_core.pipeline.columns import known_columns

    work = open_workspace(named or dataset)
    found = known_columns(work, known_table(work, table))
    if as_json:
        print_json({"dataset": work.dataset, "columns": [column.to_json() for column in found]})
        return
    out = console()
    for name, own in groupby(found, key=lambda column: column.table):
        out.print(safe_text(name, "bold"))
        out.print(_table(list(own)))


def _table(columns: Sequence["KnownColumn"]) -> Table:
    shown = Table(box=None, header_style="bold", pad_edge=False)
    for header in ("column", "role", "reason", "since"):
        shown.add_column(header, overflow="fold")
    for known in columns:
        role = f"{known.role.role}, {known.role.unit}" if known.role.unit else str(known.role.role)
        shown.add_row(*map(in_cell, (known.role.column, role, known.role.reason, spoken(known.since))))
    return shown
