"""One table's ingest in one run: its source, its pending deltas, and the version it builds on."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from profiling_core.ingest.nulling import NullingReader
from profiling_core.ingest.sources.protocol import Applied, Batch, TableSource
from profiling_core.ingest.sources.registry import open_source
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.version import RunPlan, TableState, Version
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Before(NamedTuple):
    """The state that a run builds on: the current version (None: none yet), and the deltas that the table holds.

    ``batch`` are the pending deltas, if the run has read them already.
    """

    version: Version | None
    applied: Applied
    batch: Batch | None = None


@dataclass(frozen=True)
class TableIngest:
    """One table's ingest in one run."""

    spark: "SparkSession"
    settings: Settings
    store: Store
    config: DatasetConfig
    plan: RunPlan
    table: str
    before: Before

    @property
    def version(self) -> Version | None:
        """The version that the run builds on; None: there is none yet."""
        return self.before.version

    @property
    def options(self) -> TableConfig:
        """The table's configuration in the dataset's file."""
        return self.config.tables[self.table]

    @cached_property
    def source(self) -> TableSource:
        """The table's source."""
        return open_source(self.settings, self.options)

    @cached_property
    def batch(self) -> Batch:
        """The pending deltas, opened."""
        found = self.before.batch or self.source.open(self.delta_ids, self.before.applied)
        nulls = {name: chosen.null_values for name, chosen in self.options.columns.items() if chosen.null_values}
        return replace(found, reader=NullingReader(found.reader, nulls)) if nulls else found

    @property
    def delta_ids(self) -> tuple[str, ...]:
        """The ids of the pending deltas, in their order."""
        return tuple(self.plan.pending.get(self.table, ()))

    @property
    def first_row_id(self) -> int:
        """The first row id that is unused."""
        return self.state.next_row_id if self.state else 0

    @property
    def state(self) -> TableState | None:
        """The table in the version that the run builds on; None: it is new."""
        return self.version.tables.get(self.table) if self.version else None
