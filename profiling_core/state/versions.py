"""Reading and writing versions: the rows that a ``Version`` becomes, and the version that they are again.

Files of a version come back grouped by table and role, and within each group in the order in which they were
committed; a file is stored once, with the versions from which and until which it is part.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, delete, func, or_, select

from profiling_core.model.errors import StateError
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import Arrival, FileRef, TableState, Version
from profiling_core.state import models
from profiling_core.state.row_checksums import add, change, damaged, proven

GREATEST = 2**31 - 1  # what the databases' integers hold


def content_digest(version: Version) -> str:
    """The identity of a run's work: everything but the files, which a rerun writes anew under other names."""
    content = {
        "number": version.number,
        "label": version.label,
        "tables": {name: table.to_json() for name, table in version.tables.items()},
        "arrivals": _arrivals(version),
    }
    return _digest(content)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()


def _arrivals(version: Version) -> dict[str, Any]:
    return {table: arrival.to_json() for table, arrival in version.arrivals.items()}


def read(connection: Connection, dataset: str, numbers: Sequence[int] | None = None) -> list[Version]:
    """The dataset's versions of these numbers (None: all), oldest first."""
    table = models.versions
    query = select(table).where(table.c.dataset == dataset).order_by(table.c.number)
    if numbers is not None:
        numbers = [number for number in numbers if isinstance(number, int) and abs(number) <= GREATEST]
        query = query.where(table.c.number.in_(numbers))
    rows = proven(table, connection.execute(query).mappings())
    states = _read_tables(connection, dataset, numbers)
    files = _read_files(connection, dataset, numbers)
    oldest = kept_from(connection, dataset)
    return [_version(row, states[row["number"]], _files_of(files, row["number"]), oldest) for row in rows]


def kept_from(connection: Connection, dataset: str) -> int:
    """The oldest version whose files are kept."""
    table = models.datasets
    rows = proven(table, connection.execute(select(table).where(table.c.name == dataset)).mappings())
    return int(rows[0]["kept_from"]) if rows else 1


def manifest_of(connection: Connection, dataset: str, number: int) -> str | None:
    """The digest of a version's manifest; None where it has none, or there is no such version."""
    table = models.versions
    return connection.scalar(select(table.c.manifest).where(table.c.dataset == dataset, table.c.number == number))


def _version(
    row: RowMapping, tables: Mapping[str, TableState], files: tuple[FileRef, ...], oldest_kept: int
) -> Version:
    arrivals = {table: Arrival.from_json(data) for table, data in row["arrivals"].items()}
    kept = row["number"] >= oldest_kept
    made = (row["dataset"], row["number"], row["run_id"], row["label"], tables, arrivals)
    return Version(*made, files if kept else (), row["created_at"], kept)


def read_arrivals(connection: Connection, dataset: str) -> list[dict[str, Arrival]]:
    """The arrivals of each of the dataset's versions, oldest first."""
    table = models.versions
    query = select(table).where(table.c.dataset == dataset).order_by(table.c.number)
    rows = proven(table, connection.execute(query).mappings())
    return [{name: Arrival.from_json(data) for name, data in row["arrivals"].items()} for row in rows]


def applied_lacking(connection: Connection, current: Version) -> list[str]:
    """Versions and applied deltas up to this version that the catalog lacks, in words.

    Of a table that was dropped and came back, the deltas from then on count.
    """
    dataset, applied, places = current.dataset, models.applied_deltas, models.version_tables
    arrivals = dict(zip(_numbers(connection, dataset), read_arrivals(connection, dataset), strict=True))
    gone = [f"version {number}" for number in range(1, current.number + 1) if number not in arrivals]
    rows = proven(applied, connection.execute(select(applied).where(applied.c.dataset == dataset)).mappings())
    noted = {(row["table_name"], row["delta_id"]) for row in rows}
    there: defaultdict[str, set[int]] = defaultdict(set)
    query = select(places.c.table_name, places.c.number).where(places.c.dataset == dataset)
    for name, number in connection.execute(query):
        there[name].add(number)
    begun = {name: _since(there[name], current.number) for name in current.tables}
    arrived = [(name, number, i) for number, of in arrivals.items() for name, a in of.items() for i in a.delta_ids]
    known = (found for found in arrived if begun.get(found[0], current.number + 1) <= found[1] <= current.number)
    return gone + [f"delta {i!r} of table {name!r}" for name, _, i in known if (name, i) not in noted]


