"""Ingest: a table's pending deltas become one normalised delta on top of the current version, and a quarantine.

All errors of the input end here, in a message for people, before any state is derived from it.
"""

import logging
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.ingest import table_schema
from profiling_core.ingest.coming_again import check_new
from profiling_core.ingest.reading import read_and_reduce
from profiling_core.ingest.reject_finding import reject_kinds, rejects_finding, repeated_keys_finding
from profiling_core.ingest.rejects import refusal
from profiling_core.ingest.shrinking import shrunk_finding
from profiling_core.ingest.table_ingest import Before, TableIngest
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import ROW_ID, NormalizedDelta
from profiling_core.model.errors import InputError, known_places
from profiling_core.model.finding import Finding
from profiling_core.model.schema import TableSchema
from profiling_core.model.source import SourceKind
from profiling_core.model.texts import listed
from profiling_core.model.version import ASIDE, ROWS, FileRef, RunPlan
from profiling_core.spark.bucket import DeltaFrame, WrittenPart
from profiling_core.spark.delta import Tally
from profiling_core.spark.rewriting import is_retyped, rewritten
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.spark.snapshot import ROLE_OF, snapshot_rows
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_LOG = logging.getLogger(__name__)


def ingest_table(
    spark: "SparkSession",
    settings: Settings,
    store: Store,
    config: DatasetConfig,
    plan: RunPlan,
    table: str,
    before: Before,
) -> NormalizedDelta:
    """Reads a table's pending deltas, one after the other, into rows that come and rows that go.

    Args:
        spark: the session.
        settings: the project's places.
        store: the dataset's files.
        config: the dataset.
        plan: the run; what it lists as pending for the table is read.
        table: the table.
        before: what the run builds on.

    Raises:
        InputError: a file cannot be read or does not fit the table, or more rows of a delta are rejects than the
            table's ``max_reject_ratio`` allows; the rejects are in the quarantine then, and nothing else is kept.
        ConfigurationError: the configuration names a column that the table does not have.
    """
    ingest = TableIngest(spark, settings, store, config, plan, table, before)
    for note in ingest.batch.notes:
        _LOG.warning("table %s: %s", table, note)
    with known_places({part.place: part.where for part in ingest.batch.parts}):
        schema = _schema(ingest)
        frame = _frame(ingest, schema)
        try:
            return _normalized(ingest, schema, frame)
        finally:
            for folder in frame.folders.values():  # published files have been moved
                shutil.rmtree(folder, ignore_errors=True)


def _findings(
    ingest: TableIngest, schema: TableSchema, ids: Sequence[str], tally: Tally, rows: int
) -> tuple[Finding | None, ...]:
    """Findings on rows that were not applied, and on rows that are gone."""
    last = ids[-1] if ids else ingest.plan.label  # the run is called by the last delta of all tables
    first = ids[min(step for step, _ in tally.rejects)] if tally.rejects else last
    redacted, applied = ingest.config.redacted(ingest.table), tally.inserts + tally.updates + tally.deletes
    return (
        rejects_finding(ingest.table, first, tally, rows, redacted, applied),
        # among changes, a key may repeat
        None
        if ingest.options.source.kind is SourceKind.CHANGES
        else repeated_keys_finding(ingest.table, last, schema.key, tally, rows),
        shrunk_finding(ingest.table, last, ingest.state.rows, tally.inserts, tally.deletes)
        if ingest.state and ingest.batch.whole
        else None,
    )


