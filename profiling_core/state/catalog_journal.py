"""The catalog and the documents beside the files: written together, compared, and made from each other.

Each function works within the caller's transaction. A document is written before the transaction commits; what a crash
in between leaves is what the next attempt writes again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, RowMapping, Table, and_, select

from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef, Version
from profiling_core.state import models, versions
from profiling_core.state.engine import WRITES
from profiling_core.state.journal import Journal, digest_of
from profiling_core.state.manifests import Manifest
from profiling_core.state.objects import Place
from profiling_core.state.row_checksums import REMEDY, SEAL, add, change, damaged, proven

_ANOTHER = (
    "put the right catalog back (HOLDFAST_CATALOG), or make it again from the state: holdfast fsck --rebuild-catalog"
)
_MOMENTS = ("tracked_at", "published_at")


def prepare(connection: Connection, journal: Journal, manifest: Manifest) -> str:
    """Writes the manifest of a version that is about to be committed; returns its digest.

    Where the version before has none, an earlier release made it: all versions so far get theirs first.
    """
    dataset, number = manifest.version.dataset, manifest.version.number
    previous = version_row(connection, dataset, number - 1) if number > 1 else None
    if previous is not None and previous["manifest"] is None:
        adopt(connection, journal, dataset)
        previous = version_row(connection, dataset, number - 1)
    if previous is not None:
        journal.confirm(number - 1, previous["manifest"])
    chained = replace(manifest, previous=previous["manifest"] if previous is not None else "")
    return journal.prepare(number, chained.to_json())


def adopt(connection: Connection, journal: Journal, dataset: str) -> None:
    """Writes the documents of all versions of a dataset that an earlier release made."""
    previous = ""
    for version in versions.read(connection, dataset):
        row = version_row(connection, dataset, version.number)
        made = Manifest(version, row["rebuild"], {"program": "earlier than manifests"}, previous)
        previous = journal.prepare(version.number, made.to_json())
        change(connection, models.versions, row, manifest=previous)
        journal.confirm(version.number, previous)
        keep_outcomes(connection, journal, dataset, version.number)
    keep_outcomes(connection, journal, dataset, None)


def keep_outcomes(connection: Connection, journal: Journal, dataset: str, number: int | None) -> None:
    """Writes the rows that follow a version (None: that belong to the dataset as a whole) beside the files.

    The catalog keeps the document's checksum: whether what lies there was committed is known by it.
    """
    checksum = journal.write_outcomes(number, outcomes_of(connection, dataset, number))
    if number is None:
        change(connection, models.datasets, _dataset(connection, dataset), outcomes=checksum)
    else:
        change(connection, models.versions, version_row(connection, dataset, number), outcomes=checksum)


def check_rows(connection: Connection, journal: Journal, dataset: str, number: int) -> None:
    """Raises ``StateError`` where the catalog lacks rows that it had: of what followed a version, or of the dataset."""
    for which in (number, None):
        owner = _dataset(connection, dataset) if which is None else version_row(connection, dataset, number)
        kept = journal.outcomes_of_checksum(which, owner["outcomes"] or "")
        if kept is None:
            continue  # what a run wrote that ended before it committed, or an earlier release
        known = outcomes_of(connection, dataset, which)
        of_version = (*models.JOURNAL_OF_VERSIONS, models.deliveries, models.constraints)
        for table in models.JOURNAL_OF_DATASETS if which is None else of_version:
            if not _keys(table, kept.get(table.name, ())) <= _keys(table, known[table.name]):
                raise damaged(f"its table {table.name} lacks rows that it had of dataset {dataset!r}")


def missing(connection: Connection, journal: Journal, dataset: str, number: int) -> list[Place]:
    """The documents of a version, and of the dataset as a whole, that the catalog knows of and that are not there."""
    owner = version_row(connection, dataset, number)
    known = (
        (journal.manifest(number), owner["manifest"]),
        (journal.outcomes_path(number), owner["outcomes"]),
        (journal.outcomes_path(None), _dataset(connection, dataset)["outcomes"]),
    )
    return [path for path, was_written in known if was_written and not path.is_file()]


def _keys(table: Table, rows: Iterable[Mapping[str, Any]]) -> set[tuple[Any, ...]]:
    names = [column.name for column in table.primary_key.columns]
    return {tuple(row[name] for name in names) for row in rows}


def outcomes_of(connection: Connection, dataset: str, number: int | None) -> dict[str, Any]:
    """The rows that follow a version (None: that belong to the dataset as a whole), as the documents hold them."""
    if number is None:
        of_dataset = {table.name: _rows(connection, table, dataset) for table in models.JOURNAL_OF_DATASETS}
        return of_dataset | {"kept_from": _dataset(connection, dataset)["kept_from"]}
    rows = {table.name: _rows(connection, table, dataset, number) for table in models.JOURNAL_OF_VERSIONS}
    names = [row["fingerprint"] for row in rows[models.tracked.name]]
    table = models.constraints
    known = select(table).where(table.c.dataset == dataset, table.c.fingerprint.in_(names))
    definitions = [_plain(row) for row in proven(table, connection.execute(known).mappings())]
    row = version_row(connection, dataset, number)
    sent = _deliveries(connection, dataset, [row["key"] for row in rows[models.messages.name]])
    moments = {name: row[name] for name in _MOMENTS}
    return rows | sent | {table.name: definitions, "moments": moments}


def lost(connection: Connection, journal: Journal, dataset: str, numbers: Sequence[int]) -> list[str]:
    """The documents that lack rows which the catalog has: they are missing, or of an earlier time.

    Rows that the catalog lacks may be what a run wrote that ended before it committed.
    """
    found = []
    for number in (*numbers, None):
        known, kept = outcomes_of(connection, dataset, number), journal.outcomes(number)
        for table in models.JOURNAL_OF_DATASETS if number is None else models.JOURNAL_OF_VERSIONS:
            if not _keys(table, known[table.name]) <= _keys(table, kept.get(table.name, ())):
                found.append(str(journal.outcomes_path(number)))
                break
    return found


def edition(connection: Connection, dataset: str) -> int:
    """How many changes the catalog has had of a dataset; in a transaction that writes, other writers of it wait."""
    table = models.datasets
    query = select(table).where(table.c.name == dataset)
    writes = connection.get_execution_options().get(WRITES)
    rows = proven(table, connection.execute(query.with_for_update() if writes else query).mappings())
    return (rows[0]["edition"] or 0) if rows else 0


def check_edition(dataset: str, has: int, noted: int, where: str) -> None:
    """Raises ``StateError`` where the catalog lacks changes that were noted before it was read: it is an older one."""
    if has < noted:
        raise StateError(
            f"the catalog ends with change {has} of dataset {dataset!r}, but change {noted} is noted beside the state: "
            "the catalog is older than the state, and nothing was read or changed",
            where=where,
            remedy=_ANOTHER,
        )


def advance(connection: Connection, dataset: str, by: int = 1) -> int:
    """Counts a change of the dataset; returns its number (0: there is no version to count changes of)."""
    table = models.datasets
    rows = proven(table, connection.execute(select(table).where(table.c.name == dataset)).mappings())
    if not rows:
        return 0
    number = (rows[0]["edition"] or 0) + by
    change(connection, table, rows[0], edition=number)
    return int(number)


def _deliveries(connection: Connection, dataset: str, keys: Sequence[str]) -> dict[str, Any]:
    table = models.deliveries
    query = (
        select(table).where(table.c.dataset == dataset, table.c.key.in_(keys)).order_by(table.c.key, table.c.channel)
    )
    return {table.name: [_plain(row) for row in proven(table, connection.execute(query).mappings())]}


def check(journal: Journal, dataset: str, newest: int, version: Version | None, manifest: str | None) -> None:
    """Whether the catalog's newest version is the newest one that lies beside it.

    Args:
        journal: the dataset's documents.
        dataset: its name.
        newest: the newest version that was committed according to the documents, before the catalog was read.
        version: the catalog's newest version.
        manifest: the digest of its manifest.

    Raises:
        StateError: the catalog is another one, or older than the files; or the newest manifest is damaged.
    """
    number = version.number if version else 0
    path = journal.manifest(number)
    if newest > number:
        what = f"the catalog has version {number or 'none'} of dataset {dataset!r}, but version {newest} lies beside it"
    elif manifest is not None and path.is_file() and digest_of(path) != manifest:
        journal.read(number)  # where it is damaged, it says so itself
        what = f"version {number} of dataset {dataset!r} in the catalog is not the one that lies beside it"
    elif version and manifest is not None and path.is_file() and not same(Manifest.read(journal.read(number)), version):
        raise damaged(f"version {number} of dataset {dataset!r} in it is not what the manifest says")
    else:
        return
    raise StateError(
        f"{what}: the catalog is another one, or older than the state, and nothing was read or changed",
        where=str(path.parent),
        remedy=_ANOTHER,
    )


def same(manifest: Manifest, version: Version) -> bool:
    """Whether a version in the catalog is what its manifest says; the catalog gives files by table and role."""
    made, found = (replace(v, files=tuple(sorted(v.files, key=_path))) for v in (manifest.version, version))
    return made == found


def _path(file: FileRef) -> str:
    return file.path


def rebuild(connection: Connection, journal: Journal, dataset: str) -> int:
    """Writes a dataset into a catalog that does not have it, from its documents; returns its newest version.

    Raises:
        StateError: a document is damaged, or a manifest does not follow from the one before.
    """
    numbers = journal.numbers()
    whole = journal.whole()
    row = {
        "name": dataset,
        "created_at": "",
        "kept_from": whole.get("kept_from", 1),
        "outcomes": journal.checksum(None),
    }
    add(connection, models.datasets, [row])
    previous = ""
    for number in numbers:
        made = Manifest.read(journal.read(number))
        if made.previous != previous:
            raise StateError(
                f"the manifest of version {number} does not follow from the one before",
                where=str(journal.manifest(number)),
                remedy=REMEDY,
            )
        previous = digest_of(journal.manifest(number))
        versions.write(connection, made.version, rebuild=made.rebuild, manifest=previous)
        kept = journal.outcomes(number)
        if not kept and number < numbers[-1]:  # what follows a version is written before the next one is begun
            raise StateError(
                f"what followed version {number} is missing in the state's journal",
                where=str(journal.outcomes_path(number)),
                remedy=REMEDY,
            )
        _restore_outcomes(connection, dataset, number, kept, journal.checksum(number))
    for table in models.JOURNAL_OF_DATASETS:
        add(connection, table, whole.get(table.name, ()))
    versions.forget_files(connection, dataset)
    return numbers[-1] if numbers else 0


def _restore_outcomes(
    connection: Connection, dataset: str, number: int, kept: Mapping[str, Any], checksum: str | None
) -> None:
    table = models.constraints
    known = set(connection.scalars(select(table.c.fingerprint).where(table.c.dataset == dataset)))
    add(connection, table, [row for row in kept.get(table.name, ()) if row["fingerprint"] not in known])
    for table in (*models.JOURNAL_OF_VERSIONS, models.deliveries):
        add(connection, table, kept.get(table.name, ()))
    if kept:
        row = version_row(connection, dataset, number)
        change(connection, models.versions, row, outcomes=checksum, **kept["moments"])


def _dataset(connection: Connection, dataset: str) -> RowMapping:
    table = models.datasets
    return proven(table, connection.execute(select(table).where(table.c.name == dataset)).mappings())[0]


def version_row(connection: Connection, dataset: str, number: int) -> RowMapping:
    """The row of a version that there is."""
    table = models.versions
    this = and_(table.c.dataset == dataset, table.c.number == number)
    found = proven(table, connection.execute(select(table).where(this)).mappings())
    if not found:
        raise damaged(f"version {number} of dataset {dataset!r} is not in it")
    return found[0]


def _rows(connection: Connection, table: Table, dataset: str, number: int | None = None) -> list[dict[str, Any]]:
    query = select(table).where(table.c.dataset == dataset).order_by(*table.primary_key.columns)
    if number is not None:
        query = query.where(table.c.number == number)
    return [_plain(row) for row in proven(table, connection.execute(query).mappings())]


def _plain(row: RowMapping) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != SEAL}
