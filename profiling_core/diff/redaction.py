"""Keeps the values of redacted columns out of changes, and so out of the catalog, alerts, pages and commands."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from profiling_core.model.change import Change
from profiling_core.model.diagnosis import Diagnosis
from profiling_core.model.finding import Evidence, Finding

HIDDEN = "•••"
Row = Mapping[str, str | None]


def redacted(change: Change, columns: Collection[str]) -> Change:
    """The change without the values of these columns; nulls stay nulls."""
    if not columns:
        return change
    witnesses = tuple(
        replace(w, broken_by=_row(w.broken_by, columns), contradicts=tuple(_row(row, columns) for row in w.contradicts))
        for w in change.witnesses
    )
    return replace(change, witnesses=witnesses, diagnosis=_diagnosis(change.diagnosis, columns))


def redacted_finding(finding: Finding, columns: Collection[str]) -> Finding:
    """The finding without the values of these columns in its rows."""
    return replace(finding, rows=tuple(_evidence(row, columns) for row in finding.rows)) if columns else finding


def _evidence(row: Evidence, columns: Collection[str]) -> Evidence:
    beside = _row(row.beside, columns) if row.beside is not None else None
    values, expected, instead = (_row(cells, columns) for cells in (row.values, row.expected, row.instead))
    return replace(row, values=values, expected=expected, instead=instead, beside=beside)


def _row(row: Row, columns: Collection[str]) -> Row:
    return {name: _hidden(value) if name in columns else value for name, value in row.items()}


def _hidden(value: str | None) -> str | None:
    return None if value is None else HIDDEN


def _diagnosis(diagnosis: Diagnosis, columns: Collection[str]) -> Diagnosis:
    found, repair = diagnosis.concentration, diagnosis.repair
    if found and found.column in columns:
        found = replace(found, value=_hidden(found.value))
    if repair:
        column = repair.column
        examples = tuple(
            replace(
                example,
                where=_row(example.where, columns),
                before=_hidden(example.before) if column in columns else example.before,
                after=_hidden(example.after) if column in columns else example.after,
            )
            for example in repair.examples
        )
        repair = replace(repair, examples=examples)
    return replace(diagnosis, concentration=found, repair=repair)
