"""DataFrames land as files, as those of everybody else do: one directory of Parquet per delta."""

import re
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.rows import OPERATION
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta import Operation
from profiling_core.model.errors import InputError
from profiling_core.model.source import SourceFormat, SourceKind
from profiling_core.pipeline.init.proposal import TableProposal, key_of, personal
from profiling_core.pipeline.init.writing import write
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,120}")


def begin(settings: Settings, name: str, frames: Mapping[str, pa.Table], keys: Mapping[str, tuple[str, ...]]) -> None:
    """Writes the file of a new dataset, as ``holdfast init`` would after a look at these rows."""
    proposals = [
        TableProposal(
            table,
            {"path": f"landing/{name}/{table}", "format": SourceFormat.PARQUET, "kind": SourceKind.CHANGES},
            tuple(keys.get(table) or key_of(rows)),
            personal(rows, table),
        )
        for table, rows in frames.items()
    ]
    write(settings, name, proposals)


def tables_of(work: Workspace, frames: Mapping[str, pa.Table]) -> Mapping[str, TableConfig]:
    """The configuration of the tables.

    Raises:
        InputError: there is no such table, or its rows do not come as Parquet files.
    """
    for table in frames:
        if table not in work.config.tables:
            raise InputError(
                f"dataset {work.dataset!r} has no table {table!r}",
                remedy=f"its tables are {', '.join(work.config.tables)}; add others to its file",
            )
        source = work.config.tables[table].source
        if source.format is not SourceFormat.PARQUET:
            raise InputError(
                f"table {table!r} is read from a source of format {source.format}, and takes no DataFrames",
                remedy="call apply() without rows: it reads the source",
            )
    return work.config.tables


def land(settings: Settings, table: TableConfig, rows: pa.Table, delta_id: str) -> None:
    """Puts a delta where its table's deltas land, at once and as a whole.

    Raises:
        InputError: the id is none, or a delta of that id is there.
    """
    if not _ID.fullmatch(delta_id):
        raise InputError(f"{delta_id!r} is not a delta id", remedy="write a name such as 2024-05-01")
    target = settings.resolve(table.source.path) / delta_id
    if target.exists():
        raise InputError(f"delta {delta_id!r} has landed already", where=str(target), remedy="give another delta_id")
    draft = target.with_name(f".{uuid4().hex}")
    draft.mkdir(parents=True)
    pq.write_table(_with_operations(table, rows), draft / "rows.parquet")
    Path(draft, "_SUCCESS").touch()
    draft.rename(target)


def _with_operations(table: TableConfig, rows: pa.Table) -> pa.Table:
    if OPERATION in rows.column_names or table.source.kind is not SourceKind.CHANGES:
        return rows
    does = Operation.UPSERT if table.key else Operation.INSERT
    return rows.append_column(OPERATION, pa.array([does.value] * rows.num_rows, pa.string()))
