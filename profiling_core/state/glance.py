"""All datasets at a glance: a few queries for the whole catalog, however many datasets it has.

It reads what the catalog says and compares nothing with the files beside it, which reading a single dataset does.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Select, Subquery, and_, func, select, true

from profiling_core.model.change import LifecycleState
from profiling_core.model.incident import Incident, IncidentStatus, Numbers
from profiling_core.model.message import DeliveryStatus
from profiling_core.model.stored import Stored
from profiling_core.model.version import ASIDE, Arrival
from profiling_core.state import models
from profiling_core.state.row_checksums import proven

_GOING_ON = [status.value for status in IncidentStatus if status.goes_on]


@dataclass(frozen=True, slots=True)
class DatasetGlance(Stored):
    """A dataset in short. ``version`` is 0 where nothing was committed; incidents may be there all the same.

    ``rows`` counts the rows of each table, ``states`` the constraints in each state, ``rejects`` the rows that the
    newest version rejected. ``set_aside`` are the tables some of whose rows are set aside, ``incidents`` those that go
    on, and ``undelivered`` says how many messages have not reached a channel.
    """

    name: str
    version: int = 0
    label: str = ""
    created_at: str = ""
    rows: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    rejects: int = 0
    set_aside: tuple[str, ...] = ()
    incidents: Numbers = ()
    undelivered: int = 0


States = dict[str, tuple[tuple[int, str], dict[str, int]]]
"""By dataset its newest settled version, the moment it was settled, and how many of its constraints are in each state.

A version's never change.
"""


def read(connection: Connection, names: Collection[str] | None, known: States) -> list[DatasetGlance]:
    """The datasets that the catalog knows (None: all), by name; ``known`` keeps what need not be counted again."""
    newest = _newest(names)
    made = {row["dataset"]: row for row in proven(models.versions, _rows(connection, _of_newest(newest)))}
    rows = _nested(connection, _table_rows(newest))
    states = _states(connection, names, known)
    aside = _nested(connection, _aside().where(_are(models.files, names)))
    undelivered = {
        row["dataset"]: row["count"] for row in _rows(connection, _undelivered().where(_are(models.deliveries, names)))
    }
    incidents: dict[str, list[Incident]] = {}
    for row in proven(models.incidents, _rows(connection, _incidents().where(_are(models.incidents, names)))):
        incidents.setdefault(row["dataset"], []).append(Incident.from_json(row["body"]))
    return [
        DatasetGlance(
            name,
            **_version(made.get(name)),
            rows=rows.get(name, {}),
            states=states.get(name, {}),
            set_aside=tuple(sorted(aside.get(name, ()))),
            incidents=tuple(incidents.get(name, ())),
            undelivered=undelivered.get(name, 0),
        )
        for name in sorted({*made, *incidents, *undelivered})
    ]


@dataclass(frozen=True, slots=True)
class Stamp:
    """A version's label and the moment it was made; together with its number they identify it."""

    label: str
    created_at: str


def stamps(connection: Connection, dataset: str, since: int) -> dict[int, Stamp]:
    """By number, the versions of a dataset from one on, in order."""
    table = models.versions
    query = select(table.c.number, table.c.label, table.c.created_at).where(
        table.c.dataset == dataset, table.c.number >= since
    )
    return {number: Stamp(label, made) for number, label, made in connection.execute(query.order_by(table.c.number))}


def _version(row: Any) -> dict[str, Any]:
    if row is None:
        return {}
    arrivals = [Arrival.from_json(arrival) for arrival in row["arrivals"].values()]
    made = {"version": row["number"], "label": row["label"], "created_at": row["created_at"]}
    return made | {"rejects": sum(arrival.rejects for arrival in arrivals)}


def _rows(connection: Connection, query: Select[Any]) -> Any:
    return connection.execute(query).mappings()


def _nested(connection: Connection, query: Select[Any]) -> dict[str, dict[str, int]]:
    """By dataset, what a query counts under each name."""
    found: dict[str, dict[str, int]] = {}
    for dataset, name, count in connection.execute(query):
        found.setdefault(dataset, {})[name] = count
    return found


def _are(table: Any, names: Collection[str] | None) -> Any:
    """The condition that a row is of one of these datasets (None: of any)."""
    return true() if names is None else table.c.dataset.in_(list(names))


def _newest(names: Collection[str] | None, condition: Any = None) -> Subquery:
    table = models.versions
    query = select(table.c.dataset, func.max(table.c.number).label("number")).where(_are(table, names))
    return (query if condition is None else query.where(condition)).group_by(table.c.dataset).subquery()


def _is_of(table: Any, newest: Subquery) -> Any:
    return and_(table.c.dataset == newest.c.dataset, table.c.number == newest.c.number)


def _of_newest(newest: Subquery) -> Select[Any]:
    return select(models.versions).join(newest, _is_of(models.versions, newest))


def _table_rows(newest: Subquery) -> Select[Any]:
    table = models.version_tables
    columns = (table.c.dataset, table.c.table_name, table.c.rows)
    return select(*columns).join(newest, _is_of(table, newest)).order_by(table.c.position)


def _states(connection: Connection, names: Collection[str] | None, known: States) -> dict[str, dict[str, int]]:
    """By dataset how many constraints its newest settled version has in each state."""
    table, versions = models.tracked, models.versions
    diffed = _newest(names, versions.c.tracked_at.is_not(None))
    settled = select(versions.c.dataset, versions.c.number, versions.c.tracked_at).join(
        diffed, _is_of(versions, diffed)
    )
    newest = {dataset: (number, at) for dataset, number, at in connection.execute(settled)}
    missing = [name for name, settled_at in newest.items() if known.get(name, (None,))[0] != settled_at]
    if missing:
        query = select(table.c.dataset, table.c.state, func.count()).join(diffed, _is_of(table, diffed))
        there = table.c.state != LifecycleState.RETIRED.value
        counted = query.where(_are(table, missing), there).group_by(table.c.dataset, table.c.state)
        found = _nested(connection, counted)
        known |= {name: (newest[name], found.get(name, {})) for name in missing}
    return {name: known[name][1] for name in newest}


def _aside() -> Select[Any]:
    table = models.files
    there = and_(table.c.role == ASIDE, table.c.removed_in.is_(None))
    return (
        select(table.c.dataset, table.c.table_name, func.count())
        .where(there)
        .group_by(*table.c["dataset", "table_name"])
    )


def _undelivered() -> Select[Any]:
    table = models.deliveries
    waits = table.c.status != DeliveryStatus.SENT.value
    messages = func.count(table.c.key.distinct()).label("count")
    return select(table.c.dataset, messages).where(waits).group_by(table.c.dataset)


def _incidents() -> Select[Any]:
    table = models.incidents
    return select(table).where(table.c.status.in_(_GOING_ON)).order_by(table.c.dataset, table.c.number)
