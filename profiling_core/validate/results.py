"""The results of a validation, check by check; a check that could not run is not a violation."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from profiling_core.model.stored import Stored


class Status(StrEnum):
    """The outcome of one expectation."""

    PASSED = "passed"
    VIOLATED = "violated"
    BROKEN_CHECK = "broken check"


class OutcomeSource(StrEnum):
    """Where an outcome comes from: a query over the data, or the counts that the maintained state holds exactly."""

    EXECUTED = "executed"
    MAINTAINED = "maintained counts"


@dataclass(frozen=True, slots=True)
class CheckOutcome(Stored):
    """One expectation's outcome.

    ``rows`` counts the rows in a violation when executed, ``violations`` is the maintained figure (None: not known);
    ``problem`` says why the check is broken. ``contradicts`` is set when query and maintained figure disagree.
    """

    fingerprint: str
    constraint: str
    table: str
    status: Status
    source: OutcomeSource
    rows: int | None = None
    violations: int | None = None
    problem: str = ""
    contradicts: bool = False


@dataclass(frozen=True, slots=True)
class TableValidation:
    """One table's part: its checks, and the result file relative to the artifacts directory."""

    table: str
    checks: tuple[CheckOutcome, ...]
    result: str

    def count(self, status: Status, source: OutcomeSource | None = None) -> int:
        """How many checks have that outcome (and come from there)."""
        return sum(c.status is status and source in (None, c.source) for c in self.checks)


@dataclass(frozen=True, slots=True)
class ValidationSummary(Stored):
    """A run's validation. ``data_docs`` is the Docs' index page relative to the artifacts directory (empty: none)."""

    dataset: str
    version: int
    tables: tuple[TableValidation, ...]
    data_docs: str = ""
    seconds: float = 0.0

    @property
    def checks(self) -> tuple[CheckOutcome, ...]:
        """All tables' checks."""
        return tuple(check for table in self.tables for check in table.checks)

    @property
    def broken_checks(self) -> tuple[CheckOutcome, ...]:
        """Checks that could not be made: a fault of the set-up, not of the data."""
        return tuple(c for c in self.checks if c.status is Status.BROKEN_CHECK)

    @property
    def contradictions(self) -> tuple[CheckOutcome, ...]:
        """Checks in which the data say something else than the maintained state."""
        return tuple(c for c in self.checks if c.contradicts)


def status_of(result: Mapping[str, Any]) -> Status:
    """The status of one GX expectation result.

    A missing column or a failing query gives ``success: false`` like a violation, an empty result, and exception
    information keyed by metric instead of flat.
    """
    if problem_of(result):
        return Status.BROKEN_CHECK
    return Status.PASSED if result["success"] else Status.VIOLATED


def problem_of(result: Mapping[str, Any]) -> str:
    """The first line of the exception that a check died of; empty where it did not."""
    information = result.get("exception_info") or {}
    entries = [information] if "raised_exception" in information else list(information.values())
    for entry in entries:
        if isinstance(entry, Mapping) and entry.get("raised_exception"):
            message = str(entry.get("exception_message") or "").strip()
            return message.splitlines()[0] if message else "the check raised an exception without a message"
    if not result["success"] and unexpected_rows(result) is None:
        return "the check failed without saying how many rows"
    return ""


def unexpected_rows(result: Mapping[str, Any]) -> int | None:
    """How many rows a result found in a violation, or None where it does not say."""
    found = result.get("result") or {}
    count = found.get("unexpected_count", found.get("observed_value"))
    return count if isinstance(count, int) else None
