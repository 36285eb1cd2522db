"""``holdfast joins``: which tables refer to which, as a list, as JSON, or as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from profiling_core.cli.common import AsJson, Named, OfDataset, open_workspace, print_json
from profiling_core.cli.paths import local
from profiling_core.cli.tables import console
from profiling_core.model.errors import InputError

if TYPE_CHECKING:
    from profiling_core.pipeline.joins import JoinGraph


def joins(
    named: Named = None,
    dataset: OfDataset = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="OUT", parser=local, help="Draw the graph into this file.")
    ] = None,
    least: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How likely an inclusion must be a foreign key to count as a join.")
    ] = 0.5,
    as_json: AsJson = False,
) -> None:
    """Show the joins of a dataset: the inclusion dependencies that read as foreign keys."""
    from profiling_core.pipeline.join_drawing import draw
    from profiling_core.pipeline.joins import join_graph

    graph = join_graph(open_workspace(named or dataset), least)
    if svg is not None:
        try:
            svg.write_text(draw(graph), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write the picture: {error.strerror}", where=str(svg)) from error
    if as_json:
        print_json(graph.to_json())
    else:
        console().print(_table(graph) if graph.joins else "No inclusion dependency reads as a foreign key.")


def _table(graph: "JoinGraph") -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("join", "likelihood", "coverage", "referenced values used", "id"):
        table.add_column(name, justify="right" if name not in ("join", "id") else "left")
    for join in graph.joins:
        shares = (1.0 - join.measured.error, join.reading.used)
        table.add_row(
            Text(join.inclusion.text),
            f"{join.reading.likelihood:.2f}",
            *(f"{share:.2%}" for share in shares),
            join.inclusion.fingerprint,
        )
    return table
