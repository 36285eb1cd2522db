"""The commands by which a person decides about a constraint: pin, mute, accept, reject, note; and their list."""

import getpass
import os
from typing import Annotated

import typer
from rich.table import Table

from profiling_core.cli.common import AsJson, Named, OfDataset, open_workspace, print_json
from profiling_core.cli.tables import console, in_cell, safe_text
from profiling_core.model.decision import Verdict
from profiling_core.model.texts import moment_text

Wanted = Annotated[str, typer.Argument(help="A constraint's id or text, e.g. 'origin,dest->distance'.")]
Who = Annotated[
    str | None, typer.Option("--who", help="Who decides; default: HOLDFAST_USER, or the name you are logged in by.")
]
Note = Annotated[str, typer.Option("--note", "-m", help="Why, for whoever looks next.")]
_DONE = {
    Verdict.PIN: "is pinned: it is followed whatever its rank, and alerts whenever it breaks",
    Verdict.UNPIN: "is no longer pinned",
    Verdict.MUTE: "is muted",
    Verdict.UNMUTE: "may alert again",
    Verdict.ACCEPT: "is accepted as it is",
    Verdict.UNACCEPT: "is no longer accepted",
    Verdict.REJECT: "is rejected: it retires with the next run, and does not come back",
    Verdict.RESTORE: "may be followed again",
    Verdict.NOTE: "has a note",
}


def pin(
    constraint: Wanted,
    dataset: OfDataset = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take a pin back.")] = False,
    note: Note = "",
    who: Who = None,
) -> None:
    """Follow a constraint whatever its rank, and alert whenever it breaks."""
    _decide(constraint, Verdict.UNPIN if undo else Verdict.PIN, dataset, who, note=note)


def mute(
    constraint: Wanted,
    until: Annotated[str, typer.Option(help="The delta id up to which it is muted; without: for good.")] = "",
    dataset: OfDataset = None,
    undo: Annotated[bool, typer.Option("--undo", help="Let it alert again.")] = False,
    note: Note = "",
    who: Who = None,
) -> None:
    """Send no alerts about a constraint, for a while or for good."""
    _decide(constraint, Verdict.UNMUTE if undo else Verdict.MUTE, dataset, who, until=until, note=note)


def accept(
    constraint: Wanted,
    dataset: OfDataset = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take it back, unless a run has used it.")] = False,
    note: Note = "",
    who: Who = None,
) -> None:
    """Take a constraint as it is: a candidate becomes active, a violated one may have the error that it has."""
    _decide(constraint, Verdict.UNACCEPT if undo else Verdict.ACCEPT, dataset, who, note=note)


def reject(
    constraint: Wanted,
    dataset: OfDataset = None,
    undo: Annotated[bool, typer.Option("--undo", help="Let it be followed again.")] = False,
    note: Note = "",
    who: Who = None,
) -> None:
    """Call a constraint a coincidence: it retires, and does not come back."""
    _decide(constraint, Verdict.RESTORE if undo else Verdict.REJECT, dataset, who, note=note)


def note(
    constraint: Wanted,
    text: Annotated[str, typer.Argument(help="What to remember about it.")],
    dataset: OfDataset = None,
    who: Who = None,
) -> None:
    """Leave a note on a constraint."""
    _decide(constraint, Verdict.NOTE, dataset, who, note=text)


def _decide(
    wanted: str, verdict: Verdict, dataset: str | None, who: str | None, *, until: str = "", note: str = ""
) -> None:
    from profiling_core.pipeline.deciding import decide

    work = open_workspace(dataset)
    made = decide(work, wanted, verdict, who=who or user(), until=until, note=note)
    lasts = f" until {until}" if until else ""
    console().print(safe_text(f"{made.constraint.text} {_DONE[verdict]}{lasts}."))


def user() -> str:
    """Who is at the keyboard."""
    name = os.environ.get("HOLDFAST_USER")
    if name:
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def decisions(named: Named = None, dataset: OfDataset = None, as_json: AsJson = False) -> None:
    """List what people have decided, newest first."""
    work = open_workspace(named or dataset)
    made = list(reversed(work.catalog.decisions(work.dataset)))
    if as_json:
        print_json([decision.to_json() | {"fingerprint": decision.constraint.fingerprint} for decision in made])
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("when", "who", "decision", "constraint", "note", "id"):
        table.add_column(name)
    for decision in made:
        lasts = f" until {decision.until}" if decision.until else ""
        cells = (moment_text(decision.at), decision.who, f"{decision.verdict.value}{lasts}", decision.constraint.text)
        table.add_row(*(in_cell(cell) for cell in (*cells, decision.note, decision.constraint.fingerprint)))
    console().print(table if made else "Nobody has decided anything yet.")
