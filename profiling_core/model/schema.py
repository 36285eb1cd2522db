"""The columns of a table, as fixed when the table is bootstrapped."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from profiling_core.model.number_form import PLAIN_FORM, NumberForm
from profiling_core.model.stored import Sparse, Stored
from profiling_core.model.types import DayOrder, LogicalType


@dataclass(frozen=True, slots=True)
class Column(Stored):
    """One column.

    ``precision`` and ``scale`` are set for decimals only. ``ordered`` says whether values take the four order
    operators, ``profiled`` whether constraints speak of the column at all (columns left out are still stored, so
    that witness rows show them). ``day_order`` says how days with slashes are read; None: they are not. ``written``
    is how the texts of a column of numbers are written.
    """

    name: str
    type: LogicalType
    ordered: bool
    profiled: bool = True
    precision: int | None = None
    scale: int | None = None
    day_order: Sparse[DayOrder | None] = None
    written: Annotated[NumberForm, Field(exclude_if=PLAIN_FORM.__eq__)] = PLAIN_FORM


@dataclass(frozen=True, slots=True)
class TableSchema(Stored):
    """Name, columns in order, and declared key (empty: none) of a table."""

    table: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All column names, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def profiled(self) -> tuple[Column, ...]:
        """The columns that constraints speak of, in order."""
        return tuple(column for column in self.columns if column.profiled)

    @property
    def naming(self) -> frozenset[str]:
        """The columns whose values may name a row: measured numbers do not, unique as they may be for a long time."""
        measured = (LogicalType.FLOAT, LogicalType.DECIMAL)
        return frozenset(column.name for column in self.profiled if column.type not in measured)

    def column(self, name: str) -> Column:
        """The column of that name; raises ``KeyError`` where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.table!r} has no column {name!r}; its columns are {', '.join(self.names)}")
