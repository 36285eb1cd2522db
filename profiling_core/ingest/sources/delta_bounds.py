"""The files of Delta Lake tables, held to what a Parquet file may unfold to before ``deltalake`` reads them."""

import json
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
from pyarrow.fs import FileSystem, PyFileSystem

from profiling_core.ingest.parquet_bounds import TableFile, check_table_file

if TYPE_CHECKING:
    from deltalake import DeltaTable


def check_files(table: "DeltaTable", but: frozenset[str] = frozenset()) -> None:
    """Raises ``InputError`` where a file of a version would unfold to too much, but for some files."""
    actions = pa.table(table.get_add_actions(flatten=True))
    _check(table, [path for path in map(unquote, actions["path"].to_pylist()) if path not in but])


def check_feed(table: "DeltaTable", version: int) -> None:
    """The same for the files that tell what changed with a version; raises ``OSError`` where its log is gone."""
    files = _filesystem(table)
    with files.open_input_stream(f"_delta_log/{version:020}.json") as stream:
        actions = [json.loads(line) for line in stream.read().splitlines() if line.strip()]
    found = {kind: [unquote(a[kind]["path"]) for a in actions if kind in a] for kind in ("cdc", "add", "remove")}
    _check(table, found["cdc"] or [*found["add"], *found["remove"]])


def _check(table: "DeltaTable", paths: Iterable[str]) -> None:
    files = _filesystem(table)
    for path in paths:
        with files.open_input_file(path) as file:
            size = file.size()
        check_table_file(TableFile(partial(files.open_input_file, path), size, f"{table.table_uri}, file {path}"))


def _filesystem(table: "DeltaTable") -> FileSystem:
    from deltalake.fs import DeltaStorageHandler

    return PyFileSystem(DeltaStorageHandler(table.table_uri))
