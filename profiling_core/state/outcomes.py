"""Reading and writing the results after a commit: tracked constraints, changes, validations, alerts; and decisions.

Each write replaces what was there for the same version (and table), so that a step may be repeated; decisions, which
belong to no version, are only added.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, Text, and_, delete, func, select, type_coerce

from profiling_core.model.change import ChangeSet, LifecycleState
from profiling_core.model.constraint import Constraint, Measured
from profiling_core.model.decision import Decision
from profiling_core.model.errors import ChangedMeanwhileError
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.stored import readable
from profiling_core.state import models
from profiling_core.state.records import AlertRecord, ValidationRecord
from profiling_core.state.row_checksums import SEAL, add, change, damaged, proven, seal_of
from profiling_core.state.versions import GREATEST

_DEFINITION_SEAL = "definition_seal"


def write_tracked(connection: Connection, dataset: str, number: int, records: Sequence[Tracked], now: str) -> None:
    """Stores the tracked constraints of a version."""
    table = models.tracked
    _write_constraints(connection, dataset, records)
    rows = [_tracked_row(dataset, number, position, record) for position, record in enumerate(records)]
    add(connection, table, rows)
    versions = models.versions
    this = select(versions).where(versions.c.dataset == dataset, versions.c.number == number)
    change(connection, versions, connection.execute(this).mappings().one(), tracked_at=now)


def _write_constraints(connection: Connection, dataset: str, records: Sequence[Tracked]) -> None:
    table = models.constraints
    known = set(connection.scalars(select(table.c.fingerprint).where(table.c.dataset == dataset)))
    new = {r.fingerprint: r.measured.constraint.to_json() for r in records if r.fingerprint not in known}
    rows = [{"dataset": dataset, "fingerprint": name, "definition": body} for name, body in new.items()]
    add(connection, table, rows)


def _tracked_row(dataset: str, number: int, position: int, record: Tracked) -> dict[str, Any]:
    measured = record.measured
    return {
        "dataset": dataset,
        "number": number,
        "fingerprint": record.fingerprint,
        "position": position,
        "table_name": record.table,
        "state": record.state.value,
        "since": record.since,
        "held_deltas": record.held_deltas,
        "rank": record.rank,
        "score": record.score,
        "threshold": record.threshold,
        "violations": measured.violations,
        "population": measured.population,
        "support": measured.support,
        "row_coverage": measured.row_coverage,
        "ancestor": record.ancestor,
        "age": record.age,
        "breaks": record.breaks,
        "broken_rows": list(record.broken_rows) or None,
    }


def _tracked(row: RowMapping) -> Tracked:
    constraint = Constraint.from_json(row["definition"])
    figures = (row["violations"], row["population"], row["support"], row["row_coverage"])
    return Tracked(
        Measured(constraint, *figures),
        row["table_name"],
        LifecycleState(row["state"]),
        row["since"],
        row["held_deltas"],
        row["rank"],
        row["score"],
        row["number"],
        row["threshold"],
        row["ancestor"],
        row["held_deltas"] if row["age"] is None else row["age"],
        row["breaks"] or 0,
        tuple(row["broken_rows"] or ()),
    )


def _select_tracked(dataset: str) -> Select[Any]:
    left, right = models.tracked, models.constraints
    same = and_(left.c.dataset == right.c.dataset, left.c.fingerprint == right.c.fingerprint)
    definition = (right.c.definition, right.c[SEAL].label(_DEFINITION_SEAL))
    return select(left, *definition).join(right, same).where(left.c.dataset == dataset)


def _all_tracked(connection: Connection, query: Select[Any]) -> list[Tracked]:
    return list(readable(_tracked, _proven_rows(connection, query)))


def _proven_rows(connection: Connection, query: Select[Any]) -> Sequence[RowMapping]:
    rows = proven(models.tracked, connection.execute(query).mappings())
    for row in rows:
        if row[_DEFINITION_SEAL] != seal_of({n: row[n] for n in ("dataset", "fingerprint", "definition")}):
            raise damaged(f"the definition of constraint {row['fingerprint']} is not what was stored")
    return rows


def newest_diffed(connection: Connection, dataset: str) -> int | None:
    """The newest version that has been diffed; None where none has."""
    versions = models.versions
    diffed = and_(versions.c.dataset == dataset, versions.c.tracked_at.is_not(None))
    found: int | None = connection.scalar(select(func.max(versions.c.number)).where(diffed))
    return found


def read_tracked(connection: Connection, dataset: str, number: int | None) -> list[Tracked]:
    """The tracked constraints of a version, in the order given, without those that retired with it.

    None: of the newest version that has been diffed.
    """
    table = models.tracked
    present = and_(
        table.c.number == (newest_diffed(connection, dataset) if number is None else number),
        table.c.state != LifecycleState.RETIRED.value,
    )
    query = _select_tracked(dataset).where(present).order_by(table.c.position)
    return _all_tracked(connection, query)


def read_forgotten(connection: Connection, dataset: str, number: int) -> list[str]:
    """The constraints that a version tracks, and that only earlier releases had a form for, as text."""
    table = models.tracked
    present = and_(table.c.number == number, table.c.state != LifecycleState.RETIRED.value)
    has_form = type_coerce(models.constraints.c.definition, Text).contains('"form":', autoescape=True)
    query = _select_tracked(dataset).where(present, has_form).order_by(table.c.position)
    rows = _proven_rows(connection, query)
    read = set(readable(lambda row: Constraint.from_json(row["definition"]).fingerprint, rows))
    return [row["definition"]["text"] for row in rows if row["fingerprint"] not in read]


def read_beginnings(connection: Connection, dataset: str, number: int) -> list[Tracked]:
    """The constraints that are tracked in a version, as they stood in the first version with their present state."""
    now, past = models.tracked, models.tracked.alias("past")
    same = (past.c[name] == now.c[name] for name in ("dataset", "fingerprint", "state", "since", "threshold"))
    first = (
        select(past.c.fingerprint, func.min(past.c.number).label("number"))
        .join(now, and_(*same))
        .where(now.c.dataset == dataset, now.c.number == number, past.c.number <= number)
        .group_by(past.c.fingerprint)
        .subquery()
    )
    begun = and_(now.c.fingerprint == first.c.fingerprint, now.c.number == first.c.number)
    return _all_tracked(connection, _select_tracked(dataset).join(first, begun))


def read_chosen(connection: Connection, dataset: str, number: int | None, names: Sequence[str]) -> list[Tracked]:
    """The tracked constraints of a version (None: the newest that has been diffed) with these fingerprints."""
    table = models.tracked
    number = newest_diffed(connection, dataset) if number is None else number
    chosen = and_(table.c.number == number, table.c.fingerprint.in_(list(names)))
    return _all_tracked(connection, _select_tracked(dataset).where(chosen))


def read_placed(
    connection: Connection, dataset: str, number: int | None, positions: Sequence[int]
) -> dict[int, Tracked]:
    """By position, the tracked constraints of a version at these positions."""
    table = models.tracked
    chosen = and_(table.c.number == number, table.c.position.in_(list(positions)))
    query = _select_tracked(dataset).where(chosen).order_by(table.c.position)
    rows = _proven_rows(connection, query)
    return dict(readable(lambda row: (row["position"], _tracked(row)), rows))


def read_history(connection: Connection, dataset: str, fingerprint: str) -> list[Tracked]:
    """A constraint's standing in every version that tracks it, oldest first."""
    table = models.tracked
    query = _select_tracked(dataset).where(table.c.fingerprint == fingerprint).order_by(table.c.number)
    return _all_tracked(connection, query)