def _numbers(connection: Connection, dataset: str) -> Sequence[int]:
    table = models.versions
    return connection.scalars(select(table.c.number).where(table.c.dataset == dataset).order_by(table.c.number)).all()


def _since(numbers: set[int], number: int) -> int:
    """The first of the numbers that go down from this one without a gap."""
    while number - 1 in numbers:
        number -= 1
    return number


def _read_tables(
    connection: Connection, dataset: str, numbers: Sequence[int] | None
) -> Mapping[int, dict[str, TableState]]:
    table = models.version_tables
    query = select(table).where(table.c.dataset == dataset).order_by(table.c.number, table.c.position)
    if numbers is not None:
        query = query.where(table.c.number.in_(numbers))
    rows = proven(table, connection.execute(query).mappings())
    definitions = _read_definitions(connection, dataset, {row["definition"] for row in rows})
    states: defaultdict[int, dict[str, TableState]] = defaultdict(dict)
    for row in rows:
        if row["definition"] not in definitions:
            raise damaged(f"the definition of table {row['table_name']!r} is not in it")
        schema, space = definitions[row["definition"]]
        states[row["number"]][row["table_name"]] = TableState(schema, space, row["rows"], row["next_row_id"])
    return states


def _read_definitions(
    connection: Connection, dataset: str, digests: Iterable[str]
) -> dict[str, tuple[TableSchema, PredicateSpace]]:
    table = models.definitions
    query = select(table).where(table.c.dataset == dataset, table.c.digest.in_(sorted(digests)))
    return {
        row["digest"]: (TableSchema.from_json(row["schema"]), PredicateSpace.from_json(row["space"]))
        for row in proven(table, connection.execute(query).mappings())
    }


def _read_files(connection: Connection, dataset: str, numbers: Sequence[int] | None) -> Sequence[RowMapping]:
    table = models.files
    query = select(table).where(table.c.dataset == dataset)
    if numbers is not None:
        newest = max(numbers, default=0)
        oldest = min(numbers, default=0)
        alive = or_(table.c.removed_in.is_(None), table.c.removed_in > oldest)
        query = query.where(and_(table.c.added_in <= newest, alive))
    rows = proven(table, connection.execute(query).mappings())
    # Sorted here, because the order of text in a database depends on its collation.
    return sorted(rows, key=lambda r: (r["table_name"], r["role"], r["added_in"], r["position"]))


def _files_of(rows: Sequence[RowMapping], number: int) -> tuple[FileRef, ...]:
    return tuple(_file(row) for row in rows if _is_part(row, number))


def _is_part(row: RowMapping, number: int) -> bool:
    return row["added_in"] <= number and (row["removed_in"] is None or row["removed_in"] > number)


def _file(row: RowMapping) -> FileRef:
    return FileRef(row["table_name"], row["role"], row["path"], row["sha256"], row["size"])


def write(connection: Connection, version: Version, *, rebuild: bool, manifest: str | None) -> None:
    """Inserts a version; the caller has checked that it may follow the one before it."""
    key = {"dataset": version.dataset, "number": version.number}
    row = {
        "run_id": version.run_id,
        "label": version.label,
        "content": content_digest(version),
        "rebuild": rebuild,
        "arrivals": _arrivals(version),
        "created_at": version.created_at,
        "manifest": manifest,
    }
    add(connection, models.versions, [key | row])
    _write_tables(connection, version)
    _write_files(connection, version)
    _forget_dropped(connection, version)
    deltas = [
        key | {"table_name": table, "delta_id": delta_id}
        for table, arrival in version.arrivals.items()
        for delta_id in arrival.delta_ids
    ]
    add(connection, models.applied_deltas, deltas)


def _forget_dropped(connection: Connection, version: Version) -> None:
    """Forgets the deltas of tables that the version does not have: should they come back, they begin anew."""
    table = models.applied_deltas
    gone = table.c.table_name.not_in(list(version.tables))
    connection.execute(delete(table).where(table.c.dataset == version.dataset, gone))


