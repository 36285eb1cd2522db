"""Features of a column's name and values, as a part of a key and on either side of a reference."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.roles import names, vocabulary
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.model.role import Role

# Values that a column's length and look are computed from.
_LOOKED_AT = 1_000
# Names are read in English; a name of the rows themselves is stronger evidence than a name of a part.
_NAME = "name"
_PHONE_WORDS = frozenset({"phone", "fax", "tel", "telephone", "mobile", "zip", "zipcode", "postal", "postcode", "plz"})


@dataclass(frozen=True)
class ColumnLook:
    """A column's values in a few figures: ``low`` and ``high`` of whole numbers, ``length`` in characters, shares."""

    whole: bool = False
    low: int = 0
    high: int = 0
    length: float = 0.0
    spaced: float = 0.0
    one_length: bool = False


def look_of(table: CodedTable, name: str) -> ColumnLook:
    """The look of a column's values; for texts by a sample."""
    column = table.rows[name]
    if pa.types.is_integer(column.type):
        low, high = pc.min_max(column).as_py().values()
        return ColumnLook(whole=low is not None, low=low or 0, high=high or 0)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return ColumnLook()
    some = column.drop_null().slice(0, _LOOKED_AT)
    if not len(some):
        return ColumnLook()
    lengths = pc.utf8_length(some)
    spaced = pc.mean(pc.match_substring(some, " ").cast(pa.float64())).as_py()
    low, high = pc.min_max(lengths).as_py().values()
    return ColumnLook(length=pc.mean(lengths).as_py(), spaced=spaced, one_length=low == high)


@lru_cache(maxsize=8192)
def of_name(name: str, table: str, all_names: tuple[str, ...]) -> Mapping[str, float]:
    """Features of a column's name, by its words and its place."""
    parts = names.words(names.bare(name, all_names))
    place = all_names.index(name)
    head = names.head(parts)
    said = {
        "called id": names.identifies(parts),
        "called number": names.numbers(parts),
        "called code": head in vocabulary.CODING and head not in _PHONE_WORDS,
        "called name": head == _NAME or head in vocabulary.NAMING,
        "called personal": head == _NAME and not vocabulary.PERSONAL.isdisjoint(parts),
        "called phone": not _PHONE_WORDS.isdisjoint(parts),
        "called prose": not vocabulary.PROSE.isdisjoint(parts),
        "called as rows": names.calls_rows(parts, table),
        "called in short": parts in (["id"], ["key"], ["pk"], ["code"]),
        "called class": head in vocabulary.CLASSING,
        "called part of a date": head in vocabulary.CALENDAR,
        "called unit": names.unit_of(parts) not in (None, "year"),
        "called year": names.unit_of(parts) == "year",
        "counts file rows": names.counts_rows(name, all_names),
        "first": place == 0,
        "among first three": 0 < place < 3,
        "place": place / len(all_names),
    }
    return {feature: float(value) for feature, value in said.items()}


def of_values(table: CodedTable, name: str, look: ColumnLook) -> dict[str, float]:
    """Features of a column's role, type and values."""
    role, size = table.roles[name].role, max(1, table.size)
    distinct, present = table.distinct(name), table.present(name)
    span = look.high - look.low + 1 if look.whole else 0
    said = {
        "identifier": role is Role.IDENTIFIER,
        "refers": role is Role.REFERENCE,
        "code": role is Role.CODE,
        "quantity": role is Role.QUANTITY,
        "moment": role is Role.MOMENT,
        "upkeep": table.roles[name].upkeep,
        "text": role is Role.TEXT,
        "integer": look.whole,
        "fraction": pa.types.is_floating(table.rows[name].type) or pa.types.is_decimal(table.rows[name].type),
        "long text": min(3.0, look.length / 20),
        "with blanks": look.spaced,
        "of one length": look.one_length,
        "nulls": 1 - present / size,
        "spread": distinct / present if present else 0.0,
        "counted on": look.whole and distinct > 1 and span <= 1.05 * distinct,
        "from one": look.whole and look.low in (0, 1),
        "many values": math.log10(1 + distinct) / 3,
    }
    return {feature: float(value) for feature, value in said.items()}
