"""The columns of a table, as fixed when the table is bootstrapped."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from profiling_core.model.number_form import PLAIN_FORM, NumberForm
from profiling_core.model.types import DayOrder, LogicalType


@dataclass(frozen=True, slots=True)
class Column:
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
    day_order: DayOrder | None = None
    written: NumberForm = PLAIN_FORM

    def to_json(self) -> dict[str, Any]:
        """The column as plain JSON data."""
        written: dict[str, Any] = {"day_order": self.day_order.value} if self.day_order else {}
        written |= {"written": self.written.to_json()} if self.written != PLAIN_FORM else {}
        return {
            "name": self.name,
            "type": self.type.value,
            "ordered": self.ordered,
            "profiled": self.profiled,
            "precision": self.precision,
            "scale": self.scale,
        } | written

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        order = DayOrder(data["day_order"]) if data.get("day_order") else None
        # Earlier releases kept with a column how its numbers are written, which its source says.
        known = {field: value for field, value in data.items() if field != "decimal_comma"}
        form = NumberForm.from_json(data["written"]) if data.get("written") else PLAIN_FORM
        return cls(**{**known, "type": LogicalType(data["type"]), "day_order": order, "written": form})


@dataclass(frozen=True, slots=True)
class TableSchema:
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

    def to_json(self) -> dict[str, Any]:
        """The schema as plain JSON data."""
        return {"table": self.table, "columns": [c.to_json() for c in self.columns], "key": list(self.key)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        return cls(data["table"], tuple(Column.from_json(c) for c in data["columns"]), tuple(data["key"]))
