"""The audit: every suite executed over the data, and every maintained count counted again, independently.

A daily run trusts the maintained counts for what did not change. An audit, weekly or on demand, does not: it runs all
expectations, and counts violations by SQL that shares no code with the engines that maintain them.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.kinds.registry import form_of
from profiling_core.emit.sql import violation_count
from profiling_core.emit.suites import MOST_PAIRS, EmittedSuites
from profiling_core.model.constraint import Measured
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Stored
from profiling_core.validate.checkpoint import check_of, executed_results, mark_executed
from profiling_core.validate.results import CheckOutcome, TableValidation, ValidationSummary
from profiling_core.validate.tables import Tables


@dataclass(frozen=True, slots=True)
class Recount(Stored):
    """A maintained figure beside the one counted again; ``counted`` is None where ``why_not`` says so."""

    __derived__ = ("agrees",)

    fingerprint: str
    table: str
    constraint: str
    maintained: int
    counted: int | None
    why_not: str = ""

    @property
    def agrees(self) -> bool:
        """Whether nothing speaks against the maintained figure."""
        return self.counted is None or self.counted == self.maintained


@dataclass(frozen=True, slots=True)
class Audit(Stored):
    """All expectations' outcomes, and all figures counted again."""

    __derived__ = ("agrees",)

    validation: ValidationSummary
    recounts: tuple[Recount, ...]

    @property
    def agrees(self) -> bool:
        """Whether data and maintained state say the same everywhere."""
        return not self.validation.contradictions and all(recount.agrees for recount in self.recounts)


def audit(
    tables: Tables,
    emitted: EmittedSuites,
    tracked: Sequence[Tracked],
    schemas: Mapping[str, TableSchema],
    artifacts_dir: Path,
    *,
    config: DatasetConfig,
    max_rows: int = 50,
) -> Audit:
    """Executes every table's suite and recounts every tracked constraint.

    Args:
        tables: all of them.
        emitted: the suites of the version that the tables are of.
        tracked: the constraints with their maintained figures.
        schemas: per table, its columns.
        artifacts_dir: the directory that holds one folder per dataset.
        config: the tables' null semantics.
        max_rows: the most violating rows that are kept per expectation.

    Raises:
        StateError: stored, loaded and evaluated expectations are not the same.
    """
    started = time.monotonic()
    measured = {record.fingerprint: record.measured for record in tracked}
    checked = tuple(
        TableValidation(suite.table, _checks(suite.path, suite.table, tables, artifacts_dir, measured, max_rows), "")
        for suite in emitted.tables
        if suite.expectations
    )
    recounts = tuple(_recount(record.measured, tables, schemas, config) for record in tracked)
    seconds = round(time.monotonic() - started, 3)
    return Audit(ValidationSummary(emitted.dataset, emitted.version, checked, "", seconds), recounts)


def _checks(
    path: str, table: str, tables: Tables, artifacts_dir: Path, measured: Mapping[str, Measured], max_rows: int
) -> tuple[CheckOutcome, ...]:
    results = executed_results(artifacts_dir / path, table, tables, max_rows)
    return tuple(
        check_of(mark_executed(result), measured.get(result["expectation_config"]["meta"]["fingerprint"]), tables)
        for result in results
    )


def _recount(measured: Measured, tables: Tables, schemas: Mapping[str, TableSchema], config: DatasetConfig) -> Recount:
    constraint = measured.constraint
    name = (constraint.fingerprint, constraint.tables[0], constraint.text, measured.violations)
    if not measured.population:
        return Recount(*name, None, "there is nothing to count among")
    if form_of(constraint).counts_pairs(constraint.familiar) and measured.population > MOST_PAIRS:
        return Recount(*name, None, f"would compare up to {measured.population:,} pairs of rows")
    try:
        query = violation_count(constraint, schemas, config.nulls_of(constraint.tables[0]))
    except InexpressibleError as error:
        return Recount(*name, None, error.what)
    return Recount(*name, tables.count(query, set(constraint.tables)))