def _normalized(ingest: TableIngest, schema: TableSchema, frame: DeltaFrame) -> NormalizedDelta:
    stored, place = _stored(ingest, schema)
    sizes, tally = read_and_reduce(ingest, schema, frame, stored)
    if ingest.before.batch is None:
        ingest.source.confirm(ingest.batch)
    _keep_answered(frame, tally)
    _check_sum(ingest, sizes.total(), tally, snapshots=frame.snapshots)
    _name_last(ingest, tally)
    refused = refusal(frame.delta_ids, sizes, tally, ingest.options.max_reject_ratio)
    quarantine = _publish(ingest, frame, WrittenPart.QUARANTINE)
    if refused:
        raise refused.error(ingest.table, ingest.store.where(quarantine[0].path).rpartition("/")[0])
    check_new(ingest, frame)
    found = _findings(ingest, schema, frame.delta_ids, tally, sizes.total())
    rows = {delta_id: sizes[step] for step, delta_id in enumerate(ingest.batch.deltas)}
    lines = {
        delta_id: {"lines": tally.accounts[step].to_json()}
        for step, delta_id in enumerate(ingest.batch.deltas)
        if step in tally.accounts
    }
    places = {ingest.batch.deltas[step]: origins for step, origins in tally.origins.items()}
    return NormalizedDelta(
        dataset=ingest.config.dataset,
        table=ingest.table,
        delta_ids=ingest.delta_ids,
        base_version=ingest.plan.base_version,
        inserted=_publish(ingest, frame, WrittenPart.INSERTED),
        deleted=_publish(ingest, frame, WrittenPart.DELETED),
        quarantine=quarantine,
        inserts=tally.inserts,
        deletes=tally.deletes,
        updates=tally.updates,
        superseded=tally.superseded,
        unchanged=tally.unchanged,
        rejects=tally.rejects.total(),
        next_row_id=max(ingest.first_row_id, tally.last_row_id + 1),
        schema=schema.to_json(),
        rewritten=place,
        findings=tuple(finding.to_json() for finding in found if finding),
        positions={
            delta_id: {**position, "rows": rows.get(delta_id, 0), **lines.get(delta_id, {}), **places.get(delta_id, {})}
            for delta_id, position in ingest.batch.positions.items()
        },
        arrived=_publish(ingest, frame, WrittenPart.ARRIVED) if frame.retold else (),
        rejected_for=reject_kinds(tally),
    )


def _name_last(ingest: TableIngest, tally: Tally) -> None:
    """Names the lines at the end of files that are left out although they could be rows."""
    for step, account in tally.accounts.items():
        if account.last:
            _LOG.warning(
                "table %s, delta %s: line %s at the end is left out as a footer; "
                "if it is a row, set skip_footer (%s) to 0",
                ingest.table,
                ingest.batch.deltas[step],
                listed(list(map(str, account.last))),
                ingest.options.source.skip_footer,
            )


def _check_sum(ingest: TableIngest, rows: int, tally: Tally, *, snapshots: bool) -> None:
    """Raises ``InputError`` where not each row that was read is accounted for."""
    changes = tally.inserts + tally.updates + (0 if snapshots else tally.deletes)
    came_to = changes + tally.superseded + tally.unchanged + tally.rejects.total()
    if came_to != rows:
        raise InputError(
            f"{rows:,} rows were read, and {came_to:,} are changes, superseded, unchanged or rejects",
            where=f"table {ingest.table}, deltas {', '.join(ingest.delta_ids)}",
            remedy="run again; if that does not help, report the delta as one that cannot be applied",
        )


