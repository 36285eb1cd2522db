"""What people name, as proposals for tables: files, directories, tables of lakehouses, databases."""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from profiling_core.ingest.landed_names import EXTENSIONS, format_of, plain_name
from profiling_core.ingest.rows import require_regular
from profiling_core.ingest.sources.landed_files import SUCCESS
from profiling_core.ingest.sources.objects import Copies, ObjectPath, Place, below, children
from profiling_core.ingest.sources.protocol import Batch
from profiling_core.ingest.sources.registry import open_source
from profiling_core.ingest.typed_columns import typed_columns
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta_ids import delta_id_of, in_order
from profiling_core.model.errors import InputError
from profiling_core.model.source import Source, SourceFormat
from profiling_core.model.texts import listed
from profiling_core.pipeline.init import lakehouse, proposal
from profiling_core.pipeline.init.landing_files import as_first, name_of, proposed, rows_of
from profiling_core.pipeline.init.proposal import TableProposal
from profiling_core.state.settings import SCHEME, Settings, local_path
from profiling_core.state.urls import without_secrets

_LOG = logging.getLogger(__name__)
_Delta = TypeVar("_Delta")
_DIGITS = re.compile(r"[0-9][0-9_.:T-]*")
_ENDINGS = ", ".join(dict.fromkeys(ending for endings in EXTENSIONS.values() for ending in endings))


def look(what: str, settings: Settings, copies: Copies) -> list[TableProposal]:
    """The tables that something holds.

    Args:
        what: a file, a directory, a database's URL, or an Iceberg catalog's.
        settings: the project's places; paths are given from its root where they lie below it.
        copies: of files that are not read where they lie. They have to be there for as long as a person is asked how
            these are to be read.

    Raises:
        InputError: it is not there, or holds no table.
    """
    scheme, separator, _ = what.partition("://")
    if scheme == lakehouse.SCHEME and separator:
        return list(lakehouse.tables_of(what))
    if scheme == "s3" and separator:
        return _on_object_store(what, settings, copies)
    if scheme == "file" and separator:
        what = unquote(urlsplit(what).path)
    elif separator:
        from profiling_core.pipeline.init.databases import tables_of

        if scheme not in ("postgresql", "duckdb"):
            raise InputError(
                f"{scheme}:// is not supported",
                where=without_secrets(what),
                remedy="name files, directories, s3://<bucket>/<path>, postgresql://…, duckdb:///<path> or iceberg://<catalog>",
            )
        return [replace(made, table=name_of(made.table)) for made in tables_of(what, settings)]
    path = local_path(what).absolute()
    if not path.exists():
        raise InputError("there is no such file or directory", where=what, remedy="check the path")
    if not path.is_dir():
        require_regular(path)
    found = [as_first(proposed(copies.of(path)), path)] if path.is_file() else list(_directory(path, settings, copies))
    if not found:
        raise InputError("no table was found", where=what, remedy=f"name files that end in {_ENDINGS}")
    return found


def _on_object_store(what: str, settings: Settings, copies: Copies) -> list[TableProposal]:
    """The tables of a directory on an object store; a file alone cannot be put into a landing directory there."""
    path = ObjectPath.of(what.rstrip("/"))
    if str(path) != what.rstrip("/"):
        raise InputError(
            "a URL for a configuration holds no user, password or parameters",
            where=str(path),
            remedy="set AWS_ENDPOINT_URL, AWS_REGION and the credentials in the environment, and leave them out",
        )
    found = list(_directory(path, settings, copies)) if path.is_dir() else []
    if not found:
        raise InputError(
            "no table was found",
            where=what,
            remedy="name a directory: of files called by their days (orders/2026-01-31.csv), of a table of Delta Lake, "
            "or of Parquet files in partitions",
        )
    return found


def distinct(proposals: Sequence[TableProposal]) -> list[TableProposal]:
    """The proposals, those of the same name called by their schema or namespace, too."""
    count = Counter(made.table for made in proposals)
    return [
        replace(made, table=name_of(made.source["table"])) if count[made.table] > 1 and "table" in made.source else made
        for made in proposals
    ]


def _directory(path: Place, settings: Settings, copies: Copies) -> Iterator[TableProposal]:
    place = _place(path, settings.root)
    entries = _seen(path)
    files = _files(entries)
    written_by_spark = (path / SUCCESS).is_file() and {*map(_format, files)} == {SourceFormat.PARQUET}
    if (path / "_delta_log").is_dir():
        yield _delta(path, place)
    elif written_by_spark or _are_partitions(entries):
        yield _partitioned(path, place, settings)
    elif _are_deltas(files):
        yield _as_applied(_landing(path.name, place, [[copies.of(file)] for file in _some(files)]), settings)
    elif deltas := _directories_of_parts(entries):
        made = _landing(path.name, place, [[copies.of(file) for file in parts] for parts in _some(deltas)])
        yield _as_applied(made, settings)
    else:
        _say_mixed(path, files)
        yield from _one_by_one(entries, files, settings, copies)


