"""What every step starts from: settings, the dataset's configuration, its catalog and its store."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.errors import StateError
from profiling_core.model.version import RunPlan, Version
from profiling_core.pipeline.configuration import find_dataset
from profiling_core.state.catalog import Catalog
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Workspace:
    """One dataset of one project."""

    settings: Settings
    config: DatasetConfig

    @classmethod
    def open(cls, dataset: str, settings: Settings | None = None) -> "Workspace":
        """The workspace of a dataset; raises ``ConfigurationError`` where no configuration file names it."""
        settings = settings or Settings.discover()
        return cls(settings, find_dataset(settings.datasets_dir, dataset))

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return self.config.dataset

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog, migrated to the present schema."""
        return self.settings.catalog()

    @cached_property
    def store(self) -> Store:
        """The dataset's files."""
        return self.settings.store(self.dataset)

    def spark(self, step: str) -> "SparkSession":
        """The Spark session, begun when something is asked of it: most small deltas need none."""
        from profiling_core.spark.session import SessionOnDemand, require_this_machine

        if self.settings.bucket:
            require_this_machine()
        return SessionOnDemand(f"holdfast {self.dataset} {step}").typed

    def plan(self, run_id: str) -> RunPlan:
        """The plan of a run; raises ``StateError`` where there is none, or it is damaged."""
        return RunPlan.from_json(self.store.recorded(run_id, "plan.json"))

    def taken(self, run_id: str) -> RunPlan:
        """The plan of a run whose tables are ingested, without those whose deltas were refused."""
        plan = self.plan(run_id)
        return plan.without(self.refused(plan))

    def refused(self, plan: RunPlan) -> Mapping[str, Mapping[str, Any]]:
        """What was refused of a run, by table, as the step that read it has recorded it."""
        found = {table: self.store.recorded(plan.run_id, f"{table}.delta.json") for table in plan.pending}
        return {table: record for table, record in found.items() if "refused" in record}

    def base(self, plan: RunPlan) -> Version | None:
        """The version that the run builds on, without what the plan found lost.

        Raises:
            StateError: another version has become current since.
        """
        current = self.catalog.current(self.dataset)
        number = current.number if current else 0
        if number != plan.base_version:
            raise StateError(
                f"run {plan.run_id!r} was planned on version {plan.base_version}, but version {number} is current",
                where=f"dataset {self.dataset!r}",
                remedy="plan again (in Airflow: clear the whole run); nothing was applied",
            )
        return plan.without_lost(current) if current else None

    def delta(self, run_id: str, table: str) -> NormalizedDelta:
        """A table's normalised delta of a run."""
        return NormalizedDelta.from_json(self.store.recorded(run_id, f"{table}.delta.json"))

    def committed(self, run_id: str) -> Version | None:
        """The version that a run committed, if it has."""
        return self.catalog.version_of_run(self.dataset, run_id)
