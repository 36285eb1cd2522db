"""The rows of a broken inclusion: which rows of the included table newly have no partner, and how many they are.

A value loses its partner in two ways. Where rows with it came, they are the delta's own; where its last partner went,
they are rows that had been there all along, and are looked for in the stored rows. It is no news if rows of a table
that only grows lose a partner that a snapshot no longer lists: customers leave, and their orders stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc
from pyroaring import BitMap64

from profiling_core.algorithms.inclusions.orphan_values import Orphans
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.model.constraint import InclusionDependency
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import ROW_ID, NormalizedDelta
from profiling_core.model.schema import TableSchema
from profiling_core.model.source import SourceKind
from profiling_core.model.version import FileRef, Version
from profiling_core.spark.inclusions import WantedOrphans, orphan_rows
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.spark.snapshot import snapshot_rows
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Broken = tuple[InclusionDependency, Orphans]


@dataclass(frozen=True)
class RowsAfter:
    """Where the rows of the next version are read: those that the deltas bring, and the version's that stay."""

    spark: "SparkSession"
    store: Store
    version: Version | None
    deltas: Mapping[str, NormalizedDelta]

    def coming(self, table: str) -> Rows | None:
        """The rows that a delta brings."""
        delta = self.deltas.get(table)
        return self._of_delta(delta, delta.inserted) if delta else None

    def going(self, table: str) -> Rows | None:
        """The rows that a delta takes away."""
        delta = self.deltas.get(table)
        return self._of_delta(delta, delta.deleted) if delta else None

    def before(self, table: str) -> Rows | None:
        """The rows of the version."""
        if self.version is None or table not in self.version.tables:
            return None
        return snapshot_rows(self.spark, self.store, self.version, table)

    def all_rows(self, table: str) -> Rows | None:
        """All rows of the next version."""
        coming, going, before = self.coming(table), self.going(table), self.before(table)
        if coming is None or going is None or before is None:
            return coming or before
        rewritten = self.deltas[table].rewritten
        if rewritten:
            before = self._of_delta(self.deltas[table], rewritten)
        return before.without(BitMap64(going.read([ROW_ID])[ROW_ID].to_pylist())).and_those(coming)

    def _of_delta(self, delta: NormalizedDelta, part: Sequence[FileRef]) -> Rows:
        files = RowFiles.of(self.store.verified(part))
        return Rows(self.spark, TableSchema.from_json(delta.schema), (files,))


def find_orphaned_rows(rows: RowsAfter, broken: Sequence[Broken], config: DatasetConfig) -> dict[str, BrokenConstraint]:
    """By fingerprint, the rows without partner of each broken inclusion: their number, and some of them."""
    found: dict[str, BrokenConstraint] = {}
    for table in sorted({inclusion.lhs.table for inclusion, _ in broken}):
        found |= _of_table(rows, table, [b for b in broken if b[0].lhs.table == table], config)
    return found


def _of_table(
    rows: RowsAfter, table: str, broken: Sequence[Broken], config: DatasetConfig
) -> dict[str, BrokenConstraint]:
    older = any(pc.any(pc.greater(orphans.examples["frequency"], 0)).as_py() for _, orphans in broken)
    among = rows.all_rows(table) if older else rows.coming(table)
    if among is None:
        return {}
    wanted = [WantedOrphans(inclusion.lhs.columns, orphans.examples) for inclusion, orphans in broken]
    witnesses = orphan_rows(among, wanted, config.values)
    came = witnesses
    if older:
        coming = rows.coming(table)
        came = orphan_rows(coming, wanted, config.values) if coming is not None else [()] * len(broken)
    return {
        inclusion.fingerprint: BrokenConstraint(orphans.rows, shown, by_chance=not new and _outlives(inclusion, config))
        for (inclusion, orphans), shown, new in zip(broken, witnesses, came, strict=True)
    }


def _outlives(inclusion: InclusionDependency, config: DatasetConfig) -> bool:
    """Whether the rows of a table that only grows refer to a snapshot, which lists what there is on a day."""
    kinds = tuple(config.tables[side.table].source.kind for side in (inclusion.lhs, inclusion.rhs))
    return kinds == (SourceKind.APPEND, SourceKind.SNAPSHOT)
