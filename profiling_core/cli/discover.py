"""``holdfast discover``: the constraints of files, as a table for people or as JSON for programs."""

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from profiling_core.alert.figures import counted
from profiling_core.cli.discover_options import DiscoverOptions, check_kind
from profiling_core.cli.options import taking
from profiling_core.cli.paths import local
from profiling_core.cli.tables import console, error_text, in_cell, safe_text
from profiling_core.model.constraint import Kind, Measured
from profiling_core.model.errors import InputError
from profiling_core.model.kinds.registry import KINDS

if TYPE_CHECKING:
    from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
    from profiling_core.pipeline.discover import Discovery
    from profiling_core.pipeline.discovery_request import DiscoveryRequest, Progress

STDOUT = "-"


_SHOWN = 50


@taking(DiscoverOptions)
def discover(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            parser=local, metavar="FILES...", help="CSV or Parquet files; each is a table named after its file."
        ),
    ],
    options: DiscoverOptions,
) -> None:
    """Find the rules that files live by, or all constraints of one kind; no state is needed or kept."""
    check_kind(context, options.kind)
    from profiling_core.pipeline.arrow_alone import arrow_alone

    arrow_alone()
    from profiling_core.ingest.unfolded_texts import unfolded

    request = options.request()
    with unfolded(files) as plain:
        _say_dialects(files, plain, request)
        if options.kind is None:
            _rules(plain, request, options)
        else:
            _of_kind(plain, request, options)


def _say_dialects(files: Sequence[Path], plain: Sequence[Path], request: "DiscoveryRequest") -> None:
    """Says how files are read that are not plain; what is wrong with a file is said when it is read."""
    from profiling_core.ingest.sniffing.described import told_of

    for path, unfolded in zip(files, plain, strict=True):
        for said in told_of(unfolded, request.delimiter, typed_header=request.typed_header):
            typer.echo(str(safe_text(f"{path}: {said}")), err=True)


def _rules(files: Sequence[Path], request: "DiscoveryRequest", options: DiscoverOptions) -> None:
    """The rules of all kinds that a person would sign."""
    from profiling_core.algorithms.budget import Budget

    started = time.monotonic()
    from profiling_core.algorithms.rules.description import as_json
    from profiling_core.algorithms.rules.selection import PRESENTED
    from profiling_core.cli import discovered_rules
    from profiling_core.pipeline.discover_rules import discover_rules

    with _progress() as progress:
        limit = PRESENTED if options.limit is None else options.limit
        found = discover_rules(files, request, Budget.of(options.budget), limit or sys.maxsize, progress, _warn)
    if options.json_to is not None:
        _write_json(as_json(found, implied=options.implied), options.json_to)
    if options.json_to != STDOUT:
        discovered_rules.say(found, time.monotonic() - started, implied=options.implied, columns=options.columns)


def _warn(said: str) -> None:
    typer.echo(str(safe_text(f"{said}.")), err=True)


def _of_kind(files: Sequence[Path], request: "DiscoveryRequest", options: DiscoverOptions) -> None:
    """All constraints of one kind."""
    from profiling_core.pipeline.discover import discover as found_in

    started = time.monotonic()
    with _progress() as progress:
        found = found_in(files, request, progress, lambda table, said: _warn(f"{table}: {said}"))
    seconds = time.monotonic() - started
    if options.json_to is not None:
        _write_json(_as_json(found), options.json_to)
    if options.json_to != STDOUT:
        _say(found, request.kind, _SHOWN if options.limit is None else options.limit, seconds)


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
    return {"constraints": constraints} | ({"near_misses": [*found.near_misses]} if found.near_misses else {})


def _write_json(data: Mapping[str, Any], out: str) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if out == STDOUT:
        typer.echo(text)
        return
    try:
        local(out).write_text(text + "\n", encoding="utf-8")
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
    for said in found.near_misses[: limit or None]:
        out.print(safe_text(said))
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