def _some(deltas: Sequence[_Delta]) -> Sequence[_Delta]:
    """The first two deltas and the last: what follows one another, and what lies far apart."""
    return [*deltas[:2], *deltas[2:][-1:]]


def _are_partitions(entries: Sequence[Place]) -> bool:
    """Whether directories are partitions of a Parquet table, by a column that their names tell."""
    found = [entry for entry in entries if entry.is_dir() and "=" in entry.name]
    return bool(found) and {*map(_format, below(found[0], "*"))} <= {SourceFormat.PARQUET, None}


def _seen(path: Place) -> list[Place]:
    """What lies in a directory, in the order in which it would apply."""
    found = [entry for entry in children(path) if not entry.name.startswith((".", "_"))]
    return sorted(found, key=lambda entry: in_order(delta_id_of(entry.name) or ""))


def _format(file: Place) -> SourceFormat | None:
    """The format that a file's name tells."""
    return format_of(file.name)


def _files(entries: Sequence[Place]) -> list[Place]:
    """The files of formats that there are, but for empty ones; others are told."""
    files = []
    for entry in (entry for entry in entries if not entry.is_dir()):
        if not entry.is_file():
            _LOG.warning("%s is passed over: it is neither a file nor a directory, or a link to nothing", entry)
        elif _format(entry) is None:
            _LOG.warning("%s is passed over: its name does not end in %s", entry, _ENDINGS)
        elif isinstance(entry, Path) and not entry.stat().st_size:
            _LOG.warning("%s is passed over: it is empty; apply refuses it beside other deltas of its table", entry)
        else:
            files.append(entry)
    return files


def _directories_of_parts(entries: Sequence[Place]) -> list[list[Place]]:
    """The part files of each delta, where directories are deltas: called by their days, with files of one format."""
    names = {_DIGITS.sub("#", entry.name) for entry in entries}
    if len(names) != 1 or "#" not in names.pop() or not all(entry.is_dir() for entry in entries):
        return []
    found = [_seen(entry) for entry in entries]
    formats = {_format(part) for parts in found for part in parts}
    return found if len(formats) == 1 and None not in formats else []


def _place(path: Place, root: Path) -> str:
    """The path as a dataset's file has it: relative to the root where it lies below."""
    return str(path.relative_to(root)) if isinstance(path, Path) and path.is_relative_to(root) else str(path)


def _one_by_one(
    entries: Sequence[Place], files: Sequence[Place], settings: Settings, copies: Copies
) -> Iterator[TableProposal]:
    """The tables of a directory whose files are tables of their own, as far as they lie on a disk."""
    for file in files:
        if isinstance(file, Path):
            yield as_first(proposed(copies.of(file)), file)
    for entry in entries:
        if entry.is_dir():
            if _DIGITS.fullmatch(entry.name) or "=" in entry.name:
                _LOG.warning(
                    "%s is taken for a table of its own; what lands in a directory beside it is not read", entry
                )
            yield from _directory(entry, settings, copies)


def _say_mixed(path: Place, files: Sequence[Place]) -> None:
    """Says where files that differ in digits alone are no deltas of one table, since their formats differ."""
    formats = {EXTENSIONS[found][0] for found in map(_format, files) if found}
    if len(formats) > 1 and _differ_in_digits(files):
        _LOG.warning(
            "the files of %s are taken for a table each: they end in %s, and the deltas of a table have one format; "
            "write all in one, or each format into a directory of its own",
            path,
            " and ".join(sorted(formats)),
        )


def _are_deltas(files: Sequence[Place]) -> bool:
    """Whether the names of files of one format differ in their digits alone."""
    return len({*map(_format, files)}) == 1 and _differ_in_digits(files)


def _differ_in_digits(files: Sequence[Place]) -> bool:
    """Whether the names of files, but for what tells their format, differ in digits alone."""
    names = {_DIGITS.sub("#", Path(plain_name(file.name)).stem) for file in files}
    return len(names) == 1 and "#" in names.pop()


def _delta(path: Place, place: str) -> TableProposal:
    from profiling_core.ingest.sources.delta_lake import first_rows, open_table

    rows = first_rows(open_table(str(path)), 10_000)
    name = name_of(path.name)
    return TableProposal(name, {"format": "delta", "path": place}, proposal.key_of(rows), proposal.personal(rows, name))


