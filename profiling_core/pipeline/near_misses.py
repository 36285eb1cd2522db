"""Inclusions that fail only because of types: one column holds whole numbers, the other the same digits as text."""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.row_parts import RowParts
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType

# Whole numbers of at most 18 digits, which always fit into 64 bits.
_WHOLE = "^-?[0-9]{1,18}$"
Numbers = NDArray[np.int64]
_Side = tuple[str, str]


def near_misses(tables: Mapping[str, RowParts], schemas: Mapping[str, TableSchema]) -> list[str]:
    """Messages about columns that would refer to a unique column if both had the same type."""
    texts = dict(_of_type(tables, schemas, LogicalType.STRING))
    numbers = dict(_of_type(tables, schemas, LogicalType.INTEGER)) if texts else {}
    pairs = [(a, b) for a in texts for b in numbers] + [(b, a) for a in texts for b in numbers]
    known = texts | numbers
    return [_said(one, other, texts) for one, other in pairs if _would_refer(known[one], known[other])]


def _of_type(
    tables: Mapping[str, RowParts], schemas: Mapping[str, TableSchema], kind: LogicalType
) -> Iterator[tuple[_Side, Numbers]]:
    for table, schema in schemas.items():
        for column in schema.profiled:
            if column.type is kind and (values := _numbers(tables[table], column.name)) is not None:
                yield (table, column.name), values


def _numbers(parts: RowParts, column: str) -> Numbers | None:
    """int64[n]: a column's whole numbers in ascending order; None if it has other texts or no values."""
    found: list[Numbers] = []
    for part in range(len(parts)):
        values = parts.read(part, [column])[column].drop_null()
        if not pa.types.is_integer(values.type):
            if not pc.all(pc.match_substring_regex(values, _WHOLE)).as_py() and len(values):
                return None
            values = values.cast(pa.int64())
        found.append(np.asarray(values.to_numpy(), np.int64))
    return np.sort(np.concatenate(found)) if any(map(len, found)) else None


def _would_refer(own: Numbers, key: Numbers) -> bool:
    """Whether ``key`` has two or more distinct numbers, none twice, and contains all of ``own``."""
    unique = len(key) > 1 and bool((np.diff(key) > 0).all())
    return unique and own[-1] <= key[-1] and bool((key[np.searchsorted(key, own)] == own).all())


def _said(one: _Side, other: _Side, texts: Mapping[_Side, Numbers]) -> str:
    kinds = ["text" if side in texts else "whole numbers" for side in (one, other)]
    (table, column), (parent, key) = one, other
    return (
        f"{table}.{column} ({kinds[0]}) has the digits of {parent}.{key} ({kinds[1]}): "
        "no inclusion, since their types differ"
    )
