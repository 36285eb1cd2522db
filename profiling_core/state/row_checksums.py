"""Seals: every row of the catalog carries a checksum of its values, compared whenever the row is read.

A bit that flips in the database is found where it is, before anything follows from the value; a row that an index has
lost is found by SQLite's own check of the whole (``engine.check_integrity``).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, Table, and_, insert, update

from profiling_core.model.errors import StateError

SEAL = "seal"
REMEDY = "`holdfast fsck` says what else is damaged; `holdfast fsck --rebuild-catalog` makes the catalog again"
THE_CATALOG = "the catalog"
"""Where damage is before it is known which catalog is read."""
Row = Mapping[str, Any] | RowMapping


def seal_of(row: Row) -> str:
    """The checksum of a row's values, in any order; null is no value, so that a new column breaks no seal."""
    values = {name: _plain(value) for name, value in row.items() if name != SEAL and value is not None}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode("ascii")).hexdigest()[:32]


def _plain(value: Any) -> Any:
    """A whole number is the same one in a column of floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def sealed(table: Table, row: Row) -> dict[str, Any]:
    """The row as it is stored: with all columns of its table, and its seal."""
    whole = {column.name: row.get(column.name) for column in table.columns if column.name != SEAL}
    return {**whole, SEAL: seal_of(whole)}


def add(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Inserts rows with their seals."""
    made = [sealed(table, row) for row in rows]
    if made:
        connection.execute(insert(table), made)


def change(connection: Connection, table: Table, row: Row, **values: Any) -> None:
    """Changes values of a row that is stored, and with them its seal."""
    same = and_(*(column == row[column.name] for column in table.primary_key.columns))
    connection.execute(update(table).where(same).values(sealed(table, dict(row) | values)))


def proven(table: Table, rows: Iterable[RowMapping]) -> Sequence[RowMapping]:
    """The rows, each compared with its seal; columns of other tables that were joined to them are passed over.

    Raises:
        StateError: a value is not what was stored.
    """
    found = list(rows)
    names = [column.name for column in table.columns if column.name != SEAL]
    for row in found:
        if row[SEAL] != seal_of({name: row[name] for name in names}):
            key = ", ".join(f"{c.name} {row[c.name]!r}" for c in table.primary_key.columns)
            raise damaged(f"a row of its table {table.name} ({key}) is not what was stored")
    return found


def damaged(what: str) -> StateError:
    """The error of a catalog that holds what nobody stored."""
    return StateError(f"the catalog is damaged: {what}", where=THE_CATALOG, remedy=REMEDY)
