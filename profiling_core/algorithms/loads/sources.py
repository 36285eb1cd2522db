"""What each source of a load says: regions, currencies, stations, hours, of which each has one row in every load.

Among the rows of one load a wrong number may be any other row's; beside what the same source said before it stands
out. A source's number is compared by its step from the load before, which a trend moves as it always has.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.loads.profile import Profile
from profiling_core.algorithms.loads.surprise import Figures
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# A load's numbers by source are kept up to so many: some 16 kB of a state that has 56 loads.
_MOST_CELLS = 2_000
_MOST_NAMING = 2
_LEAST_SOURCES = 3
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The rows of a load, each of one source: per naming column their names, per number what they say, in one order."""

    names: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, tuple[float | None, ...]]

    def to_json(self) -> list[Any]:
        """The sources as plain JSON data."""
        return [{by: list(names) for by, names in self.names.items()}, {n: list(x) for n, x in self.numbers.items()}]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        names, numbers = data
        return cls({by: tuple(some) for by, some in names.items()}, {n: tuple(x) for n, x in numbers.items()})

    def under(self, former: Mapping[str, str]) -> "SourceRows":
        """The sources for a table whose columns are called otherwise."""
        names = {former[by]: some for by, some in self.names.items() if by in former}
        return SourceRows(names, {former[name]: some for name, some in self.numbers.items() if name in former})

    def said(self, by: str, names: Sequence[str], number: str) -> Figures:
        """float64[sources]: what each of these says, NaN where it has no row, or no number."""
        own = self.numbers.get(number)
        known = dict(zip(self.names.get(by, ()), own, strict=True)) if own else {}
        return np.array([np.nan if (x := known.get(name)) is None else x for name in names], np.float64)


NONE = SourceRows({}, {})


def sources_of(found: Profile, schema: TableSchema) -> SourceRows:
    """The rows of a load by their sources; none where no column names each row, or rows are too many."""
    numeric = [c.name for c in schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    if not _LEAST_SOURCES <= found.rows == len(found.sample):
        return NONE
    naming = [c.name for c in schema.profiled if _names_each_row(found, c, schema)]
    naming = sorted(naming, key=lambda name: not _has_letters(found.sample[name]))[:_MOST_NAMING]
    numeric = [name for name in numeric if name not in naming and found.columns[name].rows]
    if not naming or found.rows * len(numeric) > _MOST_CELLS:
        return NONE
    names = {by: tuple(found.sample[by].cast(pa.string()).to_pylist()) for by in naming}
    return SourceRows(names, {name: tuple(_numbers(found.sample[name])) for name in numeric})


def _names_each_row(found: Profile, column: Column, schema: TableSchema) -> bool:
    """Whether it is a text, or a whole number of the key, that is another one in each row."""
    names = column.type is LogicalType.STRING or (column.type is LogicalType.INTEGER and column.name in schema.key)
    return names and len(found.columns[column.name].values or ()) == found.rows


def _has_letters(values: pa.ChunkedArray) -> bool:
    """Whether all values have some: names say more to people than codes."""
    return bool(pc.all(pc.match_substring_regex(values.cast(pa.string()), r"\pL")).as_py())


def _numbers(values: pa.ChunkedArray) -> Iterator[float | None]:
    for number in doubles(present(values)).to_pylist():
        yield None if number is None or not np.isfinite(number) else float(f"{number:.{_DIGITS}g}")


def named(by: str, names: Sequence[str]) -> Callable[[pa.Table], Any]:
    """The rows of these sources."""
    wanted = pa.array(names, pa.string())
    return lambda rows: pc.fill_null(pc.is_in(rows[by].cast(pa.string()), wanted), fill_value=False).to_numpy()
