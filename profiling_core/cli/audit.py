"""The command that compares the maintained state with the data: every suite executed, every figure counted again."""

from typing import Annotated

import typer
from rich.table import Table

from profiling_core.cli.common import AsJson, Named, OfDataset, open_workspace, print_json
from profiling_core.cli.tables import console, in_cell, safe_text
from profiling_core.validate.audit import Audit, Recount
from profiling_core.validate.results import CheckOutcome, Status

EXIT_DIFFERENT = 1


def audit(
    named: Named = None,
    dataset: OfDataset = None,
    everything: Annotated[bool, typer.Option("--all", help="List what is equal, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Execute all suites and count all violations again; exit code 1 where data and maintained state differ."""
    from profiling_core.pipeline.auditing import audit as audited

    found = audited(open_workspace(named or dataset))
    if as_json:
        print_json(found.to_json())
    else:
        _say(found, everything=everything)
    if not found.agrees or found.validation.broken_checks:
        raise typer.Exit(EXIT_DIFFERENT)


def _say(found: Audit, *, everything: bool) -> None:
    out = console()
    counted = [recount for recount in found.recounts if everything or not recount.agrees or recount.why_not]
    if counted:
        out.print(_figures(counted))
    checks = (*found.validation.contradictions, *found.validation.broken_checks)
    if checks:
        out.print(_checks(checks))
    done = [recount for recount in found.recounts if recount.counted is not None]
    differing = sum(not recount.agrees for recount in done)
    results = found.validation.checks
    violated = sum(check.status is Status.VIOLATED for check in results)
    out.print(
        safe_text(
            f"Version {found.validation.version} of {found.validation.dataset}: {len(done)} of {len(found.recounts)} "
            f"figures counted again, {differing} different; {len(results)} checks executed, {violated} violated, "
            f"{len(found.validation.contradictions)} against the maintained state, "
            f"{len(found.validation.broken_checks)} broken; {found.validation.seconds:.1f} s."
        )
    )


def _figures(recounts: list[Recount]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("table", "constraint", "maintained", "counted", "verdict", "id"):
        table.add_column(name, justify="right" if name in ("maintained", "counted") else "left")
    for recount in recounts:
        verdict, style = ("equal", "green") if recount.agrees else ("DIFFERENT", "bold red")
        if recount.counted is None:
            verdict, style = f"not counted: {recount.why_not}", "dim"
        counted = "–" if recount.counted is None else f"{recount.counted:,}"
        names = (in_cell(recount.table), in_cell(recount.constraint))
        table.add_row(*names, f"{recount.maintained:,}", counted, in_cell(verdict, style), recount.fingerprint)
    return table


def _checks(checks: tuple[CheckOutcome, ...]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("table", "check", "outcome", "maintained", "id"):
        table.add_column(name, justify="right" if name == "maintained" else "left")
    for check in checks:
        rows = "" if check.rows is None else f", {check.rows:,} rows"
        outcome = in_cell(check.problem or f"{check.status.value}{rows}", "bold red")
        maintained = "–" if check.violations is None else f"{check.violations:,}"
        table.add_row(in_cell(check.table), in_cell(check.constraint), outcome, maintained, check.fingerprint)
    return table
