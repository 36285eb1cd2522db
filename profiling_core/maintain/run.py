"""What one maintenance step of a table works with: its delta, the version below it, and the rows on both sides."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyroaring import BitMap64

from profiling_core.maintain.results import arrival_of
from profiling_core.model.constraint import Constraint
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.delta import ROW_ID, NormalizedDelta
from profiling_core.model.lesson import Lesson
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import (
    ASIDE,
    DELETED,
    QUARANTINED,
    ROWS,
    Arrival,
    FileRef,
    TableState,
    Version,
)
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.spark.snapshot import next_snapshot_files, rows_in, snapshot_rows
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARED = "spared"
FINDINGS = "findings"


@dataclass(frozen=True)
class TableRun:
    """One table's part in one run.

    ``accepted`` are constraints that a person took as they were broken, ``pinned`` those that one wants followed,
    ``rejected`` those that are of no interest; ``lessons`` are what the judges of its loads were taught.
    """

    spark: "SparkSession"
    store: Store
    config: DatasetConfig
    run_id: str
    delta: NormalizedDelta
    base: Version | None
    rebuild: bool = False
    accepted: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    rejected: tuple[Constraint, ...] = ()
    lessons: tuple[Lesson, ...] = ()

    @property
    def table(self) -> str:
        """The table's name."""
        return self.delta.table

    @property
    def options(self) -> TableConfig:
        """The table's configuration."""
        return self.config.tables[self.table]

    @property
    def schema(self) -> TableSchema:
        """The table's columns."""
        return TableSchema.from_json(self.delta.schema)

    @property
    def before(self) -> TableState | None:
        """The table's state that is maintained: in the base version, unless all is to be derived from its rows."""
        anew = self.rebuild or self.delta.rewritten
        return self.base.tables.get(self.table) if self.base and not anew else None

    @property
    def size_before(self) -> int:
        """How many rows the delta comes upon."""
        known = self.base.tables.get(self.table) if self.base and not self.rebuild else None
        return known.rows if known else 0

    @property
    def arrival(self) -> Arrival:
        """What arrived; with a rebuild nothing does, the delta then being the table itself."""
        return Arrival((), 0, 0, 0, 0, 0) if self.rebuild else arrival_of(self.delta)


def publish_rows(run: TableRun) -> tuple[FileRef, ...]:
    """Publishes the files that hold the table's rows in the next version; a rebuild leaves them as they are."""
    if not run.rebuild or run.base is None:
        return (*next_snapshot_files(run.store, run.base, run.delta, run.run_id), *_publish_told(run))
    return tuple(f for role in (ROWS, DELETED, QUARANTINED, ASIDE) for f in run.base.files_of(role, run.table))


def _publish_told(run: TableRun) -> Iterator[FileRef]:
    """The constraints for whose sake rows of this delta were set aside, and what checks found in it."""
    for role, body in ((SPARED, run.delta.spared), (FINDINGS, run.delta.findings)):
        if body:
            yield run.store.publish_json(run.run_id, run.table, role, list(body))


def row_delta(run: TableRun) -> RowDelta:
    """The rows that stay, come and go."""
    parts = (run.delta.inserted, run.delta.deleted)
    coming, going = (Rows(run.spark, run.schema, (RowFiles.of(run.store.verified(part)),)) for part in parts)
    inserts, deletes = (rows_in(run.store, part) for part in parts)
    staying = _stored(run)
    if staying is not None and deletes:
        staying = staying.without(BitMap64(going.read([ROW_ID])[ROW_ID].to_pylist()))
    return RowDelta(staying, coming, going, inserts, deletes)


def _stored(run: TableRun) -> Rows | None:
    if run.delta.rewritten:
        return Rows(run.spark, run.schema, (RowFiles.of(run.store.verified(run.delta.rewritten)),))
    if run.base is None or run.before is None:
        return None
    return snapshot_rows(run.spark, run.store, run.base, run.table)


def whole(rows: RowDelta, size: int) -> RowDelta:
    """The delta that makes the same rows out of nothing: what an engine begins with.

    Args:
        rows: the delta on the table as it was.
        size: the table's number of rows after it.
    """
    return rows if rows.staying is None else RowDelta(None, rows.later, replace(rows.going, parts=()), size, 0)
