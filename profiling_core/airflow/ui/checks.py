"""The page of a version's validation: per check, the result on the rows and the result by the counts.

Great Expectations' own pages show the same but load their styles from outside; this one loads nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from profiling_core.airflow.ui.places import catalog
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.stored import Hidden, Stored
from profiling_core.validate.results import CheckOutcome, OutcomeSource, Status, TableValidation

CHECKS_SHOWN = 100
"""Lines of the page: as many as of the other lists."""


@dataclass(frozen=True, slots=True)
class ChecksPage(Stored):
    """The checks of a version from the ``first`` (0) on, failed ones first, and their total.

    ``rules`` has by fingerprint the constraints that the shown checks belong to; ``counts`` are of all checks.
    ``suites`` is
    by table the place of its results for programs, below the artifacts.
    """

    dataset: str
    version: int
    label: str
    first: int
    checks: tuple[CheckOutcome, ...]
    total: int
    counts: Mapping[Status, int]
    executed: int
    contradictions: int
    rules: Hidden[Mapping[str, Tracked]]
    suites: Hidden[Mapping[str, str]]


def checks_page(dataset: str, version: int, first: int) -> ChecksPage | None:
    """The checks of a version; None if there is no such version, or it has not been validated."""
    known = catalog()
    stamp = known.stamps(dataset).get(version)
    records = known.validations(dataset, version) if stamp else []
    if stamp is None or not records:
        return None
    tables = [_read(record.result) for record in records]
    every = sorted((check for table in tables for check in table.checks), key=_wrong_first)
    shown = every[first : first + CHECKS_SHOWN]
    tracked = known.chosen(dataset, version, [check.fingerprint for check in shown])
    return ChecksPage(
        dataset,
        version,
        stamp.label,
        first,
        tuple(shown),
        len(every),
        {status: sum(check.status is status for check in every) for status in Status},
        sum(check.source is OutcomeSource.EXECUTED for check in every),
        sum(check.contradicts for check in every),
        {rule.fingerprint: rule for rule in tracked},
        {table.table: table.result for table in tables if table.result},
    )


def _read(result: Mapping[str, Any]) -> TableValidation:
    checks = tuple(CheckOutcome.from_json(check) for check in result["checks"])
    return TableValidation(result["table"], checks, result["result"])


def _wrong_first(check: CheckOutcome) -> tuple[bool, bool, bool, str, str]:
    return (
        not check.contradicts,
        check.status is not Status.BROKEN_CHECK,
        check.status is not Status.VIOLATED,
        check.table,
        check.constraint,
    )
