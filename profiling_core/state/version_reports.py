"""Reports for people about a version's columns and rejected rows, read without importing any algorithm."""

from collections.abc import Iterator
from dataclasses import dataclass

from profiling_core.model.constraint import DATASET
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.role import ColumnRole
from profiling_core.model.stored import Stored, readable
from profiling_core.model.version import Version
from profiling_core.state.store import Store

CACHE_ROLE, CACHE_FORMAT = "row-rules", 3
"""The files of tables' caches (:mod:`profiling_core.maintain.candidate_cache`)."""


@dataclass(frozen=True, slots=True)
class CachedRole(Stored):
    """A column's role as a table's cache keeps it, and the label of the version since which the column has it."""

    __flat__ = ("role",)

    role: ColumnRole
    since: str


@dataclass(frozen=True, slots=True)
class KnownColumn(Stored):
    """A column's role, and the label of the version since which it has it."""

    __flat__ = ("role",)

    table: str
    role: ColumnRole
    since: str


def columns_in(store: Store, version: Version, table: str) -> Iterator[KnownColumn]:
    """The columns of a table whose role a version knows, in the table's order."""
    refs = version.files_of(CACHE_ROLE, table)
    cache = store.read_json(refs[0]) if refs else {}
    known = cache["roles"] if cache.get("format") == CACHE_FORMAT else ()
    roles = {cached.role.column: cached for cached in map(CachedRole.from_json, known)}
    for column in version.tables[table].schema.profiled:
        if cached := roles.get(column.name):
            yield KnownColumn(table, cached.role, cached.since)


def kept_away_in(store: Store, version: Version) -> list[KeptAway]:
    """The rules that a version would show if nobody had rejected rules like them."""
    refs = [ref for place in (*version.tables, DATASET) for ref in version.files_of("results", place)]
    stored = (kept for ref in refs for kept in store.read_json(ref).get("kept_away", ()))
    return list(readable(KeptAway.from_json, stored))
