"""The rows of a broken inclusion: which rows of the included table newly have no partner, and how many they are.

A value loses its partner in two ways. Where rows with it came, they are the delta's own; where its last partner went,
they are rows that had been there all along, and are looked for in the stored rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from profiling_core.algorithms.inclusions.orphan_values import Orphans
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.model.constraint import InclusionDependency
from profiling_core.model.delta import ROW_ID, NormalizedDelta
from profiling_core.model.version import Version
from profiling_core.spark.inclusions import Wanted, orphan_rows
from profiling_core.spark.snapshot import read_snapshot
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Broken = tuple[InclusionDependency, Orphans]


@dataclass(frozen=True)
class RowsAfter:
    """Where the rows of the next version are read: those that the deltas bring, and the version's that stay."""

    spark: "SparkSession"
    store: Store
    version: Version | None
    deltas: Mapping[str, NormalizedDelta]

    def inserted(self, table: str) -> "DataFrame | None":
        """The rows that a delta brings."""
        delta = self.deltas.get(table)
        return self.spark.read.parquet(*self.store.verified(delta.inserted)).drop("_delta_id") if delta else None

    def all_rows(self, table: str) -> "DataFrame | None":
        """All rows of the next version."""
        inserted = self.inserted(table)
        if self.version is None or table not in self.version.tables:
            return inserted
        if table not in self.deltas or inserted is None:
            return read_snapshot(self.spark, self.store, self.version, table)
        rewritten = self.deltas[table].rewritten
        kept = (
            self.spark.read.parquet(*self.store.verified(rewritten))
            if rewritten
            else read_snapshot(self.spark, self.store, self.version, table)
        )
        gone = self.spark.read.parquet(*self.store.verified(self.deltas[table].deleted)).select(ROW_ID)
        return kept.join(gone.hint("broadcast"), ROW_ID, "left_anti").unionByName(inserted)


def find_orphaned_rows(rows: RowsAfter, broken: Sequence[Broken], values: Values) -> dict[str, BrokenConstraint]:
    """By fingerprint, the rows without partner of each broken inclusion: their number, and some of them."""
    found: dict[str, BrokenConstraint] = {}
    for table in sorted({inclusion.lhs.table for inclusion, _ in broken}):
        found |= _of_table(rows, table, [b for b in broken if b[0].lhs.table == table], values)
    return found


def _of_table(rows: RowsAfter, table: str, broken: Sequence[Broken], values: Values) -> dict[str, BrokenConstraint]:
    older = any(pc.any(pc.greater(orphans.examples["frequency"], 0)).as_py() for _, orphans in broken)
    frame = rows.all_rows(table) if older else rows.inserted(table)
    if frame is None:
        return {}
    wanted = [Wanted(inclusion.lhs.columns, orphans.examples) for inclusion, orphans in broken]
    witnesses = orphan_rows(frame, wanted, values)
    return {
        inclusion.fingerprint: BrokenConstraint(orphans.rows, shown)
        for (inclusion, orphans), shown in zip(broken, witnesses, strict=True)
    }
