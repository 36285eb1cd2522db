"""The dataset's inclusion dependencies of version N and the deltas of all its tables become those of version N+1.

Only what the deltas touch is read and written; all results follow from the clusters, so they equal discovery from
scratch (docs/semantics.md, "Deltas"). Bootstrapping is the same on an empty state.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from profiling_core.algorithms.denial.ranking import rank_inclusions
from profiling_core.algorithms.inclusions.attribute_clustering import (
    Attribute,
    Coverage,
    coverage,
    inclusions,
    measured,
)
from profiling_core.algorithms.inclusions.orphan_values import Inclusion
from profiling_core.algorithms.inclusions.value_clusters import Clusters, combine
from profiling_core.maintain.inclusion_state import (
    GeneratorOptions,
    attributes_with,
    generator_of,
    new_generator_folder,
    publish_results,
    publish_state,
    read_state,
)
from profiling_core.maintain.orphaned_rows import RowsAfter, find_orphaned_rows
from profiling_core.maintain.results import BrokenConstraint, Results
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import FileRef, RunPlan, Version
from profiling_core.spark.generator import advance
from profiling_core.spark.value_counts import SignedRows, cells
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RANKED = 200
_DEFAULTS = GeneratorOptions()


@dataclass(frozen=True, slots=True)
class StagedInclusions:
    """The dataset's inclusions in the next version, ready to be committed.

    ``files`` are all of the version's files that belong to no table. ``results`` are all valid INDs, the partial ones
    that reach their table's threshold, and the tracked ones whatever their coverage. ``orphans`` tells for each tracked
    IND (by fingerprint) with more missing values than before which rows newly have no partner, and how many.
    """

    files: tuple[FileRef, ...]
    results: tuple[Measured, ...]
    orphans: Mapping[str, BrokenConstraint]

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        return {
            "files": [asdict(file) for file in self.files],
            "results": [m.to_json() for m in self.results],
            "orphans": {fingerprint: broken.to_json() for fingerprint, broken in self.orphans.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        return cls(
            tuple(FileRef(**file) for file in data["files"]),
            tuple(Measured.from_json(m) for m in data["results"]),
            {fingerprint: BrokenConstraint.from_json(b) for fingerprint, b in data["orphans"].items()},
        )


def maintain_inclusions(  # noqa: PLR0913  # the run's parts, as every step takes them, and options that tests set
    spark: "SparkSession",
    store: Store,
    version: Version | None,
    deltas: Mapping[str, NormalizedDelta],
    config: DatasetConfig,
    run: RunPlan,
    tracked: Sequence[InclusionDependency] = (),
    *,
    options: GeneratorOptions = _DEFAULTS,
) -> StagedInclusions:
    """Maintains the inclusions of a dataset; writes new files only, so that a retry starts from the same version.

    Args:
        spark: the session.
        store: where the state lies.
        version: what the deltas apply to; None: nothing, they are whole tables.
        deltas: by table; tables without one stay as they are.
        config: the dataset's configuration.
        run: the run that the new files belong to.
        tracked: INDs to measure whatever their coverage, and to explain where they got worse.
        options: how the generator is kept.

    Raises:
        StateError: the version's state is damaged, or does not fit the configuration or the deltas.
    """
    before = read_state(store, version, config.values)
    schemas = [TableSchema.from_json(delta.schema) for delta in deltas.values()]
    attributes = attributes_with(before, schemas, f"dataset {config.dataset!r}")
    rows = [side for delta in deltas.values() for side in _sides(store, delta, attributes)]
    generator = generator_of(store, before, cells(rows), options)
    old = _Figures.of(before.clusters, before.attributes)
    known = [inclusion for inclusion in tracked if old.measure(inclusion)]
    folder = new_generator_folder(store, run.run_id)
    done = advance(spark, generator, rows, folder, [old.pair(inclusion) for inclusion in known])
    clusters = combine([(before.clusters, 1), (done.change, 1)])
    new = _Figures.of(clusters, attributes)
    worse = [
        (inclusion, orphans)
        for inclusion, orphans in zip(known, done.orphans, strict=True)
        if new.missing(inclusion) > old.missing(inclusion)
    ]
    orphans = find_orphaned_rows(RowsAfter(spark, store, version, deltas), worse, config.values)
    valid = inclusions(new.shared, attributes, lambda a: _least_coverage(config, a))
    followed = [m for m in map(new.measure, tracked) if m]
    files = publish_state(store, run.run_id, before, (generator, attributes, clusters), folder)
    results = publish_results(store, run.run_id, _results(new, valid, followed, orphans))
    listed = {m.constraint.fingerprint: m for m in (*valid, *followed)}
    return StagedInclusions((*files, results), tuple(listed.values()), orphans)


def _least_coverage(config: DatasetConfig, included: Attribute) -> float:
    """The threshold of a table; tables that the configuration names no more keep exact INDs only."""
    table = config.tables.get(included.table)
    return table.errors.ind_coverage if table else 1.0


def _sides(store: Store, delta: NormalizedDelta, attributes: Sequence[Attribute]) -> list[SignedRows]:
    """The Parquet files of rows that come and of those that go, with the attributes of their columns."""
    columns = tuple((a.columns, i) for i, a in enumerate(attributes) if a.table == delta.table)
    return [
        SignedRows(tuple(str(f) for f in sorted(store.path(path).rglob("*.parquet"))), columns, sign)
        for path, sign in ((delta.inserted, 1), (delta.deleted, -1))
    ]


@dataclass(frozen=True)
class _Figures:
    """What the attributes of one version share, and so the figures of any inclusion between them."""

    attributes: Sequence[Attribute]
    shared: Coverage
    ids: Mapping[ColumnList, int]

    @classmethod
    def of(cls, clusters: Clusters, attributes: Sequence[Attribute]) -> "_Figures":
        ids = {ColumnList(a.table, a.columns): i for i, a in enumerate(attributes)}
        return cls(attributes, coverage(clusters, len(attributes)), ids)

    def pair(self, inclusion: InclusionDependency) -> Inclusion:
        return Inclusion(self.ids[inclusion.lhs], self.ids[inclusion.rhs])

    def measure(self, inclusion: InclusionDependency) -> Measured | None:
        """The figures of an inclusion; None where a side of it is not known."""
        if inclusion.lhs not in self.ids or inclusion.rhs not in self.ids:
            return None
        pair = self.pair(inclusion)
        return measured(self.shared, self.attributes, pair.included, pair.referenced)

    def missing(self, inclusion: InclusionDependency) -> int:
        found = self.measure(inclusion)
        return found.violations if found else 0

    @property
    def unique(self) -> dict[ColumnList, bool]:
        """Per side whether no value of it occurs twice."""
        return {side: bool(self.shared.values[i, i] == self.shared.rows[i, i]) for side, i in self.ids.items()}


def _results(
    figures: _Figures,
    valid: Sequence[Measured],
    followed: Sequence[Measured],
    orphans: Mapping[str, BrokenConstraint],
) -> Results:
    counts = {"ind": len(valid), "exact": sum(m.holds for m in valid)}
    ranked = rank_inclusions(valid, figures.unique)[:RANKED]
    return Results(counts, tuple(ranked), tuple(followed), orphans)