def _partitioned(path: Place, place: str, settings: Settings) -> TableProposal:
    """A directory of partitions; a key tells the rows of two of them apart."""
    from profiling_core.ingest.sources.parquet_table import ParquetTable

    source = {"format": SourceFormat.PARQUET_TABLE.value, "path": place}
    found = ParquetTable(settings, TableConfig(source=Source.model_validate(source))).first_rows(10_000)
    alike = len({rows.schema for rows in found}) == 1
    key = proposal.key_of(pa.concat_tables(found)) if alike else ()
    table = name_of(path.name)
    return TableProposal(table, source, key, _personal(found, table))


def _personal(found: Sequence[pa.Table], table: str) -> dict[str, str]:
    """The columns that look personal in some deltas of a table."""
    return {name: why for rows in found for name, why in proposal.personal(rows, table).items()}


def _landing(name: str, place: str, deltas: Sequence[Sequence[Path]]) -> TableProposal:
    """A directory of deltas, from the files of some of them."""
    deltas = _from_first_row(deltas)
    made = proposed(deltas[0][0], name_of(name))
    if made.source["format"] == SourceFormat.DEBEZIUM:
        return replace(made, table=name_of(name), source=made.source | {"path": place}, first=None)
    looked = rows_of(deltas, made.source)
    first = looked.tables[0].column_names
    for files, rows in zip(deltas, looked.tables, strict=True):
        if not {*first} & {*rows.column_names}:
            raise InputError(
                f"the file has none of the columns of {deltas[0][0].name} ({', '.join(first)})",
                where=str(files[0]),
                remedy="write all files of a directory alike, or put this one into a directory of its own",
            )
    spoken = proposal.speaking(looked.tables)
    notes = {f: said for f, said in made.notes.items() if f not in ("kind", "operation", "null_values")}
    notes |= {"null_values": "\n".join(looked.said)} if looked.said else {}
    return TableProposal(
        name_of(name),
        made.source | {"path": place} | spoken.fields,
        spoken.key,
        _personal(looked.tables, name_of(name)),
        notes | spoken.notes | _said_of_partitions(deltas[0][0]),
        nulls=looked.nulls,
        doubtful=made.doubtful,
    )


def _as_applied(made: TableProposal, settings: Settings) -> TableProposal:
    """The proposal, after its directory is looked at as ``apply`` does: what will not be applied is told.

    Objects are left to ``apply``, since a look may read them.

    Raises:
        InputError: two files are one delta, or a column has types of several classes.
    """
    source = Source.model_validate({**made.source, "settle_seconds": 0})
    if not source.path.startswith(SCHEME):
        unchecked = TableConfig.model_construct(source=source)  # a key may be missing yet
        opened = open_source(settings, unchecked)
        there = opened.look({}, None)
        for said in there.warnings:
            _LOG.warning("%s", said)
        for held in (*there.waiting[:1], *there.refused):
            _LOG.warning("%s of %s will not be applied: %s", held.delta_id, source.path, held.reason)
        batch = opened.open(there.pending, {})
        _tell_of_names(batch)
        _check_types(batch)
    return made


def _tell_of_names(batch: Batch) -> None:
    """Tells of the first file that ``apply`` refuses beside the others: it has no header, or other columns."""
    known: set[str] = set()
    for part in () if batch.reader.optional else batch.parts:
        try:
            names = {*batch.reader.names(part)}
        except InputError as error:
            if part.size:  # what is empty has been told
                _LOG.warning("%s will not be applied, nor what comes with it: %s", part.where, error.what)
            return
        known = known or names
        if names != known:
            _LOG.warning(
                "%s has other columns than the files before (%s): apply those by themselves first, with --delta, then "
                "these with schema_changes: follow",
                part.where,
                listed(sorted(names ^ known)),
            )
            return


def _check_types(batch: Batch) -> None:
    """Raises ``InputError`` where the files that have types give a column some that no column holds."""
    if batch.reader.typed:
        names = [{*batch.reader.names(part)} for part in batch.parts]
        typed_columns(set.intersection(*names) if names else (), batch)


def _from_first_row(deltas: Sequence[Sequence[Path]]) -> Sequence[Sequence[Path]]:
    """Without the first deltas that are headers alone, which tell of no types; all where no delta has rows."""
    first = next((i for i, files in enumerate(deltas) if any(map(_has_rows, files))), 0)
    return deltas[first:]


def _has_rows(file: Path) -> bool:
    with file.open("rb") as lines:
        return file.suffix == ".parquet" or len([line for _, line in zip(range(2), lines, strict=False)]) > 1


def _said_of_partitions(file: Path) -> dict[str, str]:
    """What is said where a directory's name has a value that its files do not have."""
    column, is_partition, _ = file.parent.name.partition("=")
    if not is_partition:
        return {}
    return {"path": f"{column} in the names of the directories is no column: write it into the files where it matters."}
