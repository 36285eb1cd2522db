"""DataFrames land as files, as those of everybody else do: one directory of Parquet per delta."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.rows import OPERATION
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta import Operation
from profiling_core.model.errors import InputError
from profiling_core.model.source import SourceFormat, SourceKind
from profiling_core.model.texts import listed
from profiling_core.pipeline import arriving
from profiling_core.pipeline.init.proposal import TableProposal, key_of, personal
from profiling_core.pipeline.init.writing import write
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings

Json = Mapping[str, Any]

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,120}")


@contextmanager
def begun(
    settings: Settings, name: str, frames: Mapping[str, pa.Table], keys: Mapping[str, tuple[str, ...]]
) -> Iterator[None]:
    """Writes the file of a new dataset, as ``holdfast init`` would after a look at these rows.

    It is removed again where the dataset gets no version: what is tried next is looked at anew.
    """
    proposals = [
        TableProposal(
            table,
            {"path": f"landing/{name}/{table}", "format": SourceFormat.PARQUET, "kind": SourceKind.CHANGES},
            tuple(keys.get(table) or key_of(rows)),
            personal(rows, table),
        )
        for table, rows in frames.items()
    ]
    path, _ = write(settings, name, proposals)
    try:
        yield
    finally:
        if settings.catalog().current(name) is None:
            path.unlink()


@contextmanager
def landed(work: Workspace, frames: Mapping[str, pa.Table], delta_id: str) -> Iterator[Callable[[Json], None]]:
    """Lands rows for a run, and takes back what the run does not apply: whoever gave the rows still has them.

    Gives what checks the run's outcome: it raises ``InputError`` where rows of a table are not applied.

    Raises:
        InputError: the id is none, a delta of that id is there, there is no such table, or its rows do not come as
            Parquet files.
    """
    tables, there = _tables_of(work, frames), dict[str, Path]()

    def left() -> list[str]:
        held = arriving.applied(work, work.catalog.current(work.dataset))
        return [table for table in there if delta_id not in held.get(table, {})]

    def check(outcome: Json) -> None:
        if not_applied := left():
            raise _not_applied(work, not_applied, [table for table in there if table not in not_applied], outcome)

    try:
        for table, rows in frames.items():
            there[table] = _land(work.settings, tables[table], rows, delta_id)
        yield check
    finally:
        for table in left():
            shutil.rmtree(there[table])


def _not_applied(work: Workspace, tables: Sequence[str], applied: Sequence[str], outcome: Json) -> InputError:
    """Why rows were left out, by a run's outcome, or by a look where earlier runs told it; and what was not."""
    known = [one for said in (outcome, arriving.overview(work)) for one in (*said["refused"], *said["waiting"])]
    why = next((one for one in reversed(known) if one["table"] == tables[0]), None)
    others = f"; the rows of {listed(applied)} are applied" if applied else ""
    return InputError(
        f"the rows of {listed(tables)} are not applied{others}: "
        + (f"delta {why['delta']} {why['reason']}" if why else "they wait"),
        where=f"table {tables[0]}",
        remedy=why["remedy"] if why else f"`holdfast status {work.dataset}` says what for",
    )


def _tables_of(work: Workspace, frames: Mapping[str, pa.Table]) -> Mapping[str, TableConfig]:
    """The configuration of the tables."""
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


def _land(settings: Settings, table: TableConfig, rows: pa.Table, delta_id: str) -> Path:
    """Puts a delta where its table's deltas land, at once and as a whole; returns where."""
    if not _ID.fullmatch(delta_id):
        raise InputError(f"{delta_id!r} is not a delta id", remedy="write a name such as 2024-05-01")
    target = settings.resolve(table.source.path) / delta_id
    if target.exists():
        raise InputError(f"delta {delta_id!r} has landed already", where=str(target), remedy="give another delta_id")
    draft = target.with_name(f".{uuid4().hex}")
    draft.mkdir(parents=True)
    pq.write_table(_with_operations(table, rows), draft / "rows.parquet")
    Path(draft, "_SUCCESS").touch()
    return draft.rename(target)


def _with_operations(table: TableConfig, rows: pa.Table) -> pa.Table:
    if OPERATION in rows.column_names or table.source.kind is not SourceKind.CHANGES:
        return rows
    does = Operation.UPSERT if table.key else Operation.INSERT
    return rows.append_column(OPERATION, pa.array([does.value] * rows.num_rows, pa.string()))
