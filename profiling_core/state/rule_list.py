"""Some of a dataset's tracked constraints: filtered, sorted and cut into pages by the database.

A dataset may follow 100,000 constraints; reading all of them for one page would take seconds.
"""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Text, and_, func, nulls_last, select, type_coerce

from profiling_core.model.change import LifecycleState
from profiling_core.model.lifecycle import Tracked
from profiling_core.state import models, outcomes

_SORTED_BY = {
    "": models.tracked.c.state != LifecycleState.VIOLATED.value,
    "rank": nulls_last(models.tracked.c.rank),
    "table": models.tracked.c.table_name,
    "state": models.tracked.c.state,
    "since": models.tracked.c.since.desc(),
    "violations": models.tracked.c.violations.desc(),
}
SORTS = tuple(_SORTED_BY)


@dataclass(frozen=True, slots=True)
class RuleQuery:
    """Which constraints are wanted: those whose definition has a ``text``, of a table, kind and state (empty: any).

    ``sort`` is one of :data:`SORTS`; empty: violated ones first. Those that it leaves equal come as they are presented.
    """

    text: str = ""
    table: str = ""
    kind: str = ""
    state: str = ""
    sort: str = ""


def read(
    connection: Connection, dataset: str, wanted: RuleQuery, *, first: int, count: int
) -> tuple[list[Tracked], int]:
    """The constraints of the newest version that was diffed, from the ``first`` (0) on, and how many are wanted."""
    tracked, number = models.tracked, outcomes.newest_diffed(connection, dataset)
    chosen = and_(tracked.c.dataset == dataset, tracked.c.number == number, *_conditions(wanted))
    # Positions first, counted in the same scan of an index: only the page's rows are fetched.
    places = select(tracked.c.position, func.count().over()).where(chosen)
    if said := _said(connection, wanted):
        known = models.constraints
        same = and_(known.c.dataset == tracked.c.dataset, known.c.fingerprint == tracked.c.fingerprint)
        places = places.join(known, same).where(*said)
    order = (_SORTED_BY[wanted.sort], tracked.c.position)
    page = connection.execute(places.order_by(*order).offset(first).limit(count)).all()
    found = outcomes.read_placed(connection, dataset, number, [position for position, _ in page])
    return [found[position] for position, _ in page if position in found], page[0][1] if page else 0


def _conditions(wanted: RuleQuery) -> list[Any]:
    table = models.tracked
    conditions = [table.c.state != LifecycleState.RETIRED.value]
    if wanted.table:
        conditions.append(table.c.table_name == wanted.table)
    if wanted.state:
        conditions.append(table.c.state == wanted.state)
    return conditions


def _said(connection: Connection, wanted: RuleQuery) -> list[Any]:
    """What the definition of a constraint must say."""
    definition, said = type_coerce(models.constraints.c.definition, Text), []
    if wanted.kind:
        said.append(definition.contains(f'"kind":{json.dumps(wanted.kind)}', autoescape=True))
    if wanted.text:
        # Documents are ASCII: what is looked for is written as it stands there. SQLite's LIKE ignores case by itself.
        text = json.dumps(wanted.text)[1:-1]
        ignoring = definition.contains if connection.dialect.name == "sqlite" else definition.icontains
        said.append(ignoring(text, autoescape=True))
    return said
