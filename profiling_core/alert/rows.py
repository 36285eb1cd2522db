"""The rows that broke a constraint beside the older rows that they contradict, as one table of texts.

Alert messages, the terminal report and the HTML report show the same table: the constraint's columns first, then the
columns that identify a row, then others as far as there is room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from profiling_core.model.change import Change, Witness
from profiling_core.model.constraint import Constraint
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Stored

MOST_COLUMNS = 10


class RowRole(StrEnum):
    """Which side of a contradiction a row is on; ``other`` came with the same delta as the new one."""

    NEW = "new"
    OLDER = "older"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its values in the table's column order (None: null), and which of them disagree with its partner."""

    role: RowRole
    values: tuple[str | None, ...]
    disagrees: tuple[bool, ...]
    group: int


@dataclass(frozen=True, slots=True)
class RowTable(Stored):
    """Columns, rows, how many leading columns are the constraint's own, and how many violating rows are not shown."""

    columns: tuple[str, ...]
    own: int
    rows: tuple[Row, ...]
    more: int


def row_table(change: Change, schema: TableSchema | None, *, most_rows: int = 10) -> RowTable:
    """The change's witnesses as a table.

    Args:
        change: a constraint that broke.
        schema: its table's columns and key; None where it is not known.
        most_rows: the most violating rows; each stands beside one row that it contradicts.
    """
    constraint = change.measured.constraint
    columns, own = _columns(constraint, schema, change.witnesses)
    telling = frozenset(constraint.telling)
    rows: list[Row] = []
    for group, witness in enumerate(various(change.witnesses, columns[:own])[:most_rows]):
        partner = witness.contradicts[0] if witness.contradicts else None
        rows.append(_row(RowRole.NEW, witness.broken_by, partner, columns, telling, group))
        if partner is not None:
            role = RowRole.OTHER if witness.both_new else RowRole.OLDER
            rows.append(_row(role, partner, witness.broken_by, columns, telling, group))
    shown = min(len(change.witnesses), most_rows)
    apart = change.diagnosis.standing_out or change.violating_rows
    return RowTable(tuple(columns), own, tuple(rows), max(0, max(apart, len(change.witnesses)) - shown))


def various(witnesses: Sequence[Witness], columns: Sequence[str]) -> list[Witness]:
    """The witnesses with those first that show something new in the constraint's columns: ten alike tell one thing."""
    seen: set[tuple[str | None, ...]] = set()
    first: list[Witness] = []
    alike: list[Witness] = []
    for witness in witnesses:
        values = tuple(witness.broken_by.get(column) for column in columns)
        (alike if values in seen else first).append(witness)
        seen.add(values)
    return first + alike


def _columns(constraint: Constraint, schema: TableSchema | None, witnesses: Sequence[Witness]) -> tuple[list[str], int]:
    own = list(constraint.columns)
    available = [name for name in witnesses[0].broken_by if not name.startswith("_")] if witnesses else []
    key = [name for name in (schema.key if schema else ()) if name not in own]
    # a column that is the same in all the rows shown tells nothing about them beside others that do
    rest = [name for name in available if name not in own and name not in key]
    rest = [name for name in rest if _varies(name, witnesses)] or rest
    return [*own, *key, *rest][: max(MOST_COLUMNS, len(own) + len(key))], len(own)


def _varies(column: str, witnesses: Sequence[Witness]) -> bool:
    values = {row.get(column) for w in witnesses for row in (w.broken_by, *w.contradicts)}
    return len(values) > 1


def _row(
    role: RowRole,
    row: Mapping[str, str | None],
    partner: Mapping[str, str | None] | None,
    columns: Sequence[str],
    telling: frozenset[str],
    group: int,
) -> Row:
    values = tuple(row.get(column) for column in columns)
    disagrees = tuple(
        column in telling and (partner is None or row.get(column) != partner.get(column)) for column in columns
    )
    return Row(role, values, disagrees, group)
