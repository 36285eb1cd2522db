"""``holdfast init``: a first configuration from a look at files, directories, lakehouse tables and databases."""

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from profiling_core.cli.tables import console, safe_text
from profiling_core.model.errors import InputError, known_places
from profiling_core.state.settings import Settings

if TYPE_CHECKING:
    from profiling_core.pipeline.init.proposal import TableProposal


def init(
    what: Annotated[
        list[str],
        typer.Argument(
            help="Files, directories, Delta Lake tables, s3://…, postgresql://…, duckdb:///<path>, iceberg://<catalog>."
        ),
    ],
    name: Annotated[str | None, typer.Option(help="The dataset's name; the directory's where not given.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Take the proposal without asking.")] = False,
) -> None:
    """Look at tables and write a first configuration into dags/datasets, or where HOLDFAST_DATASETS says."""
    from profiling_core.ingest.sources.objects import Copies
    from profiling_core.pipeline.init.landing_files import name_of
    from profiling_core.pipeline.init.looking import distinct, look
    from profiling_core.pipeline.init.writing import write

    settings, out = Settings.of_new(), console()
    with Copies(settings) as copies, known_places(copies.known):
        found = distinct([made for one in what for made in look(one, settings, copies)])
        if not found:
            raise InputError("no table was found", remedy="name files, directories, or a database with tables")
        if not yes and sys.stdin.isatty():
            found = [_asked(made) for made in found]
    path, config = write(settings, name or name_of(settings.root.name), found)
    for made in found:
        _say(made)
    out.print(safe_text(f"Written: {path}"))
    if any("url_env" in made.source for made in found):
        out.print(safe_text(f"Next: export {_variable()}='<the URL>', then: holdfast apply {config.dataset}"))
    else:
        out.print(safe_text(f"Next: holdfast apply {config.dataset}"))


def _say(made: "TableProposal") -> None:
    """Says what is proposed for a table, and what a person should know of it."""
    out = console()
    key = f"key {', '.join(made.key)}" if made.key else "no key"
    operation = made.source.get("operation")
    kind = f"{made.source.get('kind', '')}{f' by {operation}' if operation else ''}"
    words = f"  {made.table}: {made.source['format']}{f', {kind}' if kind else ''}, {key}"
    out.print(safe_text(words + (f", redacted: {', '.join(made.redacted)}" if made.redacted else "")))
    for field in ("path", "delimiter", "null_values", "format", "operation", "kind"):
        for line in made.notes.get(field, "").splitlines():
            out.print(safe_text(f"    {line}"))


def _variable() -> str:
    from profiling_core.pipeline.init.databases import URL_VARIABLE

    return URL_VARIABLE


def _asked_of_doubt(made: Any) -> Any:
    """The proposal with what a person says of a file that may be read in two ways."""
    from profiling_core.pipeline.init.landing_files import read_so

    console().print(safe_text(f"{made.table}: {made.notes['delimiter']}"))
    if typer.confirm(f"{made.table}: is it right so?", default=True):
        return made
    delimiter = typer.prompt(f"{made.table}: what stands between cells (\\t: a tab)", default=made.source["delimiter"])
    header = typer.prompt(
        f"{made.table}: lines of the header (0: none)", default=made.source.get("header", 1), type=int
    )
    return read_so(made, made.doubtful, delimiter.replace("\\t", "\t"), header)


def _asked(made: Any) -> Any:
    """The proposal as a person wants it: how a file in doubt is read, its key, and how its files speak of change."""
    if made.doubtful is not None:
        made = _asked_of_doubt(made)
    key = typer.prompt(f"{made.table}: key (columns, with commas)", default=",".join(made.key), show_default=True)
    changed: dict[str, Any] = {"key": tuple(part.strip() for part in key.split(",") if part.strip())}
    if "kind" in made.source:
        kind = typer.prompt(f"{made.table}: changes, append or snapshot", default=made.source["kind"])
        kept = {name: value for name, value in made.source.items() if name != "operation" or kind == "changes"}
        changed["source"] = kept | {"kind": kind}
    return dataclasses.replace(made, **changed)
