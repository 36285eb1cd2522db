"""A table that follows its source as ingest has it, in this process and without Spark."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest import table_schema
from profiling_core.ingest.sources.extracted import Extracted
from profiling_core.ingest.sources.extracts import Extract, kept
from profiling_core.ingest.sources.protocol import Batch, Found
from profiling_core.ingest.sources.registry import open_source
from profiling_core.ingest.text_values import arrow_type
from profiling_core.ingest.typed_rows import TypedReader
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta import DELTA_ID, ROW_ID
from profiling_core.model.schema import TableSchema
from profiling_core.model.source import Source
from profiling_core.spark.bucket import DeltaFrame, WrittenPart, reduce_bucket
from profiling_core.spark.sources import REPORT, FileReport
from profiling_core.state.settings import Settings

Row = dict[str, Any]


@dataclass
class Ledger:
    """The rows of one table, brought up to its source by :meth:`run`; types come with the source."""

    root: Path
    source: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    applied: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    schema: TableSchema | None = None
    rows: pa.Table | None = None

    def __post_init__(self) -> None:
        (self.root / "dags" / "datasets").mkdir(parents=True, exist_ok=True)
        self.settings = Settings.discover(self.root, {})
        self.runs = 0

    @property
    def config(self) -> TableConfig:
        return TableConfig(source=Source(**self.source), **self.options)

    def look(self) -> Found:
        return open_source(self.settings, self.config).look(self.applied, None)

    def batch(self) -> Batch:
        """What is pending, as a run has it that read it where it began, or reads it now."""
        self.opened = source = open_source(self.settings, self.config)
        pending = source.look(self.applied, None).pending
        if isinstance(source, Extracted):
            extract = Extract(self.root / "run" / str(self.runs), source.where)
            return kept(source.extract(pending, self.applied, extract).to_json(), extract.folder)
        return source.open(pending, self.applied)

    def run(self) -> list[Row]:
        """Applies what is pending; returns the rejected rows."""
        batch = self.batch()
        if not batch.positions:
            return []
        schema = self._schema_for(batch)
        reader = TypedReader(batch.reader, batch.operations, schema)
        tables = [pa.Table.from_batches(reader(part)) for part in batch.parts]
        read = pa.concat_tables([reader.arrow_schema.empty_table(), *tables])
        for report in read.filter(pa.compute.equal(read["ordinal"], REPORT)).to_pylist():
            error = FileReport.from_text(report["file"], report["detail"]).error
            if error:
                raise error
        frame = self._frame(batch, schema)
        stored = self._stored(schema).rename_columns([ROW_ID, *frame.columns])
        answer = reduce_bucket(read.filter(pa.compute.not_equal(read["ordinal"], REPORT)), stored, frame)
        self.opened.confirm(batch)
        found = {part: self._written(frame, part, answer["files"].get(part)) for part in WrittenPart}
        gone = pa.compute.is_in(stored[ROW_ID], found[WrittenPart.DELETED][ROW_ID].combine_chunks())
        kept = stored.rename_columns([ROW_ID, *schema.names]).filter(pa.compute.invert(gone))
        self.rows = pa.concat_tables([kept, found[WrittenPart.INSERTED].drop_columns([DELTA_ID])])
        self.schema, self.runs = schema, self.runs + 1
        assert not self.applied.keys() & batch.positions.keys()  # no delta is applied twice
        self.applied |= batch.positions
        return found[WrittenPart.QUARANTINE].to_pylist()

    def values(self) -> list[Row]:
        assert self.rows is not None
        return self.rows.drop_columns([ROW_ID]).to_pylist()

    def _schema_for(self, batch: Batch) -> TableSchema:
        if self.schema is None:
            return table_schema.bootstrap_schema(None, "orders", self.config, batch)
        return table_schema.next_schema(None, self.schema, self.config, batch)

    def _frame(self, batch: Batch, schema: TableSchema) -> DeltaFrame:
        folders = {part: self.root / "parts" / f"{self.runs}-{part}" for part in WrittenPart}
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        return DeltaFrame(
            names=schema.names,
            types=tuple(map(arrow_type, schema.columns)),
            key=tuple(schema.names.index(name) for name in schema.key),
            snapshots=batch.whole,
            delta_ids=batch.deltas,
            files=tuple(part.where for part in batch.parts),
            first_ids=tuple(self.runs * 1_000_000 + part.number * 10_000 for part in batch.parts),
            folders=folders,
        )

    def _stored(self, schema: TableSchema) -> pa.Table:
        """The rows so far with the columns of a schema, under whatever names they had before."""
        types = {ROW_ID: pa.int64()} | {column.name: arrow_type(column) for column in schema.columns}
        if self.rows is None or self.schema is None:
            return pa.schema(list(types.items())).empty_table()
        former = table_schema.former_names(self.schema, self.config)
        names = {name: former.get(name, name) for name in types}
        found = [
            self.rows[names[name]].cast(kind)
            if names[name] in self.rows.column_names
            else pa.nulls(len(self.rows), kind)
            for name, kind in types.items()
        ]
        return pa.table(found, names=list(types))

    @staticmethod
    def _written(frame: DeltaFrame, part: WrittenPart, name: str | None) -> pa.Table:
        return pq.read_table(frame.folders[part] / name) if name else frame.row_schema(part).empty_table()


def rows(ledger: Ledger) -> list[Row]:
    """The rows after applying what is pending; nothing may be rejected."""
    assert ledger.run() == []
    return sorted(ledger.values(), key=lambda row: row["id"])
