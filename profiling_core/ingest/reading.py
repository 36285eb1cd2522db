"""Reads the parts of a table's pending deltas, here or in Spark, and reduces them to inserted and deleted rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest import table_schema
from profiling_core.ingest.table_ingest import TableIngest
from profiling_core.ingest.typed_rows import TypedReader
from profiling_core.model.account import Account
from profiling_core.model.origin import BEGINS, IDS
from profiling_core.model.schema import TableSchema
from profiling_core.spark import delta
from profiling_core.spark.bucket import DeltaFrame
from profiling_core.spark.delta import DeltaWork, Tally, reduce_delta, reduce_here
from profiling_core.spark.rows import Rows
from profiling_core.spark.sources import REPORT, FileReport, read_here
from profiling_core.state.atomic import make_private
from profiling_core.state.directories import take_away


def read_and_reduce(
    ingest: TableIngest, schema: TableSchema, frame: DeltaFrame, stored: Rows | None
) -> tuple[Counter[int], Tally]:
    """Rows per delta (by its number), and the tally of the deltas against the stored rows."""
    parts = ingest.batch.parts
    if not parts and not frame.snapshots:
        return Counter(), Tally()
    versioned = ingest.options.source.version is not None
    given = frozenset(name for name, chosen in ingest.options.columns.items() if chosen.type)
    reader = TypedReader(
        ingest.batch.reader, ingest.batch.operations, schema, versioned, ingest.options.source.marks, given
    )
    compared = ingest.state.rows if ingest.state and frame.snapshots else 0
    here = read_here(parts, reader, reader.arrow_schema, delta.BUCKET_ROWS - compared)
    if here is not None:
        is_report = pc.equal(here["ordinal"], REPORT)
        reports = _reports(ingest, schema, here.filter(is_report))
        sizes, frame = _numbered(ingest, reports, frame)
        rows = here.filter(pc.invert(is_report))
        tally = reduce_here(rows, stored, frame) if sizes.total() or frame.snapshots else Tally()
        return sizes, _with_accounts(tally, ingest, reports)
    folder = make_private(ingest.store.staging(ingest.plan.run_id) / f"shared-{ingest.table}")
    try:
        found, landed = delta.share_out_parts(ingest.spark, parts, reader, frame.match, folder)
        reports = _reports(ingest, schema, found)
        sizes, frame = _numbered(ingest, reports, frame)
        if not sizes.total() and not frame.snapshots:
            return sizes, _with_accounts(Tally(), ingest, reports)
        work = DeltaWork(sizes.total() + compared, folder)
        return sizes, _with_accounts(reduce_delta(ingest.spark, landed, stored, frame, work), ingest, reports)
    finally:
        take_away([folder])


def _with_accounts(tally: Tally, ingest: TableIngest, reports: Mapping[int, FileReport]) -> Tally:
    """The tally with the line accounts of each delta's files, and with where its rows stand in them."""
    for part in ingest.batch.parts:
        tally.accounts[part.step] = tally.accounts.get(part.step, Account()) + reports[part.number].account
    following = ingest.first_row_id
    for step, delta_id in enumerate(ingest.batch.deltas):
        parts = [reports[part.number] for part in ingest.batch.parts if part.step == step]
        files = ingest.batch.positions.get(delta_id, {}).get("files", ())
        tally.origins[step] = _origins(parts, following, in_files=len(files) == len(parts))
        following += sum(part.rows for part in parts)
    return tally


def _origins(parts: Sequence[FileReport], first: int, *, in_files: bool) -> Mapping[str, Any]:
    """What the position of a delta keeps of where its rows stand; ``first`` is the id of its first row."""
    begins, following = [], first
    for number, part in enumerate(parts):
        begins += [(following + row, number, line) for row, line in part.begins] if in_files else []
        following += part.rows
    return {IDS: (first, following), **({BEGINS: begins} if begins else {})}


def _numbered(
    ingest: TableIngest, reports: Mapping[int, FileReport], frame: DeltaFrame
) -> tuple[Counter[int], DeltaFrame]:
    """How many rows each delta has, and the frame with the first row id of each part."""
    sizes: Counter[int] = Counter()
    first_ids, following = [], ingest.first_row_id
    for part in ingest.batch.parts:
        first_ids.append(following)
        following += reports[part.number].rows
        sizes[part.step] += reports[part.number].rows
    return sizes, replace(frame, first_ids=tuple(first_ids))


def _reports(ingest: TableIngest, schema: TableSchema, found: pa.Table) -> dict[int, FileReport]:
    """The reports on reading each part; raises the error of the first part with one."""
    reports = {row["file"]: FileReport.from_text(row["file"], row["detail"]) for row in found.to_pylist()}
    batch = ingest.batch
    for part in batch.parts:
        error = reports[part.number].error
        if error:
            raise error
    if batch.reader.optional and ingest.state:
        # An absent column is null, so only all rows of a delta together can lack a column.
        for step in range(len(batch.deltas)):
            group = [part for part in batch.parts if part.step == step]
            if any(reports[part.number].rows for part in group):
                seen = dict.fromkeys(name for part in group for name in reports[part.number].names)
                table_schema.compare_names(schema, batch, seen, group[0].where)
    return reports