def write_changes(connection: Connection, changes: ChangeSet, now: str) -> None:
    """Stores the change set of a version."""
    row = {"dataset": changes.dataset, "number": changes.version, "body": changes.to_json(), "created_at": now}
    add(connection, models.change_sets, [row])


def read_changes(connection: Connection, dataset: str, number: int | None) -> list[ChangeSet]:
    """The dataset's change sets (of one version, or all), oldest first."""
    table = models.change_sets
    if number is not None and abs(number) > GREATEST:
        return []
    query = select(table).where(table.c.dataset == dataset).order_by(table.c.number)
    if number is not None:
        query = query.where(table.c.number == number)
    return [ChangeSet.from_json(row["body"]) for row in proven(table, connection.execute(query).mappings())]


def write_decision(connection: Connection, dataset: str, decision: Decision, now: str) -> None:
    """Adds a decision about one of the dataset's constraints."""
    table = models.decisions
    last = connection.scalar(select(func.max(table.c.number)).where(table.c.dataset == dataset)) or 0
    body = decision.to_json() | {"at": now}
    add(connection, table, [{"dataset": dataset, "number": last + 1, "body": body, "created_at": now}])


def check_decisions(connection: Connection, dataset: str, fingerprint: str, seen: int) -> None:
    """Raises ``ChangedMeanwhileError`` unless there are ``seen`` decisions about a constraint."""
    made = [d for d in read_decisions(connection, dataset) if d.constraint.fingerprint == fingerprint]
    if len(made) != seen:
        by = f": {made[-1].verdict.value} by {made[-1].who}" if made else ""
        raise ChangedMeanwhileError(
            f"somebody has decided about this rule since you looked at it{by}; your decision was not saved",
            remedy="look at it again, and repeat what you did if it still makes sense",
        )