def _write_tables(connection: Connection, version: Version) -> None:
    table = models.definitions
    known = set(connection.scalars(select(table.c.digest).where(table.c.dataset == version.dataset)))
    for position, (name, state) in enumerate(version.tables.items()):
        definition = {"schema": state.schema.to_json(), "space": state.space.to_json()}
        digest = _digest(definition)
        if digest not in known:
            add(connection, table, [{"dataset": version.dataset, "digest": digest} | definition])
            known.add(digest)
        row = {
            "dataset": version.dataset,
            "number": version.number,
            "position": position,
            "table_name": name,
            "definition": digest,
            "rows": state.rows,
            "next_row_id": state.next_row_id,
        }
        add(connection, models.version_tables, [row])


def _write_files(connection: Connection, version: Version) -> None:
    table = models.files
    # Those of the version before: whatever was not removed yet.
    query = select(table).where(table.c.dataset == version.dataset, table.c.removed_in.is_(None))
    before = proven(table, connection.execute(query.order_by(table.c.added_in, table.c.position)).mappings())
    kept, added = split_files({_file(row): i for i, row in enumerate(before)}, version.files)
    for i, row in enumerate(before):
        if i not in kept:
            change(connection, table, row, removed_in=version.number)
    rows = [
        {
            "dataset": version.dataset,
            "added_in": version.number,
            "position": position,
            "table_name": file.table,
            "role": file.role,
            "path": file.path,
            "sha256": file.sha256,
            "size": file.size,
        }
        for position, file in enumerate(added)
    ]
    add(connection, table, rows)


def split_files(before: Mapping[FileRef, int], files: Sequence[FileRef]) -> tuple[set[int], list[FileRef]]:
    """Which of the files so far (with their places) live on, and which files are to be written as new.

    A file lives on while the order within its table and role stays as it was; from the first new or moved file of
    such a group on, the group's files are written anew, so that reading them in (added_in, position) order gives the
    committed order.

    Raises:
        StateError: a path that the last version holds comes with other contents, or a path occurs twice.
    """
    held = {file.path: file for file in before}
    last: dict[tuple[str, str], float] = {}
    kept: set[int] = set()
    added: list[FileRef] = []
    seen: set[str] = set()
    for file in files:
        if file.path in seen or held.get(file.path, file) != file:
            raise StateError(
                "a version names one file twice, or with other contents than the version before it",
                where=file.path,
                remedy="files are immutable: write new contents to a new path (Store.new_dir)",
            )
        seen.add(file.path)
        group = (file.table, file.role)
        place = before.get(file, float("inf"))
        if place > last.get(group, -1) and file in before:
            kept.add(before[file])
        else:
            added.append(file)
            place = float("inf")
        last[group] = place
    return kept, added


def not_kept(connection: Connection, dataset: str) -> list[FileRef]:
    """The files that no version has whose files are kept."""
    table = models.files
    query = select(table).where(table.c.dataset == dataset, table.c.removed_in <= kept_from(connection, dataset))
    return [_file(row) for row in proven(table, connection.execute(query).mappings())]


def forget_files(connection: Connection, dataset: str) -> None:
    """Forgets the files that no version has whose files are kept."""
    table = models.files
    oldest = kept_from(connection, dataset)
    connection.execute(delete(table).where(table.c.dataset == dataset, table.c.removed_in <= oldest))


def keep_from(connection: Connection, dataset: str, created_at: str) -> None:
    """Says that files are kept from the first version on that was made at this time or later, or is the newest."""
    table, owner = models.versions, models.datasets
    same = table.c.dataset == dataset
    newest = connection.scalar(select(func.max(table.c.number)).where(same)) or 1
    young = connection.scalar(select(func.min(table.c.number)).where(same, table.c.created_at >= created_at))
    row = proven(owner, connection.execute(select(owner).where(owner.c.name == dataset)).mappings())[0]
    oldest = max(row["kept_from"], min(young or newest, newest))
    if oldest != row["kept_from"]:
        change(connection, owner, row, kept_from=oldest)


def named(connection: Connection, dataset: str) -> set[str]:
    """The paths of all files that the catalog knows."""
    table = models.files
    return set(connection.scalars(select(table.c.path).where(table.c.dataset == dataset)))


def remove(connection: Connection, dataset: str) -> bool:
    """Forgets a dataset with everything that refers to it; says whether it was there."""
    table = models.datasets
    for told in (models.messages, models.incidents):
        connection.execute(delete(told).where(told.c.dataset == dataset))
    return connection.execute(delete(table).where(table.c.name == dataset)).rowcount > 0
