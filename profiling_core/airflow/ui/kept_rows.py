"""Rows on pages and in files: rows that violate a rule, rejected rows, and rows that are set aside."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field

from profiling_core.airflow.ui.places import catalog, workspace
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.origin import Origin
from profiling_core.model.version import ASIDE, QUARANTINED
from profiling_core.pipeline.quarantine import KeptRows, quarantined, set_aside
from profiling_core.pipeline.violating import violating
from profiling_core.spark.snapshot import rows_in

ROWS_SHOWN = 100
"""Rows of a page: as many as lines of the other lists; all of them are in the CSV file."""
MOST_IN_A_FILE = 100_000
"""Rows of a CSV file, at most: about 10 MB, which a spreadsheet can open."""
# First characters by which spreadsheets take a text for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class ShownRows:
    """Some rows, from the ``first`` (0) on, of ``total``."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    first: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class RowsPage:
    """Rows that violate a rule in the newest version, whose label is ``label``, and where each came from."""

    dataset: str
    label: str
    tracked: Tracked
    shown: ShownRows
    origins: tuple[Origin, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return self.shown.columns

    @property
    def rows(self) -> tuple[tuple[str | None, ...], ...]:
        """The rows' values."""
        return self.shown.rows


@dataclass(frozen=True, slots=True)
class QuarantinePage:
    """Rows that a dataset's tables keep out: of one ``table`` with a ``reason`` (empty: any), and counts of all tables.

    ``rejected`` and ``aside`` count rows by table, ``reasons`` those of the table by reason.
    """

    dataset: str
    table: str
    reason: str
    rows: ShownRows
    kept: ShownRows
    rejected: Mapping[str, int] = field(default_factory=dict)
    aside: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)


def violating_page(dataset: str, fingerprint: str, first: int, count: int = ROWS_SHOWN) -> RowsPage | None:
    """Rows that violate a rule now; None if the dataset does not follow it.

    Raises:
        InputError: the rows cannot be queried; the error says why.
    """
    work, known = workspace(dataset), catalog()
    version = known.current(dataset)
    tracked = next((t for t in known.history(dataset, fingerprint)[-1:]), None)
    if version is None or tracked is None:
        return None
    found = violating(work, version, tracked.measured.constraint, first=first, count=count)
    shown = ShownRows(found.columns, found.rows, found.first, found.total)
    return RowsPage(dataset, version.label, tracked, shown, found.origins)


def quarantine_page(
    dataset: str, table: str, reason: str, first: int, count: int = ROWS_SHOWN
) -> QuarantinePage | None:
    """The rows that a dataset keeps out, of the named table or else of the one with most; None if it has no version.

    Raises:
        InputError: there is no such table.
    """
    work, version = workspace(dataset), catalog().current(dataset)
    if version is None:
        return None
    rejected = {name: rows_in(work.store, version.files_of(QUARANTINED, name)) for name in version.tables}
    aside = {name: rows_in(work.store, version.files_of(ASIDE, name)) for name in version.tables}
    table = table or max(version.tables, key=lambda name: (rejected[name] + aside[name], name))
    found = quarantined(work, version, table, reason=reason, first=first, count=count)
    kept = set_aside(work, version, table, count=ROWS_SHOWN)
    return QuarantinePage(dataset, table, reason, _shown(found), _shown(kept), rejected, aside, found.reasons)


def _shown(found: KeptRows) -> ShownRows:
    return ShownRows(found.columns, found.rows, found.first, found.total)


def csv_text(shown: RowsPage | ShownRows) -> str:
    """The rows as CSV; a text that a spreadsheet would take for a formula begins with an apostrophe.

    The last columns say where rows that violate a rule came from, as far as that is known.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    origins = shown.origins if isinstance(shown, RowsPage) else ()
    places: list[tuple[str, ...]] = [(o.delta, o.file, str(o.line or "")) for o in origins] or [()] * len(shown.rows)
    writer.writerow(map(_plain, (*shown.columns, *(("delta", "file", "line") if origins else ()))))
    writer.writerows([_plain(value) for value in (*row, *place)] for row, place in zip(shown.rows, places, strict=True))
    return text.getvalue()


def _plain(value: str | None) -> str:
    if value is None:
        return ""
    return f"'{value}" if value.startswith(_FORMULA) and not _is_number(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
