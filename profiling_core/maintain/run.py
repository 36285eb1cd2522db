"""What one maintenance step of a table works with: its delta, the version below it, and the rows on both sides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pyroaring import BitMap64

from profiling_core.maintain.results import arrival_of
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.constraint import Constraint
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.delta import ROW_ID, NormalizedDelta
from profiling_core.model.lesson import Lesson
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import (
    ASIDE,
    DELETED,
    QUARANTINED,
    ROWS,
    Arrival,
    FileRef,
    TableState,
)
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.spark.snapshot import next_snapshot_files, rows_in, snapshot_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARED = "spared"
FINDINGS = "findings"


@dataclass(frozen=True)
class People:
    """What people have decided about a table.

    ``accepted`` are constraints that a person took as they were broken, ``pinned`` those that one wants followed,
    ``rejected`` those that are of no interest; ``lessons`` are what the judges of its loads were taught. ``broken`` has
    by delta and column the rows that broke rules, as incidents tell.
    """

    accepted: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    rejected: tuple[Constraint, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    broken: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class TableRun:
    """One table's part in one run: what its step reads, once."""

    spark: "SparkSession"
    files: TableFiles
    config: DatasetConfig
    delta: NormalizedDelta
    rebuild: bool = False
    people: People = People()

    @property
    def table(self) -> str:
        """The table's name."""
        return self.delta.table

    @property
    def options(self) -> TableConfig:
        """The table's configuration."""
        return self.config.tables[self.table]

    @property
    def renames(self) -> Mapping[str, str]:
        """By former name of a column the present one."""
        return self.config.renames.get(self.table, {})

    @property
    def nulls(self) -> NullSemantics:
        """How nulls of the table compare."""
        return self.config.nulls_of(self.table)

    @cached_property
    def schema(self) -> TableSchema:
        """The table's columns."""
        return TableSchema.from_json(self.delta.schema)

    @property
    def before(self) -> TableState | None:
        """The table's state that is maintained: in the base version, unless all is to be derived from its rows."""
        anew = self.rebuild or self.delta.rewritten
        return None if anew else self.files.state_before

    @property
    def size_before(self) -> int:
        """How many rows the delta comes upon."""
        known = None if self.rebuild else self.files.state_before
        return known.rows if known else 0

    @property
    def arrival(self) -> Arrival:
        """What arrived; with a rebuild nothing does, the delta then being the table itself."""
        return Arrival((), 0, 0, 0, 0, 0) if self.rebuild else arrival_of(self.delta)


def publish_rows(run: TableRun) -> tuple[FileRef, ...]:
    """Publishes the files that hold the table's rows in the next version; a rebuild leaves them as they are."""
    files = run.files
    if not run.rebuild or files.base is None:
        stored = next_snapshot_files(files.store, files.base, run.delta, files.run_id)
        return (*stored, *_publish_told(files, run.delta))
    return tuple(f for role in (ROWS, DELETED, QUARANTINED, ASIDE) for f in files.before(role))


def _publish_told(files: TableFiles, delta: NormalizedDelta) -> Iterator[FileRef]:
    """The constraints for whose sake rows of this delta were set aside, and what checks found in it."""
    for role, body in ((SPARED, delta.spared), (FINDINGS, delta.findings)):
        if body:
            yield files.publish_json(role, list(body))


def row_delta(run: TableRun) -> RowDelta:
    """The rows that stay, come and go."""
    parts = (run.delta.inserted, run.delta.deleted)
    coming, going = (Rows(run.spark, run.schema, (RowFiles.of(run.files.verified(part)),)) for part in parts)
    inserts, deletes = (rows_in(run.files.store, part) for part in parts)
    staying = _stored(run)
    if staying is not None and deletes:
        staying = staying.without(BitMap64(going.read([ROW_ID])[ROW_ID].to_pylist()))
    return RowDelta(staying, coming, going, inserts, deletes)


def _stored(run: TableRun) -> Rows | None:
    if run.delta.rewritten:
        return Rows(run.spark, run.schema, (RowFiles.of(run.files.verified(run.delta.rewritten)),))
    if run.files.base is None or run.before is None:
        return None
    return snapshot_rows(run.spark, run.files.store, run.files.base, run.table)
