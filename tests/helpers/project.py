"""A project with one table: lands deltas in any format, ingests them run by run, and reads the rows that result."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.normalize import ingest_table
from profiling_core.ingest.pending import pending
from profiling_core.ingest.table_ingest import Before
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.source import Source
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import FileRef, RunPlan, TableState, Version
from profiling_core.spark.snapshot import next_snapshot_files, read_snapshot
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = "orders"
Row = dict[str, Any]


@dataclass
class Project:
    """A project below ``root`` whose dataset has the one table :data:`TABLE`."""

    spark: "SparkSession"
    root: Path
    source: Mapping[str, Any]
    options: Mapping[str, Any]
    version: Version | None = None
    applied: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.root / "dags" / "datasets").mkdir(parents=True, exist_ok=True)
        self.settings = Settings.discover(self.root, {})
        self.config = self.configured()
        self.store = Store(self.settings.home, "shop")

    @property
    def directory(self) -> Path:
        return self.root / "landing" / TABLE

    def configured(self, **changes: Any) -> DatasetConfig:
        place = {} if {"path", "table"} & self.source.keys() else {"path": f"landing/{TABLE}"}
        source = Source(**place, **self.source)
        return DatasetConfig(dataset="shop", tables={TABLE: TableConfig(source=source, **{**self.options, **changes})})

    def land(self, delta_id: str, rows: Sequence[Row], types: pa.Schema | None = None) -> Path:
        """Writes rows (column → value) as a delta in the source's format."""
        name = self.config.tables[TABLE].source.format.value
        path = self.directory / f"{delta_id}.{name}"
        {"csv": write_csv, "jsonl": write_jsonl, "parquet": write_parquet}[name](path, rows, types)
        return path

    def land_text(self, delta_id: str, text: str | bytes) -> Path:
        path = self.directory / f"{delta_id}.{self.config.tables[TABLE].source.format.value}"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def pending(self, label: str | None = None) -> tuple[str, ...]:
        return pending(self.settings, self.config, {TABLE: self.applied}, label)[TABLE]

    def ingest(self, label: str | None = None, *, rebuild: bool = False, kept: bool = True) -> NormalizedDelta:
        """Ingests what is pending, and makes it the next version; not kept, it is as if the run had been killed."""
        found = {TABLE: self.pending(label)}
        number = self.version.number if self.version else 0
        plan = RunPlan("shop", f"run-{number}", label or "all", number, found, None, rebuild)
        delta = ingest_table(
            self.spark, self.settings, self.store, self.config, plan, TABLE, Before(self.version, self.applied)
        )
        if not kept:
            return delta
        files = next_snapshot_files(self.store, self.version, delta, plan.run_id)
        schema = TableSchema.from_json(delta.schema)
        before = self.version.tables[TABLE].rows if self.version else 0
        rows = before + len(self.rows_of(delta.inserted)) - len(self.rows_of(delta.deleted))
        state = TableState(schema, PredicateSpace(TABLE, NullSemantics.SQL, ()), rows, delta.next_row_id)
        self.version = Version("shop", number + 1, plan.run_id, plan.label, {TABLE: state}, {}, files)
        self.applied |= {delta_id: delta.positions.get(delta_id, {}) for delta_id in delta.delta_ids}
        return delta

    def rows_of(self, part: Sequence[FileRef]) -> list[Row]:
        """The rows of a part of a delta."""
        return pq.read_table(self.store.verified(part)).to_pylist()

    def quarantine(self, delta: NormalizedDelta) -> list[Row]:
        return sorted(self.rows_of(delta.quarantine), key=lambda row: (row["file"], row["line"]))

    def live(self) -> list[Row]:
        """The rows of the current version, by row id."""
        assert self.version is not None
        rows = read_snapshot(self.spark, self.store, self.version, TABLE).toArrow()
        assert rows.num_rows == self.version.tables[TABLE].rows
        return rows.sort_by("_row_id").to_pylist()

    def values(self) -> list[Row]:
        """The rows of the current version without their ids."""
        return [{name: value for name, value in row.items() if name != "_row_id"} for row in self.live()]


def write_csv(path: Path, rows: Sequence[Row], _: pa.Schema | None = None) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: _csv_cell(v) for k, v in row.items()})


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_jsonl(path: Path, rows: Sequence[Row], _: pa.Schema | None = None) -> None:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False, default=str)}\n" for row in rows), encoding="utf-8")


def write_parquet(path: Path, rows: Sequence[Row], types: pa.Schema | None = None) -> None:
    pq.write_table(pa.Table.from_pylist(list(rows), types), path)
