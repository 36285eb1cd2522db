"""Delta Lake tables, through ``deltalake``: begun with a version as a whole, then followed version by version.

A version's changes come from the table's change data feed, if it has one. Else they are the rows of the files that the
version removed and added. If the table no longer keeps the history, its present rows are compared with the stored ones,
which gives the same rows.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.fs import FileType
from sqlglot import exp

from profiling_core.ingest.rows import OPERATION, RowChunk, check_names
from profiling_core.ingest.slashed_days import Reading
from profiling_core.ingest.sources.arrow_rows import differences, plain_batch, plain_schema, row_chunks, with_nulls
from profiling_core.ingest.sources.delta_bounds import check_feed, check_files, check_log, rows_in_feed
from profiling_core.ingest.sources.objects import place
from profiling_core.ingest.sources.protocol import Applied, Batch, Found, Position, newest_position, unused
from profiling_core.model.dataset import TableConfig
from profiling_core.model.errors import ConfigurationError, InputError, UnreachableError
from profiling_core.spark.sources import SourcePart
from profiling_core.state.settings import SCHEME, Settings

if TYPE_CHECKING:
    from deltalake import DeltaTable

_HAS_FEED, _MAPPING = "delta.enableChangeDataFeed", "delta.columnMapping.mode"
# Ways to read a version: as the whole table, as the first version of a history that is then followed, by the change
# data feed, or by the difference of files.
_WHOLE, _FIRST, _FEED, _FILES = "whole", "first", "feed", "files"
# Files of a whole version are read together up to this many bytes; each group is a part.
_TOGETHER = 32 << 20
# In place of a file, where those of a version alone do not tell its rows: some are marked as deleted.
_MARKED = ""
_POSITION = ("table", "version")
_GONE = pa.array(["delete", "update_preimage"])
_FEED_COLUMNS = ("_change_type", "_commit_version", "_commit_timestamp")
_MARKS = re.compile(r"\x1b\[[0-9;]*m|↳")
_NOTHING_CHANGED = frozenset({"OPTIMIZE", "VACUUM START", "VACUUM END", "SET TBLPROPERTIES", "FSCK"})


@dataclass(frozen=True)
class DeltaReader:
    """Reads versions of the table at ``path``: as a whole, by its feed, or by the difference of files."""

    path: str
    typed: ClassVar[bool] = True
    optional: ClassVar[bool] = False

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """The columns of the part's version."""
        operation = () if json.loads(part.place)["how"] == _WHOLE else (OPERATION,)
        return (*operation, *check_names(self.schema(part).names, Path(part.where)))

    def schema(self, part: SourcePart) -> pa.Schema:
        """The types of the part's version."""
        return self.columns(json.loads(part.place)["version"])

    def columns(self, version: int) -> pa.Schema:
        """The columns of a version with their types."""
        return plain_schema(pa.schema(self.table(version).schema().to_arrow()))

    def allowed(self, _: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """Nothing: the types are known."""
        return {}

    def total(self, part: SourcePart) -> int | None:
        """The rows that the log says a version's files have, or the files of its feed; None where neither does.

        Of a version whose files have rows that are marked as deleted they are counted by a query of their own.
        """
        place = json.loads(part.place)
        table = self.table(place["version"])
        if place["how"] == _FEED and (rows := rows_in_feed(table, place["version"])) is not None:
            return rows
        after = _counts(table)
        if place["how"] in (_WHOLE, _FIRST):
            files = place.get("files", after)
            return count_rows(table) if _MARKED in after else _sum([after[path] for path in after if path in files])
        before = _counts(self.table(place["version"] - 1))
        if _MARKED in {*before, *after}:
            return None
        return _sum([count for path, count in (before | after).items() if (path in before) != (path in after)])

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:  # noqa: ARG002 -- the schema has all names
        """The rows of a whole version, or its changes."""
        place = json.loads(part.place)
        read = {_WHOLE: self._whole, _FIRST: self._first, _FEED: self._feed, _FILES: self._files}[place["how"]]
        try:
            yield from row_chunks(read(place))
        except (OSError, pa.ArrowException, _delta_error()) as error:
            raise InputError(
                f"the version cannot be read: {str(error).splitlines()[0]}",
                where=part.where,
                remedy="run again: what the table no longer keeps is found by comparing it as a whole",
            ) from error

    def table(self, version: int) -> "DeltaTable":
        """The table as of a version."""
        from deltalake import DeltaTable

        check_log(self.path, version)
        return DeltaTable(self.path, version=version)

    def _whole(self, place: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        table = self.table(place["version"])
        others = set(_paths(table)).difference(place["files"]) if "files" in place else None
        return with_nulls(rows_of(table, others), table.metadata().partition_columns)

    def _first(self, place: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        return differences((), self._whole(place))

    def _feed(self, place: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        return differences(self._changes(place["version"], come=False), self._changes(place["version"], come=True))

    def _changes(self, version: int, *, come: bool) -> Iterator[pa.RecordBatch]:
        table = self.table(version)
        feed = pa.RecordBatchReader.from_stream(table.load_cdf(starting_version=version, ending_version=version))
        for batch in with_nulls(map(plain_batch, feed), table.metadata().partition_columns):
            gone = pc.is_in(batch.column("_change_type"), _GONE)
            yield batch.filter(pc.invert(gone) if come else gone).drop_columns(list(_FEED_COLUMNS))

    def _files(self, place: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        after, before = self.table(place["version"]), self.table(place["version"] - 1)
        kept = set(_paths(before)) & set(_paths(after))
        return differences(rows_of(before, kept), rows_of(after, kept))


class DeltaLake:
    """A Delta Lake table. Its deltas are its versions, identified by commit time and number."""

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        self.path = str(place(settings, table.source.path))
        self._history = table.source.history

    @property
    def where(self) -> str:
        """The table's directory."""
        return self.path

    def look(self, applied: Applied, label: str | None) -> Found:
        """The versions after the newest applied one; for a new table the newest, or the last ``history`` of them."""
        table, since = open_table(self.path), newest_position(applied, *_POSITION)
        known = since is not None and since["table"] == str(table.metadata().id) and since["version"] <= table.version()
        after = since["version"] if since is not None and known else -1
        changes = [h for h in reversed(_history(table, after)) if h["operation"] not in _NOTHING_CHANGED]
        found = Found(tuple(map(_delta_id, changes))).up_to(label)
        if known:
            return found
        if applied:
            return Found(tuple(unused(delta_id, applied) for delta_id in found.pending[-1:]))
        return Found(self._walkable(table, found.pending[-self._history :]))

    def _walkable(self, table: "DeltaTable", delta_ids: tuple[str, ...]) -> tuple[str, ...]:
        """The longest end of these versions that can still be read one after the other."""
        reader = DeltaReader(self.path)
        for begin in range(len(delta_ids) - 1):
            first, *rest = map(_version, delta_ids[begin:])
            since = {"table": str(table.metadata().id), "version": first}
            if self._how(rest, since) != _WHOLE and _is_there(reader, [first]):
                return delta_ids[begin:]
        return delta_ids[-1:]

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """The changes of each version; or the last version as a whole, for a new table or a lost history."""
        versions, since = list(map(_version, delta_ids)), newest_position(applied, *_POSITION)
        identity = str(open_table(self.path).metadata().id)
        begins = not applied and len(versions) > 1
        how = self._how(versions[begins:], {"table": identity, "version": versions[0]} if begins else since)
        steps = tuple(delta_ids[-1:]) if how == _WHOLE else tuple(delta_ids)
        if how == _WHOLE and versions:
            versions[-1] = self._readable(versions[-1])
        if how == _WHOLE:
            parts = self._whole(versions[-1]) if versions else []
        else:
            ways = [_FIRST if begins and not step else how for step in range(len(versions))]
            parts = [
                self._part(step, v, {"how": way}) for step, (v, way) in enumerate(zip(versions, ways, strict=True))
            ]
        positions = {i: {"table": identity, "version": v} for i, v in zip(delta_ids, versions, strict=True)}
        notes = (
            (f"{self.path} is compared as a whole: its history is not kept, or its columns have changed",)
            if applied and how == _WHOLE
            else ()
        )
        return Batch(tuple(parts), DeltaReader(self.path), how != _WHOLE, how == _WHOLE, positions, steps, notes)

    def _part(self, step: int, version: int, more: Mapping[str, Any]) -> SourcePart:
        return SourcePart(step, step, f"{self.path}, version {version}", 1, json.dumps({"version": version, **more}))

    def _whole(self, version: int) -> list[SourcePart]:
        """The parts of a whole version: groups of its files, or a single part if files alone do not give its rows."""
        groups = _groups(DeltaReader(self.path).table(version))
        if len(groups) <= 1:
            return [replace(self._part(0, version, {"how": _WHOLE}), size=sum((size for _, size in groups), 1))]
        return [
            SourcePart(
                number,
                0,
                f"{self.path}, version {version}, from file {files[0]}",
                size,
                json.dumps({"version": version, "how": _WHOLE, "files": files}),
            )
            for number, (files, size) in enumerate(groups)
        ]

    def confirm(self, batch: Batch) -> None:
        """Nothing: a version never changes."""

    def _how(self, versions: Sequence[int], since: Position | None) -> str:
        """``feed`` or ``files`` if all these versions can still be read that way, else ``whole``."""
        if not versions or not since or versions[0] <= since["version"]:
            return _WHOLE
        reader = DeltaReader(self.path)
        try:
            table = reader.table(versions[-1])
            if str(table.metadata().id) != since["table"] or not _has_all(open_table(self.path), since["version"]):
                return _WHOLE
            configured = table.metadata().configuration
            is_mapped = configured.get(_MAPPING, "none") != "none"  # files and feed name the columns differently
            if is_mapped or len({frozenset(reader.columns(v)) for v in (since["version"], *versions)}) > 1:
                return _WHOLE  # rows of one run, removed ones included, need the same columns
            if configured.get(_HAS_FEED) == "true" and _has_feed(table, versions):
                return _FEED
            return _FILES if _is_there(reader, sorted({*versions, *(v - 1 for v in versions)})) else _WHOLE
        except (OSError, pa.ArrowException, _delta_error()):
            return _WHOLE

    def _readable(self, version: int) -> int:
        """The version, or the newest one if this one's files were rewritten and vacuumed."""
        reader = DeltaReader(self.path)
        try:
            return version if _is_there(reader, [version]) else int(open_table(self.path).version())
        except _delta_error():
            return int(open_table(self.path).version())


def open_table(path: str) -> "DeltaTable":
    """The newest version of the table in a directory.

    Raises:
        ConfigurationError: there is none, or the package that reads it is missing.
        InputError: its log cannot be read.
    """
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import TableNotFoundError
    except ImportError as error:
        raise ConfigurationError(
            "Delta Lake tables need a further package", where=path, remedy="pip install 'holdfast[delta]'"
        ) from error
    try:
        if DeltaTable.is_deltatable(path):
            check_log(path)
        return DeltaTable(path)
    except TableNotFoundError as error:
        raise ConfigurationError(
            "there is no Delta Lake table", where=path, remedy="name the directory that holds _delta_log"
        ) from error
    except OSError as error:
        if not path.startswith(SCHEME):
            raise
        raise UnreachableError(
            f"the object store does not answer{_last_cause(error)}",
            where=path,
            remedy="check the URL, and AWS_ENDPOINT_URL, AWS_REGION, AWS_ALLOW_HTTP and the credentials",
        ) from None
    except _delta_error() as error:
        raise InputError(
            f"the table's log cannot be read: {str(error).splitlines()[0]}",
            where=path,
            remedy="run again; if it stays so, the log is damaged, or newer than the deltalake that is installed",
        ) from error


def _last_cause(error: OSError) -> str:
    """The innermost cause in the object store client's error, without the codes for terminals."""
    lines = [line for part in str(error).splitlines() if (line := _MARKS.sub("", part).strip())]
    return f": {lines[-1]}" if lines else ""


def first_rows(table: "DeltaTable", count: int) -> pa.Table:
    """Some rows of a version."""
    from deltalake import QueryBuilder

    check_files(table)
    found = QueryBuilder().register("t", table).execute(exp.select("*").from_("t").limit(count).sql())
    schema = plain_schema(pa.schema(table.schema().to_arrow()))  # the query returns wider binary types
    batches = map(plain_batch, pa.RecordBatchReader.from_stream(found))
    return pa.Table.from_batches((batch.cast(schema) for batch in batches), schema)


def count_rows(table: "DeltaTable") -> int:
    """The rows of a version, counted by a query."""
    from deltalake import QueryBuilder

    query = exp.select(exp.Count(this=exp.Star()).as_("found")).from_("t")
    found = QueryBuilder().register("t", table).execute(query.sql())
    return sum(pa.RecordBatchReader.from_stream(found).read_all()["found"].to_pylist())


def rows_of(table: "DeltaTable", but: set[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of a version, without those of the files in ``but``."""
    from deltalake import QueryBuilder

    check_files(table, frozenset(but or ()))
    if but is None:
        found = QueryBuilder().register("t", table).execute("SELECT * FROM t")
        yield from pa.RecordBatchReader.from_stream(found)
        return
    dataset = table.to_pyarrow_dataset()
    for fragment in dataset.get_fragments():
        if fragment.path not in but:
            yield from fragment.to_batches(schema=dataset.schema)


def _groups(table: "DeltaTable") -> list[tuple[list[str], int]]:
    """A version's files in groups, with their bytes; none if files have deleted rows or mapped column names."""
    if table.metadata().configuration.get(_MAPPING, "none") != "none":
        return []
    try:
        paths = _paths(table)
    except _delta_error():
        return []
    actions = pa.table(table.get_add_actions(flatten=True))
    sizes = dict(zip(map(unquote, actions["path"].to_pylist()), actions["size_bytes"].to_pylist(), strict=True))
    groups: list[tuple[list[str], int]] = []
    for path in paths:
        files, size = groups[-1] if groups else ([], 0)
        if files and size + sizes[path] <= _TOGETHER:
            groups[-1] = ([*files, path], size + sizes[path])
        else:
            groups.append(([path], sizes[path]))
    return groups


def _counts(table: "DeltaTable") -> dict[str, int | None]:
    """The row count of each file; None if the log does not say it, or some rows are marked as deleted."""
    try:
        known = set(_paths(table))
    except _delta_error():
        return {_MARKED: None}
    actions = pa.table(table.get_add_actions(flatten=True))
    counts = actions["num_records"].to_pylist() if "num_records" in actions.column_names else [None] * len(actions)
    paths = list(map(unquote, actions["path"].to_pylist()))
    return dict(zip(paths, counts, strict=True)) if known == set(paths) else {_MARKED: None}


def _sum(counts: Sequence[int | None]) -> int | None:
    """The sum of the counts; None if one is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _paths(table: "DeltaTable") -> list[str]:
    return [fragment.path for fragment in table.to_pyarrow_dataset().get_fragments()]


def _history(table: "DeltaTable", after: int) -> list[Mapping[str, Any]]:
    """The log's entries on the versions after ``after``, the newest first."""
    count = table.version() - after
    check_log(table.table_uri, after=after)
    found: list[Mapping[str, Any]] = table.history(count) if count else []
    return found


def _has_all(table: "DeltaTable", after: int) -> bool:
    """Whether the log has each version after ``after``: old entries are removed after a checkpoint."""
    return {entry["version"] for entry in _history(table, after)} >= set(range(after + 1, table.version() + 1))


def _has_feed(table: "DeltaTable", versions: Sequence[int]) -> bool:
    """Whether the feed of all these versions can be read; raises ``InputError`` where it would unpack to too much."""
    try:
        for version in versions:
            check_feed(table, version)
        feed = table.load_cdf(starting_version=versions[0], ending_version=versions[-1], columns=["_commit_version"])
        for _ in pa.RecordBatchReader.from_stream(feed):
            pass
    except (OSError, pa.ArrowException, _delta_error()):
        return False
    return True


def _is_there(reader: DeltaReader, versions: Sequence[int]) -> bool:
    """Whether all files of some versions exist; raises where rows are marked as deleted inside them."""
    for version in versions:
        rows = reader.table(version).to_pyarrow_dataset()
        paths = [fragment.path for fragment in rows.get_fragments()]
        if any(file.type is not FileType.File for file in rows.filesystem.get_file_info(paths)):
            return False
    return True


def _version(delta_id: str) -> int:
    return int(delta_id.rpartition(".v")[2].partition("+")[0])


def _delta_id(entry: Mapping[str, Any]) -> str:
    instant = datetime.fromtimestamp(entry["timestamp"] / 1000, UTC)
    return f"{instant:%Y-%m-%dT%H:%M:%SZ}.v{entry['version']}"


def _delta_error() -> type[Exception]:
    from deltalake.exceptions import DeltaError

    error: type[Exception] = DeltaError
    return error
