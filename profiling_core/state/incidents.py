"""Incidents in the catalog: where each stands, and all that has happened to it."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from profiling_core.model.errors import ChangedMeanwhileError
from profiling_core.model.incident import Incident
from profiling_core.state import models
from profiling_core.state.engine import insert_of
from profiling_core.state.row_checksums import proven, sealed


def write(
    connection: Connection, dataset: str, incidents: Iterable[Incident], known: Iterable[Incident] | None, now: str
) -> None:
    """Stores incidents, in place of what is stored of them.

    Args:
        connection: a transaction that writes.
        dataset: the dataset's name.
        incidents: as they are to be.
        known: those from which they were made; None: whatever is stored.
        now: the time.

    Raises:
        ChangedMeanwhileError: what is stored of one is not what it was made from.
    """
    changed = list(incidents)
    if known is not None and changed:
        _check(dataset, changed, {i.number: i for i in known}, {i.number: i for i in read(connection, dataset)})
    table = models.incidents
    for incident in changed:
        values = {"status": incident.status.value, "body": incident.to_json(), "updated_at": now}
        row = sealed(table, {"dataset": dataset, "number": incident.number} | values)
        stored = insert_of(connection, table).values(**row)
        connection.execute(stored.on_conflict_do_update(index_elements=["dataset", "number"], set_=row))


def _check(dataset: str, changed: Iterable[Incident], known: dict[int, Incident], stored: dict[int, Incident]) -> None:
    for number in (incident.number for incident in changed):
        there = stored.get(number)
        if there != known.get(number):
            last = there.events[-1] if there and there.events else None
            by = f": {last.what}{f' by {last.who}' if last.who else ''}" if last else ""
            raise ChangedMeanwhileError(
                f"incident {number} of dataset {dataset!r} has changed meanwhile{by}; your change was not saved",
                remedy="look at it (`holdfast incidents --all`), and repeat the command if it still makes sense",
            )


def read(connection: Connection, dataset: str) -> list[Incident]:
    """A dataset's incidents, by number."""
    table = models.incidents
    query = select(table).where(table.c.dataset == dataset).order_by(table.c.number)
    return [Incident.from_json(row["body"]) for row in proven(table, connection.execute(query).mappings())]
