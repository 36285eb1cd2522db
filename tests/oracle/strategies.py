"""Random small tables for property tests: few columns of few values, so that ties, duplicates and nulls abound."""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

# Values of one type class meet each other: 1 = 1.0 = 1.00, a date is its midnight, −0.0 is 0.0 and NaN is null.
DOMAINS: dict[LogicalType, tuple[Any, ...]] = {
    LogicalType.INTEGER: (None, 0, 1, 2),
    LogicalType.DECIMAL: (None, Decimal("1.00"), Decimal("1.50"), Decimal("2.00")),
    LogicalType.FLOAT: (None, float("nan"), -0.0, 0.0, 1.0, 1.5),
    LogicalType.DATE: (None, dt.date(2013, 1, 1), dt.date(2013, 1, 2)),
    LogicalType.TIMESTAMP: (
        None,
        dt.datetime(2013, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2013, 1, 1, 12, tzinfo=dt.UTC),
        dt.datetime(2013, 1, 2, tzinfo=dt.UTC),
    ),
    LogicalType.STRING: (None, "a", "b", "é"),
    LogicalType.BOOLEAN: (None, False, True),
}
COLUMNS = (
    Column("A", LogicalType.INTEGER, ordered=True),
    Column("B", LogicalType.INTEGER, ordered=True),
    Column("C", LogicalType.FLOAT, ordered=True),
    Column("D", LogicalType.DECIMAL, ordered=True, precision=10, scale=2),
    Column("E", LogicalType.STRING, ordered=False),
    Column("F", LogicalType.STRING, ordered=True),
    Column("G", LogicalType.DATE, ordered=True),
    Column("H", LogicalType.TIMESTAMP, ordered=True),
    Column("I", LogicalType.BOOLEAN, ordered=False),
    Column("J", LogicalType.INTEGER, ordered=False),
)


@dataclass(frozen=True)
class Sample:
    """A table: its schema and its rows."""

    schema: TableSchema
    rows: list[dict[str, Any]]


@st.composite
def tables(draw: st.DrawFn, *, columns: int = 3, rows: int = 6, name: str = "r", nullable: bool = True) -> Sample:
    """A table of up to that many columns and rows."""
    chosen = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=columns, unique_by=lambda c: c.name))
    domains = [DOMAINS[c.type] if nullable else DOMAINS[c.type][2:] for c in chosen]
    found = draw(st.lists(st.tuples(*map(st.sampled_from, domains)), max_size=rows))
    names = [c.name for c in chosen]
    return Sample(TableSchema(name, tuple(chosen)), [dict(zip(names, row, strict=True)) for row in found])