def read_decisions(connection: Connection, dataset: str) -> list[Decision]:
    """All decisions about a dataset's constraints, oldest first."""
    table = models.decisions
    query = select(table).where(table.c.dataset == dataset).order_by(table.c.number)
    rows = proven(table, connection.execute(query).mappings())
    return list(readable(Decision.from_json, (row["body"] for row in rows)))


def write_validation(connection: Connection, record: ValidationRecord) -> None:
    """Replaces the validation of a version's table."""
    table = models.validations
    key = {"dataset": record.dataset, "number": record.version, "table_name": record.table}
    connection.execute(delete(table).where(*(table.c[name] == value for name, value in key.items())))
    add(connection, table, [key | {"body": dict(record.result), "created_at": record.created_at}])


def read_validations(connection: Connection, dataset: str, number: int | None) -> list[ValidationRecord]:
    """The dataset's validations (of one version, or all), oldest first."""
    table = models.validations
    query = select(table).where(table.c.dataset == dataset)
    if number is not None:
        query = query.where(table.c.number == number)
    rows = proven(table, connection.execute(query).mappings())
    names = ("dataset", "number", "table_name", "body", "created_at")
    return [ValidationRecord(*(row[name] for name in names)) for row in sorted(rows, key=_by_version)]


def read_alerts(connection: Connection, dataset: str, number: int | None) -> list[AlertRecord]:
    """The dataset's messages (of one version, or all), oldest first, with what became of them at each channel."""
    table, sent = models.messages, models.deliveries
    query = select(table).where(table.c.dataset == dataset)
    if number is not None:
        query = query.where(table.c.number == number)
    rows = proven(table, connection.execute(query).mappings())
    channels: dict[str, dict[str, str]] = {row["key"]: {} for row in rows}
    told = select(sent).where(sent.c.dataset == dataset).order_by(sent.c.channel)
    for row in proven(sent, connection.execute(told).mappings()):
        if row["key"] in channels:
            channels[row["key"]][row["channel"]] = row["said"] or row["status"]
    return [
        AlertRecord(
            dataset, row["number"], row["table_name"], row["key"], row["body"], row["created_at"], channels[row["key"]]
        )
        for row in sorted(rows, key=lambda row: (*_by_version(row), row["key"]))
    ]


def _by_version(row: RowMapping | Mapping[str, Any]) -> tuple[int, str]:
    return row["number"], row["table_name"]
