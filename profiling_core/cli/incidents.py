"""``holdfast incidents``: the open incidents, since when they are open, and what people do about them."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table
from typer.core import TyperGroup

from profiling_core.alert.wording import spoken
from profiling_core.cli.common import AsJson, OfDataset, open_workspace, print_json
from profiling_core.cli.decisions import Note, Who, user
from profiling_core.cli.tables import console, in_cell, safe_text
from profiling_core.model.incident import Incident, IncidentStatus


class _OfDataset(TyperGroup):
    """A group whose first word may be a dataset's name in place of a sub-command: ``holdfast incidents shop``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads a first word that is no sub-command as the dataset."""
        named = args[:1] if args and not args[0].startswith("-") and args[0] not in self.commands else []
        return super().parse_args(ctx, [*(["--dataset"] if named else []), *args])


app = typer.Typer(add_completion=False, cls=_OfDataset)
Number = Annotated[int, typer.Argument(help="The incident's number.")]
_DONE = {
    IncidentStatus.ACKNOWLEDGED: "is acknowledged: no reminder will come",
    IncidentStatus.ACCEPTED: "is accepted: what was found is right, and will not be told again",
    IncidentStatus.MUTED: "is muted: it sends no more messages",
    IncidentStatus.REJECTED: "is rejected: it was no error",
    IncidentStatus.CLOSED: "is closed: the same finding will be told again",
    IncidentStatus.OPEN: "is open again",
}


@app.callback(invoke_without_command=True)
def incidents(
    context: typer.Context,
    dataset: OfDataset = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that are over or closed.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the incidents that go on: what is wrong, since when, and who looks after it."""
    if context.invoked_subcommand:
        return
    work = open_workspace(dataset)
    found = [i for i in work.catalog.incidents(work.dataset) if every or i.status.goes_on]
    if as_json:
        print_json([incident.to_json() for incident in found])
        return
    console().print(_table(found) if found else "No incident is open.")


def _table(found: list[Incident]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("no.", "status", "table", "since", "deltas", "owner", "what"):
        table.add_column(name, overflow="fold" if name == "what" else "ellipsis")
    for i in reversed(found):
        cells = (str(i.number), i.status.value, i.table, spoken(i.opened), str(i.deltas), i.owner, i.diagnosis.headline)
        table.add_row(*map(in_cell, cells))
    return table


def _status(
    number: int, status: IncidentStatus, dataset: str | None, who: str | None, note: str, until: str = ""
) -> None:
    from profiling_core.pipeline.incident_handling import set_status, taught

    work = open_workspace(dataset)
    set_status(work, number, status, who=who or user(), note=note, until=until)
    console().print(safe_text(f"Incident {number} {_DONE[status]}{f' until {until}' if until else ''}."))
    for lesson in taught(work, number):
        console().print(safe_text(f"From now on {lesson.words}."))


@app.command()
def ack(number: Number, dataset: OfDataset = None, note: Note = "", who: Who = None) -> None:
    """Say that you look after an incident."""
    _status(number, IncidentStatus.ACKNOWLEDGED, dataset, who, note)


@app.command()
def accept(number: Number, dataset: OfDataset = None, note: Note = "", who: Who = None) -> None:
    """Say that what was found is right."""
    _status(number, IncidentStatus.ACCEPTED, dataset, who, note)


@app.command()
def mute(
    number: Number,
    until: Annotated[
        str, typer.Option(help="Say nothing up to this delta or day, included; without: while it goes on.")
    ] = "",
    dataset: OfDataset = None,
    note: Note = "",
    who: Who = None,
) -> None:
    """Send no more messages about an incident that goes on, for a while or as long as it does."""
    _status(number, IncidentStatus.MUTED, dataset, who, note, until)


@app.command()
def reject(number: Number, dataset: OfDataset = None, note: Note = "", who: Who = None) -> None:
    """Say that it was a false alarm: nothing of its kind is told of these columns again."""
    _status(number, IncidentStatus.REJECTED, dataset, who, note)


@app.command()
def taught(dataset: OfDataset = None, as_json: AsJson = False) -> None:
    """List what the judges of loads were taught by what people said of incidents."""
    from profiling_core.pipeline.incident_handling import taught as all_taught

    known = all_taught(open_workspace(dataset))
    if as_json:
        print_json([asdict(lesson) | {"words": lesson.words} for lesson in known])
        return
    for lesson in known:
        said = f"{lesson.table}: {lesson.words} (incident {lesson.incident}, {lesson.said.value} by {lesson.who})"
        console().print(safe_text(said))
    if not known:
        console().print("Nobody has judged a finding about loads yet.")


@app.command()
def close(number: Number, dataset: OfDataset = None, note: Note = "", who: Who = None) -> None:
    """Close an incident."""
    _status(number, IncidentStatus.CLOSED, dataset, who, note)


@app.command()
def reopen(number: Number, dataset: OfDataset = None, note: Note = "", who: Who = None) -> None:
    """Open an incident again."""
    _status(number, IncidentStatus.OPEN, dataset, who, note)


@app.command()
def assign(
    number: Number,
    owner: Annotated[str, typer.Argument(help="Who looks after it from now on.")],
    dataset: OfDataset = None,
    note: Note = "",
    who: Who = None,
) -> None:
    """Give an incident to somebody."""
    from profiling_core.pipeline.incident_handling import assign as give

    give(open_workspace(dataset), number, owner, who=who or user(), note=note)
    console().print(safe_text(f"Incident {number} is {owner}'s."))


@app.command()
def note(
    number: Number,
    text: Annotated[str, typer.Argument(help="What to remember about it.")],
    dataset: OfDataset = None,
    who: Who = None,
) -> None:
    """Leave a note on an incident."""
    from profiling_core.pipeline.incident_handling import note as leave

    leave(open_workspace(dataset), number, text, who=who or user())
    console().print(safe_text(f"Incident {number} has a note."))


@app.command()
def undo(number: Number, dataset: OfDataset = None, who: Who = None) -> None:
    """Take back what was decided last about an incident."""
    from profiling_core.pipeline.incident_handling import undo as take_back

    after = take_back(open_workspace(dataset), number, who=who or user())
    owner = f", and {after.owner}'s" if after.owner else ""
    console().print(safe_text(f"Incident {number} is {after.status.value} again{owner}."))
