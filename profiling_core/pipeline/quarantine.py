"""Rows that are in no table: those that were rejected, with file, line and reason, and those that are set aside."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from profiling_core.model.errors import InputError
from profiling_core.model.texts import value_text
from profiling_core.model.version import ASIDE, QUARANTINED, Version
from profiling_core.pipeline.workspace import Workspace

_SHOWN = ("delta_id", "file", "line", "reason", "detail", "row")
_WITH_VALUES = ("detail", "row")


@dataclass(frozen=True, slots=True)
class KeptRows:
    """A page of the ``total`` rows of one kind, newest delta first; ``first`` is its first row, counted from 0.

    ``reasons`` counts them by reason; of rows that are set aside there is one.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    first: int
    total: int
    reasons: Mapping[str, int]


def quarantined(
    work: Workspace, version: Version, table: str, *, reason: str = "", first: int = 0, count: int = 100
) -> KeptRows:
    """Rows of a table that were rejected, with delta, file, line, reason and content.

    Where the table has redacted columns, neither the content nor what quotes it is shown.

    Raises:
        InputError: the version has no such table.
        StateError: a file is damaged, or not kept any more.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    _check(version, table)
    files = work.store.verified(version.files_of(QUARANTINED, table))
    if not files:
        return KeptRows(_SHOWN, (), first, 0, {})
    every = pa.concat_tables([pq.read_table(file, columns=list(_SHOWN)) for file in reversed(files)])
    reasons = Counter(every["reason"].to_pylist())
    if reason:
        every = every.filter(pc.equal(every["reason"], reason))
    columns = tuple(c for c in _SHOWN if not (work.config.redacted(table) and c in _WITH_VALUES))
    page = every.select(columns).slice(first, count).to_pydict()
    rows = tuple(zip(*([value_text(value) for value in page[c]] for c in columns), strict=True))
    return KeptRows(columns, rows, first, every.num_rows, dict(reasons.most_common()))


def set_aside(work: Workspace, version: Version, table: str, *, first: int = 0, count: int = 100) -> KeptRows:
    """Rows of a table that its policy keeps out until somebody releases them; raises as :func:`quarantined` does."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    _check(version, table)
    files = work.store.verified(version.files_of(ASIDE, table))
    if not files:
        return KeptRows((), (), first, 0, {})
    every = pa.concat_tables([pq.read_table(file) for file in files], promote_options="default")
    hidden, columns = work.config.redacted(table), tuple(c for c in every.column_names if not c.startswith("_row"))
    page = every.select(columns).slice(first, count).to_pydict()
    shown = ([("•••" if c in hidden else value_text(value)) for value in page[c]] for c in columns)
    return KeptRows(columns, tuple(zip(*shown, strict=True)), first, every.num_rows, {"set aside": every.num_rows})


def _check(version: Version, table: str) -> None:
    if table not in version.tables:
        raise InputError(f"dataset {version.dataset!r} has no table {table!r} yet")
