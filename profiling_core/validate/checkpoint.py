"""A run's validation: the change suites executed over the data, the rest answered from the maintained counts.

A checkpoint asks the data once or more per expectation, and the maintained state knows every count exactly. So a day on
which nothing changed executes nothing and does not even import Great Expectations. Either way each table gets one
result file that covers its whole suite, ``<artifacts>/<dataset>/validations/<version>/<table>.json``.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from profiling_core.emit.files import to_bytes
from profiling_core.emit.suites import EmittedSuite, EmittedSuites
from profiling_core.model.change import ChangeSet
from profiling_core.model.constraint import Measured
from profiling_core.model.lifecycle import Tracked
from profiling_core.state.atomic import write_atomically
from profiling_core.validate.maintained import maintained_result, suite_result
from profiling_core.validate.results import (
    CheckOutcome,
    OutcomeSource,
    Status,
    TableValidation,
    ValidationSummary,
    problem_of,
    status_of,
    unexpected_rows,
)
from profiling_core.validate.tables import Tables

Results = list[dict[str, Any]]


def tables_to_read(emitted: EmittedSuites, artifacts_dir: Path) -> frozenset[str]:
    """The tables whose rows the change suites need; empty on a quiet day."""
    needed: set[str] = set()
    for suite in emitted.changes:
        needed.add(suite.table)
        needed.update(view for e in _expectations(artifacts_dir, suite) for view in e["meta"]["needs_views"])
    return frozenset(needed)


def validate_changes(
    tables: Tables,
    emitted: EmittedSuites,
    changes: ChangeSet,
    tracked: Sequence[Tracked],
    artifacts_dir: Path,
    *,
    max_rows: int = 50,
    data_docs: bool = True,
) -> ValidationSummary:
    """Executes the change suites, answers the rest from counts, and keeps results and Data Docs.

    Args:
        tables: those of :func:`tables_to_read`.
        emitted: what the emit step wrote.
        changes: the run's changes.
        tracked: the constraints followed, with their figures in this version.
        artifacts_dir: the directory that holds one folder per dataset.
        max_rows: the most violating rows that are kept per expectation.
        data_docs: whether to build GX's own pages of what was executed.

    Raises:
        StateError: stored, loaded and evaluated expectations are not the same.
    """
    started = time.monotonic()
    measured = _figures(changes, tracked)
    executed = {
        suite.table: executed_results(artifacts_dir / suite.path, suite.table, tables, max_rows)
        for suite in emitted.changes
        if suite.expectations
    }
    validated = [
        _validate_table(suite, executed.get(suite.table, []), measured, tables, emitted, artifacts_dir)
        for suite in emitted.tables
    ]
    docs = ""
    if data_docs and emitted.changes:
        from profiling_core.validate.docs import build_data_docs

        docs = build_data_docs(artifacts_dir, emitted, executed)
    return ValidationSummary(
        emitted.dataset, emitted.version, tuple(validated), docs, round(time.monotonic() - started, 3)
    )


def executed_results(path: Path, table: str, tables: Tables, max_rows: int) -> Results:
    """The results of a suite with at least one expectation, run over its table; see ``execution.execute_suite``."""
    from profiling_core.validate.execution import execute_suite

    return execute_suite(path, table, tables, max_rows=max_rows)


def _figures(changes: ChangeSet, tracked: Sequence[Tracked]) -> dict[str, Measured]:
    """By fingerprint, the figures that the maintained state holds after the run."""
    figures = {c.measured.constraint.fingerprint: c.after for c in changes.changes if c.after is not None}
    return figures | {record.fingerprint: record.measured for record in tracked}


def _expectations(artifacts_dir: Path, suite: EmittedSuite) -> list[dict[str, Any]]:
    expectations: list[dict[str, Any]] = json.loads((artifacts_dir / suite.path).read_bytes())["expectations"]
    return expectations


def _validate_table(
    suite: EmittedSuite,
    executed: Results,
    measured: Mapping[str, Measured],
    tables: Tables,
    emitted: EmittedSuites,
    artifacts_dir: Path,
) -> TableValidation:
    """One result per expectation of the table's suite, then those of the change suite that the suite does not have."""
    stored = json.loads((artifacts_dir / suite.path).read_bytes())
    by_fingerprint = {_fingerprint(result): mark_executed(result) for result in executed}
    results = []
    for entry in stored["expectations"]:
        done = by_fingerprint.pop(entry["meta"]["fingerprint"], None)
        results.append(done or maintained_result(entry, measured[entry["meta"]["fingerprint"]]))
    results.extend(by_fingerprint.values())
    run = {"dataset": emitted.dataset, "version": emitted.version, "table": suite.table}
    path = Path(emitted.dataset, "validations", str(emitted.version), f"{suite.table}.json")
    write_atomically(artifacts_dir / path, to_bytes(suite_result(stored, results, run)))
    checks = tuple(check_of(r, measured.get(_fingerprint(r)), tables) for r in results)
    return TableValidation(suite.table, checks, str(path))


def _fingerprint(result: Mapping[str, Any]) -> str:
    return str(result["expectation_config"]["meta"]["fingerprint"])


def mark_executed(result: dict[str, Any]) -> dict[str, Any]:
    """The result with a note in its ``meta`` that it was executed."""
    return {**result, "meta": {**(result.get("meta") or {}), "holdfast": {"source": OutcomeSource.EXECUTED.value}}}


def check_of(result: Mapping[str, Any], measured: Measured | None, tables: Tables) -> CheckOutcome:
    """One expectation's outcome, held against the maintained figures where there are any."""
    meta = result["expectation_config"]["meta"]
    source = OutcomeSource(result["meta"]["holdfast"]["source"])
    status, problem = status_of(result), problem_of(result)
    if problem and measured:
        problem = _lacking(measured, tables) or problem
    expected = measured.error <= meta.get("tolerance", 0.0) if measured else None
    found_out = source is OutcomeSource.EXECUTED and status is not Status.BROKEN_CHECK and expected is not None
    return CheckOutcome(
        fingerprint=meta["fingerprint"],
        constraint=meta["constraint"],
        table=meta["table"],
        status=status,
        source=source,
        rows=unexpected_rows(result) if source is OutcomeSource.EXECUTED else None,
        violations=measured.violations if measured else None,
        problem=problem,
        contradicts=found_out and (status is Status.PASSED) is not expected,
    )


def _lacking(measured: Measured, tables: Tables) -> str:
    """Which column that a constraint speaks of is not there: the databases say that each in words of their own."""
    there = {side.table: tables.columns(side.table) for side in measured.constraint.sides}
    gone = (
        f"{side.table} has no column {column!r} any more"
        for side in measured.constraint.sides
        for column in side.columns
        if column not in (there[side.table] or (column,))
    )
    return next(gone, "")
