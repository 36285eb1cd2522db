"""``holdfast discover``: the constraints of files, as a table for people or as JSON for programs."""

import contextlib
import csv
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from profiling_core.alert.figures import counted
from profiling_core.cli.tables import console, error_text, in_cell, safe_text
from profiling_core.model.constraint import Kind, Measured
from profiling_core.model.errors import InputError
from profiling_core.model.kinds.registry import KINDS
from profiling_core.model.types import NullSemantics

if TYPE_CHECKING:
    from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
    from profiling_core.pipeline.discover import Discovery
    from profiling_core.pipeline.discovery_request import DiscoveryRequest, Progress

STDOUT = "-"


class Space(StrEnum):
    """Which columns a predicate may compare."""

    SAME_COLUMN = "same-column"
    CROSS = "cross"


class Cover(StrEnum):
    """Which cover of the denial constraints to list."""

    REDUCED = "reduced"
    SET_MINIMAL = "set-minimal"


class Values(StrEnum):
    """Whether values compare as typed or by their text."""

    TYPED = "typed"
    TEXT = "text"


class Empty(StrEnum):
    """What an empty cell is."""

    NULL = "null"
    VALUE = "value"


class EmptyColumns(StrEnum):
    """What becomes of columns without values."""

    LEFT_OUT = "left-out"
    INCLUDED = "included"


class DenialEngine(StrEnum):
    """How exact denial constraints are found."""

    AUTO = "auto"
    PAIRS = "pairs"
    HYDRA = "hydra"


# Options of the one way of asking, which have no meaning in the other.
_OF_ONE_KIND = ("nulls", "space", "cover", "max_predicates", "max_error", "max_arity", "engine", "empty_columns")
_OF_RULES = ("budget", "implied")
_SHOWN, _SHOWN_OF_A_TABLE = 50, 20


def discover(  # noqa: PLR0913, PLR0917 -- each argument is an option of the command
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="CSV or Parquet files; each is a table named after its file.")],
    kind: Annotated[
        Kind | None,
        typer.Option(help="All constraints of one kind, in place of the rules that a person would sign."),
    ] = None,
    budget: Annotated[
        float, typer.Option(min=1.0, help="Without --kind: the seconds after which no more rules are looked for.")
    ] = 30.0,
    implied: Annotated[
        bool, typer.Option("--implied", help="Without --kind: show what follows from the rules, too.")
    ] = False,
    nulls: Annotated[
        NullSemantics, typer.Option(help="sql: a null never violates anything; equal: null = null holds.")
    ] = NullSemantics.SQL,
    space: Annotated[
        Space, typer.Option(help="Compare a column with itself only, or with others that share values too.")
    ] = Space.CROSS,
    cover: Annotated[
        Cover,
        typer.Option(help="Leave out DCs that others imply and INDs that follow from longer ones, or list them too."),
    ] = Cover.REDUCED,
    max_predicates: Annotated[
        int, typer.Option(min=0, help="The longest constraint; for FDs the left side plus one. 0: no bound.")
    ] = 4,
    max_error: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of violating pairs allowed; for INDs, of missing values.")
    ] = 0.0,
    max_arity: Annotated[
        int, typer.Option(min=0, help="The most columns of an IND: 2 finds composite foreign keys. 0: no bound.")
    ] = 1,
    values: Annotated[
        Values, typer.Option(help="Compare values by type, or as the text of the source.")
    ] = Values.TYPED,
    typed_header: Annotated[
        bool, typer.Option("--typed-header", help="Columns are named like name(String|Integer|Double).")
    ] = False,
    engine: Annotated[
        DenialEngine,
        typer.Option(help="For exact DCs: compare all pairs, sample and check (Hydra), or what is estimated cheaper."),
    ] = DenialEngine.AUTO,
    spark: Annotated[
        bool, typer.Option("--spark", help="For INDs: let Spark's tasks read the files, here or on a cluster.")
    ] = False,
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="OUT", help="Write JSON to a file, or to standard output with '-'.")
    ] = None,
    null_value: Annotated[
        list[str] | None, typer.Option(help="A CSV cell that is null, in place of the empty one; may be repeated.")
    ] = None,
    empty_values: Annotated[
        Empty, typer.Option(help="For INDs over texts: whether an empty CSV cell is null or a value.")
    ] = Empty.NULL,
    empty_columns: Annotated[
        EmptyColumns, typer.Option(help="For INDs: whether columns without values are included in all others.")
    ] = EmptyColumns.LEFT_OUT,
    delimiter: Annotated[str, typer.Option(help="What stands between the cells of a CSV file.")] = ",",
    limit: Annotated[
        int | None, typer.Option(min=0, help="How many constraints to show at most (20 of each table). 0: all.")
    ] = None,
) -> None:
    """Find the rules that files live by, or all constraints of one kind; no state is needed or kept."""
    from profiling_core.pipeline.discovery_request import DiscoveryRequest

    _check_kind(context, kind)
    if len(delimiter) != 1:
        raise InputError(f"a delimiter is one character, not {delimiter!r}", where="--delimiter")
    if empty_values is Empty.VALUE and (kind is not Kind.IND or values is not Values.TEXT):
        raise InputError(
            "only inclusion dependencies over texts have empty values",
            where="--empty-values",
            remedy="add --kind ind --values text, or leave empty cells null",
        )
    if spark and kind is not Kind.IND:
        raise InputError("only inclusion dependencies are discovered on Spark", where="--spark", remedy="leave it out")
    request = DiscoveryRequest(
        kind=kind or Kind.DC,
        nulls=nulls,
        cross=space is Space.CROSS,
        reduced=cover is Cover.REDUCED,
        max_predicates=max_predicates or None,
        max_error=max_error,
        max_arity=max_arity or None,
        empty_values=empty_values.value,
        empty_columns=empty_columns.value,
        engine=engine.value,
        values=values.value,
        typed_header=typed_header,
        null_values=tuple(null_value) if null_value is not None else ("",),
        delimiter=delimiter,
        spark=spark,
    )
    _say_unnamed(files, delimiter)
    if kind is None:
        _rules(files, request, _Shown(budget, _SHOWN_OF_A_TABLE if limit is None else limit, implied, json_to))
    else:
        _of_kind(files, request, _SHOWN if limit is None else limit, json_to)


