"""Incidents in the catalog: where each stands, and all that has happened to it."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from profiling_core.model.incident import Incident
from profiling_core.state import models
from profiling_core.state.engine import insert_of
from profiling_core.state.sealing import proven, sealed


def write(connection: Connection, dataset: str, incidents: Iterable[Incident], now: str) -> None:
    """Stores incidents, in place of what is stored of them."""
    table = models.incidents
    for incident in incidents:
        values = {"status": incident.status.value, "body": incident.to_json(), "updated_at": now}
        row = sealed(table, {"dataset": dataset, "number": incident.number} | values)
        stored = insert_of(connection, table).values(**row)
        connection.execute(stored.on_conflict_do_update(index_elements=["dataset", "number"], set_=row))


def read(connection: Connection, dataset: str) -> list[Incident]:
    """A dataset's incidents, by number."""
    table = models.incidents
    query = select(table).where(table.c.dataset == dataset).order_by(table.c.number)
    return [Incident.from_json(row["body"]) for row in proven(table, connection.execute(query).mappings())]