def _stored(ingest: TableIngest, schema: TableSchema) -> tuple[Rows | None, tuple[FileRef, ...]]:
    """The table's rows so far (None: it is new) and, if its columns changed, the files of the rewritten rows."""
    if ingest.version is None or ingest.state is None:
        return None, ()
    rows = snapshot_rows(ingest.spark, ingest.store, ingest.version, ingest.table)
    before = ingest.state.schema
    if schema.names == before.names and not any(map(is_retyped, before.columns, schema.columns)):
        return rows, ()
    if ingest.version.files_of(ASIDE, ingest.table):
        raise InputError(
            f"table {ingest.table!r} has changed its columns while some of its rows are set aside",
            where=f"delta {ingest.delta_ids[-1]!r}",
            remedy=f"release them first: holdfast release {ingest.table}",
        )
    folder = ingest.store.new_dir(ingest.plan.run_id, ingest.table, ROWS)
    if ingest.state.rows:
        former = table_schema.former_names(before, ingest.options)
        rewritten(rows.frame, before, schema, former).write.mode("overwrite").parquet(str(folder))
    else:
        fields = [pa.field(ROW_ID, pa.int64()), *(pa.field(c.name, arrow_type(c)) for c in schema.columns)]
        pq.write_table(pa.schema(fields).empty_table(), folder / "part-none.parquet")
    files = ingest.store.publish(folder, ingest.table, ROWS)
    return Rows(ingest.spark, schema, (RowFiles.of(ingest.store.verified(files)),)), files


def _schema(ingest: TableIngest) -> TableSchema:
    """The table's next schema, or at its bootstrap the one that its source gives it."""
    options, state, texts = ingest.options, ingest.state, ingest.config.values == "text"
    if state is None:
        if not ingest.batch.parts:
            raise InputError(
                f"table {ingest.table!r} has no rows and no deltas",
                where=ingest.source.where,
                remedy="land its first delta",
            )
        return table_schema.bootstrap_schema(ingest.spark, ingest.table, options, ingest.batch, texts=texts)
    if options.schema_changes == "refuse":
        table_schema.check_configuration(ingest.table, options, state.schema.names)
        if state.next_row_id:
            table_schema.check_given_types(options, state.schema, ingest.batch.reader)
    table_schema.check_key(options, state.schema)
    if texts:
        table_schema.check_texts(state.schema, options, ingest.batch.reader)
    if not state.next_row_id and ingest.batch.parts and not ingest.batch.reader.optional:
        # Headers alone tell no types: the first rows do.
        if options.schema_changes == "refuse":
            for part in ingest.batch.parts:
                table_schema.compare_names(state.schema, ingest.batch, ingest.batch.reader.names(part), part.where)
        return table_schema.bootstrap_schema(ingest.spark, ingest.table, options, ingest.batch, texts=texts)
    schema = table_schema.next_schema(ingest.spark, state.schema, options, ingest.batch, texts=texts)
    return table_schema.with_options(schema, options) if ingest.plan.rebuild else schema


def _frame(ingest: TableIngest, schema: TableSchema) -> DeltaFrame:
    folders = {part: ingest.store.new_dir(ingest.plan.run_id, ingest.table, ROLE_OF[part]) for part in WrittenPart}
    version = ingest.options.source.version
    return DeltaFrame(
        names=schema.names,
        types=tuple(map(arrow_type, schema.columns)),
        key=tuple(schema.names.index(name) for name in schema.key),
        snapshots=ingest.batch.whole,
        delta_ids=ingest.batch.deltas,
        files=tuple(_shown(ingest.settings, part.where) for part in ingest.batch.parts),
        first_ids=(),
        folders=folders,
        version=None if version is None else schema.names.index(version),
        retold=len(ingest.batch.deltas) > 1 and (ingest.batch.whole or ingest.batch.operations),
    )


def _shown(settings: Settings, path: str) -> str:
    return str(Path(path).relative_to(settings.root)) if Path(path).is_relative_to(settings.root) else path


def _keep_answered(frame: DeltaFrame, tally: Tally) -> None:
    """Removes files of tasks that Spark abandoned or ran twice, and gives each part at least one file."""
    for part, folder in frame.folders.items():
        for path in folder.iterdir():
            if path.name not in tally.files[part]:
                path.unlink()
        if not tally.files[part]:
            pq.write_table(frame.row_schema(part).empty_table(), folder / "part-none.parquet")


def _publish(ingest: TableIngest, frame: DeltaFrame, part: WrittenPart) -> tuple[FileRef, ...]:
    return ingest.store.publish(frame.folders[part], ingest.table, ROLE_OF[part])