def _say_unnamed(files: Sequence[Path], delimiter: str) -> None:
    """Says what first columns without a name are called; what is wrong with a file is said when it is read."""
    from profiling_core.ingest.csv_rows import named_first

    for path in files:
        with contextlib.suppress(OSError, ValueError, csv.Error):
            if name := named_first(path, delimiter):
                said = f"{path}: the first column has no name; it is called {name!r} here."
                typer.echo(str(safe_text(said)), err=True)


class _Shown(NamedTuple):
    """How long rules are looked for, how many of a table are shown, and where they go."""

    budget: float
    limit: int
    implied: bool
    json_to: str | None


def _check_kind(context: typer.Context, kind: Kind | None) -> None:
    """Refuses kinds that have no cover of their own, and options that go with another way of asking."""
    if kind is Kind.COLUMN:
        remedy = "land deltas and run `holdfast apply`; `holdfast constraints` lists them"
        raise InputError("rules of single columns are learnt from a table's history", where="--kind", remedy=remedy)
    if kind in {Kind.EQUATION, Kind.CONDITIONAL, Kind.REFERENCE}:
        raise InputError(
            f"{kind.value} rules are not asked for alone",
            where="--kind",
            remedy="leave --kind out: rules of all kinds are found",
        )
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    wrong = _OF_ONE_KIND if kind is None else _OF_RULES
    for name in given:
        if name in wrong:
            what, remedy = (
                ("asks for one kind of constraints", "add --kind dc, fd, ucc or ind")
                if kind is None
                else ("is for rules of all kinds", "leave it out, or leave --kind out")
            )
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} {what}", where=option, remedy=remedy)


def _rules(files: Sequence[Path], request: "DiscoveryRequest", shown: _Shown) -> None:
    """The rules of all kinds that a person would sign."""
    from profiling_core.algorithms.budget import Budget
    from profiling_core.algorithms.rules.description import as_json
    from profiling_core.cli import discovered_rules
    from profiling_core.pipeline.discover_rules import discover_rules

    started = time.monotonic()
    with _progress() as progress:
        found = discover_rules(files, request, Budget.of(shown.budget), shown.limit or sys.maxsize, progress)
    if shown.json_to is not None:
        _write_json(as_json(found, implied=shown.implied), shown.json_to)
    if shown.json_to != STDOUT:
        discovered_rules.say(found, time.monotonic() - started, implied=shown.implied)


def _of_kind(files: Sequence[Path], request: "DiscoveryRequest", limit: int, json_to: str | None) -> None:
    """All constraints of one kind."""
    from profiling_core.pipeline.discover import discover as found_in

    started = time.monotonic()
    with _progress() as progress:
        found = found_in(files, request, progress)
    seconds = time.monotonic() - started
    if json_to is not None:
        _write_json(_as_json(found), json_to)
    if json_to != STDOUT:
        _say(found, request.kind, limit, seconds)


@contextlib.contextmanager
def _progress() -> "Iterator[Progress]":
    """Shows on standard error what is being done, where a person is watching."""
    with Console(stderr=True).status("starting") as status:
        yield lambda step: status.update(safe_text(step))


def _as_json(found: "Discovery") -> dict[str, Any]:
    constraints = [m.constraint.described() | m.to_json() for m in found.constraints]
    for rank, constraint in enumerate(constraints, 1):
        constraint["rank"] = rank
        if reading := found.readings.get(constraint["fingerprint"]):
            constraint["foreign_key"] = reading.to_json()
    return {"constraints": constraints}


def _write_json(data: Mapping[str, Any], out: str) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if out == STDOUT:
        typer.echo(text)
        return
    try:
        Path(out).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write the result: {error.strerror}", where=out) from error


def _say(found: "Discovery", kind: Kind, limit: int, seconds: float) -> None:
    out = console()
    shown = found.constraints[: limit or None]
    if shown:
        out.print(_table(shown, found.readings, several=len(found.sizes) > 1))
    left_out = len(found.constraints) - len(shown)
    if left_out:
        out.print(f"… and {left_out:,} more: --limit 0 shows all, --json OUT writes them.", highlight=False)
    sizes = ", ".join(
        f"{name} ({counted(rows, 'row')} × {counted(columns, 'column')})"
        for name, (rows, columns) in found.sizes.items()
    )
    many = len(found.constraints)
    out.print(safe_text(f"{many:,} {KINDS[kind].nouns.of(many)} in {sizes}; {seconds:.1f} s."))


def _table(shown: Sequence[Measured], readings: "Mapping[str, KeyReading]", *, several: bool) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    if several:
        table.add_column("table")
    table.add_column("constraint", overflow="fold")
    for name in ("error", "violations", "support", *(["foreign key"] if readings else [])):
        table.add_column(name, justify="right")
    for m in shown:
        names = [*([m.constraint.tables[0]] if several else []), m.constraint.text]
        figures = [error_text(m.error), f"{m.violations:,}", f"{m.support:,}"]
        reading = readings.get(m.constraint.fingerprint)
        table.add_row(*map(in_cell, names), *figures, *([f"{reading.likelihood:.2f}"] if reading else []))
    return table
