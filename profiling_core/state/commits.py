"""The rules of a commit: one after the other, on the newest version, each delta once, each run once."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, func, select

from profiling_core.model.errors import StateError
from profiling_core.model.version import Version
from profiling_core.state import models, versions
from profiling_core.state.engine import insert_of
from profiling_core.state.row_checksums import proven, sealed


def now() -> str:
    """The time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def single(found: Sequence[Version]) -> Version | None:
    """The one version that was looked for; None where there is none."""
    return found[0] if found else None


def current_number(connection: Connection, dataset: str) -> int:
    """The newest version; 0 where there is none."""
    table = models.versions
    return connection.scalar(select(func.max(table.c.number)).where(table.c.dataset == dataset)) or 0


def lock(connection: Connection, dataset: str) -> None:
    """Makes commits to one dataset follow each other (SQLite has locked the whole database already)."""
    table = models.datasets
    row = sealed(table, {"name": dataset, "created_at": now(), "kept_from": 1})
    connection.execute(insert_of(connection, table).values(row).on_conflict_do_nothing())
    connection.execute(select(table.c.name).where(table.c.name == dataset).with_for_update())


def committed(connection: Connection, version: Version) -> Version | None:
    """The version that the same run has committed already; raises ``StateError`` if that has other contents."""
    table = models.versions
    query = select(table.c.number, table.c.content).where(
        table.c.dataset == version.dataset, table.c.run_id == version.run_id
    )
    known = connection.execute(query).first()
    if known is None:
        return None
    if known.content != versions.content_digest(version):
        raise StateError(
            f"run {version.run_id!r} has already committed version {known.number}, with other contents than now",
            where=f"dataset {version.dataset!r}",
            remedy="a run's deltas must not change under it: plan the run again from the current version",
        )
    return versions.read(connection, version.dataset, [known.number])[0]


def check_number(connection: Connection, version: Version) -> None:
    """Raises ``StateError`` where the version does not follow the newest one."""
    current = current_number(connection, version.dataset)
    if version.number != current + 1:
        raise StateError(
            f"version {version.number} cannot follow version {current}: another run has committed meanwhile",
            where=f"dataset {version.dataset!r}, run {version.run_id!r}",
            remedy="run it again: it will be planned on the current version",
        )


def check_deltas(connection: Connection, version: Version) -> None:
    """Raises ``StateError`` where the version brings a delta that is applied already, or one twice."""
    table = models.applied_deltas
    for name, arrival in version.arrivals.items():
        ids = table.c.delta_id.in_(arrival.delta_ids)
        same = (table.c.dataset == version.dataset, table.c.table_name == name, ids)
        rows = proven(table, connection.execute(select(table).where(*same)).mappings())
        known = {row["delta_id"]: row["number"] for row in rows}
        again = sorted(set(arrival.delta_ids) & set(known))
        if again or len(set(arrival.delta_ids)) < len(arrival.delta_ids):
            what = f"delta {again[0]!r} is part of version {known[again[0]]}" if again else "a delta is named twice"
            raise StateError(
                f"{what}; applying it again would count it twice",
                where=f"dataset {version.dataset!r}, table {name!r}, run {version.run_id!r}",
                remedy="run it again: it will be planned without the deltas that are applied already",
            )


def check_rebuild(connection: Connection, version: Version) -> None:
    """Raises ``StateError`` where a rebuild does not keep the rows of the version before it."""
    before = single(versions.read(connection, version.dataset, [version.number - 1]))
    rows = {name: table.rows for name, table in version.tables.items()}
    if before is None:
        problem = "there is no version to rebuild"
    elif any(arrival.delta_ids for arrival in version.arrivals.values()):
        problem = "a rebuild brings no deltas"
    elif rows != {name: table.rows for name, table in before.tables.items() if name in rows}:
        problem = f"a rebuild keeps the rows of version {before.number}"
    else:
        return
    raise StateError(
        f"this version is not a rebuild: {problem}",
        where=f"dataset {version.dataset!r}, run {version.run_id!r}",
        remedy="rebuild from the current version's snapshot, and apply new deltas in a run of their own",
    )
