"""A dataset for the maintenance of inclusions: deltas as ingest leaves them, versions as commit makes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.algorithms.inclusions.attribute_clustering import discover
from profiling_core.maintain.inclusion_state import GeneratorOptions
from profiling_core.maintain.inclusions import InclusionStep, StagedInclusions, maintain_inclusions
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import RunPlan, TableState, Version
from profiling_core.state.store import Store

Tables = Mapping[str, pa.Table]


@dataclass
class VersionedDataset:
    """Tables with row ids, the version that holds them, and the way to the next."""

    spark: Any
    store: Store
    config: DatasetConfig
    schemas: Mapping[str, TableSchema]
    options: GeneratorOptions = field(default_factory=GeneratorOptions)
    version: Version | None = None
    rows: dict[str, pa.Table] = field(default_factory=dict)
    next_id: int = 0
    steps: int = 0

    def change(
        self, inserts: Tables, deletes: Callable[[str, pa.Table], np.ndarray] | None = None
    ) -> tuple[dict[str, NormalizedDelta], dict[str, pa.Table]]:
        """Deltas that insert rows and delete those that a mask picks; and the tables after them."""
        deltas, after = {}, dict(self.rows)
        for table, inserted in inserts.items():
            new = inserted.add_column(
                0, "_row_id", pa.array(range(self.next_id, self.next_id + len(inserted)), pa.int64())
            )
            self.next_id += len(inserted)
            known = after.get(table, new.slice(0, 0))
            gone = pa.array(deletes(table, known) if deletes else np.zeros(len(known), bool), pa.bool_())
            deltas[table] = self.delta(table, new, known.filter(gone))
            after[table] = pa.concat_tables([known.filter(pa.compute.invert(gone)), new])
        return deltas, after

    def delta(self, table: str, inserted: pa.Table, deleted: pa.Table) -> NormalizedDelta:
        """The delta of these rows, in Parquet files of small row groups."""
        self.steps += 1
        files = {}
        for side, rows in (("inserted", inserted), ("deleted", deleted)):
            folder = self.store.new_dir(f"d{self.steps}", table, side)
            data = (
                rows.append_column("_delta_id", pa.array(["d"] * len(rows), pa.string()))
                if side == "inserted"
                else rows
            )
            pq.write_table(data, folder / "part-0.parquet", row_group_size=max(3, len(rows) // 4))
            files[side] = self.store.publish(folder, table, side)
        return NormalizedDelta(
            dataset=self.config.dataset,
            table=table,
            delta_ids=(f"d{self.steps}",),
            base_version=self.version.number if self.version else 0,
            inserted=files["inserted"],
            deleted=files["deleted"],
            quarantine=(),
            inserts=len(inserted),
            deletes=len(deleted),
            updates=0,
            superseded=0,
            rejects=0,
            next_row_id=self.next_id,
            schema=self.schemas[table].to_json(),
        )

    def maintain(
        self,
        deltas: Mapping[str, NormalizedDelta],
        tracked: Sequence[InclusionDependency] = (),
        asked: Sequence[ColumnList] = (),
    ) -> StagedInclusions:
        """The step under test."""
        number = self.version.number if self.version else 0
        plan = RunPlan(self.config.dataset, f"run-{self.steps}", "d", number)
        step = InclusionStep(
            self.spark, self.store, self.version, deltas, self.config, plan, tracked, asked=asked, options=self.options
        )
        return maintain_inclusions(step)

    def commit(self, staged: StagedInclusions, after: Tables) -> None:
        """The next version, whose row files hold the tables as they are now."""
        files = list(staged.files)
        for table, rows in after.items():
            folder = self.store.new_dir(f"r{self.steps}", table, "rows")
            pq.write_table(rows, folder / "part-0.parquet")
            files += self.store.publish(folder, table, "rows")
        tables = {
            t: TableState(self.schemas[t], PredicateSpace(t, NullSemantics.SQL, ()), len(rows), self.next_id)
            for t, rows in after.items()
        }
        number = self.version.number + 1 if self.version else 1
        self.version = Version(self.config.dataset, number, f"run-{number}", "d", tables, {}, tuple(files))
        self.rows = dict(after)

    def discovered(self, after: Tables) -> list[Measured]:
        """What discovery from scratch finds, at the tables' thresholds."""
        schemas = {table: self.schemas[table] for table in after}
        least = {table: options.errors.ind_coverage for table, options in self.config.tables.items()}
        found = discover(
            after,
            schemas,
            values=self.config.values,
            min_coverage=lambda attribute: least[attribute.table],
            max_arity=self.config.max_arity,
        )
        return list(found.inclusions)
