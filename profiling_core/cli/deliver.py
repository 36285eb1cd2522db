"""``holdfast deliver``: sends what waits in the outbox, between runs or after a route was mended."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer

from profiling_core.alert.delivery import undelivered_lines
from profiling_core.cli.common import AsJson, Named, OfDataset, open_workspace, print_json
from profiling_core.cli.tables import console, safe_text
from profiling_core.model.message import Delivery

EXIT_WAITING = 1


def deliver(
    named: Named = None,
    dataset: OfDataset = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Send what was given up, too, and do not wait until the next attempt is due."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Send the messages that wait for their channels, and say what still waits; exit code 1 where something does."""
    from profiling_core.pipeline import notifications

    work = open_workspace(named or dataset)
    if again:
        work.catalog.outbox.again(work.dataset, datetime.now(UTC))
    told = notifications.deliver(work, wait=False)["alerts"]
    left = work.catalog.outbox.undelivered(work.dataset)
    if as_json:
        print_json({"dataset": work.dataset, "tried": told, "undelivered": [asdict(d) for d in left]})
    else:
        _say(told, left)
    if left:
        raise typer.Exit(EXIT_WAITING)


def _say(told: Mapping[str, Mapping[str, str]], left: Sequence[Delivery]) -> None:
    out = console()
    for key, channels in told.items():
        for channel, said in channels.items():
            out.print(safe_text(f"{key} to {channel}: {said}"))
    for line in undelivered_lines(left):
        out.print(safe_text(line, style="yellow"))
    if not told and not left:
        out.print("Nothing waits: every channel has had every message.")
