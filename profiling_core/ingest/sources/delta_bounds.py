"""Checks files of Delta Lake tables against bounds before ``deltalake`` reads them: the log, and files with rows.

A log's JSON may have as many levels as landed JSON, and a schema as many columns. Its checkpoints, the files with rows
and those of the feed may unpack to as much as a Parquet file.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import FileInfo, FileSelector, FileSystem, FileType, PyFileSystem

from profiling_core.ingest.parquet_bounds import TableFile, check_table_file
from profiling_core.ingest.rows import MOST_COLUMNS
from profiling_core.ingest.sources.metadata_bounds import check_depth
from profiling_core.model.errors import InputError

if TYPE_CHECKING:
    from deltalake import DeltaTable

_LOG, _SIDECARS = "_delta_log", "_delta_log/_sidecars"
_NUMBER = re.compile(r"\d{20}")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.parquet")
_SCHEMA = "metaData.schemaString"
_proven: set[tuple[str, str, int, int | None]] = set()


def check_log(path: str, version: int | None = None, after: int | None = None) -> None:
    """Checks the log files of a version, or of the newest one, against the bounds; also the log after a version.

    Each file is checked once per process.

    Raises:
        InputError: a file exceeds its bound; names it.
    """
    files = _filesystem(path)
    for info in _log_files(files, version, after):
        known = (path, info.path, info.size, info.mtime_ns)
        if known not in _proven:
            _check_log_file(files, info, f"{path}, file {info.path}")
            _proven.add(known)


def _log_files(files: FileSystem, version: int | None, after: int | None) -> Iterator[FileInfo]:
    """The log from the newest single-file checkpoint on; others may lack a part, so that an older one is read."""
    found = [info for place in (_LOG, _SIDECARS) for info in _in(files, place)]
    whole = [int(match[1]) for info in found if (match := _CHECKPOINT.fullmatch(info.base_name))]
    first = max((number for number in whole if version is None or number <= version), default=0)
    first = first if after is None else min(first, after)
    for info in found:
        numbers = list(map(int, _NUMBER.findall(info.base_name)))
        if info.type is FileType.File and max(numbers, default=first) >= first:
            yield info


def _in(files: FileSystem, place: str) -> list[FileInfo]:
    found: list[FileInfo] = files.get_file_info(FileSelector(place, allow_not_found=True))
    return found


def _check_log_file(files: FileSystem, info: FileInfo, where: str) -> None:
    if info.extension == "parquet":
        file = TableFile(partial(files.open_input_file, info.path), info.size, where)
        check_table_file(file)
        with pq.ParquetFile(file.open()) as opened:
            if any(column.path == _SCHEMA for column in map(opened.schema.column, range(len(opened.schema)))):
                schemas = opened.read(columns=[_SCHEMA]).flatten().column(0)
                for text in schemas.drop_null().unique().to_pylist():
                    _check_schema(text, where)
        return
    with files.open_input_stream(info.path) as stream:
        content = stream.read()
    check_depth(content, where)
    for line in content.splitlines():
        if b"schemaString" in line and (text := _schema_of(line)):
            _check_schema(text, where)


def _schema_of(line: bytes) -> str | None:
    try:
        text = json.loads(line)["metaData"]["schemaString"]
    except (ValueError, LookupError, TypeError):
        return None  # deltalake reports the error
    return text if isinstance(text, str) else None


def _check_schema(text: str, where: str) -> None:
    check_depth(text.encode(), where)
    try:
        level, count = [json.loads(text)], 0
    except ValueError:
        return
    while level:
        count += sum(len(v["fields"]) for v in level if isinstance(v, dict) and isinstance(v.get("fields"), list))
        if count > MOST_COLUMNS:
            raise InputError(
                f"the schema has more than {MOST_COLUMNS:,} fields, which is what a table can have",
                where=where,
                remedy="follow a table with fewer columns",
            )
        level = [
            inner for v in level if isinstance(v, dict | list) for inner in (v.values() if isinstance(v, dict) else v)
        ]


def check_files(table: "DeltaTable", but: frozenset[str] = frozenset()) -> None:
    """Raises ``InputError`` if a file of a version would unpack to too much; leaves out the files in ``but``."""
    actions = pa.table(table.get_add_actions(flatten=True))
    _check(table, [path for path in map(unquote, actions["path"].to_pylist()) if path not in but])


def check_feed(table: "DeltaTable", version: int) -> None:
    """As :func:`check_files` for the files with a version's changes; raises ``OSError`` where its log is gone."""
    found = _files_of(table, version)
    _check(table, found["cdc"] or [*found["add"], *found["remove"]])


def rows_in_feed(table: "DeltaTable", version: int) -> int | None:
    """The rows that the files of a version's feed say they have; None: it has none, and the table's files tell."""
    files = _filesystem(table.table_uri)
    counts = []
    for path in _files_of(table, version)["cdc"]:
        with files.open_input_file(path) as file:
            counts.append(int(pq.read_metadata(file).num_rows))
    return sum(counts) if counts else None


def _files_of(table: "DeltaTable", version: int) -> dict[str, list[str]]:
    """By kind the files that a version's log names."""
    files = _filesystem(table.table_uri)
    with files.open_input_stream(f"{_LOG}/{version:020}.json") as stream:
        actions: list[dict[str, Any]] = [json.loads(line) for line in stream.read().splitlines() if line.strip()]
    return {kind: [unquote(a[kind]["path"]) for a in actions if kind in a] for kind in ("cdc", "add", "remove")}


def _check(table: "DeltaTable", paths: Iterable[str]) -> None:
    files = _filesystem(table.table_uri)
    for path in paths:
        with files.open_input_file(path) as file:
            size = file.size()
        check_table_file(TableFile(partial(files.open_input_file, path), size, f"{table.table_uri}, file {path}"))


def _filesystem(path: str) -> FileSystem:
    from deltalake.fs import DeltaStorageHandler

    return PyFileSystem(DeltaStorageHandler(path))
