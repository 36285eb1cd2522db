"""Reading and writing what follows a commit: tracked constraints, changes, validations, alerts; and decisions.

Each write replaces what was there for the same version (and table), so that a step may be repeated; decisions, which
belong to no version, are only added.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, delete, func, insert, select, update

from profiling_core.model.change import ChangeSet, LifecycleState
from profiling_core.model.constraint import Measured, constraint_from_json
from profiling_core.model.decision import Decision
from profiling_core.model.lifecycle import Tracked
from profiling_core.state import models
from profiling_core.state.records import AlertRecord, ValidationRecord


def write_tracked(connection: Connection, dataset: str, number: int, records: Sequence[Tracked], now: str) -> None:
    """Replaces the tracked constraints of a version."""
    table = models.tracked
    connection.execute(delete(table).where(table.c.dataset == dataset, table.c.number == number))
    _write_constraints(connection, dataset, records)
    rows = [_tracked_row(dataset, number, position, record) for position, record in enumerate(records)]
    if rows:
        connection.execute(insert(table), rows)
    versions = models.versions
    this = and_(versions.c.dataset == dataset, versions.c.number == number)
    connection.execute(update(versions).where(this).values(tracked_at=now))


def _write_constraints(connection: Connection, dataset: str, records: Sequence[Tracked]) -> None:
    table = models.constraints
    known = set(connection.scalars(select(table.c.fingerprint).where(table.c.dataset == dataset)))
    new = {r.fingerprint: r.measured.constraint.to_json() for r in records if r.fingerprint not in known}
    rows = [{"dataset": dataset, "fingerprint": name, "definition": body} for name, body in new.items()]
    if rows:
        connection.execute(insert(table), rows)


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
    }


def _tracked(row: RowMapping) -> Tracked:
    constraint = constraint_from_json(row["definition"])
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
    )


def _select_tracked(dataset: str) -> Select[Any]:
    left, right = models.tracked, models.constraints
    same = and_(left.c.dataset == right.c.dataset, left.c.fingerprint == right.c.fingerprint)
    return select(left, right.c.definition).join(right, same).where(left.c.dataset == dataset)


def read_tracked(connection: Connection, dataset: str, number: int | None) -> list[Tracked]:
    """The tracked constraints of a version, in the order given, without those that retired with it.

    None: of the newest version that has been diffed.
    """
    if number is None:
        versions = models.versions
        diffed = and_(versions.c.dataset == dataset, versions.c.tracked_at.is_not(None))
        number = connection.scalar(select(func.max(versions.c.number)).where(diffed))
    table = models.tracked
    present = and_(table.c.number == number, table.c.state != LifecycleState.RETIRED.value)
    query = _select_tracked(dataset).where(present).order_by(table.c.position)
    return [_tracked(row) for row in connection.execute(query).mappings()]


def read_beginnings(connection: Connection, dataset: str, number: int) -> list[Tracked]:
    """What is tracked in a version, as it stood in the first version since when its state is the same."""
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
    return [_tracked(row) for row in connection.execute(_select_tracked(dataset).join(first, begun)).mappings()]


def read_history(connection: Connection, dataset: str, fingerprint: str) -> list[Tracked]:
    """A constraint's standing in every version that tracks it, oldest first."""
    table = models.tracked
    query = _select_tracked(dataset).where(table.c.fingerprint == fingerprint).order_by(table.c.number)
    return [_tracked(row) for row in connection.execute(query).mappings()]


def write_changes(connection: Connection, changes: ChangeSet, now: str) -> None:
    """Replaces the change set of a version."""
    table = models.change_sets
    key = {"dataset": changes.dataset, "number": changes.version}
    connection.execute(delete(table).where(table.c.dataset == changes.dataset, table.c.number == changes.version))
    connection.execute(insert(table), key | {"body": changes.to_json(), "created_at": now})


def read_changes(connection: Connection, dataset: str, number: int | None) -> list[ChangeSet]:
    """The dataset's change sets (of one version, or all), oldest first."""
    table = models.change_sets
    query = select(table.c.body).where(table.c.dataset == dataset).order_by(table.c.number)
    if number is not None:
        query = query.where(table.c.number == number)
    return [ChangeSet.from_json(body) for body in connection.scalars(query)]


def write_decision(connection: Connection, dataset: str, decision: Decision, now: str) -> None:
    """Adds a decision about one of the dataset's constraints."""
    table = models.decisions
    last = connection.scalar(select(func.max(table.c.number)).where(table.c.dataset == dataset)) or 0
    body = decision.to_json() | {"at": now}
    connection.execute(insert(table), {"dataset": dataset, "number": last + 1, "body": body, "created_at": now})


def read_decisions(connection: Connection, dataset: str) -> list[Decision]:
    """All decisions about a dataset's constraints, oldest first."""
    table = models.decisions
    query = select(table.c.body).where(table.c.dataset == dataset).order_by(table.c.number)
    return [Decision.from_json(body) for body in connection.scalars(query)]


def write_validation(connection: Connection, record: ValidationRecord) -> None:
    """Replaces the validation of a version's table."""
    table = models.validations
    key = {"dataset": record.dataset, "number": record.version, "table_name": record.table}
    connection.execute(delete(table).where(*(table.c[name] == value for name, value in key.items())))
    connection.execute(insert(table), key | {"body": dict(record.result), "created_at": record.created_at})


def read_validations(connection: Connection, dataset: str, number: int | None) -> list[ValidationRecord]:
    """The dataset's validations (of one version, or all), oldest first."""
    table = models.validations
    query = select(table).where(table.c.dataset == dataset)
    if number is not None:
        query = query.where(table.c.number == number)
    rows = connection.execute(query).mappings().all()
    names = ("dataset", "number", "table_name", "body", "created_at")
    return [ValidationRecord(*(row[name] for name in names)) for row in sorted(rows, key=_by_version)]


def write_alert(connection: Connection, record: AlertRecord) -> bool:
    """Records an alert, or further channels of the one that there is; says whether it is new."""
    table = models.alerts
    key = {"dataset": record.dataset, "number": record.version, "table_name": record.table}
    same = [table.c[name] == value for name, value in key.items()]
    known = connection.execute(select(table.c.message, table.c.channels).where(*same)).first()
    if known is None:
        body = {"message": record.message, "channels": dict(record.channels), "created_at": record.created_at}
        connection.execute(insert(table), key | body)
        return True
    # What a channel has been sent is what stays on record, even where a repetition words it otherwise.
    message = known.message if known.channels else record.message
    values = {"message": message, "channels": {**known.channels, **record.channels}}
    connection.execute(update(table).where(*same).values(values))
    return False


def read_alerts(connection: Connection, dataset: str, number: int | None) -> list[AlertRecord]:
    """The dataset's alerts (of one version, or all), oldest first."""
    table = models.alerts
    query = select(table).where(table.c.dataset == dataset)
    if number is not None:
        query = query.where(table.c.number == number)
    rows = connection.execute(query).mappings().all()
    names = ("dataset", "number", "table_name", "message", "channels", "created_at")
    return [AlertRecord(*(row[name] for name in names)) for row in sorted(rows, key=_by_version)]


def _by_version(row: RowMapping | Mapping[str, Any]) -> tuple[int, str]:
    return row["number"], row["table_name"]
