"""What each source of a load says: regions, currencies, stations, hours, of which each has one row in every load.

Among the rows of one load a wrong number may be any other row's; beside what the same source said before it stands
out. A source's number is compared by its step from the load before, which a trend moves as it always has.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.joint import BESIDE
from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.surprise import Figures
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# A load's numbers by source are kept up to so many: some 32 kB, of 28 loads.
_MOST_CELLS = 4_000
_MOST_NAMING = 2
_LEAST_SOURCES = 3
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The rows of a load, each of one source: per naming column their names, per number what they say, in one order.

    Several columns that name rows together are one name, with :data:`BESIDE` between them.
    """

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
        apart = {tuple(by.split(BESIDE)): some for by, some in self.names.items()}
        known = {by: some for by, some in apart.items() if all(name in former for name in by)}
        names = {BESIDE.join(former[name] for name in by): some for by, some in known.items()}
        return SourceRows(names, {former[name]: some for name, some in self.numbers.items() if name in former})

    def said(self, by: str, names: Sequence[str], number: str) -> Figures:
        """float64[sources]: what each of these says, NaN where it has no row, or no number."""
        own = self.numbers.get(number)
        known = dict(zip(self.names.get(by, ()), own, strict=True)) if own else {}
        return np.array([np.nan if (x := known.get(name)) is None else x for name in names], np.float64)


NONE = SourceRows({}, {})


def sources_of(found: Profile, schema: TableSchema) -> SourceRows:
    """The rows of a load by their sources; none where nothing names each row, or rows are too many."""
    if not _LEAST_SOURCES <= found.rows == len(found.sample) <= _MOST_CELLS:
        return NONE
    naming = _naming(found, schema)
    numeric = (c.name for c in schema.profiled if c.type.type_class is TypeClass.NUMERIC and found.columns[c.name].rows)
    numbers = [name for name in numeric if all(name not in by for by in naming)]
    if not naming or found.rows * len(numbers) > _MOST_CELLS:
        return NONE
    names = {BESIDE.join(by): tuple(some) for by, some in naming.items()}
    return SourceRows(names, {name: tuple(_numbers(found.sample[name])) for name in numbers})


def _naming(found: Profile, schema: TableSchema) -> dict[tuple[str, ...], list[str]]:
    """The first columns that name each row, alone or as all of the key but its day, and the names."""
    texts = [(c.name,) for c in schema.profiled if c.type is LogicalType.STRING]
    names = {by: names_of(found.sample, by) for by in (*texts, _key_within(found, schema)) if by}
    apart = [by for by, some in names.items() if len(set(some)) == found.rows]
    return {by: names[by] for by in sorted(apart, key=lambda by: not _have_letters(names[by]))[:_MOST_NAMING]}


def _key_within(found: Profile, schema: TableSchema) -> tuple[str, ...]:
    """The key's columns that differ within a load: not its day."""
    return tuple(name for name in schema.key if name in found.columns and not found.columns[name].has_one_value)


def names_of(rows: pa.Table, by: Sequence[str]) -> list[str]:
    """What names each row: its texts in these columns, empty where it lacks one."""
    texts = [pc.fill_null(rows[name].cast(pa.string()), "").to_pylist() for name in by]
    return [" · ".join(parts) for parts in zip(*texts, strict=True)]


def _have_letters(names: Sequence[str]) -> bool:
    """Whether all have some: names say more to people than codes."""
    return all(any(map(str.isalpha, name)) for name in names)


def _numbers(values: pa.ChunkedArray) -> Iterator[float | None]:
    for number in doubles(present(values)).to_pylist():
        yield None if number is None or not np.isfinite(number) else float(f"{number:.{_DIGITS}g}")


def named(by: Sequence[str], names: Sequence[str]) -> Callable[[pa.Table], npt.NDArray[np.bool_]]:
    """The rows of these sources."""
    wanted = frozenset(names)
    return lambda rows: np.array([name in wanted for name in names_of(rows, by)], np.bool_)
