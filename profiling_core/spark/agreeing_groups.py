"""Groups of rows that agree on some columns, around the rows of a break: the readings of FDs and UCCs need them.

Only rows that agree with one of the break are read; of a group it is kept how often each value stands in it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import Rows

Key = tuple[Any, ...]
_ID, _SAID = "id", "said"


@dataclass(frozen=True, slots=True)
class Stood:
    """A value in a group: in how many rows, the least id of these, and whether only new rows have it."""

    rows: int
    first: int
    new: bool


Groups = Mapping[Key, Mapping[Any, Stood]]


def not_as_usual(delta: RowDelta, columns: Sequence[str], said: str, rows: BitMap64, nulls: NullSemantics) -> BitMap64:
    """Of some inserted rows, those that do not say in a group what stays there.

    In each group of rows that agree on the columns, what stays is the value that the table has already (where it has
    several, most often), or else the one that most of the new rows have; of equally many, what came first.

    Args:
        delta: the delta.
        columns: what the rows of a group agree on.
        said: the column that should be the same in a group; with the row identity, one row stays.
        rows: the ids of the inserted rows in question.
        nulls: the table's null semantics.
    """
    mine = delta.coming.with_ids(rows, [ROW_ID, *columns, *({said} - {ROW_ID})])
    stay = {
        key: min(values, key=lambda value: (values[value].new, -values[value].rows, values[value].first))
        for key, values in groups_around(delta, mine, columns, said, nulls).items()
    }
    ids, keys, own = mine[ROW_ID].to_pylist(), _keys(mine, columns), mine[said].to_pylist()
    return BitMap64(i for i, key, value in zip(ids, keys, own, strict=True) if key not in stay or stay[key] != value)


def groups_around(
    delta: RowDelta, violating: pa.Table, columns: Sequence[str], said: str, nulls: NullSemantics
) -> Groups:
    """By what they agree on, the groups that a violating row is in, of the rows after the delta.

    Args:
        delta: the delta.
        violating: inserted rows, with the columns.
        columns: what the rows of a group agree on.
        said: the column whose values are told of each group; ``_row_id``: all are different.
        nulls: with SQL's null semantics, rows with a null are in no group.
    """
    found: dict[Key, dict[Any, Stood]] = defaultdict(dict)
    for side, new in ((delta.staying, False), (delta.coming, True)):
        for counted in _counted(side, violating, columns, said) if side else ():
            keys = _keys(counted, [f"k{i}" for i in range(len(columns))])
            figures = (counted[name].to_pylist() for name in (_SAID, f"{_ID}_count", f"{_ID}_min"))
            for key, value, rows, first in zip(keys, *figures, strict=True):
                if nulls is NullSemantics.EQUAL or (value is not None and None not in key):
                    known = found[key].get(value, Stood(0, first, new))
                    found[key][value] = Stood(known.rows + rows, min(known.first, first), known.new and new)
    return found


def agreeing_new(delta: RowDelta, violating: pa.Table, columns: Sequence[str], nulls: NullSemantics) -> int:
    """How many inserted rows agree with one of the violating ones."""
    of_new = RowDelta(None, delta.coming, delta.going, delta.inserts, delta.deletes)
    groups = groups_around(of_new, violating, columns, ROW_ID, nulls)
    return sum(map(len, groups.values()))


def _counted(rows: Rows, violating: pa.Table, columns: Sequence[str], said: str) -> Iterator[pa.Table]:
    """The groups of each portion: ``k0``… their values, ``said``, ``id_count`` and ``id_min``."""
    keys = [f"k{i}" for i in range(len(columns))]
    read = [ROW_ID, *columns, *({said} - {ROW_ID})]
    for portion in rows.agreeing(violating.select(columns), read):
        plain = pa.table([portion[name] for name in (*columns, said, ROW_ID)], [*keys, _SAID, _ID])
        yield plain.group_by([*keys, _SAID]).aggregate([(_ID, "count"), (_ID, "min")])


def _keys(rows: pa.Table, columns: Sequence[str]) -> Iterator[Key]:
    if not columns:
        return iter([()] * len(rows))
    return zip(*(rows[name].to_pylist() for name in columns), strict=True)
