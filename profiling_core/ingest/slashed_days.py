"""Days written 31/05/2024, 5/31/2024 or 31-05-2024: a single value may not show the order, but a column may.

A column can be read with the day first, with the month first, or both ways. If both are possible, the table's other
columns decide, since one file has one style; if they cannot, the values stay text.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.exact_numbers import Exactly, Fitting
from profiling_core.ingest.number_forms import Formed
from profiling_core.model.schema import Column
from profiling_core.model.types import DayOrder, LogicalType


class Slashed(StrEnum):
    """Possible readings of a column of these days, beside the logical types."""

    DAY_FIRST = "date, day first"
    MONTH_FIRST = "date, month first"
    MOMENT_DAY_FIRST = "timestamp, day first"
    MOMENT_MONTH_FIRST = "timestamp, month first"


Reading = LogicalType | Slashed | Exactly | Fitting | Formed
"""A possible reading of a column's cells."""
AS_COLUMNS: Mapping[Slashed, Column] = MappingProxyType(
    {
        Slashed.DAY_FIRST: Column("", LogicalType.DATE, ordered=True, day_order=DayOrder.DAY_FIRST),
        Slashed.MONTH_FIRST: Column("", LogicalType.DATE, ordered=True, day_order=DayOrder.MONTH_FIRST),
        Slashed.MOMENT_DAY_FIRST: Column("", LogicalType.TIMESTAMP, ordered=True, day_order=DayOrder.DAY_FIRST),
        Slashed.MOMENT_MONTH_FIRST: Column("", LogicalType.TIMESTAMP, ordered=True, day_order=DayOrder.MONTH_FIRST),
    }
)
_SLASHED = r"^[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}"
_YEAR_FIRST = MappingProxyType({DayOrder.DAY_FIRST: r"\3-\2-\1", DayOrder.MONTH_FIRST: r"\3-\1-\2"})


def are_slashed(texts: pa.Array) -> bool:
    """Whether one of some texts begins with such a day, in slashes or hyphens and with the year last."""
    return bool(pc.any(pc.match_substring_regex(texts, _SLASHED)).as_py())


def with_year_first(texts: pa.Array, order: DayOrder) -> pa.Array:
    """Texts with the year of such a day first, as in ISO; other texts as they are."""
    slashed = pc.replace_substring_regex(texts, r"^([0-9]{1,2})-([0-9]{1,2})-([0-9]{4})", r"\1/\2/\3")
    padded = pc.replace_substring_regex(slashed, r"^([0-9])/", r"0\1/")
    padded = pc.replace_substring_regex(padded, r"^([0-9]{2})/([0-9])/", r"\1/0\2/")
    return pc.replace_substring_regex(padded, r"^([0-9]{2})/([0-9]{2})/([0-9]{4})", _YEAR_FIRST[order])


def orders_of(possible: Iterable[Reading]) -> frozenset[DayOrder]:
    """The orders in which the days of a column may be read."""
    return frozenset(order for r in possible if isinstance(r, Slashed) and (order := AS_COLUMNS[r].day_order))
